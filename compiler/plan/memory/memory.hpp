#pragma once
#include "compiler/ir/type.hpp"
#include "compiler/plan/program/program.hpp"

#include <map>
#include <optional>
#include <tuple>

namespace pm::plan {

using StorageId = std::uint32_t;

/// The number of bytes of a dense array.
std::int64_t bytes_of(const ir::Type& type);
/// The type of one element of `stacked` along axis 0.
ir::Type row_of(const ir::Type& stacked);

/// A range of bytes that is placed in memory as a unit. Each buffer is a view of one storage.
struct Storage {
    Space space = Space::arena;
    std::uint32_t index = 0; ///< the number of the argument, result or constant
    std::int64_t bytes = 0;  ///< the bytes of one lane
    std::int64_t lanes = 0;  ///< 0: all lanes share the bytes; otherwise the number of lanes, each of which has its own
                             ///< bytes
    bool donated = false;    ///< true if the storage is an argument that steps may write
    std::vector<BufferId> views;
};

/// Creates storages and buffers during planning. assign() places the temporaries after all steps are known.
class Memory {
  public:
    explicit Memory(Program& program) : program_(program) {}

    StorageId fixed(Space space, std::uint32_t index, std::int64_t bytes);
    /// From now on, steps may write `argument`.
    void donate(StorageId argument) { storages_[argument].donated = true; }
    /// Creates a temporary. If `lanes` is not 0, each lane has its own copy.
    StorageId temporary(std::int64_t bytes, std::int64_t lanes);

    /// A dense array in `storage`. Equal requests return the same buffer.
    BufferId buffer(StorageId storage, const ir::Type& type, std::int64_t offset = 0, std::vector<Stride> strides = {},
                    std::string note = {});
    BufferId temporary(const ir::Type& type, std::int64_t lanes, std::string note);
    /// A view of `base` as another type, which starts at byte `offset` of `base`. `stride` is added to the strides of
    /// `base`.
    BufferId view(BufferId base, const ir::Type& type, std::int64_t offset = 0, std::optional<Stride> stride = {});
    /// Each lane has its own copy of the buffer `each`. Returns the copy that belongs to the first lane. The address of
    /// the returned buffer does not depend on the lane.
    BufferId first_lane(BufferId each);
    BufferId constant(const ir::Type& type, std::vector<std::uint8_t> bytes);

    const Buffer& operator[](BufferId id) const { return program_.buffers[id]; }
    StorageId storage_of(BufferId id) const { return storage_of_[id]; }
    const Storage& storage(StorageId id) const { return storages_[id]; }
    ir::Type type(BufferId id) const { return {program_.buffers[id].dtype, program_.buffers[id].shape}; }
    /// True if both buffers have the same bytes of memory, in every iteration and every lane.
    bool same_place(BufferId a, BufferId b) const;
    bool writable(BufferId id) const;

    /// Places every temporary in the arena, by liveness over the steps. Some temporaries are used by one `lanes` step
    /// only. During this step, each lane has a separate range of the arena for them. If `locals` is true, small
    /// temporaries may become Space::local instead. The function sets Program::arena_bytes.
    void assign(bool locals);
    /// Removes the buffers that no step uses, and renumbers the other buffers. After this call, the functions above
    /// must not be called.
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
