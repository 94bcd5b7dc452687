#pragma once
#include "compiler/stage/library/library.hpp"
#include "compiler/stage/values/promotion.hpp"

/// Functions shared by natives that compute with known numbers.
namespace pm::stage::library {

/// A number of this type with the value `value`, which is rounded unless the type is weak.
Number number(double value, Promoted type);
Number number(std::int64_t value, Promoted type);
/// The number converted to a dtype by the rules of casts.
Number converted(const Number& n, DType dtype);
Promoted promoted(const Number& n);
Promoted promoted(const Number& a, const Number& b);
/// The result type of a float function for an operand of this type: for integers f32, for 64-bit integers f64.
Promoted as_float(Promoted type);

/// The greater or the lesser of two values, element by element; NaN if either is NaN.
Value extreme(Stager& s, const Value& a, const Value& b, bool greatest, Span span);
/// The known numbers of a value that is a number, or a tuple or range of numbers. nullopt for other values, and if a
/// number is a computed number.
std::optional<std::vector<Value>> known_numbers(Stager& s, const Value& v, Span span);

/// Raises unless the value is a number or an array of numbers or bools.
const Value& need_numeric(const Value& v, Span span, std::string_view what);
/// Converts nested tuples and ranges of numbers or arrays to one array. Its dtype is `dtype`, or if empty, the promoted
/// dtype. Other values are returned unchanged.
Value as_array(Stager& s, const Value& v, Span span, std::optional<DType> dtype = {});
/// The value of `x != 0`, or x itself if x is bool.
Value truth(Stager& s, const Value& x, Span span);

} // namespace pm::stage::library
