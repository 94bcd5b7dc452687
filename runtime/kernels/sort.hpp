#pragma once
#include "runtime/call.hpp"
#include "runtime/dtype.hpp"
#include "runtime/workers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pm::runtime {

/// An array whose elements are compared by the sort.
struct SortKey {
    DType dtype;
    const std::byte* data;
};

/// Bytes of an index into n elements: 4, or 8 from 2^32 elements on.
constexpr std::size_t order_index_bytes(std::int64_t n) { return n <= 0xFFFFFFFFLL ? 4 : 8; }
/// The bytes of scratch that stable_order() needs for n elements and keys of these types. The scratch has two entries
/// per element, and the counts of a radix sort. An entry is a word and an index. It has 8 or 16 bytes, depending on n
/// and on the widest key.
std::int64_t order_scratch_bytes(std::int64_t n, std::span<const DType> keys);

/// The order of n elements by their keys.
struct SortOrder {
    std::span<const SortKey> keys;
    std::int64_t n;
    bool descending;
};
/// Writes the stable order of n elements by their keys to `order` (n indices of order_index_bytes). Keys are compared
/// one after another as runtime/kernels/kernels.hpp says. The elements of a key are converted to one or two unsigned
/// words that compare in the wanted order. Then the elements are sorted once per word, with a stable sort, from the
/// last word to the first. For small n the sort is by comparison, otherwise by radix. For large n several workers share
/// the radix sort. A radix pass sorts by 11 bits. It is skipped if these bits agree in all elements. Returns false if
/// `call` (may be null) was abandoned.
bool stable_order(const SortOrder& wanted, std::byte* order, std::byte* scratch, Workers* workers, PmCall* call);

/// Divides begin..end into pieces and calls work(from, to) for each. A piece takes about a millisecond. If the call is
/// abandoned, returns false without running the remaining pieces.
template <class Work>
bool in_pieces(PmCall* call, std::int64_t begin, std::int64_t end, Work&& work) {
    constexpr std::int64_t piece = 1 << 18;
    for (; begin < end; begin += piece) {
        if (CallState::abandoned(call)) return false;
        work(begin, std::min(begin + piece, end));
    }
    return true;
}

} // namespace pm::runtime
