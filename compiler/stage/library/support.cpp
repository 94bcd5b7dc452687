// Natives that the source text of the standard library calls: kinds, axes, dtypes.
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/library/library.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/known/printing.hpp"
#include "compiler/stage/values/promotion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pm::stage::library {
namespace {

// ---- values

Value kind(Stager&, Arguments& a) { return kind_name(a[0]); }

Value axes(Stager& s, Arguments& a) {
    std::vector<Value> list;
    for (const int axis :
         need_axes(s, a[0], static_cast<int>(need_integer(s, a[1], a.spans[1], "a number of axes")), a.span))
        list.push_back(Value::integer(axis));
    return Value::tuple(std::move(list));
}

/// Returns the choice that is equal to the value. Choices are strings, numbers or none. If no choice is equal, raises
/// an error that lists all choices.
Value option(Stager& s, Arguments& a) {
    const auto shown = [](const Value& v) {
        return v.text() ? fmt::format("\"{}\"", *v.text()) : v.number() || v.is_none() ? printed(v) : describe(v);
    };
    std::string all;
    const std::vector<Value>& choices = a[2].tuple()->items;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if ((a[0].text() && choices[i].text()) || (a[0].number() && choices[i].number())) {
            const Value same = binary(s, syntax::BinaryOp::equal, a[0], choices[i], a.span);
            if (same.number()->i != 0) return choices[i];
        }
        all += fmt::format("{}{}", i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ", shown(choices[i]));
    }
    raise(diagnose(Diag::wrong_kind, a.span, need_text(s, a[1], a.spans[1], "`_option`"), all, shown(a[0])));
}

/// The text of a template, with each staged value replaced by a description of the value. A staged number that can
/// become known is made known instead.
std::string refusal(Stager& s, const Template& text, Span span) {
    std::string all;
    for (const Template::Piece& piece : text.pieces) {
        if (piece.has_value && can_become_known(s, piece.value)) need_number(s, piece.value, span, "this number");
        all += piece.has_value ? describe(piece.value) : piece.text;
    }
    return all;
}

/// The function _refuse. Unlike `fail`, it ends staging, because the code after the call may have no type. Before that,
/// the conditions around the call in library code are made known.
Value refuse(Stager& s, Arguments& a) {
    know_conditions_of_library(s, a.span);
    if (const Template* text = a[0].text_template()) {
        const auto otherwise =
            std::make_shared<const Diagnostic>(diagnose(Diag::stopped_by_fail, a.span, refusal(s, *text, a.span)));
        s.host_work("`_refuse` needs text that holds computed values", a.span, otherwise);
    }
    raise(diagnose(Diag::stopped_by_fail, a.span, need_text(s, a[0], a.span, "`_refuse`")));
}

Value known_number(Stager& s, Arguments& a) {
    if (!a[0].is_numeric() || numeric_type(a[0]).type.dtype == DType::key) return a[0];
    if (numeric_type(a[0]).type.rank() != 0)
        raise(diagnose(Diag::wrong_kind, a.span, "this argument", "one number", describe(a[0])));
    Number n = need_number(s, a[0], a.span, "this number").as_written();
    n.dtype.reset();
    return n.kind == Number::Kind::boolean ? Value::integer(n.i) : Value(n);
}

/// The function _measured, for a size that depends on the elements of arrays. Compiled code does not know such a size.
/// So the call is host work, except if the size is a constant.
Value measured(Stager& s, Arguments& a) {
    const std::string& function = need_text(s, a[1], a.span, "`_measured`");
    const std::string size =
        a[2].is_none() ? std::string()
                       : fmt::format("; say it: {}(..., {})", function, need_text(s, a[2], a.span, "`_measured`"));
    if (constant_array(s, a[0], a.span)) return known_number(s, a);
    s.host_work(fmt::format("the size of what `{}` gives depends on values{}", function, size), a.span);
    return known_number(s, a);
}

// ---- dtypes

DType need_dtype(const Value& v, Span span, std::string_view what) {
    if (v.dtype()) return *v.dtype();
    if (v.is_numeric()) return numeric_type(v).type.dtype;
    raise(diagnose(Diag::wrong_kind, span, what, "a dtype or an array", describe(v)));
}

Value result_type(Stager&, Arguments& a) {
    std::optional<Promoted> type;
    for (const Value& v : a[0].tuple()->items) {
        const Promoted p = v.dtype() ? Promoted{*v.dtype(), false} : promoted_type({v}, a.span);
        type = type ? promote(type->dtype, type->weak, p.dtype, p.weak) : p;
    }
    if (!type)
        raise(diagnose(Diag::wrong_argument_count, a.span, "result_type", "at least 1 argument", 0)
                  .fix("give dtypes or arrays: result_type(x, f32)"));
    return type->dtype;
}

Value is_float(Stager&, Arguments& a) {
    return Value::boolean(runtime::is_float(need_dtype(a[0], a.span, "a dtype's kind")));
}
Value is_complex(Stager&, Arguments& a) {
    return Value::boolean(runtime::is_complex(need_dtype(a[0], a.span, "a dtype's kind")));
}
Value real_dtype(Stager&, Arguments& a) { return runtime::part_type(need_dtype(a[0], a.span, "a dtype")); }
Value is_integer(Stager&, Arguments& a) {
    return Value::boolean(runtime::is_integer(need_dtype(a[0], a.span, "a dtype's kind")));
}

Value is_key(Stager&, Arguments& a) { return Value::boolean(need_dtype(a[0], a.span, "a dtype's kind") == DType::key); }

Value finfo(Stager&, Arguments& a) {
    const DType dtype = runtime::part_type(need_dtype(a[0], a.span, "`finfo`"));
    int digits = 0; // binary digits of the significand, including the leading digit
    int least = 0;  // exponent of the smallest normal number
    int most = 0;   // exponent of the greatest power of two
    switch (dtype) {
    case DType::f16: digits = 11, least = -14, most = 15; break;
    case DType::bf16: digits = 8, least = -126, most = 127; break;
    case DType::f32: digits = 24, least = -126, most = 127; break;
    case DType::f64: digits = 53, least = -1022, most = 1023; break;
    default:
        raise(diagnose(Diag::wrong_kind, a.span, "`finfo`", "a floating dtype", std::string(runtime::name(dtype))));
    }
    const double eps = std::ldexp(1.0, 1 - digits);
    const double max = std::ldexp(2.0 - eps, most);
    return Value::record({{"bits", Value::integer(static_cast<std::int64_t>(runtime::size_of(dtype)) * 8)},
                          {"nmant", Value::integer(digits - 1)},
                          {"eps", Value::floating(eps)},
                          {"epsneg", Value::floating(eps / 2)},
                          {"max", Value::floating(max)},
                          {"min", Value::floating(-max)},
                          {"tiny", Value::floating(std::ldexp(1.0, least))}});
}

Value iinfo(Stager&, Arguments& a) {
    const DType dtype = need_dtype(a[0], a.span, "`iinfo`");
    if (!runtime::is_integer(dtype))
        raise(diagnose(Diag::wrong_kind, a.span, "`iinfo`", "an integer dtype", std::string(runtime::name(dtype))));
    const auto bits = static_cast<int>(runtime::size_of(dtype)) * 8;
    const bool is_signed = runtime::is_signed_integer(dtype);
    const std::int64_t top =
        bits == 64 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    Number max = Number::of(top);
    if (dtype == DType::u64) max.dtype = DType::u64, max.i = -1; // all 64 bits set
    return Value::record(
        {{"bits", Value::integer(bits)}, {"min", Value::integer(is_signed ? -top - 1 : 0)}, {"max", Value(max)}});
}

using K = Native::Kind;
constexpr Native support_natives[] = {
    {"kind", "x", K::known, kind,
     "kind(x): what x is: \"array\", \"number\", \"str\", \"tuple\", \"record\", \"function\", \"dtype\", \"range\", "
     "\"module\" or \"none\"."},
    {"_measured", "x, function, argument=none", K::known, measured,
     "_measured(x, function, argument): a size that has been computed, as a known number; `argument` is what "
     "says it."},
    {"_axes", "axis, rank", K::known, axes,
     "_axes(axis, rank): the axes an `axis` argument means, sorted, none of them negative."},
    {"_known", "x", K::known, known_number,
     "_known(x): a number that must be known while compiling, without a dtype; anything else as it is."},
    {"_option", "value, what, choices", K::known, option,
     "_option(value, what, choices): value, which must be one of the choices, a tuple of texts and numbers."},
    {"_refuse", "text", K::known, refuse, "_refuse(text): stops with this text while arguments are looked at.",
     Native::acts | Native::takes_text},
    {"result_type", "*values", K::known, result_type,
     "result_type(a, b, ...): the dtype that arrays, numbers and dtypes promote to."},
    {"_is_float", "x", K::known, is_float, "_is_float(x): whether a dtype or an array's dtype is floating."},
    {"iscomplexobj", "x", K::known, is_complex, "iscomplexobj(x): whether a dtype or an array's dtype is complex."},
    {"_real_dtype", "x", K::known, real_dtype, "_real_dtype(x): the dtype of real and imaginary parts, else x's own."},
    {"_is_integer", "x", K::known, is_integer, "_is_integer(x): whether a dtype or an array's dtype is an integer."},
    {"_is_key", "x", K::known, is_key, "_is_key(x): whether x is a random key, or several."},
    {"finfo", "dtype", K::known, finfo,
     "finfo(dtype): {bits, nmant, eps, epsneg, max, min, tiny} of a floating dtype, or of a complex one's parts."},
    {"iinfo", "dtype", K::known, iinfo, "iinfo(dtype): {bits, min, max} of an integer dtype."},
};

} // namespace

std::span<const Native> support() { return support_natives; }

} // namespace pm::stage::library
