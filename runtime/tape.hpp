#pragma once
#include "runtime/array.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace pm::runtime {

/// An indexed sequence of arrays of one type: the residuals that a loop of unknown trip count stores at each iteration.
/// It grows without moving its content: first by doubling, then by chunks of a bounded size, so that no iteration takes
/// long. Arrays that were never written are zeros. The arrays are in the memory of the device if there is one.
class Tape {
  public:
    /// Each array has `elements` elements of `dtype`.
    Tape(DType dtype, std::int64_t elements, std::shared_ptr<Allocator> allocator,
         std::shared_ptr<Device> device = nullptr);

    /// The array at an index. Null for an index below 0, and if neither this array nor a later one of its chunk has
    /// been written.
    std::byte* find(std::int64_t index) const;
    /// The array at an index, which is created if it does not exist. Null for an index below 0. Throws as
    /// Allocator::allocate does.
    std::byte* at(std::int64_t index);
    /// Arrays at consecutive indices, contiguous in memory.
    struct Run {
        std::int64_t first = 0;
        std::int64_t end = 0;
        std::byte* arrays = nullptr; ///< null if the arrays do not exist
    };
    /// The longest run around an index that is not below 0, within its chunk, of arrays that all exist or are all
    /// missing.
    Run around(std::int64_t index) const;
    /// All arrays of the chunk around an index; missing ones are created.
    Run make_around(std::int64_t index);
    /// Adds all arrays of `other`, which has the same type.
    void add(const Tape& other);

  private:
    struct Place {
        std::size_t chunk;
        std::size_t array; ///< of those in the chunk
    };
    struct Chunk {
        std::unique_ptr<Scratch> memory;
        std::unique_ptr<DeviceScratch> device_memory;
        std::size_t filled = 0; ///< arrays; the memory after them was never touched
        std::byte* data() const { return device_memory ? device_memory->data() : memory->data(); }
    };
    Place place_of(std::int64_t index) const;
    /// The first index in a chunk, and the number of arrays that fit into it.
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

/// The tapes of a running call. The driver (lane -1) or a lane creates each tape. The end of a scope frees the tapes
/// that were created in it: those of its lane, or those of all lanes for a scope of the driver. Several lanes may use
/// it at once.
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
    std::mutex mutex_; // guards the members below
    std::map<std::int64_t, List> lists_;
    std::map<std::int64_t, std::vector<std::size_t>> lane_marks_;
    std::vector<std::map<std::int64_t, std::size_t>> marks_; ///< for the scopes of the driver
};

/// A batch of `count` tapes, each accessed at one index, with `elements` elements of `dtype`. An array of dtype `tape`
/// holds their addresses ("handles"); 0 is a tape of zeros.
struct TapeBatch {
    std::int64_t count = 1;
    std::int64_t elements = 1;
    DType dtype{};
};
/// The tape of a handle. For the handle 0 it creates a tape and stores the new handle in `handle`.
Tape& tape_of(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, std::uint64_t& handle);
/// Writes values at the indices and creates missing tapes. Skips indices below 0.
void tape_set(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, const void* values, const std::int64_t* indices,
              std::uint64_t* handles);
/// Adds values, of an inexact dtype or tapes themselves, to the stored ones.
void tape_add(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, const void* values, const std::int64_t* indices,
              std::uint64_t* handles);
/// The addresses at which to write the values for the indices. Creates missing tapes. Null for an index below 0.
std::vector<std::byte*> tape_places(Tapes& tapes, std::int64_t lane, const TapeBatch& batch,
                                    const std::int64_t* indices, std::uint64_t* handles);
/// As above, for reading: the addresses of stored values. Null for values that do not exist.
std::vector<std::byte*> tape_places(const TapeBatch& batch, const std::int64_t* indices, const std::uint64_t* handles);
/// Reads values; zeros for values that do not exist.
void tape_get(const TapeBatch& batch, const std::uint64_t* handles, const std::int64_t* indices, void* values);

/// Adds each tape of `more` to the tape at the same position in `handles`.
void tape_sum(std::int64_t count, const std::uint64_t* more, std::uint64_t* handles);
enum class TapeWork : std::uint8_t { set, add, get, sum };

/// Returns the same arrays, but arrays of tapes also keep the tapes to which they refer alive: those of `made`, and
/// those that `arguments` keep.
std::vector<Array> keeping(std::vector<Array> arrays, const std::shared_ptr<Tapes>& made,
                           const std::vector<Array>& arguments);

} // namespace pm::runtime
