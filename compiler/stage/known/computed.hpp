#pragma once
#include "compiler/stage/core/stager.hpp"

/// Computed numbers: compiled code computes them at run time, or knows them all the same.
namespace pm::stage {

/// The element of an array without axes.
Number number_of(const Array& a);
/// Whether the code being run is text of the library. There, numbers that must be known compute like written ones.
bool in_library_text(const Stager& s);
/// Whether compiled code knows this computed number or condition. False for a written number.
bool known_in_code(const Stager& s, const Number& n);
bool known_in_code(const Stager& s, const Value& condition);
/// Whether all values are numbers, and the result of an operation on them is a computed number that compiled code
/// knows.
bool known_in_code(const Stager& s, const std::vector<Value>& values);
/// Converts the numbers of a tree to computed numbers that compiled code knows.
Value known_computed(const Stager& s, const Value& v);
/// Converts the numbers of a tree to computed numbers.
Value as_computed(const Stager& s, const Value& v);
/// Converts a number that a loop or a call passes to code of the program.
Value as_argument(const Stager& s, const Value& v);
/// Returns the value that a known condition has chosen. If the condition is computed, the numbers of the value become
/// computed.
Value chosen(const Stager& s, const Value& condition, const Value& value);

} // namespace pm::stage
