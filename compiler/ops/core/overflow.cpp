#include "compiler/ops/core/overflow.hpp"

#include "compiler/ops/core/rules.hpp"
#include "runtime/dtype.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pm::ops {
namespace {

int bits(DType dtype) { return static_cast<int>(runtime::size_of(dtype)) * 8; }

/// If an integer wraps around, it changes by a multiple of twice this number.
double half_range(DType dtype) { return std::ldexp(1.0, bits(dtype) - 1); }

double least(DType dtype) { return runtime::is_signed_integer(dtype) ? -half_range(dtype) : 0; }
double greatest(DType dtype) { return least(dtype) + 2 * half_range(dtype) - 1; }

/// True if integers of the dtype are checked. u32 and u64 are not checked: hash functions and random numbers in
/// programs and the library compute modulo 2^32 and 2^64.
bool is_checked(DType dtype) { return runtime::is_integer(dtype) && dtype != DType::u32 && dtype != DType::u64; }

/// True if each integer of the dtype `from` is an integer of the dtype `to`.
bool contains(DType to, DType from) {
    if (runtime::is_signed_integer(from) == runtime::is_signed_integer(to)) return bits(to) >= bits(from);
    return runtime::is_signed_integer(to) && bits(to) > bits(from);
}

} // namespace

bool may_wrap(DType from, DType to) { return is_checked(from) && is_checked(to) && !contains(to, from); }

bool may_wrap(const ir::Block& block, const ir::Inst& inst) {
    if (inst.results.size() != 1) return false;
    const DType result = block.type(inst.results[0]).dtype;
    if (!is_checked(result)) return false;
    if (inst.op == Op::div && !runtime::is_signed_integer(result)) return false;
    if (inst.op != Op::convert) return rules(inst.op).wraps > 0;
    return may_wrap(block.type(inst.operands[0]).dtype, result);
}

Value has_not_wrapped(Build& b, const ir::Inst& inst, const Values& operands, Value result) {
    if (inst.op == Op::div) { // only the least integer divided by -1 wraps around
        const Value is_least = b.compare(Op::equal, operands[0], b.like(operands[0], least(b.dtype(result))));
        const Value by_minus_one = b.compare(Op::equal, operands[1], b.like(operands[1], -1));
        return b.unary(Op::not_, b.binary(Op::and_, is_least, by_minus_one));
    }
    Values exact = operands;
    const int converted = inst.op == Op::convert ? 1 : rules(inst.op).wraps;
    for (std::size_t i = 0; i < static_cast<std::size_t>(converted); ++i) exact[i] = b.convert(operands[i], DType::f64);
    if (inst.op != Op::convert) exact = b.emit(inst.op, exact, inst.attrs, {});
    const Value apart = b.unary(Op::abs, b.sub(exact[0], b.convert(result, DType::f64)));
    return b.unary(Op::not_, b.compare(Op::less, b.like(apart, half_range(b.dtype(result))), apart));
}

bool has_not_wrapped(double exact, double result, DType dtype) {
    return !is_checked(dtype) || !(std::abs(exact - result) > half_range(dtype));
}

std::string overflow_repair(Op op, DType dtype) {
    if (op == Op::convert)
        return fmt::format("{0} holds the integers from {1:.0f} to {2:.0f}: clip(x, {1:.0f}, {2:.0f})",
                           runtime::name(dtype), least(dtype), greatest(dtype));
    if (bits(dtype) == 64) return "no integer has more than 64 bits: convert to f64 first, f64(x)";
    return fmt::format("convert to a type with a larger range first: {}(x)", bits(dtype) < 32 ? "i32" : "i64");
}

} // namespace pm::ops
