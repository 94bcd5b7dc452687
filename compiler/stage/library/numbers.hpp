#pragma once
#include "compiler/stage/library/library.hpp"
#include "compiler/stage/values/promotion.hpp"

/// Functions shared by natives that compute with known numbers.
namespace pm::stage::library {

/// A number of this type with the value `value`. If the type is not weak, the value is rounded to the dtype.
Number number(double value, Promoted type);
Number number(std::int64_t value, Promoted type);
/// The number `n`, converted to a dtype by the rules of casts.
Number converted(const Number& n, DType dtype);
Promoted promoted(const Number& n);
Promoted promoted(const Number& a, const Number& b);
/// The result type of a float function for an operand of this type. 64-bit integers give f64, other integers f32.
/// Floats do not change.
Promoted as_float(Promoted type);

/// For each element, the greater of two values if `greatest` is true, else the lesser. If one of the two is NaN, the
/// result is NaN.
Value extreme(Stager& s, const Value& a, const Value& b, bool greatest, Span span);
/// The known numbers of `v`, which is a number, or a tuple or range of numbers. nullopt for other values, and if one of
/// the numbers is a computed number.
std::optional<std::vector<Value>> known_numbers(Stager& s, const Value& v, Span span);

/// Returns `v` if it is a number or an array of numbers or bools. Raises for other values.
const Value& need_numeric(const Value& v, Span span, std::string_view what);
/// Converts nested tuples and ranges of numbers or arrays to one array. The array has the dtype `dtype`. If `dtype` is
/// empty, it has the promoted dtype. Other values are returned unchanged.
Value as_array(Stager& s, const Value& v, Span span, std::optional<DType> dtype = {});
/// If `x` is bool, `x` itself. Otherwise the value of `x != 0`.
Value truth(Stager& s, const Value& x, Span span);

} // namespace pm::stage::library
