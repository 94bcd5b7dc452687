#pragma once
#include "compiler/ir/type.hpp"
#include "compiler/plan/program/program.hpp"

#include <map>
#include <optional>
#include <tuple>

namespace pm::plan {

using StorageId = std::uint32_t;

/// Of a dense array.
std::int64_t bytes_of(const ir::Type& type);
/// One element along axis 0.
ir::Type row_of(const ir::Type& stacked);

/// Bytes that are given a place together. Buffers are views of one.
struct Storage {
    Space space = Space::arena;
    std::uint32_t index = 0; ///< argument, result, constant
    std::int64_t bytes = 0;  ///< of one lane
    std::int64_t lanes = 0;  ///< not 0: each of so many lanes has its own
    bool donated = false;    ///< an argument that may be written
    std::vector<BufferId> views;
};

/// Makes storages and buffers while a program is planned; assign() gives temporaries their place when all steps are
/// known.
class Memory {
  public:
    explicit Memory(Program& program) : program_(program) {}

    StorageId fixed(Space space, std::uint32_t index, std::int64_t bytes);
    /// Steps may write an argument from now on.
    void donate(StorageId argument) { storages_[argument].donated = true; }
    /// A temporary; with `lanes`, one for each lane.
    StorageId temporary(std::int64_t bytes, std::int64_t lanes);

    /// A dense array in a storage; equal requests give the same buffer.
    BufferId buffer(StorageId storage, const ir::Type& type, std::int64_t offset = 0, std::vector<Stride> strides = {},
                    std::string note = {});
    BufferId temporary(const ir::Type& type, std::int64_t lanes, std::string note);
    /// The same bytes, `offset` further, as another type, moving with one more loop.
    BufferId view(BufferId base, const ir::Type& type, std::int64_t offset = 0, std::optional<Stride> stride = {});
    /// What the first lane has of what each lane has: bytes that do not move with the lanes.
    BufferId first_lane(BufferId each);
    BufferId constant(const ir::Type& type, std::vector<std::uint8_t> bytes);

    const Buffer& operator[](BufferId id) const { return program_.buffers[id]; }
    StorageId storage_of(BufferId id) const { return storage_of_[id]; }
    const Storage& storage(StorageId id) const { return storages_[id]; }
    ir::Type type(BufferId id) const { return {program_.buffers[id].dtype, program_.buffers[id].shape}; }
    /// The same bytes, element for element.
    bool same_place(BufferId a, BufferId b) const;
    bool writable(BufferId id) const;

    /// Gives every temporary its bytes: offsets in the arena by liveness over the steps, frames for what one `lanes`
    /// step alone uses, with `locals` locals for scalars. Fills Program::arena_bytes.
    void assign(bool locals);
    /// Leaves out buffers that no step uses. Buffers get new numbers: nothing can be asked of the memory afterwards.
    void drop_unused();

  private:
    using Key = std::tuple<StorageId, DType, std::vector<std::int64_t>, std::int64_t,
                           std::vector<std::pair<std::uint32_t, std::int64_t>>>;

    Program& program_;
    std::vector<Storage> storages_;
    std::vector<StorageId> storage_of_;
    std::map<Key, BufferId> views_;
};

} // namespace pm::plan
