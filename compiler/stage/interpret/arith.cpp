// Array arithmetic in the current context: promotion and broadcasting.
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/known_arithmetic.hpp"
#include "compiler/stage/known/operands.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/stage/core/promotion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

Promoted Stager::promoted(const std::vector<Value>& values, Span span) {
    PM_CHECK(!values.empty());
    std::optional<Promoted> all;
    for (const Value& v : values) {
        if (!v.is_numeric())
            raise(diagnose(Diag::wrong_kind, span, "this operation", "numbers or arrays", describe(v)));
        const NumericType t = numeric_type(v);
        if (!all) {
            all = Promoted{t.type.dtype, t.weak};
            continue;
        }
        if ((all->dtype == DType::key) != (t.type.dtype == DType::key))
            raise(diagnose(Diag::wrong_kind, span, "this operation",
                           "operands that are both random keys or both numbers",
                           fmt::format("{} and {}", describe(values[0]), describe(v)))
                      .fix("random.fold_in(key, n) makes a key of a key and a number"));
        if (all->dtype != DType::key) all = promote(all->dtype, all->weak, t.type.dtype, t.weak);
    }
    return *all;
}

std::vector<ir::Value> Stager::aligned(const std::vector<Value>& values, Span span, Promoted* type) {
    Promoted common = promoted(values, span);
    if (common.weak) common.dtype = here().widths().of({{common.dtype, {}}, true}).type.dtype; // as wide as the data
    if (type) *type = common;
    Shape shape;
    for (const Value& v : values) {
        const Shape& next = numeric_type(v).type.shape;
        const auto joined = ops::broadcast_shapes(shape, next);
        if (!joined) raise(no_broadcast(span, shape, next));
        shape = *joined;
    }
    std::vector<ir::Value> out;
    for (const Value& v : values) out.push_back(build().broadcast_to(use(v, common.dtype), shape));
    return out;
}

bool Stager::known_in_code(const std::vector<Value>& values) const {
    Number all;
    for (const Value& v : values) {
        if (!v.number()) return false;
        all.computed_from(all, *v.number());
    }
    return known_in_code(all);
}

Value Stager::elementwise(ir::Op op, std::vector<Value> operands, Span span) {
    if (known_in_code(operands) && !checking()) return at_once([&] { return elementwise(op, operands, span); });
    return array_work(span, [&] {
        Promoted type{};
        const std::vector<ir::Value> in = aligned(operands, span, &type);
        return wrap(build().emit1(op, in), type.weak && !ir::info(op).has(ir::boolean));
    });
}

ir::Value Stager::as_float(const Value& x, bool* weak) {
    const NumericType t = numeric_type(x);
    if (weak) *weak = t.weak;
    if (runtime::is_inexact(t.type.dtype)) return use(x);
    return use(x, float_of(t.type.dtype));
}

Value Stager::elementwise_float(ir::Op op, const Value& x, Span span) {
    if (!x.is_numeric() || numeric_type(x).type.dtype == DType::key)
        raise(diagnose(Diag::wrong_kind, span, fmt::format("`{}`", ops::display_name(op)), "a number or an array",
                       describe(x)));
    if (x.number() && known_in_code(*x.number()) && !checking())
        return at_once([&] { return elementwise_float(op, x, span); });
    return array_work(span, [&] {
        bool weak = false;
        const ir::Value in = as_float(x, &weak);
        return wrap(build().emit1(op, {in}), weak);
    });
}

Value Stager::complex_part(const Value& x, bool real, Span span) {
    const std::string_view name = real ? "`real`" : "`imag`";
    if (!x.is_numeric() || numeric_type(x).type.dtype == DType::key)
        raise(diagnose(Diag::wrong_kind, span, name, "a number or an array", describe(x)));
    const NumericType t = numeric_type(x);
    if (const Number* n = x.number(); n && n->is_complex()) {
        Number part = Number::of(real ? n->f : n->imaginary);
        part.computed_from(*n);
        return n->dtype ? rounded(part, runtime::part_type(*n->dtype)) : part;
    }
    if (!runtime::is_complex(t.type.dtype)) {
        if (real) return x;
        return array_work(span, [&] { return wrap(build().zeros(t.type), t.weak); });
    }
    return array_work(span, [&] { return wrap(build().unary(real ? ir::Op::real : ir::Op::imag, use(x)), t.weak); });
}

Value Stager::cast(const Value& v, DType dtype, Span span) {
    if (!v.is_numeric())
        raise(diagnose(Diag::wrong_kind, span, fmt::format("`{}`", runtime::name(dtype)), "a number or an array",
                       describe(v)));
    const DType from = numeric_type(v).type.dtype;
    if (dtype == DType::b1 && runtime::is_complex(from))
        return binary(syntax::BinaryOp::not_equal, v, Value::integer(0), span);
    require_complex(from, dtype, span);
    if ((from == DType::key) != (dtype == DType::key))
        raise(diagnose(Diag::wrong_kind, span, fmt::format("`{}`", runtime::name(dtype)),
                       from == DType::key ? "numbers; a key is opaque" : "a key", describe(v)));
    if (const Number* n = v.number()) {
        require_fits(*n, dtype, span);
        if (n->computed && dtype != DType::b1 && !known_in_code(*n)) return n->array(dtype);
        Number made = rounded(*n, dtype);
        if (dtype == DType::b1) made.computed_from(*n);
        return made;
    }
    if (from == dtype && !numeric_type(v).weak) return v;
    return array_work(span, [&] { return wrap(use(v, dtype)); });
}

} // namespace pm::stage
