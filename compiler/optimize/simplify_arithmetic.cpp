// Identities of elementwise operations. For all operands, both sides of an identity have the same bits. For floats this
// includes both zeros, infinities and NaN. The only exception: the sign and payload of a NaN may differ.
#include "compiler/optimize/simplify.hpp"

#include "compiler/ops/core/rules.hpp"

#include <cmath>

namespace pm::optimize {
namespace {

using ir::Attr;
using ir::DType;
using ir::Op;
using runtime::is_float;
using runtime::is_integer;

using Result = std::optional<Value>;

/// True if dtype `to` can represent every value of dtype `from`.
bool lossless(DType from, DType to) {
    if (from == to || from == DType::b1) return to != DType::key;
    const auto bits = [](DType d) { return 8 * static_cast<int>(runtime::size_of(d)); };
    const auto mantissa = [](DType d) {
        return d == DType::f16 ? 11 : d == DType::bf16 ? 8 : d == DType::f32 ? 24 : 53;
    };
    if (from == DType::key || to == DType::key || to == DType::b1) return false;
    if (is_integer(from)) {
        const bool is_signed = runtime::is_signed_integer(from);
        if (is_float(to)) return bits(from) - (is_signed ? 1 : 0) <= mantissa(to); // -2^(n-1) is a power of two
        if (is_signed && !runtime::is_signed_integer(to)) return false;
        return bits(from) < bits(to) || (bits(from) == bits(to) && is_signed == runtime::is_signed_integer(to));
    }
    if (!is_float(to)) return false;
    return from == to || (bits(from) < bits(to));
}

Result add(Simplify& s, Value a, Value b, DType dtype) {
    // The identity x + 0.0 = x does not hold for floats, because -0.0 + 0.0 is 0.0.
    if (is_integer(dtype) ? s.is(b, 0) : is_float(dtype) && s.is(b, -0.0)) return a;
    if (is_integer(dtype) ? s.is(a, 0) : is_float(dtype) && s.is(a, -0.0)) return b;
    if (const auto n = s.made_by(b, Op::neg)) return s.make(Op::sub, {a, n->operands[0]});
    if (const auto n = s.made_by(a, Op::neg)) return s.make(Op::sub, {b, n->operands[0]});
    return std::nullopt;
}

Result sub(Simplify& s, Value a, Value b, DType dtype) {
    if ((is_integer(dtype) || is_float(dtype)) && s.is(b, 0.0)) return a;
    if (is_integer(dtype) && a == b) return s.b.zeros_like(a);
    if (is_integer(dtype) ? s.is(a, 0) : is_float(dtype) && s.is(a, -0.0))
        return s.make(Op::neg, {b}); // for the float 0.0 this is wrong, because 0.0 - 0.0 is 0.0
    if (const auto n = s.made_by(b, Op::neg)) return s.make(Op::add, {a, n->operands[0]});
    return std::nullopt;
}

Result mul(Simplify& s, Value a, Value b, DType dtype) {
    if (!is_integer(dtype) && !is_float(dtype)) return std::nullopt;
    if (s.is(b, 1)) return a;
    if (s.is(a, 1)) return b;
    if (is_integer(dtype) && (s.is(a, 0) || s.is(b, 0))) return s.b.zeros_like(a);
    if (!runtime::is_unsigned_integer(dtype)) {
        if (s.is(b, -1)) return s.make(Op::neg, {a});
        if (s.is(a, -1)) return s.make(Op::neg, {b});
    }
    const auto x = s.made_by(a, Op::neg);
    const auto y = s.made_by(b, Op::neg);
    if (x && y) return s.make(Op::mul, {x->operands[0], y->operands[0]});
    return std::nullopt;
}

Result div(Simplify& s, Value a, Value b, DType dtype) {
    if (!is_integer(dtype) && !is_float(dtype)) return std::nullopt;
    if (s.is(b, 1)) return a;
    if (dtype != DType::f32 && dtype != DType::f64) return std::nullopt;
    // A division by a power of two can become a product with the reciprocal if the reciprocal is a normal number. The
    // exact quotient is equal to the exact product. So both are rounded to the same result.
    const auto known = s.constant(b);
    if (!known || !known->splat() || s.b.type(b).elements() == 0) return std::nullopt;
    const double divisor = known->array().as_f64();
    int exponent = 0;
    if (!std::isfinite(divisor) || std::abs(std::frexp(divisor, &exponent)) != 0.5) return std::nullopt;
    const int most = dtype == DType::f32 ? 120 : 1000;
    if (exponent < -most || exponent > most) return std::nullopt;
    return s.make(Op::mul, {a, s.b.like(a, 1 / divisor)});
}

Result bits(Simplify& s, Op op, Value a, Value b, DType dtype) {
    if (dtype != DType::b1 && !is_integer(dtype)) return std::nullopt;
    const auto all_zero = [&](Value v) { return s.is(v, 0); };
    const auto all_one = [&](Value v) {
        const auto known = s.constant(v);
        if (!known || !known->splat()) return false;
        if (dtype == DType::b1) return known->is(1);
        for (const std::uint8_t byte : known->literal.bytes)
            if (byte != 0xFF) return false;
        return true;
    };
    if (op == Op::xor_) {
        if (a == b) return s.b.zeros_like(a);
        if (all_zero(b)) return a;
        return all_zero(a) ? Result(b) : std::nullopt;
    }
    if (a == b) return a;
    const bool is_and = op == Op::and_;
    if (is_and ? all_one(b) : all_zero(b)) return a;
    if (is_and ? all_one(a) : all_zero(a)) return b;
    if (is_and ? all_zero(b) : all_one(b)) return b;
    if (is_and ? all_zero(a) : all_one(a)) return a;
    return std::nullopt;
}

Result compare(Simplify& s, Op op, Value a, Value b, DType dtype) {
    if (a != b || (dtype != DType::b1 && !is_integer(dtype))) return std::nullopt; // a NaN is not equal to itself
    const bool holds = op == Op::equal || op == Op::less_equal;
    return s.b.constant_i(DType::b1, holds ? 1 : 0, s.b.shape(a));
}

Result select(Simplify& s, const Inst& inst) {
    const Value c = inst.operands[0];
    const Value a = inst.operands[1];
    const Value b = inst.operands[2];
    if (a == b) return a;
    if (const auto n = s.made_by(c, Op::not_)) return s.make(Op::select, {n->operands[0], b, a});
    if (s.b.dtype(a) != DType::b1) return std::nullopt;
    if (s.is(a, 1) && s.is(b, 0)) return c;
    if (s.is(a, 0) && s.is(b, 1)) return s.make(Op::not_, {c});
    return std::nullopt;
}

Result convert(Simplify& s, const Inst& inst) {
    const Value x = inst.operands[0];
    const DType to = inst.attrs.dtype(Attr::dtype);
    if (s.b.dtype(x) == to) return x;
    const auto first = s.made_by(x, Op::convert);
    if (!first) return std::nullopt;
    const DType from = s.b.dtype(first->operands[0]);
    if (!lossless(from, s.b.dtype(x))) return std::nullopt;
    // A conversion from float to integer saturates, but a conversion between integers wraps. So one conversion may not
    // replace two conversions through a float.
    if (is_integer(from) && is_integer(to) && !is_integer(s.b.dtype(x)) && !lossless(from, to)) return std::nullopt;
    if (from == to) return first->operands[0];
    return s.make(Op::convert, {first->operands[0]}, {{Attr::dtype, to}});
}

Result unary(Simplify& s, const Inst& inst, DType dtype) {
    const Value x = inst.operands[0];
    const auto inner = [&](Op op) -> Result {
        const auto made = s.made_by(x, op);
        return made ? Result(made->operands[0]) : std::nullopt;
    };
    if (inst.op == Op::stop_gradient) return x; // no later pass computes derivatives
    if (inst.op == Op::barrier && (inst.attrs.has(ir::Attr::text) || s.made_by(x, Op::constant))) return x;
    if (inst.op == Op::neg) return inner(Op::neg);
    if (inst.op == Op::not_) return inner(Op::not_);
    if (inst.op == Op::abs) {
        if (inner(Op::abs)) return x;
        if (const auto y = inner(Op::neg); y && is_float(dtype)) return s.make(Op::abs, {*y});
    }
    if (inst.op == Op::floor || inst.op == Op::ceil || inst.op == Op::round || inst.op == Op::trunc)
        for (const Op op : {Op::floor, Op::ceil, Op::round, Op::trunc})
            if (inner(op)) return x;
    if (inst.op == Op::bitcast) {
        const DType to = inst.attrs.dtype(Attr::dtype);
        if (dtype == to) return x;
        if (const auto y = inner(Op::bitcast)) return s.make(Op::bitcast, {*y}, {{Attr::dtype, to}});
    }
    if (inst.op == Op::integer_pow) {
        const std::int64_t exponent = inst.attrs.integer(Attr::exponent);
        if (exponent == 1) return x;
        if (exponent == 2) return s.make(Op::mul, {x, x});
    }
    return std::nullopt;
}

/// Applies the operation before the broadcasts of its operands, if every operand is a constant or a broadcast. The
/// operands of all broadcasts must have equal shapes, and the attributes of all broadcasts must be equal. The operands
/// of the broadcasts must have fewer elements than the results.
Result before_broadcast(Simplify& s, const Inst& inst) {
    std::optional<Inst> spread;
    for (const Value v : inst.operands) {
        auto made = s.made_by(v, Op::broadcast);
        if (!made) {
            const auto known = s.constant(v);
            if (!known || !known->splat()) return std::nullopt;
            continue;
        }
        const bool same =
            !spread || (s.b.shape(made->operands[0]) == s.b.shape(spread->operands[0]) && made->attrs == spread->attrs);
        if (!same) return std::nullopt;
        spread = std::move(made);
    }
    if (!spread) return std::nullopt;
    const ir::Shape small = s.b.shape(spread->operands[0]);
    if (ir::product(small) >= s.b.type(inst.operands[0]).elements()) return std::nullopt;
    Values operands;
    for (const Value v : inst.operands) {
        const auto known = s.constant(v);
        operands.push_back(known ? s.b.literal({known->type.dtype, small}, known->literal)
                                 : s.made_by(v, Op::broadcast)->operands[0]);
    }
    const Value result = s.make(inst.op, std::move(operands), inst.attrs);
    return s.make(Op::broadcast, {result}, spread->attrs);
}

} // namespace

std::optional<Value> simplify_arithmetic(Simplify& s, const Inst& inst) {
    if (!ir::info(inst.op).has(ir::elementwise)) return std::nullopt;
    const DType dtype = s.b.dtype(inst.operands[0]);
    Result found;
    if (inst.operands.size() == 1) found = inst.op == Op::convert ? convert(s, inst) : unary(s, inst, dtype);
    if (inst.op == Op::select) found = select(s, inst);
    if (inst.operands.size() == 2) {
        const Value a = inst.operands[0];
        const Value b = inst.operands[1];
        if (inst.op == Op::add) found = add(s, a, b, dtype);
        if (inst.op == Op::sub) found = sub(s, a, b, dtype);
        if (inst.op == Op::mul) found = mul(s, a, b, dtype);
        if (inst.op == Op::div) found = div(s, a, b, dtype);
        if (inst.op == Op::and_ || inst.op == Op::or_ || inst.op == Op::xor_) found = bits(s, inst.op, a, b, dtype);
        if ((inst.op == Op::max || inst.op == Op::min) && a == b) found = a;
        if ((inst.op == Op::shift_left || inst.op == Op::shift_right) && s.is(b, 0)) found = a;
        if (inst.op == Op::equal || inst.op == Op::not_equal || inst.op == Op::less || inst.op == Op::less_equal)
            found = compare(s, inst.op, a, b, dtype);
    }
    return found ? found : before_broadcast(s, inst);
}

} // namespace pm::optimize
