#pragma once
#include "compiler/stage/library/library.hpp"

/// What natives share that compute with numbers known while staging.
namespace pm::stage::library {

/// A number of this dtype, rounded to it; without one it is weak.
Number number(double value, std::optional<DType> dtype);
Number number(std::int64_t value, std::optional<DType> dtype);
/// The same number as another dtype, by the rules of casts.
Number converted(const Number& n, DType dtype);
/// The dtype that a float function of this number gives: weak stays weak, integers become f32.
std::optional<DType> float_dtype(const Number& n);
/// The dtype that two numbers meet in; none when both are weak.
std::optional<DType> common_dtype(const Number& a, const Number& b);

/// The greater or the lesser of two values, element by element; NaN when either is.
Value extreme(Stager& s, const Value& a, const Value& b, bool greatest, Span span);
/// The numbers of a number, of a tuple or a range of numbers; nothing when there is anything else, or one is computed.
std::optional<std::vector<Value>> known_numbers(Stager& s, const Value& v, Span span);

/// Raises unless the value is a number or an array of numbers or bools.
const Value& need_numeric(const Value& v, Span span, std::string_view what);
/// Nested tuples and ranges, of numbers or arrays in the end, as one array, of `dtype` or the promoted one; other
/// values as they are.
Value as_array(Stager& s, const Value& v, Span span, std::optional<DType> dtype = {});
/// `x != 0`, or x itself when it is bool.
Value truth(Stager& s, const Value& x, Span span);

} // namespace pm::stage::library
