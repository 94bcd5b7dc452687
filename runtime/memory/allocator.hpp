#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace pm::runtime {

/// The least alignment of an array or a temporary, in bytes.
constexpr std::size_t buffer_alignment = 64;

/// A caching allocator. Sizes of blocks are rounded up to size classes (size_classes.hpp). A freed block is added to
/// the list of its class and reused unchanged, so that a second run of a program takes no page faults. (The page faults
/// of a 64 MiB array cost 28.6 ms if malloc provides new pages. A reused block causes none.) Blocks of 2 MB and more
/// begin on 2 MB boundaries, and the system is advised to use huge pages for them. Near the limit, free blocks are
/// returned to the system. First as many large blocks as needed are returned, in the order in which they were freed,
/// then whole pages of small blocks. Several threads may use the allocator. Each engine has its own allocator, and
/// arrays allocated from an allocator keep it alive. In a fork of the process that created the allocator, released
/// blocks stay untouched, and new blocks come from malloc.
///
/// An allocator is also the account of an engine's memory. Memory that is allocated elsewhere (texts, tuples, programs
/// in compilation) is charged to the allocator (Charge), and the limit applies to the total.
class Allocator : public std::enable_shared_from_this<Allocator> {
  public:
    struct Options {
        std::size_t limit = 0;                          ///< the most bytes in use, including charged bytes; 0: no limit
        std::size_t most_cached = std::size_t{2} << 30; ///< the most bytes of free large blocks that are kept for reuse
        /// Returns the bytes that the machine can still provide. If an allocation would leave the machine less than
        /// `reserve` bytes, it fails with Failure(memory_limit). To save time, the function is not called for each
        /// allocation. It is called again when the bytes in use have grown by an eighth of the bytes that remained
        /// above `reserve` after the last call. Null: no such check.
        std::size_t (*available)() = nullptr;
        std::size_t reserve = 0;
    };
    static std::shared_ptr<Allocator> create(Options options);
    static std::shared_ptr<Allocator> create() { return create(Options{}); }
    /// No allocator: arrays created with it use aligned malloc, are not counted and do not share a cache.
    static std::shared_ptr<Allocator> plain() { return {}; }

    ~Allocator();
    Allocator(const Allocator&) = delete;
    Allocator& operator=(const Allocator&) = delete;

    /// A block of at least `bytes` bytes, aligned to 64 bytes, with undefined contents. Never null, even for 0 bytes.
    /// Throws Failure(memory_limit) or Failure(out_of_memory). The caller leaves `unused` bytes of it untouched, which
    /// are not counted as in use, and charges them before it uses them.
    std::byte* allocate(std::size_t bytes, std::size_t unused = 0);
    /// Returns a block of allocate(bytes) to the allocator. `unused` bytes of it have not been counted as in use.
    void release(std::byte* block, std::size_t bytes, std::size_t unused = 0) noexcept;

    /// Adds `bytes` to the bytes in use, for memory that was allocated elsewhere. If the sum exceeds the limit, throws
    /// Failure(memory_limit) and adds nothing.
    void charge(std::size_t bytes);
    /// Subtracts bytes that charge() has counted.
    void discharge(std::size_t bytes) noexcept;

    void set_limit(std::size_t bytes); ///< 0: no limit
    std::size_t limit() const;
    std::size_t in_use() const; ///< bytes in use: allocated bytes, rounded up to their size classes, and charged bytes
    std::size_t peak() const;   ///< the greatest number of bytes that was in use
    std::size_t cached() const; ///< bytes of free blocks that have not been returned to the system
    /// Returns to the system every free large block, and each page in which no small block is in use.
    void trim();

  private:
    struct State;
    explicit Allocator(Options options);
    void count(std::size_t counted, std::size_t requested);
    void check_available(std::size_t more);
    std::unique_ptr<State> state_;
};

/// Bytes that were allocated elsewhere and are charged to an account for the life of the object. Without an account
/// nothing is charged. A copy of the object charges the bytes again.
class Charge {
  public:
    Charge() = default;
    /// Throws Failure(memory_limit), as resize() does.
    explicit Charge(std::shared_ptr<Allocator> account, std::size_t bytes = 0) : account_(std::move(account)) {
        resize(bytes);
    }
    Charge(const Charge& other) : Charge(other.account_, other.bytes_) {}
    Charge(Charge&& other) noexcept : account_(std::move(other.account_)), bytes_(std::exchange(other.bytes_, 0)) {}
    Charge& operator=(Charge other) noexcept {
        std::swap(account_, other.account_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Charge() { resize_down(0); }

    std::size_t bytes() const { return bytes_; }
    void resize(std::size_t bytes) {
        if (bytes <= bytes_) return resize_down(bytes);
        if (account_) account_->charge(bytes - bytes_);
        bytes_ = bytes;
    }
    /// Enlarges the charge to at least `bytes`.
    void cover(std::size_t bytes) {
        if (bytes > bytes_) resize(bytes);
    }

  private:
    void resize_down(std::size_t bytes) noexcept {
        if (account_ && bytes < bytes_) account_->discharge(bytes_ - bytes);
        bytes_ = bytes;
    }

    std::shared_ptr<Allocator> account_;
    std::size_t bytes_ = 0;
};

/// The bytes that a string has allocated outside of the string object. 0 if the characters are stored in the string
/// object.
inline std::size_t bytes_elsewhere(const std::string& text) {
    static const std::size_t within = std::string().capacity();
    return text.capacity() > within ? text.capacity() + 1 : 0;
}

/// A string that grows while a file or text is built in it, and the charge for the string's memory. The capacity is
/// charged before the memory is allocated.
class ChargedText {
  public:
    ChargedText() = default;
    explicit ChargedText(std::shared_ptr<Allocator> account) : charge_(std::move(account)) {}

    const std::string& text() const { return text_; }
    std::string& bytes() { return text_; } ///< the caller may change the bytes, but must not enlarge the string
    /// Enlarges the capacity to `bytes`, if it is smaller. During the call, the old and the new capacity are both
    /// charged.
    void reserve(std::size_t bytes);
    /// Sets the size. If the capacity must grow, it becomes at least twice the old capacity.
    void resize(std::size_t bytes);
    void append(std::string_view more);
    /// Returns the text and its charge, and leaves this object empty.
    std::pair<std::string, Charge> take() && {
        charge_.resize(bytes_elsewhere(text_));
        return {std::move(text_), std::move(charge_)};
    }

  private:
    void grow(std::size_t bytes);

    std::string text_;
    Charge charge_;
};

/// A block of scratch memory for the life of the object. If `allocator` is null, aligned malloc is used.
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

/// Memory from `allocator`, or from aligned malloc if `allocator` is null.
std::byte* allocate_from(Allocator* allocator, std::size_t bytes, std::size_t unused = 0);
void release_to(Allocator* allocator, std::byte* block, std::size_t bytes, std::size_t unused = 0) noexcept;

} // namespace pm::runtime
