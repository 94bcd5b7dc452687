#pragma once
#include "compiler/stage/core/stager.hpp"

/// Computed numbers. Compiled code computes such a number at run time, unless the number must be known.
namespace pm::stage {

/// The element of an array without axes, as a number.
Number number_of(const Array& a);
/// Whether the code being run is text of the library. In library code, a number that must be known is treated as a
/// literal.
bool in_library_text(const Stager& s);
/// Whether this is a computed number or condition, and compiled code knows it. False for a literal.
bool known_in_code(const Stager& s, const Number& n);
bool known_in_code(const Stager& s, const Value& condition);
/// Whether all values are numbers, at least one is a computed number, and compiled code knows all of them.
bool known_in_code(const Stager& s, const std::vector<Value>& values);
/// Converts the numbers of a tree to computed numbers that compiled code knows.
Value known_computed(const Stager& s, const Value& v);
/// Converts the numbers of a tree to computed numbers.
Value as_computed(const Stager& s, const Value& v);
/// Converts the numbers of a value that a loop or a call passes to code of the program.
Value as_argument(const Stager& s, const Value& v);
/// Converts a value that a known condition has selected. If the condition is a computed number, the numbers of the
/// value become computed numbers.
Value chosen(const Stager& s, const Value& condition, const Value& value);

} // namespace pm::stage
