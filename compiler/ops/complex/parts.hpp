#pragma once
#include "compiler/ops/core/rules.hpp"

/// Complex values as pairs of real values, and arithmetic on these pairs.
namespace pm::ops::parts {

/// The imaginary part of `z`, or zeros if `z.im` is absent.
Value imaginary(Build& b, const Parts& z);
/// The number `z` with both parts present. An absent imaginary part is replaced by zeros.
Parts whole(Build& b, const Parts& z);
/// interleaved() converts `z` to one array of shape [..., 2]. taken_apart() is the inverse.
Value interleaved(Build& b, const Parts& z);
Parts taken_apart(Build& b, Value pairs);
/// Groups `made`, the results of an operation on parts, into values of the types `types`. A complex value consists of
/// two of these results, a real value of one.
std::vector<Parts> gathered(const Values& made, std::span<const Type> types);

Parts add(Build& b, const Parts& x, const Parts& y);
Parts subtract(Build& b, const Parts& x, const Parts& y);
Parts negate(Build& b, const Parts& x);
Parts multiply(Build& b, const Parts& x, const Parts& y);
/// x / y. The divisor is scaled by a power of two, so that its square neither overflows nor underflows. If y is 0, both
/// parts of x are divided by 0. A finite number divided by an infinite number is 0.
Parts divide(Build& b, const Parts& x, const Parts& y);
/// The dot of `x` and `y`, with the attributes of `inst`.
Parts dot(Build& b, const Inst& inst, const Parts& x, const Parts& y);

// ---- rules

/// Applies the operation to the real parts, and separately to the imaginary parts. An operand that is not complex is an
/// operand of both instructions.
PartsRule each;
template <Parts (*F)(Build&, const Parts&)>
std::vector<Parts> unary(PartsContext& c) {
    return {F(c.b, c.in[0])};
}
template <Parts (*F)(Build&, const Parts&, const Parts&)>
std::vector<Parts> binary(PartsContext& c) {
    return {F(c.b, c.in[0], c.in[1])};
}

} // namespace pm::ops::parts
