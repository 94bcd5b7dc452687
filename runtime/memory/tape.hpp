#pragma once
#include "runtime/array.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

/// An indexed sequence of arrays of one type: the residuals that a loop of unknown trip count stores at each iteration.
/// A tape grows without moving its content: first by doubling, then by chunks of a bounded size, so that no iteration
/// takes a long time. Arrays that were never written are zeros. If the tape has a device, the arrays are in its memory.
class Tape {
  public:
    /// Each array has `elements` elements of `dtype`.
    Tape(DType dtype, std::int64_t elements, std::shared_ptr<Allocator> allocator,
         std::shared_ptr<Device> device = nullptr);

    /// The array at an index. Returns null if the index is below 0, or if neither this array nor a later array of the
    /// same chunk has been written.
    std::byte* find(std::int64_t index) const;
    /// The array at an index. If the array does not exist, creates it. Returns null for an index below 0. Throws the
    /// exceptions of Allocator::allocate().
    std::byte* at(std::int64_t index);
    /// Arrays at consecutive indices, contiguous in memory.
    struct Run {
        std::int64_t first = 0;
        std::int64_t end = 0;
        std::byte* arrays = nullptr; ///< null if the arrays do not exist
    };
    /// A run of arrays around the index, within one chunk. If the array at the index exists, the run has all existing
    /// arrays of the chunk; otherwise it has all missing arrays of the chunk. The index must not be below 0.
    Run around(std::int64_t index) const;
    /// All arrays of the chunk that contains the index. Creates the missing arrays.
    Run make_around(std::int64_t index);
    /// Adds the elements of each array of `other` to the array at the same index of this tape. `other` has arrays of
    /// the same type.
    void add(const Tape& other);
    /// Writes the bytes of the array at an index.
    void write(std::int64_t index, std::string_view array);
    void pack(std::string& bytes) const; ///< for pack_tape()

  private:
    struct Place {
        std::size_t chunk;
        std::size_t array; ///< the index of the array in its chunk
    };
    struct Chunk {
        std::unique_ptr<Scratch> memory;
        std::unique_ptr<DeviceScratch> device_memory;
        std::size_t filled = 0; ///< the number of arrays that exist; the memory after them was never accessed
        std::byte* data() const { return device_memory ? device_memory->data() : memory->data(); }
    };
    Place place_of(std::int64_t index) const;
    /// first_of(): the index of the first array of a chunk. room_of(): the number of arrays that fit into the chunk.
    std::int64_t first_of(std::size_t chunk) const;
    std::int64_t room_of(std::size_t chunk) const;
    std::byte* at(const Place& place);
    void make(Chunk& chunk, std::size_t number);

    DType dtype_;
    std::int64_t elements_;
    std::size_t bytes_; ///< size of one array
    int first_bits_;    ///< chunk c has room for 1 << min(first_bits_ + c, last_bits_) arrays
    int last_bits_;
    std::shared_ptr<Allocator> allocator_;
    std::shared_ptr<Device> device_;
    std::vector<Chunk> chunks_;
};

/// The tapes of a running call. Each tape is created by a lane, or by the driver (lane -1). leave(lane) frees the tapes
/// that `lane` has created since the matching enter(lane). leave(-1) frees all tapes that the driver and all lanes have
/// created since then. Several lanes may use the object at once.
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
    /// For each scope of the driver: the number of tapes per lane at the beginning of the scope.
    std::vector<std::map<std::int64_t, std::size_t>> marks_;
};

/// A batch of `count` tapes, each of which is accessed at one index. At each index a tape has `elements` elements of
/// `dtype`. An array of dtype `tape` contains the addresses of the tapes ("handles"); the handle 0 means a tape of
/// zeros.
struct TapeBatch {
    std::int64_t count = 1;
    std::int64_t elements = 1;
    DType dtype{};
};
/// The tape of a handle. If the handle is 0, creates a tape and stores its handle in `handle`.
Tape& tape_of(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, std::uint64_t& handle);
/// Writes values at the indices of the tapes. Creates missing tapes. Skips indices below 0.
void tape_set(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, const void* values, const std::int64_t* indices,
              std::uint64_t* handles);
/// Adds values to the values stored at the indices of the tapes. As tape_set() otherwise. The dtype of the batch is
/// inexact (is_inexact()) or `tape`.
void tape_add(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, const void* values, const std::int64_t* indices,
              std::uint64_t* handles);
/// For each tape, the address at which to write the value for its index, or null for an index below 0. Creates missing
/// tapes.
std::vector<std::byte*> tape_places(Tapes& tapes, std::int64_t lane, const TapeBatch& batch,
                                    const std::int64_t* indices, std::uint64_t* handles);
/// For each tape, the address of the value stored at its index, or null if there is no such value.
std::vector<std::byte*> tape_places(const TapeBatch& batch, const std::int64_t* indices, const std::uint64_t* handles);
/// Reads the values at the indices of the tapes. A value that does not exist is read as zeros.
void tape_get(const TapeBatch& batch, const std::uint64_t* handles, const std::int64_t* indices, void* values);

/// Adds each tape of `more` to the tape at the same position in `handles`.
void tape_sum(std::int64_t count, const std::uint64_t* more, std::uint64_t* handles);
enum class TapeWork : std::uint8_t { set, add, get, sum };

/// Appends the tape of a handle to `bytes`, with the tapes that it contains.
void pack_tape(const void* handle, std::string& bytes);
/// Takes a tape from the front of `bytes`, as pack_tape() has appended it, and stores its handle. The driver creates
/// the tapes. Throws Failure(bad_argument) if the bytes are no tape.
void unpack_tape(Tapes& tapes, std::string_view& bytes, void* handle);

/// Returns `arrays`. Each returned array of dtype `tape` also keeps alive the tapes of `made` and the tapes that
/// `arguments` keep alive.
std::vector<Array> keeping(std::vector<Array> arrays, const std::shared_ptr<Tapes>& made,
                           const std::vector<Array>& arguments);

} // namespace pm::runtime
