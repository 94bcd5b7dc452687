#pragma once
#include "compiler/codegen/scalar/emit.hpp"

namespace pm::codegen {

/// The sizes of a pack: elements of a matrix, copied in the order in which a tile reads them.
struct PackSizes {
    DType from; ///< of the matrix
    DType to;   ///< of the tile
    std::int64_t k;
    std::int64_t width;  ///< columns of b, or rows of a, per tile
    std::int64_t k_step; ///< elements of the matrix between k and k + 1
    std::int64_t step;   ///< elements of the matrix between two columns
};

/// to[k * width + j] = from[k * k_step + j * step] for j < present, 0 for other j. May write up to pack_slack rows
/// after the last k.
inline constexpr std::int64_t pack_slack = 16;
void emit_pack(Emit& e, const PackSizes& sizes, std::int64_t present, Value* from, Value* to);

} // namespace pm::codegen
