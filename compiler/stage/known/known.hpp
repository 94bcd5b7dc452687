#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

// Functions that return a value which must be known. If the value is staged but depends only on parameters that can
// become known, the function is staged again with these parameters known. Otherwise a diagnostic is raised; `what`
// names the value in its message.

Number need_number(Stager& s, const Value& v, Span span, std::string_view what);
std::int64_t need_integer(Stager& s, const Value& v, Span span, std::string_view what);
bool need_bool(Stager& s, const Value& v, Span span, std::string_view what);
const std::string& need_text(Stager& s, const Value& v, Span span, std::string_view what);
/// The shape that an integer or a tuple of integers denotes.
Shape need_shape(Stager& s, const Value& v, Span span);
/// The axes of an array of this rank that `v` denotes, checked and sorted: all axes for `none`, otherwise those of an
/// integer or a tuple.
std::vector<int> need_axes(Stager& s, const Value& v, int rank, Span span);
/// The axis of a result of this rank, as an index from 0.
int need_axis(Stager& s, const Value& v, int rank, Span span);
/// One of several sizes or axes, as an integer. If `v` is an array, the message says that a tuple is needed.
std::int64_t need_one_of(Stager& stager, const Value& v, Span span, std::string_view what);
/// A checked axis of a value of this type, as an index from 0. The message shows the type.
int axis_of(Stager& stager, const Value& axis, const Type& type, Span span);
/// The sorted axes of a value of this type: all axes for `none`, otherwise those of an integer or a tuple.
std::vector<int> axes_of(Stager& stager, const Value& axes, const Type& type, Span span);

/// The value of a bool scalar. If it is not known, raises or stages the function again.
bool is_true(Stager& s, const Value& v, Span span);
/// The value of a bool scalar; empty if it is not known. Raises if `v` is not a bool scalar.
std::optional<bool> known_condition(Stager& s, const Value& v, Span span);
/// If `v` is a staged scalar constant, its number. Otherwise `v`.
Value resolved(Stager& s, const Value& v);
/// If `v` is an array, the array. If `v` is a staged value that depends only on constants and existing arrays, runs its
/// computation now and returns the result. Empty otherwise.
std::optional<Array> constant_array(Stager& s, const Value& v, Span span);
/// Whether need_number would return the number, possibly after the function is staged again.
bool can_become_known(Stager& s, const Value& v);
/// Whether this function and its callers can know the number. Slices of vmap and pmap cannot become known.
bool known_to_callers(Stager& s, const Value& v);
/// Makes known the conditions around the current code that are in library code. If such a condition stayed unknown,
/// both of its branches would be staged.
void know_conditions_of_library(Stager& s, Span span);

/// Adds the repair to an error about an axis of a value without axes. `may_be_left_out`: the axis was passed for a
/// parameter with default `none`.
void repair_axis(Diagnostic& d, bool may_be_left_out);

} // namespace pm::stage
