#include "compiler/codegen/scalar/emit_scalar.hpp"

#include "compiler/codegen/scalar/integer.hpp"
#include "compiler/codegen/scalar/math.hpp"

namespace pm::codegen {
namespace {

using nest::Combine;
using nest::ScalarOp;
using runtime::is_float;
using runtime::is_half;

Value* intrinsic(Emit& e, llvm::Intrinsic::ID id, llvm::ArrayRef<Value*> operands) {
    return e.call(id, {operands[0]->getType()}, operands);
}

Value* number(Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

/// The minimum of two values if `least` is true, otherwise the maximum. If a value is NaN, the result is NaN. -0 counts
/// as less than 0.
Value* float_max(Emit& e, Value* a, Value* c, bool least) {
    return intrinsic(e, least ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum, {a, c});
}

Value* extreme(Emit& e, DType dtype, Value* a, Value* c, bool least) {
    if (is_float(dtype)) return float_max(e, a, c, least);
    if (dtype == DType::b1) return least ? e.b.CreateAnd(a, c) : e.b.CreateOr(a, c);
    const auto id = runtime::is_signed_integer(dtype) ? (least ? llvm::Intrinsic::smin : llvm::Intrinsic::smax)
                                                      : (least ? llvm::Intrinsic::umin : llvm::Intrinsic::umax);
    return intrinsic(e, id, {a, c});
}

Value* sign(Emit& e, DType dtype, Value* x) {
    auto& b = e.b;
    if (is_float(dtype)) {
        Value* one = intrinsic(e, llvm::Intrinsic::copysign, {number(x, 1), x});
        return b.CreateSelect(b.CreateFCmpONE(x, number(x, 0)), one, x); // 0, -0 and NaN do not change
    }
    Value* zero = llvm::Constant::getNullValue(x->getType());
    Value* positive = b.CreateZExt(b.CreateICmpNE(x, zero), x->getType());
    if (!runtime::is_signed_integer(dtype)) return dtype == DType::b1 ? x : positive;
    return b.CreateSelect(b.CreateICmpSLT(x, zero), llvm::Constant::getAllOnesValue(x->getType()), positive);
}

Value* compare(Emit& e, ScalarOp op, DType from, Value* a, Value* c) {
    using P = llvm::CmpInst;
    const bool floating = is_float(from);
    const bool below = runtime::is_signed_integer(from);
    switch (op) {
    case ScalarOp::equal: return e.b.CreateCmp(floating ? P::FCMP_OEQ : P::ICMP_EQ, a, c);
    case ScalarOp::not_equal: return e.b.CreateCmp(floating ? P::FCMP_UNE : P::ICMP_NE, a, c);
    case ScalarOp::less: return e.b.CreateCmp(floating ? P::FCMP_OLT : below ? P::ICMP_SLT : P::ICMP_ULT, a, c);
    default: return e.b.CreateCmp(floating ? P::FCMP_OLE : below ? P::ICMP_SLE : P::ICMP_ULE, a, c);
    }
}

Value* unary(Emit& e, ScalarOp op, DType to, Value* x) {
    auto& b = e.b;
    const bool floating = is_float(to);
    switch (op) {
    case ScalarOp::neg: return floating ? b.CreateFNeg(x) : b.CreateNeg(x);
    case ScalarOp::abs:
        if (floating) return intrinsic(e, llvm::Intrinsic::fabs, {x});
        return runtime::is_signed_integer(to) ? e.call(llvm::Intrinsic::abs, {x->getType()}, {x, b.getFalse()}) : x;
    case ScalarOp::sign: return sign(e, to, x);
    case ScalarOp::floor: return floating ? intrinsic(e, llvm::Intrinsic::floor, {x}) : x;
    case ScalarOp::ceil: return floating ? intrinsic(e, llvm::Intrinsic::ceil, {x}) : x;
    case ScalarOp::round: return floating ? intrinsic(e, llvm::Intrinsic::roundeven, {x}) : x;
    case ScalarOp::trunc: return floating ? intrinsic(e, llvm::Intrinsic::trunc, {x}) : x;
    case ScalarOp::sqrt: return intrinsic(e, llvm::Intrinsic::sqrt, {x});
    case ScalarOp::rsqrt: return b.CreateFDiv(number(x, 1), intrinsic(e, llvm::Intrinsic::sqrt, {x}));
    case ScalarOp::not_: return b.CreateNot(x);
    case ScalarOp::population_count: return intrinsic(e, llvm::Intrinsic::ctpop, {x});
    default: return emit_math(e, op, {x});
    }
}

Value* next_after(Emit& e, DType to, Value* a, Value* c) {
    auto& b = e.b;
    const bool narrow = is_half(to); // 16-bit floats step to the next value of their own format
    Value* memory = narrow ? to_memory(e, to, a) : a;
    const unsigned width = narrow ? 16 : to == DType::f64 ? 64 : 32;
    llvm::Type* word = e.shaped(b.getIntNTy(width), a);
    Value* bits = b.CreateBitCast(memory, word);
    Value* one = llvm::ConstantInt::get(word, 1);
    Value* sign_bit = llvm::ConstantInt::get(word, llvm::APInt::getSignMask(width));
    Value* zero = number(a, 0);
    Value* away = b.CreateICmpEQ(b.CreateFCmpOGT(c, a), b.CreateFCmpOGT(a, zero));
    Value* moved = b.CreateSelect(away, b.CreateAdd(bits, one), b.CreateSub(bits, one));
    Value* least = b.CreateSelect(b.CreateFCmpOGT(c, zero), one, b.CreateOr(sign_bit, one));
    moved = b.CreateSelect(b.CreateFCmpOEQ(a, zero), least, moved);
    Value* result = narrow ? to_register(e, to, moved) : b.CreateBitCast(moved, a->getType());
    result = b.CreateSelect(b.CreateFCmpOEQ(a, c), c, result);
    return b.CreateSelect(b.CreateFCmpUNO(a, c), b.CreateFAdd(a, c), result);
}

Value* float_binary(Emit& e, ScalarOp op, DType to, Value* a, Value* c) {
    switch (op) {
    case ScalarOp::add: return e.b.CreateFAdd(a, c);
    case ScalarOp::sub: return e.b.CreateFSub(a, c);
    case ScalarOp::mul: return e.b.CreateFMul(a, c);
    case ScalarOp::div: return e.b.CreateFDiv(a, c);
    case ScalarOp::max: return float_max(e, a, c, false);
    case ScalarOp::min: return float_max(e, a, c, true);
    case ScalarOp::nextafter: return next_after(e, to, a, c);
    default: return emit_math(e, op, {a, c});
    }
}

Value* integer_binary(Emit& e, ScalarOp op, DType to, Value* a, Value* c) {
    auto& b = e.b;
    switch (op) {
    case ScalarOp::add: return to == DType::b1 ? b.CreateOr(a, c) : b.CreateAdd(a, c);
    case ScalarOp::sub: return b.CreateSub(a, c);
    case ScalarOp::mul: return b.CreateMul(a, c);
    case ScalarOp::div: return integer_divide(e, to, a, c).quotient;
    case ScalarOp::rem: return integer_divide(e, to, a, c).remainder;
    case ScalarOp::max: return extreme(e, to, a, c, false);
    case ScalarOp::min: return extreme(e, to, a, c, true);
    case ScalarOp::and_: return b.CreateAnd(a, c);
    case ScalarOp::or_: return b.CreateOr(a, c);
    case ScalarOp::xor_: return b.CreateXor(a, c);
    case ScalarOp::shift_left: return shift(e, to, a, c, true);
    case ScalarOp::shift_right: return shift(e, to, a, c, false);
    default: return integer_power(e, to, a, c);
    }
}

/// The 20 rounds of threefry2x32 on (key, counter). Key and counter have 64 bits each, with the first word in the high
/// half.
Value* threefry(Emit& e, Value* key, Value* counter) {
    auto& b = e.b;
    llvm::Type* word = e.shaped(e.i32(), key);
    const auto high = [&](Value* v) {
        return b.CreateTrunc(b.CreateLShr(v, llvm::ConstantInt::get(v->getType(), 32)), word);
    };
    const auto low = [&](Value* v) { return b.CreateTrunc(v, word); };
    Value* keys[3] = {high(key), low(key), nullptr};
    keys[2] = b.CreateXor(b.CreateXor(keys[0], keys[1]), llvm::ConstantInt::get(word, 0x1BD11BDA));
    Value* x0 = b.CreateAdd(high(counter), keys[0]);
    Value* x1 = b.CreateAdd(low(counter), keys[1]);
    constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    for (unsigned group = 0; group < 5; ++group) {
        for (const int by : rotations[group % 2]) {
            x0 = b.CreateAdd(x0, x1);
            x1 = e.call(llvm::Intrinsic::fshl, {word},
                        {x1, x1, llvm::ConstantInt::get(word, static_cast<std::uint64_t>(by))});
            x1 = b.CreateXor(x1, x0);
        }
        x0 = b.CreateAdd(x0, keys[(group + 1) % 3]);
        x1 = b.CreateAdd(b.CreateAdd(x1, keys[(group + 2) % 3]), llvm::ConstantInt::get(word, group + 1));
    }
    llvm::Type* wide = key->getType();
    return b.CreateOr(b.CreateShl(b.CreateZExt(x0, wide), llvm::ConstantInt::get(wide, 32)), b.CreateZExt(x1, wide));
}

/// Whether the f32 result of an operation on 16-bit floats needs no rounding.
bool stays_half(ScalarOp op) {
    switch (op) {
    case ScalarOp::neg:
    case ScalarOp::abs:
    case ScalarOp::sign:
    case ScalarOp::floor:
    case ScalarOp::ceil:
    case ScalarOp::round:
    case ScalarOp::trunc:
    case ScalarOp::max:
    case ScalarOp::min:
    case ScalarOp::nextafter:
    case ScalarOp::select: return true;
    default: return false;
    }
}

Value* bit_cast(Emit& e, DType to, DType from, Value* x) {
    const bool half = is_half(to) || is_half(from) || to == DType::b1 || from == DType::b1;
    if (!half) return e.b.CreateBitCast(x, register_type(e, to, Emit::lanes_of(x)));
    Value* memory = to_memory(e, from, x);
    return to_register(e, to, e.b.CreateBitCast(memory, memory_type(e, to, Emit::lanes_of(x))));
}

Value* operation(Emit& e, ScalarOp op, DType to, DType from, llvm::ArrayRef<Value*> x) {
    switch (op) {
    case ScalarOp::select: return e.b.CreateSelect(x[0], x[1], x[2]);
    case ScalarOp::convert: return convert(e, to, from, x[0]);
    case ScalarOp::bitcast: return bit_cast(e, to, from, x[0]);
    case ScalarOp::threefry: return threefry(e, x[0], x[1]);
    case ScalarOp::equal:
    case ScalarOp::not_equal:
    case ScalarOp::less:
    case ScalarOp::less_equal: return compare(e, op, from, x[0], x[1]);
    case ScalarOp::is_finite: {
        if (!is_float(from)) return e.splat(e.b.getTrue(), Emit::lanes_of(x[0]));
        Value* size = intrinsic(e, llvm::Intrinsic::fabs, {x[0]});
        return e.b.CreateFCmpOLT(size, llvm::ConstantFP::getInfinity(size->getType()));
    }
    case ScalarOp::fma:
        if (is_float(to)) return intrinsic(e, llvm::Intrinsic::fma, {x[0], x[1], x[2]});
        return e.b.CreateAdd(e.b.CreateMul(x[0], x[1]), x[2]);
    case ScalarOp::population_count: {
        Value* count = unary(e, op, from, x[0]);
        return e.b.CreateZExtOrTrunc(count, register_type(e, to, Emit::lanes_of(count)));
    }
    default: break;
    }
    if (x.size() == 1) return unary(e, op, to, x[0]);
    return is_float(to) ? float_binary(e, op, to, x[0], x[1]) : integer_binary(e, op, to, x[0], x[1]);
}

} // namespace

Value* emit_scalar(Emit& e, ScalarOp op, DType to, DType from, llvm::ArrayRef<Value*> operands) {
    Value* made = operation(e, op, to, from, operands);
    const bool rounded = stays_half(op) || op == ScalarOp::convert || op == ScalarOp::bitcast;
    return is_half(to) && !rounded ? round_half(e, to, made) : made;
}

Value* combine(Emit& e, Combine how, DType dtype, Value* a, Value* c) {
    switch (how) {
    case Combine::add: return is_float(dtype) ? e.b.CreateFAdd(a, c) : integer_binary(e, ScalarOp::add, dtype, a, c);
    case Combine::mul: return is_float(dtype) ? e.b.CreateFMul(a, c) : e.b.CreateMul(a, c);
    case Combine::max: return extreme(e, dtype, a, c, false);
    case Combine::min: return extreme(e, dtype, a, c, true);
    case Combine::and_: return e.b.CreateAnd(a, c);
    case Combine::or_: return e.b.CreateOr(a, c);
    case Combine::argmax:
    case Combine::argmin: break;
    }
    PM_UNREACHABLE();
}

Ranked combine_ranked(Emit& e, Combine how, DType dtype, Ranked a, Ranked c) {
    auto& b = e.b;
    const bool least = how == Combine::argmin;
    Value* earlier = b.CreateICmpSLT(a.position, c.position);
    Value* better = nullptr;
    Value* same = nullptr;
    if (is_float(dtype)) {
        Value* a_nan = b.CreateFCmpUNO(a.value, a.value);
        Value* c_nan = b.CreateFCmpUNO(c.value, c.value);
        better = least ? b.CreateFCmpOLT(a.value, c.value) : b.CreateFCmpOGT(a.value, c.value);
        better = b.CreateOr(better, b.CreateAnd(a_nan, b.CreateNot(c_nan)));
        same = b.CreateOr(b.CreateFCmpOEQ(a.value, c.value), b.CreateAnd(a_nan, c_nan));
    } else {
        better = least ? compare(e, ScalarOp::less, dtype, a.value, c.value)
                       : compare(e, ScalarOp::less, dtype, c.value, a.value);
        same = b.CreateICmpEQ(a.value, c.value);
    }
    Value* first = b.CreateOr(better, b.CreateAnd(same, earlier));
    return {b.CreateSelect(first, a.value, c.value), b.CreateSelect(first, a.position, c.position)};
}

DType accumulator(Combine how, DType dtype) {
    if (how == Combine::mul && is_float(dtype)) return DType::f64;
    return how == Combine::add && is_half(dtype) ? DType::f32 : dtype;
}

DType total_dtype(Combine how, DType dtype) {
    const bool arithmetic = how == Combine::add || how == Combine::mul;
    return arithmetic && is_float(dtype) ? DType::f64 : dtype;
}

Value* widened(Emit& e, DType to, Value* x) {
    llvm::Type* type = register_type(e, to, Emit::lanes_of(x));
    return x->getType() == type ? x : e.b.CreateFPExt(x, type);
}

Value* narrowed(Emit& e, DType to, Value* x) {
    llvm::Type* type = register_type(e, to, Emit::lanes_of(x));
    return x->getType() == type ? x : e.b.CreateFPTrunc(x, type);
}

} // namespace pm::codegen
