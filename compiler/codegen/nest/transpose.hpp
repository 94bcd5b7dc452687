#pragma once
#include "compiler/codegen/scalar/emit.hpp"

namespace pm::codegen {

/// A block of lanes x lanes elements to transpose in registers: to[k, j] = from[j, k]. `from_row` and `to_row` are the
/// bytes from row to row.
struct TransposeBlock {
    DType dtype; ///< of `from`, as in memory
    bool widen;  ///< f16 and bf16 become f32; other dtypes stay
    int lanes;   ///< a power of two
    Value* from;
    Value* from_row;
    Value* to;
    Value* to_row;
    Value* rows; ///< j < rows and k < columns are read; the other elements are written as 0
    Value* columns;
};
void emit_transpose(Emit& e, const TransposeBlock& block);

} // namespace pm::codegen
