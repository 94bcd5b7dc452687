#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace pm::runtime {

/// Bytes that an array or a temporary is aligned to, at least.
constexpr std::size_t buffer_alignment = 64;

/// A caching allocator. Blocks come in size classes (four per doubling); a freed block goes to its class's
/// list and is given out again as it is, so that a program which runs a second time takes no page faults.
/// Large blocks lie on 2 MB boundaries and are advised to use huge pages (a fresh 64 MiB output from malloc
/// costs 28.6 ms in page faults, a reused one none). Near the limit free blocks go back to the system: as many large
/// ones as there is need, those first that were freed longest ago, and then whole pages of small ones. Safe to use from
/// several threads. Each engine has its own; the arrays made from it keep it alive. In a fork of the process that made
/// it, blocks that are released are left as they are, and new ones are plain() memory.
///
/// It is also the account of an engine's memory: what comes from elsewhere - texts, tuples, programs under way - is
/// charged here (Charge), and all together keeps to the limit.
class Allocator : public std::enable_shared_from_this<Allocator> {
  public:
    struct Options {
        std::size_t limit = 0; ///< bytes in use at most, those charged among them; 0: no limit
        std::size_t most_cached = std::size_t{2}
                                  << 30; ///< free large blocks kept for reuse; more go back to the system
        /// Bytes that the machine can still give, asked whenever the use has grown by a good part of them; growth that
        /// would leave the machine less than `reserve` is refused. Null: nobody asks.
        std::size_t (*available)() = nullptr;
        std::size_t reserve = 0;
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

    /// Counts memory that comes from elsewhere as in use. Throws Failure(memory_limit), and counts nothing then.
    void charge(std::size_t bytes);
    /// Takes back what charge() has counted.
    void discharge(std::size_t bytes) noexcept;

    void set_limit(std::size_t bytes); ///< 0: no limit
    std::size_t limit() const;
    std::size_t in_use() const; ///< bytes handed out, rounded up to their classes, and bytes charged
    std::size_t peak() const;   ///< the most that was ever in use
    std::size_t cached() const; ///< bytes of free blocks that the system has not got back
    /// Returns every free large block to the system, and of small ones each page that is free as a whole.
    void trim();

  private:
    struct State;
    explicit Allocator(Options options);
    void count(std::size_t counted, std::size_t asked);
    void look_at_machine(std::size_t more);
    std::unique_ptr<State> state_;
};

/// Bytes from elsewhere that count in an account for as long as it lives; without an account it counts nothing. A copy
/// is charged again.
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
    /// At least so many bytes.
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

/// Bytes of a file or a text that grow under way, with their charge: its room is counted before it is taken.
class ChargedText {
  public:
    ChargedText() = default;
    explicit ChargedText(std::shared_ptr<Allocator> account) : charge_(std::move(account)) {}

    const std::string& text() const { return text_; }
    std::string& bytes() { return text_; } ///< to be changed, and not made larger
    /// Room for so many bytes, exactly; growing, it holds the old bytes and the new ones for a moment.
    void reserve(std::size_t bytes);
    /// Makes it so large; more room is at least twice what there was.
    void resize(std::size_t bytes);
    void append(std::string_view more);
    /// The text and its charge leave.
    std::pair<std::string, Charge> take() && {
        charge_.resize(text_.capacity());
        return {std::move(text_), std::move(charge_)};
    }

  private:
    void grow(std::size_t bytes);

    std::string text_;
    Charge charge_;
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
