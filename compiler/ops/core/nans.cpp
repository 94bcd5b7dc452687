#include "compiler/ops/core/nans.hpp"

#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/ops/core/rules.hpp"
#include "runtime/dtype.hpp"

#include <fmt/format.h>

namespace pm::ops {
namespace {

Value either(Build& b, std::optional<Value> a, Value more) { return a ? b.binary(Op::or_, *a, more) : more; }

/// Returns one boolean for each index of the first `leading` axes of `v`. It is true if there is a NaN at this index,
/// anywhere along the other axes.
Value nan_in_axes_from(Build& b, Value v, int leading) {
    const Value found = is_nan(b, v);
    const auto more = static_cast<std::size_t>(b.rank(v) - leading);
    return more == 0 ? found : b.reduce(Op::reduce_or, found, counting(leading, more));
}

} // namespace

Value is_nan(Build& b, Value x) { return b.compare(Op::not_equal, x, x); }
Value nan_flags(Build& b, Value x) { return b.convert(is_nan(b, x), DType::i32); }
Value is_flagged(Build& b, Value flags) { return b.compare(Op::not_equal, flags, b.zeros_like(flags)); }

bool may_make_nan(const ir::Inst& inst, DType result) {
    if (!runtime::is_inexact(result) || ir::is_control(inst.op)) return false;
    const OpRules& r = rules(inst.op);
    if (r.nans.made && r.nans.made.fn(inst)) return true;
    return runtime::is_complex(result) && ir::info(inst.op).has(ir::elementwise) && !r.keeps_parts;
}

bool is_by_element(const ir::Inst& inst) { return ir::info(inst.op).has(ir::elementwise); }

std::optional<Value> nan_given(Build& b, const ir::Inst& inst, const Values& operands) {
    const Nans& nans = rules(inst.op).nans;
    if (nans.given) return nans.given.fn(b, inst, operands);
    std::optional<Value> found;
    for (const Value v : operands) {
        if (!runtime::is_inexact(b.dtype(v))) continue;
        found = either(b, found, nans.per_matrix ? nan_in_axes_from(b, v, b.rank(operands[0]) - 2) : is_nan(b, v));
    }
    return found;
}

Value nan_made(Build& b, const ir::Inst& inst, const Values& operands, const Values& results) {
    if (!rules(inst.op).nans.per_matrix) return is_nan(b, results.at(0));
    std::optional<Value> found;
    for (const Value v : results)
        if (runtime::is_inexact(b.dtype(v))) found = either(b, found, nan_in_axes_from(b, v, b.rank(operands[0]) - 2));
    return *found;
}

std::string nan_slope_repair() {
    return "where the slope has no value, keep what the function is given away from there, inside of it: "
           "sqrt(where(x > 0, x, 1))";
}

std::string nan_repair(Op op) {
    if (ir::is_control(op)) return {};
    return fmt::format(fmt::runtime(rules(op).nans.repair), display_name(op));
}

std::string nan_repair(std::string_view said) {
    for (int i = 0; i < ir::op_count; ++i)
        if (const auto op = static_cast<Op>(i); display_name(op) == said && !nan_repair(op).empty())
            return nan_repair(op);
    return {};
}

} // namespace pm::ops
