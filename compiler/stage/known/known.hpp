#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

// Values that must be known. These raise a diagnostic, or stage again with the parameters known that the value is
// computed from. `what` names the value in the message.

Number need_number(Stager& s, const Value& v, Span span, std::string_view what);
std::int64_t need_integer(Stager& s, const Value& v, Span span, std::string_view what);
bool need_bool(Stager& s, const Value& v, Span span, std::string_view what);
const std::string& need_text(Stager& s, const Value& v, Span span, std::string_view what);
/// An integer or a tuple of integers.
Shape need_shape(Stager& s, const Value& v, Span span);
/// Axes of an array: none for all, an integer or a tuple; checked and sorted.
std::vector<int> need_axes(Stager& s, const Value& v, int rank, Span span);
/// An axis of a result, counted from 0.
int need_axis(Stager& s, const Value& v, int rank, Span span);
/// One of several sizes or axes as an integer. The message covers sizes or axes that are written as an array.
std::int64_t need_one_of(Stager& stager, const Value& v, Span span, std::string_view what);
/// An axis of a value of this type, which the message names; checked, counted from 0.
int axis_of(Stager& stager, const Value& axis, const Type& type, Span span);
/// none: all axes; an int or a tuple; sorted.
std::vector<int> axes_of(Stager& stager, const Value& axes, const Type& type, Span span);

/// The value of a bool scalar. Raises or stages again if it is not known.
bool is_true(Stager& s, const Value& v, Span span);
/// The value of a bool scalar; empty if it is not known. Raises for other values.
std::optional<bool> known_condition(Stager& s, const Value& v, Span span);
/// The number of a staged constant; any other value unchanged.
Value resolved(Stager& s, const Value& v);
/// The elements of an array, or of a value that is computed from constants and existing arrays alone. Such a value is
/// computed now. Empty for others.
std::optional<Array> constant_array(Stager& s, const Value& v, Span span);
/// True if need_number would return the number, perhaps by staging again.
bool can_become_known(Stager& s, const Value& v);
/// The same, and the enclosing functions can know it too. They cannot know slices of vmap and pmap.
bool known_to_callers(Stager& s, const Value& v);
/// Makes known the conditions between here and the program's call into the library. Both sides of an unknown condition
/// are staged.
void know_conditions_of_library(Stager& s, Span span);

/// Adds a repair for an axis of a value without axes. `may_be_left_out`: it was given for a parameter with default
/// `none`.
void repair_axis(Diagnostic& d, bool may_be_left_out);

} // namespace pm::stage
