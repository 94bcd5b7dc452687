// The output of print, assert and fail, and strings with embedded values.
#include "compiler/stage/known/printing.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/python_format.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/ops/effects/check_attributes.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace pm::stage {
namespace {

/// Formats a value as a sequence of known text and staged arrays.
class Pieces {
  public:
    Pieces(Template& pieces, std::string& text) : pieces_(pieces), text_(text) {}

    void add(const Value& v, const std::string& spec, bool top) {
        poll_stop();
        if (const std::string* s = v.text()) pay_for(s->size());
        put(v, spec, top);
        pay_for(0);
    }

  private:
    /// Charges the memory that is needed to append `added` bytes. While a growing string is copied, its old bytes and
    /// twice as many new bytes are allocated.
    void pay_for(std::size_t added) {
        constexpr std::size_t copies = 3;
        constexpr std::size_t not_counted = 1 << 16;
        const std::size_t bytes = text_.capacity() + added;
        if (bytes > not_counted) paid_.cover(copies * bytes);
    }

    void put(const Value& v, const std::string& spec, bool top) {
        if (const Number* n = v.number()) return number(*n, spec);
        if (const Array* a = v.array()) return void(text_ += format_array(*a, spec));
        if (v.staged()) return staged(v, spec);
        if (const std::string* s = v.text()) return void(text_ += top ? format_text(*s, spec) : quoted_text(*s));
        if (const DType* d = v.dtype()) return word(std::string(runtime::name(*d)), spec, top);
        if (v.is_none()) return word("none", spec, top);
        if (const Tuple* t = v.tuple()) {
            text_ += "(";
            for (std::size_t i = 0; i < t->items.size(); ++i) {
                if (i) text_ += ", ";
                add(t->items[i], spec, false);
            }
            text_ += t->items.size() == 1 ? ",)" : ")";
        } else if (const Record* r = v.record()) {
            text_ += "{";
            for (std::size_t i = 0; i < r->fields.size(); ++i) {
                text_ += (i ? ", " : "") + field_text(r->fields[i].first) + ": ";
                add(r->fields[i].second, spec, false);
            }
            text_ += "}";
        } else if (const Template* t = v.text_template()) {
            for (const Template::Piece& p : t->pieces) {
                if (p.has_value)
                    staged(p.value, p.format);
                else
                    text_ += p.text;
            }
        } else if (const Range* r = v.range(); r && r->kind == Range::Kind::range) {
            const Number* step = r->parts[2].number();
            const bool by_one = step && step->i == 1;
            if (!by_one) text_ += "range(";
            add(r->parts[0], {}, false);
            text_ += by_one ? ".." : ", ";
            add(r->parts[1], {}, false);
            if (by_one) return;
            text_ += ", ";
            add(r->parts[2], {}, false);
            text_ += ")";
        } else if (r) {
            text_ += kind_name(v) + "(";
            for (std::size_t i = 0; i < r->parts.size(); ++i) {
                if (i) text_ += ", ";
                add(r->parts[i], {}, false);
            }
            text_ += ")";
        } else {
            text_ += describe(v);
        }
    }

    void word(const std::string& name, const std::string& spec, bool top) {
        text_ += top ? format_text(name, spec) : name;
    }

    void number(const Number& n, const std::string& spec) {
        if (n.computed)
            text_ += format_array(n.array(n.default_dtype()), spec);
        else if (n.kind == Number::Kind::boolean)
            text_ += format_bool(n.i != 0, spec);
        else if (n.kind == Number::Kind::integer)
            text_ += n.dtype ? format_element(Array::scalar(*n.dtype, n.i), 0, spec) : format_integer(n.data(), spec);
        else if (n.is_complex()) // a weak complex number has two f64 parts
            text_ += format_element(n.array(n.dtype.value_or(DType::c128)), 0, spec);
        else
            text_ += n.dtype ? format_element(Array::scalar(*n.dtype, n.f), 0, spec) : format_float(n.f, spec);
    }

    void staged(const Value& v, const std::string& spec) {
        if (!text_.empty()) pieces_.pieces.push_back({std::move(text_), {}, {}, false});
        text_.clear();
        pieces_.pieces.push_back({{}, v, spec, true});
    }

    Template& pieces_;
    std::string& text_;
    runtime::Charge paid_ = charged(0);
};

} // namespace

namespace {

/// The kind of content of `v`. This kind determines the valid formats. For a tree, the dtypes of the leaves determine
/// the kind.
Content content_of(const Value& v) {
    if (v.text() || v.is_none() || v.dtype()) return Content::text;
    bool bools = false;
    bool integers = false;
    bool floats = false;
    for_each_leaf(v, [&](const Value& leaf) {
        const DType dtype = numeric_type(leaf).type.dtype;
        bools = bools || dtype == DType::b1;
        integers = integers || runtime::is_integer(dtype);
        floats = floats || runtime::is_inexact(dtype);
    });
    if (integers == floats) return integers ? Content::numbers : bools ? Content::bools : Content::other;
    return integers ? Content::integers : Content::floats;
}

/// A known integer in `v` that is not the number of a valid character. Empty if `v` has no such integer. Computed
/// integers are not checked. For an invalid computed integer, U+FFFD is printed, as in compiled code.
std::optional<std::int64_t> no_character(const Value& v) {
    std::optional<std::int64_t> found;
    for_each_leaf(v, [&](const Value& leaf) {
        const Number* n = leaf.number();
        const bool known = n && !n->computed && n->kind == Number::Kind::integer;
        if (known && !is_character(n->data())) found = n->data();
    });
    return found;
}

} // namespace

void append_formatted(Template& pieces, std::string& text, const Value& v, const std::string& format, Span span) {
    if (!format.empty() && std::string_view("bcdoxX").find(format.back()) != std::string_view::npos)
        for_each_leaf(v, [&](const Value& leaf) {
            if (runtime::is_float(numeric_type(leaf).type.dtype))
                raise(diagnose(Diag::bad_format, span, format, describe(leaf))
                          .note(fmt::format("`{}` is for integers", format.back()))
                          .fix("`.0f` shows a number without its fraction, i32(x) cuts it off"));
        });
    if (!valid_format(format, content_of(v)))
        raise(diagnose(Diag::bad_format, span, format, describe(v))
                  .note(too_wide(format) ? fmt::format("a width or a precision is at most {}", widest_format)
                                         : "it is Python's format language: \">8\", \".4f\", \"05d\" ..."));
    if (format.ends_with('c'))
        if (const auto code = no_character(v))
            raise(diagnose(Diag::bad_format, span, format, *code)
                      .note("`c` shows the character of a number from 0 to 1114111, but for 55296 to 57343"));
    Pieces(pieces, text).add(v, format, true);
}

std::string printed(const Value& v) {
    Template pieces;
    std::string text;
    Pieces(pieces, text).add(v, {}, true);
    return text;
}

Value text_of(const Value& v, const std::string& spec, Span span) {
    Template pieces;
    std::string text;
    append_formatted(pieces, text, v, spec, span);
    return text_value(std::move(pieces), std::move(text));
}

Value text_value(Template pieces, std::string rest) {
    if (pieces.pieces.empty()) return rest;
    if (!rest.empty()) pieces.pieces.push_back({std::move(rest), {}, {}, false});
    return pieces;
}

bool holds_surely(const Value& condition) {
    if (const Number* n = condition.number()) return n->i != 0;
    const Array* a = condition.array();
    if (!a || a->dtype() != DType::b1) return false;
    for (std::int64_t i = 0; i < a->elements(); ++i)
        if (!a->as_bool(i)) return false;
    return true;
}

namespace {

/// The text attribute of a `check` or `print` instruction. It has `{}` for each staged value. Appends the staged values
/// to `values`.
std::string site_text(const Template& pieces, std::vector<Value>& values) {
    std::string text;
    for (const Template::Piece& p : pieces.pieces) {
        if (!p.has_value) {
            text += escape_template(p.text);
            continue;
        }
        text += p.format.empty() ? "{}" : "{:" + p.format + "}";
        values.push_back(p.value);
    }
    return text;
}

} // namespace

void print_values(Stager& s, const std::vector<Value>& values, const std::string& separator, const std::string& end,
                  Span span) {
    Template pieces;
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i) text += separator;
        Pieces(pieces, text).add(values[i], {}, true);
    }
    text += end;
    if (s.interpreting()) {
        PM_CHECK(pieces.pieces.empty());
        if (s.host().output) s.host().output(text);
        return;
    }
    if (!text.empty()) pieces.pieces.push_back({std::move(text), {}, {}, false});
    std::vector<Value> operands;
    const std::string site = site_text(pieces, operands);
    ir::Values in;
    for (const Value& v : operands) in.push_back(s.use(v));
    auto& b = s.build();
    b.set_span(s.places().of(span));
    b.emit(ir::Op::print, in, {{ir::Attr::text, site}});
}

void check_holds(Stager& s, const Value& condition, const Value& message, Diag diagnostic, Span span) {
    if (s.checking()) s.places().add_check(span);
    Template pieces;
    std::string text;
    if (!message.is_none())
        Pieces(pieces, text).add(message, {}, true);
    else
        text = "the assertion does not hold";
    if (!text.empty()) pieces.pieces.push_back({std::move(text), {}, {}, false});
    std::vector<Value> operands;
    std::string site = site_text(pieces, operands);
    if (!condition.is_numeric() || numeric_type(condition).type.dtype != DType::b1)
        raise(diagnose(Diag::condition_kind, span, describe(condition)));
    if (holds_surely(condition)) return;
    if (s.interpreting()) {
        std::vector<Array> arrays;
        for (const Value& v : operands) arrays.push_back(*v.array());
        raise(diagnose(diagnostic, span, fill_template(site, arrays)));
    }
    const Value known = resolved(s, condition);
    const bool shown = std::ranges::all_of(operands, [](const Value& v) { return v.array() || v.number(); });
    if (known.number() && known.number()->i == 0 && shown) {
        std::vector<Array> arrays;
        for (const Value& v : operands)
            arrays.push_back(v.array() ? *v.array() : v.number()->array(v.number()->default_dtype()));
        s.context()->fails(diagnose(diagnostic, span, fill_template(site, arrays)));
    }
    ir::Values in{s.use(condition)};
    for (const Value& v : operands) in.push_back(s.use(v));
    auto& b = s.build();
    b.set_span(s.places().of(span));
    b.emit(ir::Op::check, in, ops::check_attributes({.diagnostic = diagnostic, .text = std::move(site)}));
}

} // namespace pm::stage
