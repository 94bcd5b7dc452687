#pragma once
#include "compiler/ops/complex/parts.hpp"

/// Computes functions of complex numbers from their real and imaginary parts.
namespace pm::ops::parts {

/// Short names for arithmetic on real operands of equal shapes.
class Real {
  public:
    explicit Real(Build& b) : b(b) {}
    Value number(Value like, double x) const { return b.like(like, x); }
    Value one(Value like) const { return number(like, 1); }
    Value zero(Value like) const { return number(like, 0); }
    Value add(Value x, Value y) const { return b.add(x, y); }
    Value sub(Value x, Value y) const { return b.sub(x, y); }
    Value mul(Value x, Value y) const { return b.mul(x, y); }
    Value div(Value x, Value y) const { return b.div(x, y); }
    Value scale(Value x, double by) const { return b.scale(x, by); }
    Value square(Value x) const { return b.mul(x, x); }
    Value of(Op op, Value x) const { return b.unary(op, x); }
    Value angle(Value y, Value x) const { return b.binary(Op::atan2, y, x); }
    Value equal(Value x, double y) const { return b.compare(Op::equal, x, number(x, y)); }
    Value above(Value x, double y) const { return b.compare(Op::less, number(x, y), x); }
    Value pick(Value c, Value x, Value y) const { return b.select(c, x, y); }
    /// x * y. Where y is 0, the result is 0, even if x is infinite.
    Value times_or_zero(Value x, Value y) const { return pick(equal(y, 0), y, mul(x, y)); }

    bool wide(Value x) const { return b.dtype(x) == DType::f64; }
    Value bits(Value x) const {
        return b.emit1(Op::bitcast, {x}, {{ir::Attr::dtype, wide(x) ? DType::i64 : DType::i32}});
    }
    Value from_bits(Value x) const {
        return b.emit1(Op::bitcast, {x}, {{ir::Attr::dtype, b.dtype(x) == DType::i64 ? DType::f64 : DType::f32}});
    }
    Value integer(Value like, std::int64_t x) const { return b.constant_i(b.dtype(like), x, b.shape(like)); }
    /// |x| with the sign of y, which may be a signed zero.
    Value with_sign(Value x, Value y) const {
        const Value pattern = bits(y);
        const Value size = of(Op::abs, x);
        return pick(b.compare(Op::less, pattern, integer(pattern, 0)), b.neg(size), size);
    }

    Build& b;
};

/// The modulus |z|, computed so that no square overflows.
Value modulus(Build& b, const Parts& z);
Parts sign(Build& b, const Parts& z);
Parts power(Build& b, const Parts& x, const Parts& y);

// Analytic functions of numbers whose real and imaginary parts are both present.

Parts exponential(const Real& r, const Parts& z);
Parts exponential_less_one(const Real& r, const Parts& z);
Parts logarithm(const Real& r, const Parts& z);
Parts logarithm_of_more(const Real& r, const Parts& z);
Parts root(const Real& r, const Parts& z);
Parts inverse_root(const Real& r, const Parts& z);
Parts logistic(const Real& r, const Parts& z);
Parts cosine(const Real& r, const Parts& z);
Parts inverse_sine(const Real& r, const Parts& z);
Parts inverse_cosine(const Real& r, const Parts& z);
Parts hyperbolic_sine(const Real& r, const Parts& z);
Parts hyperbolic_cosine(const Real& r, const Parts& z);
Parts hyperbolic_tangent(const Real& r, const Parts& z);
Parts inverse_hyperbolic_cosine(const Real& r, const Parts& z);
Parts inverse_hyperbolic_tangent(const Real& r, const Parts& z);

/// Computes -i f(i z) with f = Other: sin from sinh, tan from tanh, asinh from asin, and atan from atanh.
template <Parts (*Other)(const Real&, const Parts&)>
Parts rotated(const Real& r, const Parts& z) {
    const Parts w = Other(r, {r.b.neg(*z.im), z.re});
    return {*w.im, r.b.neg(w.re)};
}

/// The value of an analytic function at a real number. `real`: always real. `complex`: may be complex.
enum class AtReals : bool { complex, real };
template <Parts (*F)(const Real&, const Parts&), AtReals Values = AtReals::real>
std::vector<Parts> function(PartsContext& c) {
    if (Values == AtReals::real && !c.in[0].im) return {{c.b.unary(c.inst.op, c.in[0].re), {}}};
    return {F(Real(c.b), whole(c.b, c.in[0]))};
}

} // namespace pm::ops::parts
