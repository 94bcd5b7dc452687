#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// One of several sizes or axes as an integer. The message covers sizes or axes that are written as an array.
std::int64_t need_one_of(Stager& stager, const Value& v, Span span, std::string_view what);
/// An axis of a value of this type, which the message names; checked, counted from 0.
int axis_of(Stager& stager, const Value& axis, const Type& type, Span span);
/// none: all axes; an int or a tuple; sorted.
std::vector<int> axes_of(Stager& stager, const Value& axes, const Type& type, Span span);

/// Adds a repair for an axis of a value without axes. `may_be_left_out`: it was given for a parameter with default
/// `none`.
void repair_axis(Diagnostic& d, bool may_be_left_out);

} // namespace pm::stage
