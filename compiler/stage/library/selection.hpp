#pragma once
#include "compiler/stage/index/index_plan.hpp"
#include "compiler/stage/library/library.hpp"

/// Functions shared by natives that work along one axis or search for indices.
namespace pm::stage::library {

/// An operand `x` in the current block, and an axis as an index of at least 0. If the call has no axis, `x` is
/// flattened and the axis is 0.
struct AlongAxis {
    ir::Value x;
    int axis;
};
AlongAxis along_axis(Stager& s, const Value& x, const Value& axis, Span span);

/// The greatest value of a dtype as a scalar if `greatest` is true, else the least value. For floats, the value is
/// infinite.
ir::Value extreme_of_dtype(ops::Build& b, DType dtype, bool greatest);

/// The indices of the elements that are not zero: a tuple with one i32 array of indices per axis. If `size` is `none`,
/// the elements of `x` must be known. If `size` is given, each array of indices has `size` elements, and missing
/// elements are `fill`. Messages name `caller`.
Value nonzero(Stager& s, const Value& x, const Value& size, const Value& fill, std::string_view caller, Span span);

} // namespace pm::stage::library
