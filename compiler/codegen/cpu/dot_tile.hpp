#pragma once
#include "compiler/codegen/steps/dot.hpp"

namespace pm::codegen {

/// A block of the product whose sums are held in registers: `rows` x (`vectors` * `lanes`).
struct TileShape {
    int rows = 1;
    int vectors = 1;
    int lanes = 1;
    int columns() const { return vectors * lanes; }
};
/// The tile for a product of these sizes whose sums have the dtype `dtype`. The tile has as many sums as fit in
/// registers, but no more rows and vectors than the product.
TileShape choose_tile(const Machine& machine, const plan::DotStep& sizes, DType dtype);

/// The operands of a tile in memory. Rows of `a` are read one element at a time, rows of `b` in vectors.
struct TileOperands {
    Value* a; ///< the first element of the first row
    Value* b;
    Value* c;
    std::int64_t a_row;  ///< bytes between two rows
    std::int64_t a_step; ///< bytes from k to k + 1
    std::int64_t b_step;
    std::int64_t b_column; ///< elements between two columns; 1 if b is read as vectors
    std::int64_t c_row;
    Value* rows;    ///< the number of existing rows of the tile; null: all rows exist
    Value* columns; ///< the number of existing columns; null: all columns exist. If `mask_b` is true, reads of b beyond
                    ///< these columns are masked
    bool mask_b;
};

/// c[i, j] = the sum over k of a[i, k] b[k, j] in the order of product_order(dtype, k). All three have dtype `dtype`.
/// For b1, the "or" over k of a[i, k] and b[k, j].
void emit_tile(Emit& e, DType dtype, const TileShape& shape, std::int64_t k, const TileOperands& operands);

} // namespace pm::codegen
