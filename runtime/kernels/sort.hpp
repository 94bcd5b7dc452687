#pragma once
#include "runtime/call.hpp"
#include "runtime/dtype.hpp"
#include "runtime/workers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pm::runtime {

/// One array to compare by.
struct SortKey {
    DType dtype;
    const std::byte* data;
};

/// Bytes of an index into n elements: 4, or 8 from 2^32 elements on.
constexpr std::size_t order_index_bytes(std::int64_t n) { return n <= 0xFFFFFFFFLL ? 4 : 8; }
/// Bytes of scratch that stable_order needs for n elements and keys of these types: two entries of a word and an index
/// per element, 8 or 16 bytes each by the widest key, and the counts of a radix sort.
std::int64_t order_scratch_bytes(std::int64_t n, std::span<const DType> keys);

/// Writes to `order` (n indices of order_index_bytes) the stable order of n elements by `keys`, compared one
/// after another as runtime/kernels/kernels.hpp says. Every key type becomes one or two unsigned words whose order as
/// numbers is the order wanted; the words are sorted from the last to the first, each sort stable: by
/// comparison when n is small, else by radix (11 bits a pass, passes in which all digits agree left out), in
/// parallel when n is large. False when `call` (may be null) was abandoned.
bool stable_order(std::span<const SortKey> keys, std::int64_t n, bool descending, std::byte* order, std::byte* scratch,
                  Workers* workers, PmCall* call);

/// Calls work(from, to) for pieces of begin..end, each done in a millisecond or so, until the call is to be abandoned;
/// whether it was not.
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
