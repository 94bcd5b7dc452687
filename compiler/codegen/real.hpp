#pragma once
#include "compiler/codegen/emit.hpp"

#include <initializer_list>

namespace pm::codegen {

/// A floating-point register while a formula is written: arithmetic on it emits instructions. Numbers take its type.
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
inline Real polynomial(Real x, std::initializer_list<double> coefficients) {
    const double* c = coefficients.end();
    Real sum = x.like(*--c);
    while (c != coefficients.begin()) sum = fma(sum, x, *--c);
    return sum;
}

/// The bits as integers of the same width, and back.
inline Value* bits(Real a) {
    return a.e->b.CreateBitCast(a.v, a.e->shaped(a.is_double() ? a.e->i64() : a.e->i32(), a.v));
}
inline Real from_bits(Real like, Value* bits) { return {like.e, like.e->b.CreateBitCast(bits, like.v->getType())}; }
inline Value* integer_like(Value* v, std::int64_t number) {
    return llvm::ConstantInt::get(v->getType(), static_cast<std::uint64_t>(number), true);
}
inline Real widen(Real a) { return {a.e, a.e->b.CreateFPExt(a.v, a.e->shaped(a.e->b.getDoubleTy(), a.v))}; }
inline Real narrow(Real a) { return {a.e, a.e->b.CreateFPTrunc(a.v, a.e->shaped(a.e->b.getFloatTy(), a.v))}; }

/// The nearest integer to x as a float and as an integer of the same width. |x| < 2^21 (f32) or 2^50 (f64); otherwise,
/// and for a NaN, any integer.
struct Rounded {
    Real real;
    Value* integer;
};
Rounded nearest(Real x, Real times);
/// x * 2^k for |k| <= 2200 (f64) or 280 (f32), rounded once where the result is subnormal.
Real scale(Real x, Rounded k);

/// Calls a function of libm for each lane.
Real per_lane(const char* name, std::initializer_list<Real> operands);

// The functions that others are made of; errors as stated at emit_math.
Real exp_real(Real x);
Real log_real(Real x);
Real log1p_single(Real x);
Real sine(Real x, bool cosine);
Real tanh_real(Real x);
Real logistic_real(Real x);
Real erf_single(Real x);
Real erf_inverse(Real x);

// Of f64, with errors below 1e-11: f32 functions go through these. digamma is good to 4 units of f64.
Real tan_wide(Real x);
Real arcus_sine_wide(Real x, bool cosine);
Real arcus_tangent_wide(Real y, Real x);
Real expm1_wide(Real x);
Real log1p_wide(Real x);
Real cube_root_wide(Real x);
Real erfc_wide(Real x);
Real lgamma_wide(Real x);
Real digamma_wide(Real x);
Real power_wide(Real x, Real y);

} // namespace pm::codegen
