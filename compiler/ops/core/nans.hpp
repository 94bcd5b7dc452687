#pragma once
#include "compiler/ops/core/build.hpp"

#include <string>

/// Determines which operations can make a NaN from operands without NaN, and finds such NaNs at run time.
namespace pm::ops {

/// True if a result of dtype `result` can contain a NaN although no operand contains a NaN. The operands may be
/// infinite.
bool may_make_nan(const ir::Inst& inst, DType result);
/// True if each element of the result depends only on the operands' elements at the same index. A message can then show
/// these elements.
bool is_by_element(const ir::Inst& inst);

/// Returns one boolean per element of the result. It is true if a NaN in an operand can make this element NaN. Nullopt
/// if no operand can contain a NaN. If an operation has several results or works on whole matrices, there is one
/// boolean for each index of the leading axes.
std::optional<Value> nan_given(Build& b, const ir::Inst& inst, const Values& operands);
/// Booleans in the shape of `nan_given`, true where the result is NaN.
Value nan_made(Build& b, const ir::Inst& inst, const Values& operands, const Values& results);
/// `x != x`, for a value of an inexact type.
Value is_nan(Build& b, Value x);
/// nan_flags is `is_nan` as i32: 1 for a NaN, otherwise 0. `flags` is a sum of such numbers; is_flagged is true where
/// this sum is not 0.
Value nan_flags(Build& b, Value x);
Value is_flagged(Build& b, Value flags);

/// The repair for a NaN that the operation `op` makes. Empty if no repair is correct in general.
std::string nan_repair(Op op);
/// The repair for the operation with this name in programs.
std::string nan_repair(std::string_view display_name);
/// The repair for a NaN that an operation of a derivative makes.
std::string nan_slope_repair();

} // namespace pm::ops
