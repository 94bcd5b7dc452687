#pragma once
#include "compiler/ops/core/build.hpp"

#include <string>

/// NaNs in the results of operations whose operands have none: which operations can make one, and how to find these
/// NaNs.
namespace pm::ops {

/// True if a result of this dtype can have a NaN when no operand has one. Operands may be infinite.
bool may_make_nan(const ir::Inst& inst, DType result);
/// True if each element of the result depends only on the operands' elements at the same index, so that a message can
/// show them.
bool makes_nan_by_element(const ir::Inst& inst);

/// The elements of the result that a NaN among the operands can reach. Nullopt if no operand can have a NaN. For an
/// operation of several results, or of whole matrices, there is one boolean for each index of the leading axes.
std::optional<Value> nan_given(Build& b, const ir::Inst& inst, const Values& operands);
/// The elements of the results that are NaN, in the shape of `nan_given`.
Value nan_made(Build& b, const ir::Inst& inst, const Values& operands, const Values& results);
/// `x != x`, for a value of an inexact type.
Value is_nan(Build& b, Value x);
/// `is_nan` as numbers, with 1 for a NaN. is_flagged is true where a sum of these numbers is not 0.
Value nan_flags(Build& b, Value x);
Value is_flagged(Build& b, Value flags);

/// The name of the operation in programs; for a factorization, the function of `linalg`.
std::string nan_maker(const ir::Inst& inst);
/// "log(a)", "a / b": an operation on these operands, as text of a program.
std::string as_written(std::string_view name, const std::vector<std::string>& operands);
/// The text of an elementwise operation.
std::string as_written(const ir::Inst& inst, std::vector<std::string> operands);
/// The repair for a NaN that the operation makes. Empty if there is no general one.
std::string nan_repair(Op op);
/// The repair for the operation with this name in programs.
std::string nan_repair(std::string_view display_name);
/// The repair for a NaN that an operation of a derivative makes.
std::string nan_slope_repair();

} // namespace pm::ops
