#pragma once
#include "compiler/ops/core/build.hpp"

#include <string>

/// NaNs that an operation makes of values that hold none: which operations can, and how it is found out for one.
namespace pm::ops {

/// Some values of these types that are no NaN, infinite ones among them, have a NaN for their result.
bool may_make_nan(const ir::Inst& inst, DType result);
/// `may_make_nan` of what a program writes as one number after the other: each result comes from the operands' elements
/// in its place.
bool makes_nan_by_element(const ir::Inst& inst);

/// Where, among the elements of the result, a NaN among the operands has its share in the element; nothing: nowhere,
/// whatever the operands are. For an operation of several results, or of whole matrices, of the leading axes.
std::optional<Value> nan_given(Build& b, const ir::Inst& inst, const Values& operands);
/// Where the results have a NaN: of the shape that `nan_given` has.
Value nan_made(Build& b, const ir::Inst& inst, const Values& operands, const Values& results);
/// `x != x`, for a value of an inexact type.
Value is_nan(Build& b, Value x);

/// What a program calls the operation; of a factorization the one that it is.
std::string nan_maker(const ir::Inst& inst);
/// "log(a)", "a / b" for operands that are written so.
std::string as_written(std::string_view name, const std::vector<std::string>& operands);
/// The same of an operation by element.
std::string as_written(const ir::Inst& inst, std::vector<std::string> operands);
/// What helps where the operation makes a NaN; empty: nothing in general. Behind a `|` stands what helps where the last
/// operand is not 0.
std::string nan_repair(Op op);
/// The same of what a program calls the operation.
std::string nan_repair(std::string_view display_name);
/// The same where an operation of a derivative makes it.
std::string nan_slope_repair();

} // namespace pm::ops
