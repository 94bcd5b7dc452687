#pragma once

#include "tests/gpu/driver/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace pm::ptx {

/// Reserved addresses, and pieces of device memory that are mapped there. A piece is mapped at one address in its life,
/// and only its own device can access it.
class Ranges {
  public:
    /// The unit of sizes, alignments and addresses.
    static constexpr std::size_t granularity = std::size_t{2} << 20;

    /// Addresses that are never used for anything else. 0 if there are none.
    std::uint64_t reserve(std::size_t bytes);
    /// False unless it is a whole range without mappings.
    bool free(std::uint64_t address, std::size_t bytes);

    /// Makes a piece of the device's memory and returns its number. 0 if there is not enough.
    std::uint64_t create(Memory& device, std::size_t bytes);
    /// The piece is freed once it is not mapped. False if there is no such piece.
    bool release(std::uint64_t piece);
    /// Maps a whole piece at free addresses. It is accessible after open().
    bool map(std::uint64_t address, std::size_t bytes, std::uint64_t piece);
    /// Makes adjacent whole pieces accessible. All must be of this device.
    bool open(std::uint64_t address, std::size_t bytes, Memory& device);
    /// Whether whole pieces fill these addresses.
    bool is_full(std::uint64_t address, std::size_t bytes) { return !filling(address, bytes).empty(); }
    /// Unmaps one or several whole pieces.
    bool unmap(std::uint64_t address, std::size_t bytes);

    /// Removes all pieces of the device.
    void forget(const Memory& device);

  private:
    /// Memory of the host, allocated page by page at the first access.
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

    /// The mappings that fill these bytes. Empty if they do not.
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
