#pragma once

#include "tests/gpu/driver/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace pm::ptx {

/// Addresses that are reserved, and memory of devices that is put there, piece by piece. A piece of memory is at one
/// place for its life, and its own device alone reaches it.
class Ranges {
  public:
    /// What sizes, alignments and addresses are multiples of.
    static constexpr std::size_t granularity = std::size_t{2} << 20;

    /// Addresses that are used for nothing else, ever; 0 when there are none.
    std::uint64_t reserve(std::size_t bytes);
    /// False unless it is a whole range in which nothing is mapped.
    bool free(std::uint64_t address, std::size_t bytes);

    /// A piece of the device's memory, by its number; 0 when there is not so much left.
    std::uint64_t create(Memory& device, std::size_t bytes);
    /// It is freed when it is mapped nowhere. False when there is none.
    bool release(std::uint64_t piece);
    /// All of a piece, where nothing is yet. It is reached from when it is opened on.
    bool map(std::uint64_t address, std::size_t bytes, std::uint64_t piece);
    /// Whole pieces that stand side by side, and that are all the device's.
    bool open(std::uint64_t address, std::size_t bytes, Memory& device);
    /// Whether whole pieces fill it.
    bool is_full(std::uint64_t address, std::size_t bytes) { return !filling(address, bytes).empty(); }
    /// One piece or several, whole.
    bool unmap(std::uint64_t address, std::size_t bytes);

    /// The device's pieces are gone.
    void forget(const Memory& device);

  private:
    /// Memory of the host, which gives pages of it when they are touched.
    struct Pages {
        explicit Pages(std::size_t bytes);
        ~Pages();
        Pages(const Pages&) = delete;
        Pages& operator=(const Pages&) = delete;
        std::uint8_t* data = nullptr;
        std::size_t bytes = 0;
    };
    struct Range {
        std::size_t bytes = 0;
        std::unique_ptr<Pages> host;
    };
    struct Piece {
        Memory* device = nullptr;
        std::size_t bytes = 0;
        bool released = false;
        bool was_mapped = false;
    };
    struct Mapping {
        std::size_t bytes = 0;
        std::uint64_t piece = 0;
        std::uint8_t* host = nullptr;
        bool open = false;
    };
    using Mappings = std::map<std::uint64_t, Mapping>;

    /// The mappings that fill these bytes; none when they do not.
    std::vector<Mappings::iterator> filling(std::uint64_t address, std::size_t bytes);
    void drop(Mappings::iterator mapping);
    void free_piece(std::uint64_t number);

    std::map<std::uint64_t, Range> ranges_;
    std::map<std::uint64_t, Piece> pieces_;
    Mappings mappings_;
    std::uint64_t next_address_ = Memory::tag | 0x3FFFULL << 48;
    std::uint64_t next_piece_ = 1;
};

} // namespace pm::ptx
