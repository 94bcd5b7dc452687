#pragma once
#include "compiler/codegen/scalar/emit.hpp"

namespace pm::codegen {

/// The sizes of a pack, which is a copy of a part of a matrix in the order in which a tile reads the elements.
struct PackSizes {
    DType from; ///< dtype of the elements of the matrix
    DType to;   ///< dtype of the packed elements
    std::int64_t k;
    std::int64_t width;  ///< columns of b, or rows of a, per tile
    std::int64_t k_step; ///< the distance in the matrix from k to k + 1, in elements
    std::int64_t step;   ///< the distance in the matrix between two columns of b or rows of a, in elements
};

/// to[k * width + j] = from[k * k_step + j * step] for j < present, 0 for other j. May write up to pack_slack rows
/// after the last k.
inline constexpr std::int64_t pack_slack = 16;
void emit_pack(Emit& e, const PackSizes& sizes, std::int64_t present, Value* from, Value* to);

} // namespace pm::codegen
