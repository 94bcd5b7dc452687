#pragma once
#include "compiler/stage/library/library.hpp"
#include "compiler/stage/values/promotion.hpp"

/// Shared by natives that compute with known numbers.
namespace pm::stage::library {

/// A number of this type. A weak number keeps all digits, others are rounded.
Number number(double value, Promoted type);
Number number(std::int64_t value, Promoted type);
/// The same number as another dtype, by the rules of casts.
Number converted(const Number& n, DType dtype);
Promoted promoted(const Number& n);
Promoted promoted(const Number& a, const Number& b);
/// The type of the result of a float function: integers become f32, 64-bit integers f64.
Promoted as_float(Promoted type);

/// The greater or the lesser of two values, element by element; NaN if either is NaN.
Value extreme(Stager& s, const Value& a, const Value& b, bool greatest, Span span);
/// The known numbers in a number, or in a tuple or range of numbers. nullopt for other values, or if a number is
/// computed.
std::optional<std::vector<Value>> known_numbers(Stager& s, const Value& v, Span span);

/// Raises unless the value is a number or an array of numbers or bools.
const Value& need_numeric(const Value& v, Span span, std::string_view what);
/// Nested tuples and ranges of numbers or arrays as one array, of `dtype` or the promoted dtype. Other values are
/// returned unchanged.
Value as_array(Stager& s, const Value& v, Span span, std::optional<DType> dtype = {});
/// `x != 0`, or x itself when it is bool.
Value truth(Stager& s, const Value& x, Span span);

} // namespace pm::stage::library
