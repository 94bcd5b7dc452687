#pragma once
#include "compiler/codegen/scalar/emit.hpp"

#include <initializer_list>
#include <limits>
#include <span>

namespace pm::codegen {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A floating-point register in a formula. Arithmetic on a Real emits instructions. Numbers become constants of the
/// register's type.
struct Real {
    Emit* e;
    Value* v;

    Real like(double number) const { return {e, llvm::ConstantFP::get(v->getType(), number)}; }
    bool is_double() const { return v->getType()->getScalarType()->isDoubleTy(); }
};

inline Real operator+(Real a, Real b) { return {a.e, a.e->b.CreateFAdd(a.v, b.v)}; }
inline Real operator-(Real a, Real b) { return {a.e, a.e->b.CreateFSub(a.v, b.v)}; }
inline Real operator*(Real a, Real b) { return {a.e, a.e->b.CreateFMul(a.v, b.v)}; }
inline Real operator/(Real a, Real b) { return {a.e, a.e->b.CreateFDiv(a.v, b.v)}; }
inline Real operator-(Real a) { return {a.e, a.e->b.CreateFNeg(a.v)}; }
inline Real operator+(Real a, double b) { return a + a.like(b); }
inline Real operator-(Real a, double b) { return a - a.like(b); }
inline Real operator*(Real a, double b) { return a * a.like(b); }
inline Real operator/(Real a, double b) { return a / a.like(b); }
inline Real operator+(double a, Real b) { return b.like(a) + b; }
inline Real operator-(double a, Real b) { return b.like(a) - b; }
inline Real operator*(double a, Real b) { return b.like(a) * b; }
inline Real operator/(double a, Real b) { return b.like(a) / b; }

/// A condition per lane.
struct Truth {
    Emit* e;
    Value* v;
};
inline Truth operator&&(Truth a, Truth b) { return {a.e, a.e->b.CreateAnd(a.v, b.v)}; }
inline Truth operator||(Truth a, Truth b) { return {a.e, a.e->b.CreateOr(a.v, b.v)}; }
inline Truth operator!(Truth a) { return {a.e, a.e->b.CreateNot(a.v)}; }
inline Truth operator<(Real a, Real b) { return {a.e, a.e->b.CreateFCmpOLT(a.v, b.v)}; }
inline Truth operator>(Real a, Real b) { return {a.e, a.e->b.CreateFCmpOGT(a.v, b.v)}; }
inline Truth operator==(Real a, Real b) { return {a.e, a.e->b.CreateFCmpOEQ(a.v, b.v)}; }
inline Truth operator<(Real a, double b) { return a < a.like(b); }
inline Truth operator>(Real a, double b) { return a > a.like(b); }
inline Truth operator==(Real a, double b) { return a == a.like(b); }
inline Truth is_nan(Real a) { return {a.e, a.e->b.CreateFCmpUNO(a.v, a.v)}; }
inline Real select(Truth c, Real a, Real b) { return {a.e, a.e->b.CreateSelect(c.v, a.v, b.v)}; }
inline Real select(Truth c, Real a, double b) { return select(c, a, a.like(b)); }
inline Real select(Truth c, double a, Real b) { return select(c, b.like(a), b); }

inline Real intrinsic(llvm::Intrinsic::ID id, Real a) { return {a.e, a.e->call(id, {a.v->getType()}, {a.v})}; }
inline Real abs(Real a) { return intrinsic(llvm::Intrinsic::fabs, a); }
inline Real sqrt(Real a) { return intrinsic(llvm::Intrinsic::sqrt, a); }
inline Real floor(Real a) { return intrinsic(llvm::Intrinsic::floor, a); }
inline Real trunc(Real a) { return intrinsic(llvm::Intrinsic::trunc, a); }
inline Real copysign(Real size, Real sign) {
    return {size.e, size.e->call(llvm::Intrinsic::copysign, {size.v->getType()}, {size.v, sign.v})};
}
inline Real fma(Real a, Real b, Real c) {
    return {a.e, a.e->call(llvm::Intrinsic::fma, {a.v->getType()}, {a.v, b.v, c.v})};
}
inline Real fma(Real a, double b, Real c) { return fma(a, a.like(b), c); }
inline Real fma(Real a, Real b, double c) { return fma(a, b, a.like(c)); }
inline Real fma(Real a, double b, double c) { return fma(a, a.like(b), a.like(c)); }

/// The polynomial with these coefficients, lowest first, by Horner's rule with fma.
inline Real polynomial(Real x, std::span<const double> coefficients) {
    Real sum = x.like(coefficients.back());
    for (std::size_t i = coefficients.size() - 1; i-- > 0;) sum = fma(sum, x, coefficients[i]);
    return sum;
}
inline Real polynomial(Real x, std::initializer_list<double> coefficients) {
    return polynomial(x, std::span(coefficients.begin(), coefficients.size()));
}

/// An integer register in a formula, as wide as the reals in the same formula.
struct Word {
    Emit* e;
    Value* v;

    Word like(std::int64_t number) const {
        return {e, llvm::ConstantInt::get(v->getType(), static_cast<std::uint64_t>(number), true)};
    }
};
inline Word operator+(Word a, Word b) { return {a.e, a.e->b.CreateAdd(a.v, b.v)}; }
inline Word operator-(Word a, Word b) { return {a.e, a.e->b.CreateSub(a.v, b.v)}; }
inline Word operator*(Word a, Word b) { return {a.e, a.e->b.CreateMul(a.v, b.v)}; }
inline Word operator&(Word a, Word b) { return {a.e, a.e->b.CreateAnd(a.v, b.v)}; }
inline Word operator|(Word a, Word b) { return {a.e, a.e->b.CreateOr(a.v, b.v)}; }
inline Word operator^(Word a, Word b) { return {a.e, a.e->b.CreateXor(a.v, b.v)}; }
inline Word operator<<(Word a, Word b) { return {a.e, a.e->b.CreateShl(a.v, b.v)}; }
inline Word operator>>(Word a, Word b) { return {a.e, a.e->b.CreateLShr(a.v, b.v)}; }
inline Word operator+(Word a, std::int64_t b) { return a + a.like(b); }
inline Word operator-(Word a, std::int64_t b) { return a - a.like(b); }
inline Word operator-(std::int64_t a, Word b) { return b.like(a) - b; }
inline Word operator*(Word a, std::int64_t b) { return a * a.like(b); }
inline Word operator&(Word a, std::int64_t b) { return a & a.like(b); }
inline Word operator^(Word a, std::int64_t b) { return a ^ a.like(b); }
inline Word operator<<(Word a, int by) { return a << a.like(by); }
inline Word operator>>(Word a, int by) { return a >> a.like(by); }
inline Word signed_shift(Word a, int by) { return {a.e, a.e->b.CreateAShr(a.v, a.like(by).v)}; }
inline Truth operator==(Word a, std::int64_t b) { return {a.e, a.e->b.CreateICmpEQ(a.v, a.like(b).v)}; }
inline Truth operator<(Word a, std::int64_t b) { return {a.e, a.e->b.CreateICmpSLT(a.v, a.like(b).v)}; }
inline Truth operator>(Word a, std::int64_t b) { return {a.e, a.e->b.CreateICmpSGT(a.v, a.like(b).v)}; }
inline Word select(Truth c, Word a, Word b) { return {a.e, a.e->b.CreateSelect(c.v, a.v, b.v)}; }
inline Word select(Truth c, Word a, std::int64_t b) { return select(c, a, a.like(b)); }
inline Word select(Truth c, std::int64_t a, Word b) { return select(c, b.like(a), b); }

/// Casts a real to an integer of the same width (bits) and back (from_bits).
inline Word bits(Real a) {
    return {a.e, a.e->b.CreateBitCast(a.v, a.e->shaped(a.is_double() ? a.e->i64() : a.e->i32(), a.v))};
}
inline Real from_bits(Real like, Word bits) { return {like.e, like.e->b.CreateBitCast(bits.v, like.v->getType())}; }
/// Converts integers to reals. For 64 bits the conversion is expensive on processors without AVX-512 DQ.
inline Real to_real(Real like, Word w) { return {like.e, like.e->b.CreateSIToFP(w.v, like.v->getType())}; }
/// Whether the sign bit is set: true for -0 too.
inline Truth is_negative(Real a) { return bits(a) < 0; }
inline Real widen(Real a) { return {a.e, a.e->b.CreateFPExt(a.v, a.e->shaped(a.e->b.getDoubleTy(), a.v))}; }
inline Real narrow(Real a) { return {a.e, a.e->b.CreateFPTrunc(a.v, a.e->shaped(a.e->b.getFloatTy(), a.v))}; }

/// Loads the elements of `table` at `index`. The module contains the table once, as a constant with the name `name`.
Word looked_up(const char* name, llvm::ArrayRef<std::uint64_t> table, Word index);

/// The value of `make()` in the lanes where `rare` is true, `usual` in the other lanes. The code of make() runs only if
/// a lane is rare.
template <class Make>
Real where_rare(Truth rare, Real usual, const Make& make) {
    Emit& e = *usual.e;
    Value* slot = e.slot(usual.v->getType());
    e.b.CreateStore(usual.v, slot);
    e.when(e.any(rare.v), [&] { e.b.CreateStore(select(rare, make(), usual).v, slot); }, false);
    return {&e, e.b.CreateLoad(usual.v->getType(), slot)};
}

/// Applies `step` repeatedly to `start`. The number of applications is the same in all lanes: the greatest count of any
/// lane.
template <class Step>
Real repeated(Word count, Real start, const Step& step) {
    Emit& e = *start.e;
    Value* most = count.v;
    if (Emit::lanes_of(most) > 1) most = e.call(llvm::Intrinsic::vector_reduce_smax, {most->getType()}, {most});
    llvm::Type* type = start.v->getType();
    Value* slot = e.slot(type);
    e.b.CreateStore(start.v, slot);
    e.loop(e.int64(0), e.b.CreateSExt(most, e.i64()), 1,
           [&](Value*) { e.b.CreateStore(step(Real{&e, e.b.CreateLoad(type, slot)}).v, slot); });
    return {&e, e.b.CreateLoad(type, slot)};
}

/// The nearest integer to x * times, as a float and as an integer of the same width. Needs |x * times| < 2^21 (f32) or
/// 2^50 (f64). Otherwise, and for a NaN, the result is an arbitrary integer.
struct Rounded {
    Real real;
    Word integer;
};
Rounded nearest(Real x, Real times);
/// x * 2^k for x near 1 and |k| <= 2044 (f64) or 252 (f32), rounded once if the result is subnormal.
Real scale(Real x, Rounded k);
/// 2^k for exponents k of normal numbers.
Real power_of_two(Real like, Word k);

/// log(x) = log(m) + k ln 2 with m in [sqrt(1/2), sqrt(2)), for finite x > 0 including subnormals.
struct Split {
    Real m;
    Real k;
};
Split split(Real x);
/// Replaces y, the computed log(x), for x = 0, infinity, x < 0 and NaN.
Real log_edges(Real x, Real y);
/// For f64: log(1 + f) = f - (half - log_rest(f, half)), half = f f / 2, sqrt(1/2) <= 1 + f <= sqrt(2).
Real log_rest(Real f, Real half);
/// exp(r) = 1 + r + r r exp_series(r) for |r| <= ln 2 / 2 in f64.
Real exp_series(Real r);

// Functions that other formulas use. emit_math() lists their errors.
Real exp_real(Real x);
Real log_real(Real x);
Real log1p_single(Real x);
Real sine(Real x, bool cosine);
Real tanh_real(Real x);
Real logistic_real(Real x);
Real erf_single(Real x);
Real erf_inverse(Real x);

// Functions of f64 with errors below 1e-11, for f32 results. digamma is also used for f64 results; emit_math() lists
// its error.
Real tan_wide(Real x);
Real cube_root_wide(Real x);
Real arcus_sine_wide(Real x, bool cosine);
Real arcus_tangent_wide(Real y, Real x);
Real expm1_wide(Real x);
Real log1p_wide(Real x);
Real erfc_wide(Real x);
Real lgamma_wide(Real x);
Real digamma_wide(Real x);
Real power_wide(Real x, Real y);
/// pow(x, y), given `size` = pow(|x|, y). `size` may have any value for |x| = 1 and for NaNs.
Real power_edges(Real x, Real y, Real size);

// Functions of f64 with errors of about a unit in the last place, as listed at emit_math().
Real expm1_double(Real x);
Real log1p_double(Real x);
Real sinh_double(Real x);
Real cosh_double(Real x);
Real asinh_double(Real x);
Real acosh_double(Real x);
Real atanh_double(Real x);
Real cube_root_double(Real x);
Real tan_double(Real x);
Real arcus_sine_double(Real x, bool cosine);
Real arcus_tangent_double(Real y, Real x);
Real erf_double(Real x);
Real erfc_double(Real x);
Real lgamma_double(Real x);
Real power_double(Real x, Real y);

/// C's fmod, exact, for f32 and f64.
Real remainder(Real x, Real y);

} // namespace pm::codegen
