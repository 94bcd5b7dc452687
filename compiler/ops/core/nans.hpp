#pragma once
#include "compiler/ops/core/build.hpp"

#include <string>

/// NaNs that an operation makes from operands without one: which operations can, and how to find these NaNs.
namespace pm::ops {

/// True if a result of this dtype can have a NaN when no operand has one. Operands may be infinite.
bool may_make_nan(const ir::Inst& inst, DType result);
/// True if each element of the result comes from the operands' elements at the same place, so that a message can show
/// these.
bool makes_nan_by_element(const ir::Inst& inst);

/// The elements of the result that a NaN among the operands can reach. Nullopt: none, for all operands. For an
/// operation of several results, or of whole matrices, there is one boolean for each index of the leading axes.
std::optional<Value> nan_given(Build& b, const ir::Inst& inst, const Values& operands);
/// The elements of the results that are NaN, in the shape that `nan_given` has.
Value nan_made(Build& b, const ir::Inst& inst, const Values& operands, const Values& results);
/// `x != x`, for a value of an inexact type.
Value is_nan(Build& b, Value x);
/// The same as numbers, 1 for a NaN. is_flagged: true where a sum of such numbers is not 0.
Value nan_flags(Build& b, Value x);
Value is_flagged(Build& b, Value flags);

/// The name of the operation in programs; for a factorization, the function of `linalg`.
std::string nan_maker(const ir::Inst& inst);
/// "log(a)", "a / b": an operation on these operands as programs write it.
std::string as_written(std::string_view name, const std::vector<std::string>& operands);
/// The same for an elementwise operation.
std::string as_written(const ir::Inst& inst, std::vector<std::string> operands);
/// The repair if the operation makes a NaN. Empty if there is none in general.
std::string nan_repair(Op op);
/// The same by the name of an operation in programs.
std::string nan_repair(std::string_view display_name);
/// The same if an operation of a derivative makes the NaN.
std::string nan_slope_repair();

} // namespace pm::ops
