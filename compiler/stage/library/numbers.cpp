#include "compiler/stage/library/numbers.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/index/sequence.hpp"
#include "compiler/stage/index/stacking.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/known_arithmetic.hpp"

#include <cmath>
#include <limits>

namespace pm::stage::library {
Number number(double value, Promoted type) { return with_type(Number::of(value), type); }
Number number(std::int64_t value, Promoted type) { return with_type(Number::of(value), type); }

Number converted(const Number& n, DType dtype) { return rounded(n, dtype); }

Promoted promoted(const Number& n) { return {n.default_dtype(), n.weak()}; }

Promoted promoted(const Number& a, const Number& b) {
    return promote(a.default_dtype(), a.weak(), b.default_dtype(), b.weak());
}

Promoted as_float(Promoted type) { return {float_of(type.dtype), type.weak}; }

namespace {

Number extreme_of(const Number& a, const Number& b, bool greatest) {
    const Promoted type = promoted(a, b);
    if (a.kind == Number::Kind::floating || b.kind == Number::Kind::floating) {
        const double x = a.as_f64();
        const double y = b.as_f64();
        if (std::isnan(x) || std::isnan(y)) return number(std::numeric_limits<double>::quiet_NaN(), type);
        return number((greatest ? x > y : x < y) ? x : y, type);
    }
    const bool first = known_compare(greatest ? syntax::BinaryOp::greater : syntax::BinaryOp::less, a, b, {});
    return number(first ? a.i : b.i, type);
}

} // namespace

Value extreme(Stager& s, const Value& a, const Value& b, bool greatest, Span span) {
    if (a.real_number() && b.real_number()) return extreme_of(*a.number(), *b.number(), greatest);
    return elementwise(s, greatest ? ir::Op::max : ir::Op::min, {a, b}, span);
}

std::optional<std::vector<Value>> known_numbers(Stager& s, const Value& v, Span span) {
    const auto is_known = [](const Value& x) { return x.number() && !x.number()->computed; };
    if (is_known(v)) return std::vector<Value>{v};
    if (!v.tuple() && !v.range()) return {};
    if (const Range* r = v.range())
        for (const Value& part : r->parts)
            if (r->kind != Range::Kind::range || part.staged()) return {};
    std::vector<Value> items = known_elements(s, v, span);
    for (const Value& item : items)
        if (!is_known(item)) return {};
    return items;
}

const Value& need_numeric(const Value& v, Span span, std::string_view what) {
    need_array(v, span, what);
    if (numeric_type(v).type.dtype == DType::key)
        raise(diagnose(Diag::wrong_kind, span, what, "numbers", "random keys"));
    return v;
}

Value as_array(Stager& s, const Value& v, Span span, std::optional<DType> dtype) {
    if (!v.tuple() && !v.range()) return v;
    std::vector<Value> items = known_elements(s, v, span);
    for (Value& item : items) item = as_array(s, item, span, dtype);
    return stack_values(s, items, span, dtype);
}

Value truth(Stager& s, const Value& x, Span span) {
    if (numeric_type(x).type.dtype == DType::b1) return x;
    if (const Number* n = x.number()) {
        Number made = Number::of(n->as_c128() != 0.0);
        made.computed_from(*n);
        return made;
    }
    return binary(s, syntax::BinaryOp::not_equal, x, Value::integer(0), span);
}

} // namespace pm::stage::library
