#pragma once
#include "compiler/codegen/scalar/emit.hpp"

namespace pm::codegen {

/// The sizes of a pack. A pack is a copy of a part of a matrix, with the elements in the order in which a tile reads
/// them.
struct PackSizes {
    DType from; ///< dtype of the elements of the matrix
    DType to;   ///< dtype of the packed elements
    std::int64_t k;
    std::int64_t width;  ///< columns of b, or rows of a, per tile
    std::int64_t k_step; ///< the distance in the matrix from k to k + 1, in elements
    std::int64_t step;   ///< the distance in the matrix between two columns of b or rows of a, in elements
};

/// emit_pack() stores to[k * width + j] = from[k * k_step + j * step] if j < present, otherwise 0. It may write up to
/// pack_slack rows of `to` after the row of the last k.
inline constexpr std::int64_t pack_slack = 16;
void emit_pack(Emit& e, const PackSizes& sizes, std::int64_t present, Value* from, Value* to);

} // namespace pm::codegen
