#pragma once
#include "compiler/codegen/scalar/emit.hpp"

namespace pm::codegen {

/// Elements of a matrix, reordered as a tile reads them.
struct PackSizes {
    DType from; ///< of the matrix
    DType to;   ///< of the tile
    std::int64_t k;
    std::int64_t width;  ///< columns of b, or rows of a, per tile
    std::int64_t k_step; ///< elements of the matrix from k to k + 1
    std::int64_t step;   ///< elements from column to column
};

/// to[k * width + j] = from[k * k_step + j * step] for j < present, 0 for other j. May write up to pack_slack rows past
/// the last k.
inline constexpr std::int64_t pack_slack = 16;
void emit_pack(Emit& e, const PackSizes& sizes, std::int64_t present, Value* from, Value* to);

} // namespace pm::codegen
