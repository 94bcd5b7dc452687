#pragma once
#include "compiler/ops/core/rules.hpp"

/// Complex values as pairs of real ones, and arithmetic on them.
namespace pm::ops::parts {

/// The imaginary part; zeros if `im` is absent.
Value imaginary(Build& b, const Parts& z);
/// re + i im with both parts present.
Parts whole(Build& b, const Parts& z);
/// Converts the parts to one array [..., 2], and back.
Value interleaved(Build& b, const Parts& z);
Parts taken_apart(Build& b, Value pairs);
/// Groups the results of an operation on parts into values of these types. A complex value consists of two results, a
/// real value of one.
std::vector<Parts> gathered(const Values& made, std::span<const Type> types);

Parts add(Build& b, const Parts& x, const Parts& y);
Parts subtract(Build& b, const Parts& x, const Parts& y);
Parts negate(Build& b, const Parts& x);
Parts multiply(Build& b, const Parts& x, const Parts& y);
/// x / y. The divisor is scaled by a power of two, so that its square neither overflows nor underflows. x / 0 divides
/// each part by 0. A finite number divided by an infinite one is 0.
Parts divide(Build& b, const Parts& x, const Parts& y);
/// The dot of x and y, with the attributes of `inst`.
Parts dot(Build& b, const Inst& inst, const Parts& x, const Parts& y);

// ---- rules

/// Applies the operation to the real parts, and separately to the imaginary parts. Operands that are not complex are
/// operands of both instructions.
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
