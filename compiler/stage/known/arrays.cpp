#include "compiler/stage/known/arrays.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/stage/known/computed.hpp"
#include "compiler/stage/known/known_arithmetic.hpp"
#include "compiler/stage/known/operands.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

Promoted promoted_type(const std::vector<Value>& values, Span span) {
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

std::vector<ir::Value> aligned(Stager& s, const std::vector<Value>& values, Span span, Promoted* type) {
    Promoted common = promoted_type(values, span);
    // If the function works on data of 64 bits, a weak result has 64 bits.
    if (common.weak) common.dtype = s.here().widths().of({{common.dtype, {}}, true}).type.dtype;
    if (type) *type = common;
    Shape shape;
    for (const Value& v : values) {
        const Shape& next = numeric_type(v).type.shape;
        const auto joined = ops::broadcast_shapes(shape, next);
        if (!joined) raise(no_broadcast(span, shape, next));
        shape = *joined;
    }
    std::vector<ir::Value> out;
    for (const Value& v : values) out.push_back(s.build().broadcast_to(s.use(v, common.dtype), shape));
    return out;
}

Value elementwise(Stager& s, ir::Op op, std::vector<Value> operands, Span span) {
    if (known_in_code(s, operands) && !s.checking())
        return s.at_once([&] { return elementwise(s, op, operands, span); });
    return s.array_work(span, [&] {
        Promoted type{};
        const std::vector<ir::Value> in = aligned(s, operands, span, &type);
        return s.wrap(s.build().emit1(op, in), type.weak && !ir::info(op).has(ir::boolean));
    });
}

ir::Value as_float(Stager& s, const Value& x, bool* weak) {
    const NumericType t = numeric_type(x);
    if (weak) *weak = t.weak;
    if (runtime::is_inexact(t.type.dtype)) return s.use(x);
    return s.use(x, float_of(t.type.dtype));
}

Value elementwise_float(Stager& s, ir::Op op, const Value& x, Span span) {
    if (!x.is_numeric() || numeric_type(x).type.dtype == DType::key)
        raise(diagnose(Diag::wrong_kind, span, fmt::format("`{}`", ops::display_name(op)), "a number or an array",
                       describe(x)));
    if (x.number() && known_in_code(s, *x.number()) && !s.checking())
        return s.at_once([&] { return elementwise_float(s, op, x, span); });
    return s.array_work(span, [&] {
        bool weak = false;
        const ir::Value in = as_float(s, x, &weak);
        return s.wrap(s.build().emit1(op, {in}), weak);
    });
}

Value complex_part(Stager& s, const Value& x, bool real, Span span) {
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
        return s.array_work(span, [&] { return s.wrap(s.build().zeros(t.type), t.weak); });
    }
    return s.array_work(span,
                        [&] { return s.wrap(s.build().unary(real ? ir::Op::real : ir::Op::imag, s.use(x)), t.weak); });
}

Value cast(Stager& s, const Value& v, DType dtype, Span span) {
    if (!v.is_numeric())
        raise(diagnose(Diag::wrong_kind, span, fmt::format("`{}`", runtime::name(dtype)), "a number or an array",
                       describe(v)));
    const DType from = numeric_type(v).type.dtype;
    if (dtype == DType::b1 && runtime::is_complex(from))
        return binary(s, syntax::BinaryOp::not_equal, v, Value::integer(0), span);
    require_complex(from, dtype, span);
    if ((from == DType::key) != (dtype == DType::key))
        raise(diagnose(Diag::wrong_kind, span, fmt::format("`{}`", runtime::name(dtype)),
                       from == DType::key ? "numbers; a key is opaque" : "a key", describe(v)));
    if (const Number* n = v.number()) {
        require_fits(*n, dtype, span);
        if (s.host().check_overflow) require_not_wrapped(*n, dtype, span);
        if (n->computed && dtype != DType::b1 && !known_in_code(s, *n)) return n->array(dtype);
        Number made = rounded(*n, dtype);
        if (dtype == DType::b1) made.computed_from(*n);
        return made;
    }
    if (from == dtype && !numeric_type(v).weak) return v;
    return s.array_work(span, [&] { return s.wrap(s.use(v, dtype)); });
}

} // namespace pm::stage
