#include "runtime/kernels/sort.hpp"

#include "runtime/call.hpp"
#include "runtime/half.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

namespace pm::runtime {
namespace {

constexpr int digit_bits = 11;
constexpr std::size_t digits = std::size_t{1} << digit_bits;
constexpr std::int64_t smallest_radix = 1536; // below this, comparing is faster (measured: 1000-2000 on Zen 5)
constexpr std::int64_t smallest_parallel = 1 << 17;
constexpr std::int64_t most_blocks = 16;
// A word with the index of its element. The 32-bit word and the 32-bit index form one 64-bit number. Comparing two such
// numbers is the same as comparing the pairs (word, index).
struct Entry32 {
    using Word = std::uint32_t;
    std::uint64_t both;
    static Entry32 make(Word word, std::uint64_t index) { return {std::uint64_t{word} << 32 | index}; }
    Word word() const { return static_cast<Word>(both >> 32); }
    std::uint64_t index() const { return both & 0xFFFFFFFFU; }
};
struct Entry64 {
    using Word = std::uint64_t;
    Word key;
    std::uint64_t at;
    static Entry64 make(Word word, std::uint64_t index) { return {word, index}; }
    Word word() const { return key; }
    std::uint64_t index() const { return at; }
};

// Converts a float to an unsigned number. The unsigned numbers compare as the floats do. Both zeros give the same
// number. All NaNs give the same number, which is greater than the others.
template <class Bits>
Bits ordered_float(Bits bits, Bits infinity) {
    constexpr Bits sign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
    const Bits magnitude = static_cast<Bits>(bits & static_cast<Bits>(~sign));
    if (magnitude > infinity) return static_cast<Bits>(~Bits{0});
    if (magnitude == 0) return sign;
    return (bits & sign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
}

template <class T>
T load(const std::byte* data, std::uint64_t i) {
    T value;
    std::memcpy(&value, data + i * sizeof(T), sizeof(T));
    return value;
}

/// word_count(): the number of words of an element of this dtype. is_wide(): whether the words need 64 bits.
int word_count(DType d) { return d == DType::c128 ? 2 : 1; }
bool is_wide(DType d) { return size_of(d) >= 8; }

/// Calls use(f), where f(i) returns word number `part` of element i. Word 0 is compared first.
template <class Use>
auto with_words(const SortKey& key, int part, Use&& use) {
    const std::byte* data = key.data;
    const auto f32_word = [](std::uint32_t bits) { return ordered_float<std::uint32_t>(bits, 0x7F800000U); };
    switch (key.dtype) {
    case DType::b1: return use([data](std::uint64_t i) { return std::uint32_t{load<std::uint8_t>(data, i) != 0}; });
    case DType::u8: return use([data](std::uint64_t i) { return std::uint32_t{load<std::uint8_t>(data, i)}; });
    case DType::u16: return use([data](std::uint64_t i) { return std::uint32_t{load<std::uint16_t>(data, i)}; });
    case DType::u32: return use([data](std::uint64_t i) { return load<std::uint32_t>(data, i); });
    case DType::i8: return use([data](std::uint64_t i) { return std::uint32_t{load<std::uint8_t>(data, i)} ^ 0x80U; });
    case DType::i16:
        return use([data](std::uint64_t i) { return std::uint32_t{load<std::uint16_t>(data, i)} ^ 0x8000U; });
    case DType::i32: return use([data](std::uint64_t i) { return load<std::uint32_t>(data, i) ^ 0x80000000U; });
    case DType::f16:
        return use([data](std::uint64_t i) {
            return std::uint32_t{ordered_float<std::uint16_t>(load<std::uint16_t>(data, i), 0x7C00U)};
        });
    case DType::bf16:
        return use([data](std::uint64_t i) {
            return std::uint32_t{ordered_float<std::uint16_t>(load<std::uint16_t>(data, i), 0x7F80U)};
        });
    case DType::f32: return use([data, f32_word](std::uint64_t i) { return f32_word(load<std::uint32_t>(data, i)); });
    case DType::u64:
    case DType::key:
    case DType::tape: return use([data](std::uint64_t i) { return load<std::uint64_t>(data, i); });
    case DType::i64:
        return use([data](std::uint64_t i) { return load<std::uint64_t>(data, i) ^ (std::uint64_t{1} << 63); });
    case DType::f64:
        return use([data](std::uint64_t i) {
            return ordered_float<std::uint64_t>(load<std::uint64_t>(data, i), 0x7FF0000000000000U);
        });
    case DType::c64:
        return use([data, f32_word](std::uint64_t i) {
            return std::uint64_t{f32_word(load<std::uint32_t>(data, 2 * i))} << 32 |
                   f32_word(load<std::uint32_t>(data, 2 * i + 1));
        });
    case DType::c128:
        return use([data, part](std::uint64_t i) {
            return ordered_float<std::uint64_t>(load<std::uint64_t>(data, 2 * i + static_cast<std::uint64_t>(part)),
                                                0x7FF0000000000000U);
        });
    }
    return use([](std::uint64_t) { return std::uint32_t{0}; });
}

/// A radix sort of the entries in the array `a` by one word. The array `b` has room for as many entries. Each block of
/// entries has its own counts, so the sort is stable, and its result does not depend on the number of workers.
template <class Entry>
class Radix {
  public:
    Radix(Entry* a, Entry* b, std::int64_t n, std::uint64_t* counts, Workers* workers, PmCall* call)
        : a_(a), b_(b), n_(n), counts_(counts), workers_(workers), call_(call),
          blocks_(workers != nullptr && workers->count() > 1 && n >= smallest_parallel ? most_blocks : 1) {}

    /// Returns the sorted entries, in `a` or in `b`. Returns null if the call was abandoned.
    Entry* run() {
        using Word = typename Entry::Word;
        Word differing = 0;
        const bool seen = in_pieces(call_, 1, n_, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t i = from; i < to; ++i) differing |= static_cast<Word>(a_[i].word() ^ a_[0].word());
        });
        if (!seen) return nullptr;
        // If leading bits agree in all entries, they need no pass.
        const int bits = std::bit_width(differing);
        for (int shift = 0; shift < bits; shift += digit_bits) {
            if (((differing >> shift) & (digits - 1)) == 0) continue;
            if (!pass(shift)) return nullptr;
            std::swap(a_, b_);
        }
        return a_;
    }

  private:
    static std::size_t digit(const Entry& entry, int shift) {
        return static_cast<std::size_t>(entry.word() >> shift) & (digits - 1);
    }

    template <class F>
    void each_block(F&& f) {
        if (blocks_ == 1)
            f(std::int64_t{0});
        else
            workers_->each(blocks_, f);
    }

    /// Returns false if the call was abandoned. The counts are then incomplete and must not be used as positions.
    bool pass(int shift) {
        std::atomic<bool> done{true};
        each_block([&](std::int64_t block) {
            std::uint64_t* count = counts_ + static_cast<std::size_t>(block) * digits;
            std::fill_n(count, digits, 0);
            const bool counted =
                in_pieces(call_, begin(block), begin(block + 1), [&](std::int64_t from, std::int64_t to) {
                    for (std::int64_t i = from; i < to; ++i) ++count[digit(a_[i], shift)];
                });
            if (!counted) done = false;
        });
        if (!done) return false;
        // An exclusive prefix scan of the counts, by digit, then by block. It replaces each count by a start position.
        std::uint64_t start = 0;
        for (std::size_t d = 0; d < digits; ++d)
            for (std::int64_t block = 0; block < blocks_; ++block)
                start += std::exchange(counts_[static_cast<std::size_t>(block) * digits + d], start);
        each_block([&](std::int64_t block) {
            std::uint64_t* at = counts_ + static_cast<std::size_t>(block) * digits;
            const bool put = in_pieces(call_, begin(block), begin(block + 1), [&](std::int64_t from, std::int64_t to) {
                for (std::int64_t i = from; i < to; ++i) b_[at[digit(a_[i], shift)]++] = a_[i];
            });
            if (!put) done = false;
        });
        return done;
    }

    std::int64_t begin(std::int64_t block) const { return n_ / blocks_ * block + std::min(block, n_ % blocks_); }

    Entry* a_;
    Entry* b_;
    std::int64_t n_;
    std::uint64_t* counts_;
    Workers* workers_;
    PmCall* call_;
    std::int64_t blocks_;
};

template <class Index>
struct Order {
    Index* indices;
    std::int64_t n;
    bool first = true; // true if no sort has run yet: the order is then 0, 1, 2 ...
    std::uint64_t operator[](std::int64_t i) const {
        return first ? static_cast<std::uint64_t>(i) : static_cast<std::uint64_t>(indices[i]);
    }
};

/// Sorts `order` by one word. Entries with equal words keep their order.
template <class Entry, class Index, class WordOf>
bool sort_by_word(Order<Index>& order, WordOf&& word_of, bool descending, std::byte* scratch, Workers* workers,
                  PmCall* call) {
    using Word = typename Entry::Word;
    const std::int64_t n = order.n;
    auto* a = reinterpret_cast<Entry*>(scratch);
    auto* b = a + n;
    const Word flip = descending ? static_cast<Word>(~Word{0}) : Word{0};
    Entry* sorted = a;
    if (n < smallest_radix) {
        // Each pair (word, present position) is unique, so any sort by these pairs is stable.
        for (std::int64_t i = 0; i < n; ++i)
            a[i] = Entry::make(static_cast<Word>(static_cast<Word>(word_of(order[i])) ^ flip),
                               static_cast<std::uint64_t>(i));
        std::sort(a, a + n, [](const Entry& x, const Entry& y) {
            return x.word() != y.word() ? x.word() < y.word() : x.index() < y.index();
        });
        for (std::int64_t i = 0; i < n; ++i)
            a[i] = Entry::make(a[i].word(), order[static_cast<std::int64_t>(a[i].index())]);
    } else {
        const bool filled = in_pieces(call, 0, n, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t i = from; i < to; ++i)
                a[i] = Entry::make(static_cast<Word>(static_cast<Word>(word_of(order[i])) ^ flip), order[i]);
        });
        if (!filled) return false;
        auto* counts = reinterpret_cast<std::uint64_t*>(b + n);
        sorted = Radix<Entry>(a, b, n, counts, workers, call).run();
        if (sorted == nullptr) return false;
    }
    order.first = false;
    return in_pieces(call, 0, n, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) order.indices[i] = static_cast<Index>(sorted[i].index());
    });
}

template <class Index>
bool order_by(const SortOrder& wanted, Index* indices, std::byte* scratch, Workers* workers, PmCall* call) {
    const auto& [keys, n, descending] = wanted;
    Order<Index> order{indices, n};
    for (std::size_t k = keys.size(); k-- > 0;)
        for (int part = word_count(keys[k].dtype); part-- > 0;) {
            const bool narrow = sizeof(Index) == 4 && !is_wide(keys[k].dtype);
            const bool done = with_words(keys[k], part, [&](auto word_of) {
                if constexpr (sizeof(word_of(0)) == 4)
                    if (narrow) return sort_by_word<Entry32>(order, word_of, descending, scratch, workers, call);
                return sort_by_word<Entry64>(order, word_of, descending, scratch, workers, call);
            });
            if (!done) return false;
        }
    return true;
}

} // namespace

std::int64_t order_scratch_bytes(std::int64_t n, std::span<const DType> keys) {
    const bool narrow = order_index_bytes(n) == 4 && std::none_of(keys.begin(), keys.end(), is_wide);
    const std::int64_t entries = 2 * n * static_cast<std::int64_t>(narrow ? sizeof(Entry32) : sizeof(Entry64));
    const std::int64_t counts =
        n < smallest_radix ? 0 : most_blocks * static_cast<std::int64_t>(digits * sizeof(std::uint64_t));
    return entries + counts;
}

bool stable_order(const SortOrder& wanted, std::byte* order, std::byte* scratch, Workers* workers, PmCall* call) {
    if (CallState::abandoned(call)) return false;
    if (order_index_bytes(wanted.n) == 4)
        return order_by(wanted, reinterpret_cast<std::uint32_t*>(order), scratch, workers, call);
    return order_by(wanted, reinterpret_cast<std::uint64_t*>(order), scratch, workers, call);
}

} // namespace pm::runtime
