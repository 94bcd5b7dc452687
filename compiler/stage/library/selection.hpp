#pragma once
#include "compiler/stage/index/index_plan.hpp"
#include "compiler/stage/library/library.hpp"

/// Shared by natives that work along one axis or search for indices.
namespace pm::stage::library {

/// x in the current block and the axis, counted from 0. Without an axis x is flattened and the axis is 0.
struct AlongAxis {
    ir::Value x;
    int axis;
};
AlongAxis along_axis(Stager& s, const Value& x, const Value& axis, Span span);

/// The greatest or the least value of a dtype, as a scalar; infinite for floats.
ir::Value extreme_of_dtype(ops::Build& b, DType dtype, bool greatest);

/// The indices of the elements that are not zero: a tuple of one index array per axis, i32. Without `size` the values
/// must be known. With `size` the arrays have that many elements, with `fill` for missing ones. Messages name `caller`.
Value nonzero(Stager& s, const Value& x, const Value& size, const Value& fill, std::string_view caller, Span span);

} // namespace pm::stage::library
