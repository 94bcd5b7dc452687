#include "compiler/ops/core/nans.hpp"

#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "runtime/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace pm::ops {
namespace {

/// Whether the operation can make a NaN of real numbers. tests/unit/ops compares the elementwise operations with
/// their values at the edges.
bool makes_nan_of_reals(const ir::Inst& inst) {
    switch (inst.op) {
    case Op::log: // below 0
    case Op::log1p:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::sin: // at infinity
    case Op::cos:
    case Op::tan:
    case Op::asin: // beyond 1
    case Op::acos:
    case Op::acosh: // below 1
    case Op::atanh:
    case Op::erf_inv:
    case Op::digamma: // at its poles
    case Op::add:     // infinities
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::rem:
    case Op::pow:
    case Op::fma:
    case Op::reduce_sum:
    case Op::reduce_prod:
    case Op::cumsum:
    case Op::cumprod:
    case Op::fft:
    case Op::factorize:
    case Op::triangular_solve:
    case Op::dot:
    case Op::convolution:
    case Op::psum:
    case Op::psum_scatter: return true;
    case Op::scatter: {
        const std::string& mode = inst.attrs.text(Attr::mode);
        return mode == "add" || mode == "mul";
    }
    default: return false; // moves or selects elements, or is defined everywhere
    }
}

/// Whether the operation only moves the parts of complex numbers, or changes their signs.
bool keeps_parts(Op op) {
    switch (op) {
    case Op::neg:
    case Op::convert:
    case Op::stop_gradient:
    case Op::barrier:
    case Op::real:
    case Op::imag:
    case Op::conj:
    case Op::complex:
    case Op::select: return true;
    default: return false;
    }
}

bool by_matrix(Op op) { return op == Op::factorize || op == Op::triangular_solve; }

Value either(Build& b, std::optional<Value> a, Value more) { return a ? b.binary(Op::or_, *a, more) : more; }

/// True where an inexact value has a NaN in the axes after the first `leading`.
Value nan_in_axes_from(Build& b, Value v, int leading) {
    const Value found = is_nan(b, v);
    const auto more = static_cast<std::size_t>(b.rank(v) - leading);
    return more == 0 ? found : b.reduce(Op::reduce_or, found, counting(leading, more));
}

Value flags(Build& b, Value v) { return b.convert(is_nan(b, v), DType::i32); }
Value raised(Build& b, Value count) { return b.compare(Op::not_equal, count, b.zeros_like(count)); }

/// Which rows of one side of a product have a NaN, broadcast to the product's shape.
Value nan_in_side(Build& b, Value v, const Integers& batch, const Integers& contract, const Shape& shape,
                  std::int64_t rest_begin) {
    const Value found = contract.empty() ? is_nan(b, v) : b.reduce(Op::reduce_or, is_nan(b, v), contract);
    // The remaining axes, in the order of the operand, and the axis of the product that each becomes.
    const Integers left = other_axes(b.shape(v).size(), contract);
    Integers place;
    std::int64_t rest = rest_begin;
    for (const std::int64_t axis : left) {
        const auto at = std::find(batch.begin(), batch.end(), axis);
        place.push_back(at != batch.end() ? at - batch.begin() : rest++);
    }
    Integers order = counting(0, left.size());
    std::sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
        return place[static_cast<std::size_t>(x)] < place[static_cast<std::size_t>(y)];
    });
    std::sort(place.begin(), place.end());
    return b.broadcast(b.transpose(found, order), shape, place);
}

Value nan_in_product(Build& b, const ir::Inst& inst, const Values& in) {
    const Integers& a_batch = inst.attrs.integers(Attr::lhs_batch);
    const Integers& a_inner = inst.attrs.integers(Attr::lhs_contract);
    const Integers& b_batch = inst.attrs.integers(Attr::rhs_batch);
    const Integers& b_inner = inst.attrs.integers(Attr::rhs_contract);
    const Shape shape = result_types(inst, std::vector<Type>{b.type(in[0]), b.type(in[1])}).at(0).shape;
    const auto batches = static_cast<std::int64_t>(a_batch.size());
    const auto a_rest = static_cast<std::int64_t>(b.shape(in[0]).size() - a_inner.size()) - batches;
    return b.binary(Op::or_, nan_in_side(b, in[0], a_batch, a_inner, shape, batches),
                    nan_in_side(b, in[1], b_batch, b_inner, shape, batches + a_rest));
}

/// Per index of an axis: whether there is a NaN.
Value nan_by_index(Build& b, Value v, std::int64_t axis) {
    return b.reduce(Op::reduce_or, is_nan(b, v), other_axes(b.shape(v).size(), {axis}));
}

/// For a convolution: the elements that a NaN may reach, taken as whole pictures and whole features. These are more
/// than it reaches, and take less work than another convolution.
Value nan_in_windows(Build& b, const ir::Inst& inst, const Values& in) {
    const Shape& shape = inst.attrs.integers(Attr::shape);
    const auto last = static_cast<std::int64_t>(shape.size()) - 1;
    const std::int64_t groups = inst.attrs.integer(Attr::groups);
    const auto along = [&](Value found, std::int64_t axis) { return b.broadcast(found, shape, {axis}); };
    const std::string& kind = inst.attrs.text(Attr::kind);
    if (kind == "forward") // x, w
        return b.binary(Op::or_, along(nan_by_index(b, in[0], 0), 0), along(nan_by_index(b, in[1], 0), last));
    if (kind == "data") {  // w, y
        Shape cut = shape; // features of a group
        cut.back() /= groups;
        cut.insert(cut.end() - 1, groups);
        const Value taken = b.broadcast(nan_by_index(b, in[0], last), cut, {last + 1});
        return b.binary(Op::or_, along(nan_by_index(b, in[1], 0), 0), b.reshape(taken, shape));
    }
    // x, y
    const Value taken = b.reshape(nan_by_index(b, in[0], last), {groups, shape.back()});
    return b.binary(Op::or_, along(nan_by_index(b, in[1], last), 0), along(b.reduce(Op::reduce_or, taken, {0}), last));
}

Value nan_along(Build& b, Value v, std::int64_t axis) {
    Integers others = other_axes(b.shape(v).size(), {axis});
    return b.broadcast(b.reduce(Op::reduce_or, is_nan(b, v), {axis}), b.shape(v), std::move(others));
}

} // namespace

Value is_nan(Build& b, Value x) { return b.compare(Op::not_equal, x, x); }

bool may_make_nan(const ir::Inst& inst, DType result) {
    if (!runtime::is_inexact(result)) return false;
    if (makes_nan_of_reals(inst)) return true;
    return runtime::is_complex(result) && ir::info(inst.op).has(ir::elementwise) && !keeps_parts(inst.op);
}

bool makes_nan_by_element(const ir::Inst& inst) { return ir::info(inst.op).has(ir::elementwise); }

std::optional<Value> nan_given(Build& b, const ir::Inst& inst, const Values& operands) {
    switch (inst.op) {
    case Op::reduce_sum:
    case Op::reduce_prod: return b.reduce(Op::reduce_or, is_nan(b, operands[0]), inst.attrs.integers(Attr::axes));
    case Op::cumsum:
    case Op::cumprod: return raised(b, b.emit1(Op::cummax, {flags(b, operands[0])}, inst.attrs));
    case Op::fft: return nan_along(b, operands[0], inst.attrs.integer(Attr::axis));
    case Op::dot: return nan_in_product(b, inst, operands);
    case Op::convolution: return nan_in_windows(b, inst, operands);
    case Op::psum:
    case Op::psum_scatter: return raised(b, b.emit1(inst.op, {flags(b, operands[0])}, inst.attrs));
    case Op::scatter: {
        Values in = operands;
        in[0] = flags(b, operands[0]);
        in[1] = flags(b, operands[1]);
        ir::Attrs attrs = inst.attrs;
        attrs.set(Attr::mode, std::string("add"));
        return raised(b, b.emit1(Op::scatter, in, attrs));
    }
    default: break;
    }
    std::optional<Value> found;
    for (const Value v : operands) {
        if (!runtime::is_inexact(b.dtype(v))) continue;
        found = either(b, found, by_matrix(inst.op) ? nan_in_axes_from(b, v, b.rank(operands[0]) - 2) : is_nan(b, v));
    }
    return found;
}

Value nan_made(Build& b, const ir::Inst& inst, const Values& operands, const Values& results) {
    if (!by_matrix(inst.op)) return is_nan(b, results.at(0));
    std::optional<Value> found;
    for (const Value v : results)
        if (runtime::is_inexact(b.dtype(v))) found = either(b, found, nan_in_axes_from(b, v, b.rank(operands[0]) - 2));
    return *found;
}

std::string nan_maker(const ir::Inst& inst) {
    if (inst.op == Op::factorize) return "linalg." + inst.attrs.text(Attr::kind);
    return std::string(display_name(inst.op));
}

std::string as_written(const ir::Inst& inst, std::vector<std::string> operands) {
    if (inst.op == Op::integer_pow) operands.push_back(fmt::format("{}", inst.attrs.integer(Attr::exponent)));
    return as_written(nan_maker(inst), operands);
}

std::string as_written(std::string_view name, const std::vector<std::string>& operands) {
    const bool infix = operands.size() == 2 && std::isalpha(static_cast<unsigned char>(name[0])) == 0;
    if (infix) return fmt::format("{} {} {}", operands[0], name, operands[1]);
    const std::string list = fmt::format("{}", fmt::join(operands, ", "));
    return operands.size() == 1 && list.starts_with('(') ? fmt::format("{}{}", name, list)
                                                         : fmt::format("{}({})", name, list);
}

std::string nan_slope_repair() {
    return "where the slope has no value, keep what the function is given away from there, inside of it: "
           "sqrt(where(x > 0, x, 1))";
}

std::string nan_repair(Op op) {
    const auto inside = [&](int harmless) {
        return fmt::format(
            "`where` around it computes it for all elements: choose the argument inside of it, {}(where(ok, "
            "x, {}))",
            display_name(op), harmless);
    };
    switch (op) {
    case Op::log:
    case Op::log1p:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::acosh:
    case Op::digamma: return inside(1);
    case Op::asin:
    case Op::acos:
    case Op::atanh:
    case Op::erf_inv: return inside(0);
    case Op::div:
    case Op::rem: return "keep the divisor away from 0, where(y == 0, 1, y), and both sides finite";
    case Op::pow: return "the base of a power that is not whole may not be negative";
    default: return {};
    }
}

std::string nan_repair(std::string_view said) {
    for (int i = 0; i < ir::op_count; ++i)
        if (const auto op = static_cast<Op>(i); display_name(op) == said && !nan_repair(op).empty())
            return nan_repair(op);
    return {};
}

} // namespace pm::ops
