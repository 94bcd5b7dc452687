#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

// These functions return a value that must be known. If the value is staged but depends only on parameters that can
// become known, the staged function is staged again with these parameters known. If the value cannot become known, a
// diagnostic is raised. `what` names the value in the message.

Number need_number(Stager& s, const Value& v, Span span, std::string_view what);
std::int64_t need_integer(Stager& s, const Value& v, Span span, std::string_view what);
bool need_bool(Stager& s, const Value& v, Span span, std::string_view what);
/// The reason why a function is interpreted in which a computed number chooses among texts.
inline constexpr std::string_view chooses_text = "a computed number chooses among texts";
/// Called with an error or a need that was thrown because a number is not known. If the number chooses among the texts
/// of `source`, raises HostWork, or marks the need, since interpreted code knows the number.
void interpret_choice(Stager& s, const Value& source, const Error& e);
void interpret_choice(const Value& source, NeedKnown& need);
/// read(), which needs numbers that may choose among the texts of `source`.
template <class Read>
Value chosen_text(Stager& s, const Value& source, const Read& read) {
    try {
        return read();
    } catch (const Error& e) {
        interpret_choice(s, source, e);
        throw;
    } catch (NeedKnown& need) { // the caller computes the number
        interpret_choice(source, need);
        throw;
    }
}
const std::string& need_text(Stager& s, const Value& v, Span span, std::string_view what);
/// The shape that `v`, an integer or a tuple of integers, denotes.
Shape need_shape(Stager& s, const Value& v, Span span);
/// The axes that `v` denotes for an array of this rank, checked and sorted. `none` denotes all axes. An integer or a
/// tuple of integers denotes the axes with these numbers.
std::vector<int> need_axes(Stager& s, const Value& v, int rank, Span span);
/// The axis that `v` denotes for a result of this rank, as an index of at least 0.
int need_axis(Stager& s, const Value& v, int rank, Span span);
/// The value of `v`, which is one of several sizes or axes, as an integer. If `v` is an array with one axis, the error
/// says that a tuple is needed.
std::int64_t need_one_of(Stager& stager, const Value& v, Span span, std::string_view what);
/// The axis that `axis` denotes for a value of this type, as an index of at least 0. Raises if the axis does not exist;
/// the message shows the type.
int axis_of(Stager& stager, const Value& axis, const Type& type, Span span);
/// The same as need_axes for a value of this type. The message shows the type.
std::vector<int> axes_of(Stager& stager, const Value& axes, const Type& type, Span span);

/// The value of `v`, a bool scalar, which must be known. If the value is not known, the function does what need_bool
/// does.
bool is_true(Stager& s, const Value& v, Span span);
/// The value of a bool scalar. Empty if the value is not known. Raises if `v` is not a bool scalar.
std::optional<bool> known_condition(Stager& s, const Value& v, Span span);
/// If `v` is a staged scalar constant, its number. Otherwise `v`.
Value resolved(Stager& s, const Value& v);
/// If `v` is an array, the array. If `v` is a staged value that depends only on constants and existing arrays, runs the
/// computation of `v` during staging and returns the result. Empty otherwise.
std::optional<Array> constant_array(Stager& s, const Value& v, Span span);
/// Whether need_number would return a number for `v`, possibly after the function is staged again.
bool can_become_known(Stager& s, const Value& v);
/// Whether the function being staged and its callers can know the number `v`. Slices of vmap and pmap cannot become
/// known.
bool known_to_callers(Stager& s, const Value& v);
/// Makes the conditions of library code around the current code known. Otherwise both branches of such a condition
/// would be staged.
void know_conditions_of_library(Stager& s, Span span);

/// Adds the suggestion to an error about an axis of a value without axes. `may_be_left_out`: true if the axis was
/// passed for a parameter with the default `none`.
void repair_axis(Diagnostic& d, bool may_be_left_out);

} // namespace pm::stage
