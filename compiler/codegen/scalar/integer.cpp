#include "compiler/codegen/scalar/integer.hpp"

#include <bit>
#include <cmath>

namespace pm::codegen {
namespace {

using runtime::is_half;

unsigned width_of(DType d) { return d == DType::b1 ? 1 : static_cast<unsigned>(8 * runtime::size_of(d)); }

/// The truncated quotient. c must not be 0, and the quotient must not overflow.
Value* plain_quotient(Emit& e, bool with_sign, Value* a, Value* c) {
    auto& b = e.b;
    const unsigned width = a->getType()->getScalarSizeInBits();
    const int lanes = Emit::lanes_of(a);
    if (lanes == 1 || width > 32 || llvm::isa<llvm::Constant>(c))
        return with_sign ? b.CreateSDiv(a, c) : b.CreateUDiv(a, c);
    // Integers of 32 bits are divided in f64, those of at most 16 bits in f32. The exact quotient is an integer, or its
    // relative distance from the next integer is at least 2^-32 (16 bits: 2^-16). The rounding error of f64 (f32) is
    // smaller, so the truncated quotient is exact.
    llvm::Type* floating = e.vector(width == 32 ? b.getDoubleTy() : b.getFloatTy(), lanes);
    Value* x = with_sign ? b.CreateSIToFP(a, floating) : b.CreateUIToFP(a, floating);
    Value* y = with_sign ? b.CreateSIToFP(c, floating) : b.CreateUIToFP(c, floating);
    Value* q = b.CreateFDiv(x, y);
    return with_sign ? b.CreateFPToSI(q, a->getType()) : b.CreateFPToUI(q, a->getType());
}

Value* float_from_integer(Emit& e, DType to, DType from, Value* x) {
    auto& b = e.b;
    const int lanes = Emit::lanes_of(x);
    const auto plain = [&](llvm::Type* type) {
        return runtime::is_signed_integer(from) ? b.CreateSIToFP(x, type) : b.CreateUIToFP(x, type);
    };
    if (!is_half(to)) return plain(register_type(e, to, lanes));
    if (width_of(from) <= 16) return round_half(e, to, plain(e.vector(b.getFloatTy(), lanes)));
    llvm::Type* wide = e.vector(b.getDoubleTy(), lanes);
    if (width_of(from) < 64) return convert(e, to, DType::f64, plain(wide));
    // The conversion of a 64-bit integer to f64 may round, and the conversion to 16 bits then rounds a second time. If
    // the first conversion may round, the lowest 12 bits are replaced by a sticky bit in bit 12. So only the conversion
    // to 16 bits rounds.
    llvm::Type* type = x->getType();
    const auto bits = [&](std::uint64_t n) { return llvm::ConstantInt::get(type, n); };
    Value* negative = runtime::is_signed_integer(from) ? b.CreateICmpSLT(x, bits(0)) : nullptr;
    Value* magnitude = negative ? b.CreateSelect(negative, b.CreateNeg(x), x) : x;
    Value* lost = b.CreateAnd(b.CreateICmpNE(b.CreateLShr(magnitude, 52), bits(0)),
                              b.CreateICmpNE(b.CreateAnd(magnitude, bits(0xFFF)), bits(0)));
    Value* sticky = b.CreateOr(b.CreateAnd(magnitude, bits(~std::uint64_t{0xFFF})), bits(0x1000));
    Value* real = b.CreateUIToFP(b.CreateSelect(lost, sticky, magnitude), wide);
    if (negative) real = b.CreateSelect(negative, b.CreateFNeg(real), real);
    return convert(e, to, DType::f64, real);
}

Value* saturate(Emit& e, DType to, Value* x) {
    auto& b = e.b;
    const unsigned width = width_of(to);
    const bool with_sign = runtime::is_signed_integer(to);
    llvm::Type* type = register_type(e, to, Emit::lanes_of(x));
    const auto real = [&](double v) { return llvm::ConstantFP::get(x->getType(), v); };
    const double low = with_sign ? -std::ldexp(1.0, static_cast<int>(width) - 1) : 0;
    const double high = std::ldexp(1.0, static_cast<int>(width) - (with_sign ? 1 : 0));
    Value* fits = b.CreateAnd(b.CreateFCmpOGE(x, real(low)), b.CreateFCmpOLT(x, real(high)));
    Value* safe = b.CreateSelect(fits, x, real(0));
    // Converts through 32 bits, since the processor has no narrower conversions.
    llvm::Type* wide = width < 32 ? e.shaped(e.i32(), x) : type;
    Value* made = with_sign || width < 32 ? b.CreateFPToSI(safe, wide) : b.CreateFPToUI(safe, wide);
    if (width < 32) made = b.CreateTrunc(made, type);
    const auto bound = [&](bool top) {
        const llvm::APInt bits =
            with_sign ? (top ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getSignedMinValue(width))
                      : (top ? llvm::APInt::getMaxValue(width) : llvm::APInt::getMinValue(width));
        return llvm::ConstantInt::get(type, bits);
    };
    made = b.CreateSelect(b.CreateFCmpOGE(x, real(high)), bound(true), made);
    return with_sign ? b.CreateSelect(b.CreateFCmpOLT(x, real(low)), bound(false), made) : made;
}

/// Converts f64 to f32, with inexact values rounded to odd. A further rounding to 16 bits then has the result of a
/// single rounding.
Value* round_to_odd(Emit& e, Value* x) {
    auto& b = e.b;
    llvm::Type* single = e.shaped(b.getFloatTy(), x);
    llvm::Type* word = e.shaped(e.i32(), x);
    Value* near = b.CreateFPTrunc(x, single);
    Value* back = b.CreateFPExt(near, x->getType());
    Value* bits = b.CreateBitCast(near, word);
    Value* one = llvm::ConstantInt::get(word, 1);
    Value* away = b.CreateFCmpOGT(e.call(llvm::Intrinsic::fabs, {x->getType()}, {back}),
                                  e.call(llvm::Intrinsic::fabs, {x->getType()}, {x}));
    Value* even = b.CreateICmpEQ(b.CreateAnd(bits, one), llvm::Constant::getNullValue(word));
    Value* moved = b.CreateSelect(away, b.CreateSub(bits, one), b.CreateAdd(bits, one));
    Value* inexact = b.CreateFCmpONE(back, x); // false for a NaN
    return b.CreateBitCast(b.CreateSelect(b.CreateAnd(inexact, even), moved, bits), single);
}

Value* float_from_float(Emit& e, DType to, DType from, Value* x) {
    const int lanes = Emit::lanes_of(x);
    if (to == from) return x;
    if (to == DType::f64) return e.b.CreateFPExt(x, e.vector(e.b.getDoubleTy(), lanes));
    if (from == DType::f64)
        return is_half(to) ? round_half(e, to, round_to_odd(e, x))
                           : e.b.CreateFPTrunc(x, e.vector(e.b.getFloatTy(), lanes));
    return round_half(e, to, x);
}

} // namespace

Division integer_divide(Emit& e, DType dtype, Value* a, Value* c) {
    auto& b = e.b;
    llvm::Type* type = a->getType();
    if (dtype == DType::b1) return {b.CreateOr(a, b.CreateNot(c)), b.CreateAnd(a, b.CreateNot(c))};
    const bool with_sign = runtime::is_signed_integer(dtype);
    Value* zero = llvm::Constant::getNullValue(type);
    Value* ones = llvm::Constant::getAllOnesValue(type);
    Value* one = llvm::ConstantInt::get(type, 1);
    Value* no = b.CreateICmpEQ(c, zero);
    Value* minus = with_sign ? b.CreateICmpEQ(c, ones) : nullptr;
    Value* safe = b.CreateSelect(minus != nullptr ? b.CreateOr(no, minus) : no, one, c);
    Value* q = plain_quotient(e, with_sign, a, safe);
    Value* r = b.CreateSub(a, b.CreateMul(q, safe));
    if (minus != nullptr)
        q = b.CreateSelect(minus, b.CreateNeg(a), q); // a % -1 is 0, like the remainder by the safe divisor 1
    return {b.CreateSelect(no, ones, q), b.CreateSelect(no, a, r)};
}

Value* shift(Emit& e, DType dtype, Value* a, Value* count, bool left) {
    auto& b = e.b;
    llvm::Type* type = a->getType();
    if (dtype == DType::b1) return b.CreateAnd(a, b.CreateNot(count));
    const unsigned width = width_of(dtype);
    // The count is clamped before the conversion to a narrower type, so a count that is too large remains too large.
    if (count->getType()->getScalarSizeInBits() > width)
        count =
            e.call(llvm::Intrinsic::umin, {count->getType()}, {count, llvm::ConstantInt::get(count->getType(), width)});
    count = b.CreateZExtOrTrunc(count, type);
    Value* fits = b.CreateICmpULT(count, llvm::ConstantInt::get(type, width));
    Value* most = llvm::ConstantInt::get(type, width - 1);
    if (!left && runtime::is_signed_integer(dtype)) return b.CreateAShr(a, b.CreateSelect(fits, count, most));
    Value* safe = b.CreateSelect(fits, count, llvm::Constant::getNullValue(type));
    Value* moved = left ? b.CreateShl(a, safe) : b.CreateLShr(a, safe);
    return b.CreateSelect(fits, moved, llvm::Constant::getNullValue(type));
}

Value* integer_power(Emit& e, DType dtype, Value* a, Value* c) {
    auto& b = e.b;
    if (dtype == DType::b1) return b.CreateOr(a, b.CreateNot(c));
    llvm::Type* type = a->getType();
    Value* one = llvm::ConstantInt::get(type, 1);
    Value* zero = llvm::Constant::getNullValue(type);
    Value* negative = runtime::is_signed_integer(dtype) ? b.CreateICmpSLT(c, zero) : nullptr;
    auto* result = e.slot(type);
    auto* base = e.slot(type);
    auto* left = e.slot(type);
    b.CreateStore(one, result);
    b.CreateStore(a, base);
    b.CreateStore(c, left);
    e.loop(0, width_of(dtype), 1, [&](Value*) {
        Value* x = b.CreateLoad(type, base);
        Value* power = b.CreateLoad(type, left);
        Value* so_far = b.CreateLoad(type, result);
        Value* odd = b.CreateICmpNE(b.CreateAnd(power, one), zero);
        b.CreateStore(b.CreateSelect(odd, b.CreateMul(so_far, x), so_far), result);
        b.CreateStore(b.CreateMul(x, x), base);
        b.CreateStore(b.CreateLShr(power, one), left);
    });
    Value* made = b.CreateLoad(type, result);
    if (negative == nullptr) return made;
    // For a base of 1 or -1 the power is correct for negative c too: the square of the base is 1, and the lowest bit of
    // c shows whether c is odd.
    Value* unit = b.CreateOr(b.CreateICmpEQ(a, one), b.CreateICmpEQ(a, llvm::Constant::getAllOnesValue(type)));
    return b.CreateSelect(b.CreateAnd(negative, b.CreateNot(unit)), zero, made);
}

Value* convert(Emit& e, DType to, DType from, Value* x) {
    auto& b = e.b;
    const bool from_float = runtime::is_float(from);
    llvm::Type* type = register_type(e, to, Emit::lanes_of(x));
    if (to == from) return x;
    if (to == DType::b1) {
        Value* zero = llvm::Constant::getNullValue(x->getType());
        return from_float ? b.CreateFCmpUNE(x, zero) : b.CreateICmpNE(x, zero);
    }
    if (runtime::is_float(to))
        return from_float ? float_from_float(e, to, from, x) : float_from_integer(e, to, from, x);
    if (from_float) return saturate(e, to, x);
    return runtime::is_signed_integer(from) ? b.CreateSExtOrTrunc(x, type) : b.CreateZExtOrTrunc(x, type);
}

Value* divide_small(Emit& e, Value* a, std::int64_t by) {
    auto& b = e.b;
    if (std::has_single_bit(static_cast<std::uint64_t>(by)))
        return b.CreateLShr(a, llvm::ConstantInt::get(a->getType(), static_cast<unsigned>(std::countr_zero(
                                                                        static_cast<std::uint64_t>(by)))));
    // m = ceil(2^s / by) with s = 31 + bits(by). Then a * m < 2^63, and the error a * (m * by - 2^s) / (by * 2^s) is
    // below 1 / by.
    const int bits = 64 - std::countl_zero(static_cast<std::uint64_t>(by));
    const int s = 31 + bits;
    const auto m = ((std::uint64_t{1} << s) + static_cast<std::uint64_t>(by) - 1) / static_cast<std::uint64_t>(by);
    Value* product = b.CreateMul(a, llvm::ConstantInt::get(a->getType(), m));
    return b.CreateLShr(product, llvm::ConstantInt::get(a->getType(), static_cast<unsigned>(s)));
}

} // namespace pm::codegen
