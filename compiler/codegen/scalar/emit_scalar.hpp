#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/nest/nest.hpp"

namespace pm::codegen {

/// One operation of a nest's body on registers (see emit.hpp), all operands in the same number of lanes. `to` is the
/// instruction's dtype, `from` that of its last operand. Every operation is total; f16 and bf16 compute in f32 and
/// round. Not for constant, index, load, store and reduce.
Value* emit_scalar(Emit& e, nest::ScalarOp op, DType to, DType from, llvm::ArrayRef<Value*> operands);

/// Two values of a reduction combined, for all but argmax and argmin.
Value* combine(Emit& e, nest::Combine how, DType dtype, Value* a, Value* c);
/// For argmax and argmin: (value, position) pairs; the least position on ties, a NaN before everything.
struct Ranked {
    Value* value;
    Value* position;
};
Ranked combine_ranked(Emit& e, nest::Combine how, DType dtype, Ranked a, Ranked c);

/// The dtype in which a reduction of `dtype` accumulates: products of floats in f64, since n factors have n roundings.
DType accumulator(nest::Combine how, DType dtype);
/// The dtype of what stands for many elements of `dtype`, totals of blocks and running sums: of sums and products of
/// floats f64.
DType total_dtype(nest::Combine how, DType dtype);
/// A value of a float in the register of a wider one, and back; any other as it is.
Value* widened(Emit& e, DType to, Value* x);
Value* narrowed(Emit& e, DType to, Value* x);

} // namespace pm::codegen
