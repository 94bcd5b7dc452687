#pragma once
#include "compiler/ops/core/build.hpp"

#include <string>

/// Determines which operations can make an integer result that wraps around, and finds such results at run time.
namespace pm::ops {

/// True if an element of the integer result can wrap around. It does so if the exact value lies outside of the range of
/// the dtype. False for results of u32 and u64, which hash functions and random numbers compute modulo 2^32 and 2^64.
/// Also false for conversions from u32 and u64. `inst` is an instruction of `block`.
bool may_wrap(const ir::Block& block, const ir::Inst& inst);
/// The same for a conversion from one dtype to another.
bool may_wrap(DType from, DType to);
/// Returns one boolean per element of `result`: true if the element has not wrapped around. The operation is computed
/// in f64 too. A result that wrapped around differs from the f64 result by a multiple of 2^bits. The error of the f64
/// result is much smaller.
Value has_not_wrapped(Build& b, const ir::Inst& inst, const Values& operands, Value result);
/// The same for one known result of the integer dtype `dtype`. `exact` is the result in f64. Always true for u32 and
/// u64.
bool has_not_wrapped(double exact, double result, DType dtype);
/// The repair for an operation whose result in `dtype` wraps around.
std::string overflow_repair(Op op, DType dtype);

} // namespace pm::ops
