#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

// Values that must be known. If the value is not known, these functions raise a diagnostic, or stage the function again
// with the parameters known that the value is computed from. `what` names the value in the message.

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
/// One of several sizes or axes as an integer. If the sizes or axes are written as an array, the message says so.
std::int64_t need_one_of(Stager& stager, const Value& v, Span span, std::string_view what);
/// A checked axis of a value of this type, counted from 0. The message shows the type.
int axis_of(Stager& stager, const Value& axis, const Type& type, Span span);
/// The sorted axes of a value of this type: all axes for none, otherwise those of an integer or a tuple.
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
/// Whether this function and the enclosing functions can know the number. Slices of vmap and pmap cannot become known.
bool known_to_callers(Stager& s, const Value& v);
/// Makes known the conditions between the program's call into the library and the current code. If they stayed unknown,
/// both of their branches would be staged.
void know_conditions_of_library(Stager& s, Span span);

/// Adds the repair to an error about an axis of a value without axes. `may_be_left_out`: the axis was passed for a
/// parameter with default `none`.
void repair_axis(Diagnostic& d, bool may_be_left_out);

} // namespace pm::stage
