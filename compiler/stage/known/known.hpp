#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// One of several sizes or axes. The user may have written them as an array.
std::int64_t need_one_of(Stager& stager, const Value& v, Span span, std::string_view what);
/// Axes of a value of this type, which the message names; checked, from 0.
int axis_of(Stager& stager, const Value& axis, const Type& type, Span span);
/// none: all of them; an int or a tuple; sorted.
std::vector<int> axes_of(Stager& stager, const Value& axes, const Type& type, Span span);

/// What to do about an axis of something that has none. It may be left out where it was given and is `none` otherwise.
void repair_axis(Diagnostic& d, bool may_be_left_out);

} // namespace pm::stage
