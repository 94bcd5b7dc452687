#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace pm::ptx {

/// The memory of a device. Its addresses have bit 62 set and the device's number above bit 48, so that a host access to
/// one faults at once. No address is used twice, so that accesses to freed memory are detected.
class Memory {
  public:
    static constexpr std::uint64_t tag = 1ULL << 62;
    static constexpr std::uint64_t alignment = 256;

    struct Block {
        std::uint64_t begin = 0;
        std::size_t bytes = 0;
        std::uint8_t* host = nullptr;
        std::unique_ptr<std::uint8_t[]> own = nullptr; ///< owns `host`; null for memory made visible by show()
        bool open = false;                             ///< copies for other devices may access it
    };

    Memory(int device, std::size_t limit) : next_(tag | static_cast<std::uint64_t>(device + 1) << 48), limit_(limit) {}

    static bool is_device(std::uint64_t address) { return (address & tag) != 0; }

    /// Memory filled with 0xFF. 0 if there is not enough.
    std::uint64_t allocate(std::size_t bytes, bool open = false);
    /// False if no allocation begins there.
    bool free(std::uint64_t address);
    void free_all();
    /// Counts memory that has no address yet. False if there is not enough.
    bool take(std::size_t bytes);
    void give_back(std::size_t bytes) { used_ -= bytes; }
    /// Makes other memory visible at these addresses until hide().
    void show(std::uint64_t address, std::size_t bytes, std::uint8_t* host) {
        blocks_[address] = {address, bytes, host};
    }
    void hide(std::uint64_t address) {
        blocks_.erase(address);
        ++epoch_;
    }
    /// The allocation that contains all of these bytes. Null if there is none.
    const Block* find(std::uint64_t address, std::size_t bytes) const;
    /// The host address of these bytes, which may be in several adjacent blocks. Null if there is none.
    std::uint8_t* host(std::uint64_t address, std::size_t bytes) const;

    /// Memory of the host that kernels may use, at its own address.
    void map(std::uint8_t* host, std::size_t bytes) { mapped_[host] = bytes; }
    void unmap(std::uint8_t* host) { mapped_.erase(host); }
    std::uint8_t* mapped(std::uint64_t address, std::size_t bytes) const;

    std::size_t limit() const { return limit_; }
    std::size_t left() const { return limit_ - used_; }
    /// Changes when memory is freed: earlier results of find() may then be invalid.
    std::uint64_t epoch() const { return epoch_; }

  private:
    /// The most bytes of freed memory that are kept for allocations of the same size.
    static constexpr std::size_t most_kept = std::size_t{256} << 20;
    using Bytes = std::unique_ptr<std::uint8_t[]>;
    Bytes kept_or_new(std::size_t bytes);
    void keep(std::size_t bytes, Bytes host);

    std::map<std::uint64_t, Block> blocks_;
    std::map<std::uint8_t*, std::size_t> mapped_;
    std::multimap<std::size_t, Bytes> kept_;
    std::size_t kept_bytes_ = 0;
    std::uint64_t next_;
    std::size_t limit_;
    std::size_t used_ = 0;
    std::uint64_t epoch_ = 1;
};

} // namespace pm::ptx
