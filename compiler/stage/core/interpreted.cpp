#include "compiler/stage/core/interpreted.hpp"

#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"

#include <array>
#include <charconv>

namespace pm::stage {
namespace {

/// If `single`, returns the shortest decimal number that is parsed as the f32 nearest to `x`. Otherwise returns `x`.
/// Later arithmetic then uses the number that `print` shows.
double as_written(double x, bool single) {
    if (!single) return x;
    std::array<char, 32> text{};
    const char* const end = std::to_chars(text.data(), text.data() + text.size(), static_cast<float>(x)).ptr;
    std::from_chars(text.data(), end, x);
    return x;
}

Number plain_number(const Array& a) {
    if (runtime::is_integer(a.dtype())) return Number::of(a.as_i64());
    if (runtime::is_float(a.dtype())) return Number::of(as_written(a.as_f64(), a.dtype() == DType::f32));
    const bool single = a.dtype() == DType::c64;
    const std::complex<double> z = a.as_c128();
    return Number::of(std::complex<double>(as_written(z.real(), single), as_written(z.imag(), single)));
}

/// Converts a computed weak scalar to a number without Number::computed. In `let n = f(3); zeros(n)`, the value of `n`
/// must be such a number. An abstract array stays an array.
Value number_again(const Array& a) {
    if (a.is_abstract()) return {a, true};
    if (!runtime::is_integer(a.dtype()) && !runtime::is_inexact(a.dtype())) return a;
    Number made = plain_number(a);
    made.wide = is_wide(a.dtype());
    return made;
}

} // namespace

bool is_computed(const Value& condition) {
    return condition.array() || (condition.number() && condition.number()->computed);
}

Value at_top(const Value& v) {
    return map_all_leaves(v, [](const Value& leaf) -> Value {
        if (const Array* a = leaf.array(); a && leaf.weak && a->rank() == 0) return number_again(*a);
        const Number* n = leaf.number();
        if (!n || !n->computed) return leaf;
        return n->kind == Number::Kind::boolean ? Number::of(n->i != 0) : number_again(n->array(n->default_dtype()));
    });
}

namespace {

/// Converts a number that compiled code would know to a number that compiled code would compute at run time. A float
/// becomes an array without axes.
Value at_run_time(const Number& n) {
    if (n.kind == Number::Kind::floating || n.is_complex()) return {n.array(n.default_dtype()), true};
    Number made = n;
    made.specialised = false;
    return made;
}

} // namespace

Value Interpreted::leaf(const Value& v, bool bools) const {
    const Number* n = v.number();
    if (!n || (n->computed && !n->specialised)) return v;
    if (n->specialised) return at_run_time(*n);
    if (!n->weak() && n->kind != Number::Kind::boolean) return n->array(*n->dtype);
    Number made = *n;
    if (n->kind == Number::Kind::boolean || n->kind == Number::Kind::integer) {
        const bool integer = n->kind == Number::Kind::integer;
        if (integer && bools && !n->wide && !widths_.wide) require_fits(*n, DType::i32, {});
        made.computed = bools || (integer && !n->stays_known());
        made.wide = n->wide || widths_.wide;
        return made;
    }
    return {n->array(widths_.of(numeric_type(v)).type.dtype), true};
}

Value Interpreted::argument(const Value& v) const {
    return as_compiled_ ? map_all_leaves(v, [&](const Value& l) { return leaf(l, false); }) : v;
}

Value Interpreted::computed(const Value& v) const {
    return as_compiled_ ? map_all_leaves(v, [&](const Value& l) { return leaf(l, true); }) : v;
}

Value Interpreted::operand(const Value& v) const {
    const Number* n = v.number();
    const bool array = n && n->computed && !n->specialised && n->kind == Number::Kind::integer && n->i == n->data();
    return array ? Value(n->array(n->default_dtype()), true) : v;
}

Value Interpreted::known_result(const Value& v) const {
    if (!as_compiled_) return at_top(v);
    return map_all_leaves(v, [](const Value& l) -> Value {
        if (!l.number() || !l.number()->computed) return l;
        Number made = *l.number();
        made.specialised = true;
        return made;
    });
}

Value Interpreted::result(Array a, bool weak) const {
    if (!weak || a.rank() != 0) return {std::move(a), weak};
    if (!as_compiled_) return number_again(a);
    if (!runtime::is_integer(a.dtype()) || a.is_abstract()) return {std::move(a), true};
    if (a.dtype() != DType::i32 && a.dtype() != DType::i64) return {std::move(a), true};
    Number n = Number::of(a.as_i64());
    n.wide = a.dtype() == DType::i64;
    n.computed = true;
    return n;
}

} // namespace pm::stage
