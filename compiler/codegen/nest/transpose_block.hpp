#pragma once
#include "compiler/codegen/scalar/emit.hpp"

namespace pm::codegen {

/// A block of lanes x lanes elements to transpose in registers: to[k, j] = from[j, k]. `from_row` and `to_row` are the
/// bytes between two rows.
struct TransposeBlock {
    DType dtype; ///< dtype of the elements of `from` in memory
    bool widen;  ///< true: f16 and bf16 become f32, and other dtypes do not change
    int lanes;   ///< a power of two
    Value* from;
    Value* from_row;
    Value* to;
    Value* to_row;
    Value* rows; ///< elements with j < rows and k < columns are read; other elements are written as 0
    Value* columns;
};
void emit_transpose(Emit& e, const TransposeBlock& block);

} // namespace pm::codegen
