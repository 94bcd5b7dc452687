#pragma once
#include "runtime/array.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace pm::runtime {

/// Arrays of one type by their number: what a loop whose count nobody knows leaves behind at each iteration. It grows
/// without moving what it holds, by doubling and then by chunks of a bounded size, so that no iteration takes long;
/// what was never written is zeros. Its arrays are in the memory of a device where it has one.
class Tape {
  public:
    /// Of `elements` elements of `dtype` for each number.
    Tape(DType dtype, std::int64_t elements, std::shared_ptr<Allocator> allocator,
         std::shared_ptr<Device> device = nullptr);

    /// The array of a number; null where there is none: below 0, or neither it nor one after it near by was written.
    std::byte* find(std::int64_t index) const;
    /// The array, made when it is not there; null for a number below 0. Throws what Allocator::allocate does.
    std::byte* at(std::int64_t index);
    /// Arrays of numbers in a row, one behind the other.
    struct Run {
        std::int64_t first = 0;
        std::int64_t end = 0;
        std::byte* arrays = nullptr; ///< null: there are none
    };
    /// Those around a number that is not below 0, as many as there are or are missing in its chunk.
    Run around(std::int64_t index) const;
    /// All of the chunk; made where they are not there yet.
    Run make_around(std::int64_t index);
    /// Adds all that the other one, of the same type, holds.
    void add(const Tape& other);

  private:
    struct Place {
        std::size_t chunk;
        std::size_t array; ///< of those in the chunk
    };
    struct Chunk {
        std::unique_ptr<Scratch> memory;
        std::unique_ptr<DeviceScratch> device_memory;
        std::size_t filled = 0; ///< arrays; what follows was never touched
        std::byte* data() const { return device_memory ? device_memory->data() : memory->data(); }
    };
    Place place_of(std::int64_t index) const;
    /// The first number in a chunk, and how many arrays it has room for.
    std::int64_t first_of(std::size_t chunk) const;
    std::int64_t room_of(std::size_t chunk) const;
    std::byte* at(const Place& place);
    void make(Chunk& chunk, std::size_t number);

    DType dtype_;
    std::int64_t elements_;
    std::size_t bytes_; ///< of an array
    int first_bits_;    ///< chunk c has room for 1 << min(first_bits_ + c, last_bits_) arrays
    int last_bits_;
    std::shared_ptr<Allocator> allocator_;
    std::shared_ptr<Device> device_;
    std::vector<Chunk> chunks_;
};

/// The tapes of a running call, each made by the driver (lane -1) or by a lane. A scope ends the tapes that were made
/// in it: of its lane, or, the driver's, of all. Safe to use from several lanes at once.
class Tapes {
  public:
    explicit Tapes(std::shared_ptr<Allocator> allocator, std::shared_ptr<Device> device = nullptr)
        : allocator_(std::move(allocator)), device_(std::move(device)) {}
    Tape& make(std::int64_t lane, DType dtype, std::int64_t elements);
    void enter(std::int64_t lane);
    void leave(std::int64_t lane);

  private:
    using List = std::vector<std::unique_ptr<Tape>>;
    std::shared_ptr<Allocator> allocator_;
    std::shared_ptr<Device> device_;
    std::mutex mutex_; // guards what follows
    std::map<std::int64_t, List> lists_;
    std::map<std::int64_t, std::vector<std::size_t>> lane_marks_;
    std::vector<std::map<std::int64_t, std::size_t>> marks_; ///< of the driver's scopes
};

/// An array of dtype `tape` holds addresses of tapes, 0 for one that is all zeros. The functions take `count` of them
/// side by side, with an index and `elements` elements for each.
struct TapeBatch {
    std::int64_t count = 1;
    std::int64_t elements = 1;
    DType dtype{};
};
/// The tape of a handle; of the handle 0 a new one, whose handle it is then.
Tape& tape_of(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, std::uint64_t& handle);
/// Writes values at the indices; a tape that is not there yet is made. Indices below 0 are passed over.
void tape_set(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, const void* values, const std::int64_t* indices,
              std::uint64_t* handles);
/// Adds values, of an inexact dtype or tapes themselves, to what is there.
void tape_add(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, const void* values, const std::int64_t* indices,
              std::uint64_t* handles);
/// Where the values at the indices are to be written: a tape that is not there yet is made. Null for an index below 0.
std::vector<std::byte*> tape_places(Tapes& tapes, std::int64_t lane, const TapeBatch& batch,
                                    const std::int64_t* indices, std::uint64_t* handles);
/// Where they are; null where there are none.
std::vector<std::byte*> tape_places(const TapeBatch& batch, const std::int64_t* indices, const std::uint64_t* handles);
/// Reads values; zeros where there are none.
void tape_get(const TapeBatch& batch, const std::uint64_t* handles, const std::int64_t* indices, void* values);

/// Adds all of `more` to the tapes.
void tape_sum(std::int64_t count, const std::uint64_t* more, std::uint64_t* handles);
enum class TapeWork : std::uint8_t { set, add, get, sum };

/// The same arrays; those of tapes keep what they name alive: tapes of `made`, and those that `arguments` keep.
std::vector<Array> keeping(std::vector<Array> arrays, const std::shared_ptr<Tapes>& made,
                           const std::vector<Array>& arguments);

} // namespace pm::runtime
