#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/nest/nest.hpp"

namespace pm::codegen {

/// Emits one operation of a nest's body on registers (see emit.hpp). All operands have the same number of lanes. `to`
/// is the instruction's dtype, `from` the dtype of its last operand. Every operation is defined for all operands.
/// Operations on f16 and bf16 are computed in f32 and rounded. Does not handle constant, index, load, store and reduce.
Value* emit_scalar(Emit& e, nest::ScalarOp op, DType to, DType from, llvm::ArrayRef<Value*> operands);

/// Combines two values of a reduction other than argmax and argmin.
Value* combine(Emit& e, nest::Combine how, DType dtype, Value* a, Value* c);
/// A value and its position, for argmax and argmin. Of equal values, argmax and argmin choose the value with the least
/// position. They prefer a NaN to all numbers.
struct Ranked {
    Value* value;
    Value* position;
};
Ranked combine_ranked(Emit& e, nest::Combine how, DType dtype, Ranked a, Ranked c);

/// The dtype of the accumulator of a reduction of `dtype`. Products of floats accumulate in f64, since a product of n
/// factors has n rounding errors.
DType accumulator(nest::Combine how, DType dtype);
/// The dtype of block totals and of running sums over elements of `dtype`: f64 for sums and products of floats.
DType total_dtype(nest::Combine how, DType dtype);
/// widened() converts a float in a register to a wider dtype `to`. narrowed() converts it back. Other values do not
/// change.
Value* widened(Emit& e, DType to, Value* x);
Value* narrowed(Emit& e, DType to, Value* x);

} // namespace pm::codegen
