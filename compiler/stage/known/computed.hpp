#pragma once
#include "compiler/stage/core/stager.hpp"

/// Conversions and tests of computed numbers. Compiled code computes such a number at run time, unless the number must
/// be known.
namespace pm::stage {

/// The element of `a`, an array without axes, as a number.
Number number_of(const Array& a);
/// Whether the code being run is in the library. In library code, a number that must be known is treated as a literal.
bool in_library_text(const Stager& s);
/// True for a computed number, or a computed condition, that compiled code knows. False for a literal.
bool known_in_code(const Stager& s, const Number& n);
bool known_in_code(const Stager& s, const Value& condition);
/// Whether all values are numbers, at least one value is a computed number, and compiled code knows all values.
bool known_in_code(const Stager& s, const std::vector<Value>& values);
/// Converts the numbers of a tree to computed numbers that compiled code knows.
Value known_computed(const Stager& s, const Value& v);
/// Converts the numbers of a tree to computed numbers.
Value as_computed(const Stager& s, const Value& v);
/// Converts the numbers of a value that a loop or a call passes to code of the program. The numbers become computed
/// numbers. In code that is being compiled, these numbers are also marked as known in compiled code.
Value as_argument(const Stager& s, const Value& v);
/// Converts `value`, which a known condition has selected. If the condition is a computed number, the numbers of
/// `value` become computed numbers.
Value chosen(const Stager& s, const Value& condition, const Value& value);

} // namespace pm::stage
