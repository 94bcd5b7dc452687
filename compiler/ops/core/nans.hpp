#pragma once
#include "compiler/ops/core/build.hpp"

#include <string>

/// NaNs in the results of operations whose operands contain none: which operations can make such a NaN, and how to find
/// it at run time.
namespace pm::ops {

/// True if a result of dtype `result` can contain a NaN although no operand contains one. Operands may be infinite.
bool may_make_nan(const ir::Inst& inst, DType result);
/// True if each element of the result depends only on the operands' elements at the same index. A message can then show
/// these elements.
bool makes_nan_by_element(const ir::Inst& inst);

/// A boolean per element of the result: whether a NaN in an operand can make the element NaN. Nullopt if no operand can
/// contain a NaN. For an operation with several results, or on whole matrices, there is one boolean for each index of
/// the leading axes.
std::optional<Value> nan_given(Build& b, const ir::Inst& inst, const Values& operands);
/// Booleans in the shape of `nan_given`: whether the result is NaN.
Value nan_made(Build& b, const ir::Inst& inst, const Values& operands, const Values& results);
/// `x != x`, for a value of an inexact type.
Value is_nan(Build& b, Value x);
/// `is_nan` as i32: 1 for a NaN, otherwise 0. is_flagged is true where `flags`, a sum of such numbers, is not 0.
Value nan_flags(Build& b, Value x);
Value is_flagged(Build& b, Value flags);

/// The name of the operation in programs; for a factorization, the function of `linalg`.
std::string nan_maker(const ir::Inst& inst);
/// "log(a)", "a / b": the text, in a program, of an operation on these operands.
std::string as_written(std::string_view name, const std::vector<std::string>& operands);
/// The text of an elementwise operation.
std::string as_written(const ir::Inst& inst, std::vector<std::string> operands);
/// The repair for a NaN that the operation makes. Empty if there is no repair that is correct in general.
std::string nan_repair(Op op);
/// The repair for the operation with this name in programs.
std::string nan_repair(std::string_view display_name);
/// The repair for a NaN that an operation of a derivative makes.
std::string nan_slope_repair();

} // namespace pm::ops
