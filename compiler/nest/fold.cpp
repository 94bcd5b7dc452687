#include "compiler/nest/fold.hpp"

#include "runtime/element.hpp"

#include <algorithm>

namespace pm::nest {
namespace {

bool is_constant(const Nest& nest, Ref r) { return nest[r].op == ScalarOp::constant; }

std::int64_t signed_value(const Nest& nest, Ref r) {
    const std::uint64_t bits = nest[r].bits;
    return runtime::read_i64(nest[r].dtype, &bits, 0);
}

std::uint64_t as_bits(DType dtype, std::int64_t value) {
    std::uint64_t bits = 0;
    runtime::write_i64(dtype, &bits, 0, value);
    return bits;
}

bool foldable(DType dtype) { return runtime::is_integer(dtype) || dtype == DType::b1; }

std::optional<Folded> fold_constants(ScalarOp op, DType dtype, DType operand, std::int64_t a, std::int64_t b) {
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    const auto give = [&](std::uint64_t v) { return Folded{{}, as_bits(dtype, static_cast<std::int64_t>(v))}; };
    const auto flag = [](bool v) { return Folded{{}, v ? 1U : 0U}; };
    const bool u64 = operand == DType::u64; // u64 order differs from the order of i64 with the same bits
    switch (op) {
    case ScalarOp::add: return give(ua + ub);
    case ScalarOp::sub: return give(ua - ub);
    case ScalarOp::mul: return give(ua * ub);
    case ScalarOp::div:
        if (a < 0 || b <= 0) return {};
        return give(static_cast<std::uint64_t>(a / b));
    case ScalarOp::rem:
        if (a < 0 || b <= 0) return {};
        return give(static_cast<std::uint64_t>(a % b));
    case ScalarOp::and_: return give(ua & ub);
    case ScalarOp::or_: return give(ua | ub);
    case ScalarOp::xor_: return give(ua ^ ub);
    case ScalarOp::equal: return flag(a == b);
    case ScalarOp::not_equal: return flag(a != b);
    case ScalarOp::less: return flag(u64 ? ua < ub : a < b);
    case ScalarOp::less_equal: return flag(u64 ? ua <= ub : a <= b);
    case ScalarOp::max: return give(u64 ? std::max(ua, ub) : static_cast<std::uint64_t>(std::max(a, b)));
    case ScalarOp::min: return give(u64 ? std::min(ua, ub) : static_cast<std::uint64_t>(std::min(a, b)));
    default: return {};
    }
}

/// Folds x + 0, x * 1 and similar operations. `c` is the constant operand. It is the right operand if `constant_right`
/// is true.
std::optional<Folded> fold_neutral(ScalarOp op, DType dtype, Ref x, std::int64_t c, bool constant_right) {
    const bool boolean = dtype == DType::b1;
    switch (op) {
    case ScalarOp::add:
        if (c == 0 && !boolean) return Folded{x, 0};
        return {};
    case ScalarOp::sub:
    case ScalarOp::shift_left:
    case ScalarOp::shift_right:
        if (c == 0 && constant_right) return Folded{x, 0};
        return {};
    case ScalarOp::mul:
        if (c == 1) return Folded{x, 0};
        if (c == 0) return Folded{{}, 0};
        return {};
    case ScalarOp::div:
        if (c == 1 && constant_right) return Folded{x, 0};
        return {};
    case ScalarOp::and_:
        if (c == 0) return Folded{{}, 0};
        if (boolean && c == 1) return Folded{x, 0};
        return {};
    case ScalarOp::or_:
        if (c == 0) return Folded{x, 0};
        if (boolean && c == 1) return Folded{{}, 1};
        return {};
    case ScalarOp::xor_:
        if (c == 0) return Folded{x, 0};
        return {};
    default: return {};
    }
}

std::optional<Folded> fold_two(const Nest& nest, ScalarOp op, DType dtype, Ref a, Ref b) {
    const DType operand = nest[a].dtype;
    if (!foldable(operand) || !foldable(dtype)) return {};
    if (is_constant(nest, a) && is_constant(nest, b) && nest[b].dtype == operand)
        return fold_constants(op, dtype, operand, signed_value(nest, a), signed_value(nest, b));
    if (is_constant(nest, b)) return fold_neutral(op, dtype, a, signed_value(nest, b), true);
    if (is_constant(nest, a)) return fold_neutral(op, dtype, b, signed_value(nest, a), false);
    if (a == b && (op == ScalarOp::and_ || op == ScalarOp::or_ || op == ScalarOp::max || op == ScalarOp::min))
        return Folded{a, 0};
    return {};
}

/// Wide enough for sums of products of i64.
__extension__ typedef __int128 Wide;

Range bounded(Wide low, Wide high) {
    constexpr Wide limit = Wide{1} << 61;
    if (low <= -limit || high >= limit) return {};
    return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

/// The range of an i64 operation. Unbounded if the operation may wrap around.
Range arithmetic_range(ScalarOp op, const Range& a, const Range& b) {
    if (op == ScalarOp::min) return {std::min(a.low, b.low), std::min(a.high, b.high)};
    if (op == ScalarOp::max) return {std::max(a.low, b.low), std::max(a.high, b.high)};
    const bool by_constant = b.low == b.high && b.low > 0;
    if (op == ScalarOp::rem) {
        if (!by_constant) return {};
        return a.low >= 0 ? Range{0, std::min(a.high, b.low - 1)} : Range{1 - b.low, b.low - 1};
    }
    if (op == ScalarOp::div) return by_constant && a.low >= 0 ? Range{a.low / b.low, a.high / b.low} : Range{};
    if (!a.known() || !b.known()) return {};
    if (op == ScalarOp::add) return bounded(Wide{a.low} + b.low, Wide{a.high} + b.high);
    if (op == ScalarOp::sub) return bounded(Wide{a.low} - b.high, Wide{a.high} - b.low);
    const auto [least, most] =
        std::minmax({Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low, Wide{a.high} * b.high});
    return bounded(least, most);
}

} // namespace

Range dtype_range(DType integer) {
    switch (integer) {
    case DType::b1: return {0, 1};
    case DType::i8: return {-128, 127};
    case DType::i16: return {-32768, 32767};
    case DType::i32: return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case DType::u8: return {0, 255};
    case DType::u16: return {0, 65535};
    case DType::u32: return {0, std::numeric_limits<std::uint32_t>::max()};
    case DType::i64:
    case DType::u64:
    case DType::f16:
    case DType::bf16:
    case DType::f32:
    case DType::f64:
    case DType::c64:
    case DType::c128:
    case DType::key:
    case DType::tape: return {};
    }
    return {};
}

Range affine_range(const Nest& nest, const Stage* stage, const Affine& affine) {
    Wide low = affine.base;
    Wide high = low;
    for (std::size_t l = 0; l < affine.coefficients.size(); ++l) {
        std::int64_t extent = 1;
        if (l < nest.grid.size())
            extent = nest.grid[l];
        else if (stage != nullptr && l - nest.grid.size() < stage->loops.size())
            extent = stage->loops[l - nest.grid.size()];
        const Wide far = Wide{affine.coefficients[l]} * std::max<std::int64_t>(extent - 1, 0);
        (far < 0 ? low : high) += far;
    }
    return bounded(low, high);
}

Range value_range(const Nest& nest, const Stage* stage, const Inst& inst, const std::vector<Range>& before) {
    if (inst.op == ScalarOp::constant && runtime::is_integer(inst.dtype)) {
        const std::int64_t v = runtime::read_i64(inst.dtype, &inst.bits, 0);
        return {v, v};
    }
    if (inst.op == ScalarOp::index) return affine_range(nest, stage, inst.affine);
    if (inst.dtype != DType::i64) return dtype_range(inst.dtype);
    const auto operand = [&](std::size_t i) { return before[inst.operands[i].id]; };
    switch (inst.op) {
    case ScalarOp::convert: return operand(0);
    case ScalarOp::select: {
        const Range a = operand(1);
        const Range b = operand(2);
        return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    case ScalarOp::min:
    case ScalarOp::max:
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::div:
    case ScalarOp::rem: return arithmetic_range(inst.op, operand(0), operand(1));
    default: return {};
    }
}

std::optional<Folded> fold(const Nest& nest, ScalarOp op, DType dtype, const std::vector<Ref>& operands) {
    if (operands.size() == 2) return fold_two(nest, op, dtype, operands[0], operands[1]);
    if (op == ScalarOp::select) {
        if (is_constant(nest, operands[0])) return Folded{operands[nest[operands[0]].bits != 0 ? 1 : 2], 0};
        if (operands[1] == operands[2]) return Folded{operands[1], 0};
        return {};
    }
    if (op == ScalarOp::convert) {
        const DType from = nest[operands[0]].dtype;
        if (from == dtype) return Folded{operands[0], 0};
        if (!is_constant(nest, operands[0]) || !foldable(from) || !foldable(dtype)) return {};
        const std::int64_t v = signed_value(nest, operands[0]);
        return Folded{{}, dtype == DType::b1 ? static_cast<std::uint64_t>(v != 0) : as_bits(dtype, v)};
    }
    if (op == ScalarOp::not_ && dtype == DType::b1 && is_constant(nest, operands[0]))
        return Folded{{}, nest[operands[0]].bits != 0 ? 0U : 1U};
    return {};
}

} // namespace pm::nest
