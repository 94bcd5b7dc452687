#include "compiler/codegen/scalar/math.hpp"

#include "compiler/codegen/scalar/real.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace pm::codegen {
namespace {

using nest::ScalarOp;

template <class F>
LibmSymbol symbol(const char* name, F* function) {
    return {name, reinterpret_cast<void*>(function)};
}
using One = double(double);
using OneSingle = float(float);

Real double_function(ScalarOp op, llvm::ArrayRef<Real> x) {
    switch (op) {
    case ScalarOp::exp: return exp_real(x[0]);
    case ScalarOp::log: return log_real(x[0]);
    case ScalarOp::sin: return sine(x[0], false);
    case ScalarOp::cos: return sine(x[0], true);
    case ScalarOp::tanh: return tanh_real(x[0]);
    case ScalarOp::logistic: return logistic_real(x[0]);
    case ScalarOp::erf_inv: return erf_inverse(x[0]);
    case ScalarOp::digamma: return digamma_wide(x[0]);
    case ScalarOp::expm1: return expm1_double(x[0]);
    case ScalarOp::log1p: return log1p_double(x[0]);
    case ScalarOp::cbrt: return cube_root_double(x[0]);
    case ScalarOp::tan: return tan_double(x[0]);
    case ScalarOp::asin: return arcus_sine_double(x[0], false);
    case ScalarOp::acos: return arcus_sine_double(x[0], true);
    case ScalarOp::atan: return arcus_tangent_double(x[0], x[0].like(1));
    case ScalarOp::sinh: return sinh_double(x[0]);
    case ScalarOp::cosh: return cosh_double(x[0]);
    case ScalarOp::asinh: return asinh_double(x[0]);
    case ScalarOp::acosh: return acosh_double(x[0]);
    case ScalarOp::atanh: return atanh_double(x[0]);
    case ScalarOp::erf: return erf_double(x[0]);
    case ScalarOp::erfc: return erfc_double(x[0]);
    case ScalarOp::lgamma: return lgamma_double(x[0]);
    case ScalarOp::pow: return power_double(x[0], x[1]);
    case ScalarOp::atan2: return arcus_tangent_double(x[0], x[1]);
    case ScalarOp::rem: return remainder(x[0], x[1]);
    default: break;
    }
    PM_UNREACHABLE();
}

/// Odd functions are accurate near 0, since they use log1p and expm1 of the absolute value.
Real hyperbolic(ScalarOp op, Real x) {
    const Real a = abs(x);
    switch (op) {
    case ScalarOp::sinh: {
        const Real m = expm1_wide(a);
        const Real half = (m + m / (m + 1)) * 0.5;
        return copysign(select(a > 100, m, half), x); // above 100 the result is infinite in f32
    }
    case ScalarOp::cosh: {
        const Real up = exp_real(a);
        return (up + 1 / up) * 0.5;
    }
    case ScalarOp::asinh: {
        const Real inner = select(a > 1e30, a + a, a + a * a / (sqrt(a * a + 1) + 1));
        return copysign(log1p_wide(inner), x);
    }
    case ScalarOp::acosh: {
        const Real t = x - 1;
        return select(x < 1, std::numeric_limits<double>::quiet_NaN(), log1p_wide(t + sqrt(t * (x + 1))));
    }
    case ScalarOp::atanh: return copysign(log1p_wide(2 * a / (1 - a)) * 0.5, x);
    default: PM_UNREACHABLE(); // an operation without code
    }
}

Real wide_function(ScalarOp op, llvm::ArrayRef<Real> x) {
    switch (op) {
    case ScalarOp::expm1: return expm1_wide(x[0]);
    case ScalarOp::cbrt: return cube_root_wide(x[0]);
    case ScalarOp::tan: return tan_wide(x[0]);
    case ScalarOp::asin: return arcus_sine_wide(x[0], false);
    case ScalarOp::acos: return arcus_sine_wide(x[0], true);
    case ScalarOp::atan: return arcus_tangent_wide(x[0], x[0].like(1));
    case ScalarOp::atan2: return arcus_tangent_wide(x[0], x[1]);
    case ScalarOp::erfc: return erfc_wide(x[0]);
    case ScalarOp::lgamma: return lgamma_wide(x[0]);
    case ScalarOp::digamma: return digamma_wide(x[0]);
    case ScalarOp::pow: return power_wide(x[0], x[1]);
    default: return hyperbolic(op, x[0]);
    }
}

/// Whether the formula of `op` is inlined. Other formulas are functions of the module.
bool in_place(ScalarOp op) {
    switch (op) {
    case ScalarOp::exp:
    case ScalarOp::log:
    case ScalarOp::tanh:
    case ScalarOp::logistic:
    case ScalarOp::erf: return true;
    default: return false;
    }
}

Real function(ScalarOp op, llvm::ArrayRef<Real> x) {
    if (x[0].is_double()) return double_function(op, x);
    switch (op) {
    case ScalarOp::exp: return exp_real(x[0]);
    case ScalarOp::log: return log_real(x[0]);
    case ScalarOp::log1p: return log1p_single(x[0]);
    case ScalarOp::sin: return sine(x[0], false);
    case ScalarOp::cos: return sine(x[0], true);
    case ScalarOp::tanh: return tanh_real(x[0]);
    case ScalarOp::logistic: return logistic_real(x[0]);
    case ScalarOp::erf: return erf_single(x[0]);
    case ScalarOp::erf_inv: return erf_inverse(x[0]);
    case ScalarOp::rem: return remainder(x[0], x[1]);
    default: break;
    }
    llvm::SmallVector<Real, 2> wide;
    for (const Real r : x) wide.push_back(widen(r));
    return narrow(wide_function(op, wide));
}

} // namespace

Value* emit_math(Emit& e, ScalarOp op, llvm::ArrayRef<Value*> operands) {
    llvm::SmallVector<Real, 2> x;
    for (Value* v : operands) x.push_back({&e, v});
    const bool wide = x[0].is_double();
    if (in_place(op) && !(wide && op == ScalarOp::erf)) return function(op, x).v;
    const int lanes = Emit::lanes_of(operands[0]);
    const std::string name = "math." + std::string(nest::name(op)) + (wide ? ".f64x" : ".f32x") + std::to_string(lanes);
    llvm::Type* type = operands[0]->getType();
    auto* signature = llvm::FunctionType::get(type, llvm::SmallVector<llvm::Type*, 2>(operands.size(), type), false);
    if (e.module.getFunction(name) == nullptr) {
        const Emit::Place place = e.leave();
        llvm::Function* made = e.begin_function(name, signature, true);
        for (std::size_t i = 0; i < x.size(); ++i) x[i].v = made->getArg(static_cast<unsigned>(i));
        e.b.CreateRet(function(op, x).v);
        e.end_function();
        e.resume(place);
    }
    return e.b.CreateCall(e.module.getFunction(name), operands);
}

llvm::ArrayRef<LibmSymbol> libm_symbols() {
    static const LibmSymbol table[] = {
        symbol<float(float, float, float)>("fmaf", std::fma),
        symbol<double(double, double, double)>("fma", std::fma),
        symbol<One>("floor", std::floor),
        symbol<One>("ceil", std::ceil),
        symbol<One>("trunc", std::trunc),
        symbol<OneSingle>("floorf", std::floor),
        symbol<OneSingle>("ceilf", std::ceil),
        symbol<OneSingle>("truncf", std::trunc),
        symbol<One>("roundeven", ::roundeven),
        symbol<OneSingle>("roundevenf", ::roundevenf),
        symbol<void*(void*, const void*, std::size_t)>("memcpy", std::memcpy),
        symbol<void*(void*, const void*, std::size_t)>("memmove", std::memmove),
        symbol<void*(void*, int, std::size_t)>("memset", std::memset),
    };
    return table;
}

} // namespace pm::codegen
