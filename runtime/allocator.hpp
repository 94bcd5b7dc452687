#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace pm::runtime {

/// Bytes that an array or a temporary is aligned to, at least.
constexpr std::size_t buffer_alignment = 64;

/// A caching allocator. Blocks come in size classes (four per doubling); a freed block goes to its class's
/// list and is given out again as it is, so that a program which runs a second time takes no page faults.
/// Large blocks lie on 2 MB boundaries and are advised to use huge pages (a fresh 64 MiB output from malloc
/// costs 28.6 ms in page faults, a reused one none). Safe to use from several threads. Each engine has its
/// own; the arrays made from it keep it alive. In a fork of the process that made it, blocks that are released are left
/// as they are, and new ones are plain() memory.
class Allocator : public std::enable_shared_from_this<Allocator> {
  public:
    struct Options {
        std::size_t limit = 0; ///< bytes in use at most; 0: no limit
        std::size_t most_cached = std::size_t{2}
                                  << 30; ///< free large blocks kept for reuse; more go back to the system
    };
    static std::shared_ptr<Allocator> create(Options options);
    static std::shared_ptr<Allocator> create() { return create(Options{}); }
    /// No allocator: arrays made with it come straight from aligned malloc, count against nothing and share
    /// nothing.
    static std::shared_ptr<Allocator> plain() { return {}; }

    ~Allocator();
    Allocator(const Allocator&) = delete;
    Allocator& operator=(const Allocator&) = delete;

    /// At least `bytes`, aligned to 64, contents undefined; never null, also for 0 bytes. Throws
    /// Failure(memory_limit) or Failure(out_of_memory).
    std::byte* allocate(std::size_t bytes);
    /// Gives back what allocate(bytes) returned.
    void release(std::byte* block, std::size_t bytes) noexcept;

    void set_limit(std::size_t bytes); ///< 0: no limit
    std::size_t limit() const;
    std::size_t in_use() const; ///< bytes handed out, rounded up to their classes
    std::size_t peak() const;   ///< the most that was ever in use
    std::size_t cached() const; ///< bytes of free large blocks
    /// Returns every free large block to the system.
    void trim();

  private:
    struct State;
    explicit Allocator(Options options);
    std::unique_ptr<State> state_;
};

/// A block of scratch memory for the life of a scope. A null allocator means aligned malloc.
class Scratch {
  public:
    Scratch(std::shared_ptr<Allocator> allocator, std::size_t bytes);
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    std::byte* data() const { return data_; }
    std::size_t size() const { return bytes_; }

  private:
    std::shared_ptr<Allocator> allocator_;
    std::byte* data_;
    std::size_t bytes_;
};

/// Memory from `allocator`, or from aligned malloc where that is null.
std::byte* allocate_from(Allocator* allocator, std::size_t bytes);
void release_to(Allocator* allocator, std::byte* block, std::size_t bytes) noexcept;

} // namespace pm::runtime
