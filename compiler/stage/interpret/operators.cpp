// Unary and binary operators on values of all kinds.
#include "compiler/stage/core/stager.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ir/precision.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/stage/interpret/control.hpp"
#include "compiler/stage/interpret/texts.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/computed.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/known_arithmetic.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace pm::stage {
namespace {

using syntax::BinaryOp;
using syntax::UnaryOp;

bool structurally_equal(Stager& s, const Value& a, const Value& b, Span span) {
    if (a.number() && b.number()) return known_compare(BinaryOp::equal, *a.number(), *b.number(), span);
    if (a.is_numeric() && b.is_numeric()) {
        // A comparison of two trees has a single bool as its result. A comparison of two arrays has one bool for each
        // element, so arrays are not allowed as leaves here.
        for (const Value* side : {&a, &b})
            if (numeric_type(*side).type.rank() != 0)
                raise(
                    diagnose(Diag::wrong_kind, span, "`==` of tuples or records", "numbers for leaves", describe(*side))
                        .fix("compare the arrays: all(a == b), or leaf by leaf tree_all(tree_map(array_equal, a, b))"));
        return is_true(s, binary(s, BinaryOp::equal, a, b, span), span);
    }
    if (a.tuple() && b.tuple()) {
        if (a.tuple()->items.size() != b.tuple()->items.size()) return false;
        for (std::size_t i = 0; i < a.tuple()->items.size(); ++i) {
            if (i % parts_between_polls == 0) s.poll(span);
            if (!structurally_equal(s, a.tuple()->items[i], b.tuple()->items[i], span)) return false;
        }
        return true;
    }
    if (a.record() && b.record()) {
        if (a.record()->fields.size() != b.record()->fields.size()) return false;
        std::unordered_map<std::string_view, const Value*> others;
        for (const auto& [name, value] : b.record()->fields) others.emplace(name, &value);
        for (const auto& [name, value] : a.record()->fields) {
            const auto other = others.find(name);
            if (other == others.end() || !structurally_equal(s, value, *other->second, span)) return false;
        }
        return true;
    }
    if (a.is_numeric() || b.is_numeric()) return false;
    return same_leaves(a, b);
}

} // namespace

/// Array operators in the current context.
class ArrayOperators {
  public:
    ArrayOperators(Stager& stager, Span span) : s_(stager), span_(span) {}

    Value apply(BinaryOp op, const Value& a, const Value& b) {
        switch (op) {
        case BinaryOp::equal: return elementwise(s_, ir::Op::equal, {a, b}, span_);
        case BinaryOp::not_equal: return elementwise(s_, ir::Op::not_equal, {a, b}, span_);
        case BinaryOp::less: return elementwise(s_, ir::Op::less, {a, b}, span_);
        case BinaryOp::less_equal: return elementwise(s_, ir::Op::less_equal, {a, b}, span_);
        case BinaryOp::greater: return elementwise(s_, ir::Op::less, {b, a}, span_);
        case BinaryOp::greater_equal: return elementwise(s_, ir::Op::less_equal, {b, a}, span_);
        case BinaryOp::add: return arithmetic(ir::Op::add, ir::Op::or_, a, b);
        case BinaryOp::subtract: return arithmetic(ir::Op::sub, ir::Op::xor_, a, b);
        case BinaryOp::multiply: return arithmetic(ir::Op::mul, ir::Op::and_, a, b);
        case BinaryOp::divide: return divide(a, b);
        case BinaryOp::floor_divide: return floor_divide(whole(a, b), whole(b, a));
        case BinaryOp::remainder: return remainder(whole(a, b), whole(b, a));
        case BinaryOp::power: return power(whole(a, b), whole(b, a));
        case BinaryOp::bit_or: return bits(ir::Op::or_, a, b, op);
        case BinaryOp::bit_xor: return bits(ir::Op::xor_, a, b, op);
        case BinaryOp::bit_and: return bits(ir::Op::and_, a, b, op);
        case BinaryOp::shift_left: return bits(ir::Op::shift_left, whole(a, b), whole(b, a), op);
        case BinaryOp::shift_right: return bits(ir::Op::shift_right, whole(a, b), whole(b, a), op);
        case BinaryOp::logical_and: return logical(ir::Op::and_, a, b);
        case BinaryOp::logical_or: return logical(ir::Op::or_, a, b);
        case BinaryOp::matmul:
        case BinaryOp::in:
        case BinaryOp::not_in: break;
        }
        PM_UNREACHABLE();
    }

  private:
    DType common(const Value& a, const Value& b) { return promoted_type({a, b}, span_).dtype; }

    /// Converts an operand of an operator that is not defined for bools. If both operands are bools, `v` becomes i32.
    Value whole(const Value& v, const Value& other) {
        return common(v, other) == DType::b1 ? cast(s_, v, DType::i32, span_) : v;
    }

    /// Applies `op`, or `on_bool` if both operands are bools: addition of bools is `or`, subtraction is `xor`,
    /// multiplication is `and`.
    Value arithmetic(ir::Op op, ir::Op on_bool, const Value& a, const Value& b) {
        return elementwise(s_, common(a, b) == DType::b1 ? on_bool : op, {a, b}, span_);
    }

    Value divide(const Value& a, const Value& b) {
        const Promoted type = promoted_type({a, b}, span_);
        if (runtime::is_inexact(type.dtype)) return elementwise(s_, ir::Op::div, {a, b}, span_);
        return s_.array_work(span_, [&] {
            const auto as_float = [&](const Value& v) { return s_.wrap(s_.use(v, float_of(type.dtype)), type.weak); };
            return elementwise(s_, ir::Op::div, {as_float(a), as_float(b)}, span_);
        });
    }

    /// Wraps `result`, the result of an integer division, and emits a check of the divisor.
    Value divided(ir::Value result, ir::Value divisor, bool weak) {
        check_divisor(s_.build(), divisor, result);
        return s_.wrap(result, weak);
    }

    Value floor_divide(const Value& x, const Value& y) {
        return s_.array_work(span_, [&] {
            Promoted type{};
            const auto in = aligned(s_, {x, y}, span_, &type);
            auto& b = s_.build();
            if (runtime::is_inexact(type.dtype)) {
                // The quotient is computed from the remainder, as in jnp.floor_divide. So it is also correct where the
                // rounding of a / b would be upwards.
                const ir::Value rem = b.binary(ir::Op::rem, in[0], in[1]);
                ir::Value q = b.div(b.sub(in[0], rem), in[1]);
                const ir::Value zero = b.zeros_like(rem);
                const ir::Value inexact =
                    b.binary(ir::Op::and_, b.compare(ir::Op::not_equal, rem, zero),
                             b.compare(ir::Op::not_equal, b.unary(ir::Op::sign, rem), b.unary(ir::Op::sign, in[1])));
                q = b.unary(ir::Op::round, b.select(inexact, b.sub(q, b.like(q, 1)), q));
                const ir::Value by_zero = b.compare(ir::Op::equal, in[1], zero);
                return s_.wrap(b.select(by_zero, b.div(in[0], in[1]), q), type.weak);
            }
            const ir::Value q = b.div(in[0], in[1]);
            if (runtime::is_unsigned_integer(type.dtype)) return divided(q, in[1], type.weak);
            const ir::Value rem = b.binary(ir::Op::rem, in[0], in[1]);
            const ir::Value zero = b.zeros_like(rem);
            const ir::Value signs = b.compare(ir::Op::less, b.binary(ir::Op::xor_, rem, in[1]), zero);
            const ir::Value down = b.binary(ir::Op::and_, b.compare(ir::Op::not_equal, rem, zero), signs);
            return divided(b.select(down, b.sub(q, b.like(q, 1)), q), in[1], type.weak);
        });
    }

    Value remainder(const Value& x, const Value& y) {
        return s_.array_work(span_, [&] {
            Promoted type{};
            const auto in = aligned(s_, {x, y}, span_, &type);
            auto& b = s_.build();
            const ir::Value rem = b.binary(ir::Op::rem, in[0], in[1]);
            if (runtime::is_unsigned_integer(type.dtype)) return divided(rem, in[1], type.weak);
            const ir::Value zero = b.zeros_like(rem);
            const ir::Value differ =
                b.compare(ir::Op::not_equal, b.compare(ir::Op::less, rem, zero), b.compare(ir::Op::less, in[1], zero));
            const ir::Value fix = b.binary(ir::Op::and_, b.compare(ir::Op::not_equal, rem, zero), differ);
            const ir::Value result = b.select(fix, b.add(rem, in[1]), rem);
            return runtime::is_integer(type.dtype) ? divided(result, in[1], type.weak) : s_.wrap(result, type.weak);
        });
    }

    Value power(const Value& x, const Value& y) {
        if (const Number* n = y.number(); n && n->kind == Number::Kind::integer && n->dtype != DType::u64 && n->i < 0 &&
                                          !n->computed && runtime::is_integer(numeric_type(x).type.dtype))
            raise(negative_power(describe(x), *n, span_));
        if (const Number* n = y.number();
            n && n->kind == Number::Kind::integer && n->weak() && !n->computed && !x.real_number()) {
            const DType base = numeric_type(x).type.dtype;
            if (base != DType::b1 && (n->i >= 0 || runtime::is_inexact(base)))
                return s_.array_work(
                    span_, [&] { return s_.wrap(s_.build().integer_pow(s_.use(x), n->i), numeric_type(x).weak); });
        }
        if (!runtime::is_inexact(common(x, y))) {
            // The f32 function `pow` is exact only up to 2^24. So integer powers are computed by repeated squaring.
            return s_.array_work(span_, [&] { return integer_power(x, y); });
        }
        if (runtime::is_integer(numeric_type(y).type.dtype))
            return s_.array_work(span_, [&] { return whole_power(x, y); });
        return elementwise(s_, ir::Op::pow, {x, y}, span_);
    }

    /// A power with a float base and an integer exponent. As in JAX, the result does not depend on the base where the
    /// exponent is 0.
    Value whole_power(const Value& x, const Value& y) {
        Promoted type{};
        const auto in = aligned(s_, {x, y}, span_, &type);
        auto& b = s_.build();
        const ir::Value none = b.compare(ir::Op::equal, in[1], b.zeros_like(in[1]));
        return s_.wrap(b.binary(ir::Op::pow, b.select(none, b.ones_like(in[0]), in[0]), in[1]), type.weak);
    }

    Value integer_power(const Value& x, const Value& y) {
        Promoted type{};
        auto in = aligned(s_, {x, y}, span_, &type);
        auto& b = s_.build();
        ir::Value result = b.like(in[0], 1);
        ir::Value base = in[0];
        ir::Value exponent = in[1];
        const ir::Value one = b.like(in[0], 1);
        const ir::Value zero = b.zeros_like(in[0]);
        // The loop must use all bits of the exponent. Powers wrap around, but a high bit of the exponent still changes
        // the powers of 0 and of odd numbers.
        const int sign = runtime::is_unsigned_integer(type.dtype) ? 0 : 1;
        const int bits = static_cast<int>(runtime::size_of(type.dtype)) * 8 - sign;
        for (int i = 0; i < bits; ++i) {
            const ir::Value odd = b.compare(ir::Op::not_equal, b.binary(ir::Op::and_, exponent, one), zero);
            result = b.select(odd, b.mul(result, base), result);
            base = b.mul(base, base);
            exponent = b.binary(ir::Op::shift_right, exponent, one);
        }
        return s_.wrap(result, type.weak);
    }

    Value bits(ir::Op op, const Value& a, const Value& b, BinaryOp written) {
        const DType dtype = common(a, b);
        if (!runtime::is_integer(dtype) && dtype != DType::b1)
            raise(diagnose(Diag::operator_kind, span_, syntax::spelling(written), describe(a), describe(b))
                      .fix("convert first: i32(...)"));
        return elementwise(s_, op, {a, b}, span_);
    }

    Value logical(ir::Op op, const Value& a, const Value& b) {
        for (const Value* v : {&a, &b})
            if (!v->is_numeric() || numeric_type(*v).type.dtype != DType::b1)
                raise(diagnose(Diag::condition_kind, span_, describe(*v)));
        return elementwise(s_, op, {a, b}, span_);
    }

    Stager& s_;
    Span span_;
};

namespace {

/// Concatenates the strings `a` and `b`. At least one of the two contains staged values.
Value joined(const Value& a, const Value& b) {
    Template all;
    for (const Value* v : {&a, &b}) {
        all.paid.resize(all.paid.bytes() + (v->text() ? v->text()->size() : v->text_template()->paid.bytes()));
        if (v->text())
            all.pieces.push_back({*v->text(), {}, {}, false});
        else
            all.pieces.insert(all.pieces.end(), v->text_template()->pieces.begin(), v->text_template()->pieces.end());
    }
    return all;
}

bool is_integer(const Value& v) {
    return v.is_numeric() && numeric_type(v).type.rank() == 0 && runtime::is_integer(numeric_type(v).type.dtype);
}

Value repeated(const std::vector<Value>& of, std::int64_t times, Span span) {
    constexpr std::size_t most = 1'000'000;
    const auto count = static_cast<std::size_t>(times);
    if (!of.empty() && count > most / of.size())
        raise(
            diagnose(Diag::out_of_memory, span,
                     fmt::format("the product has no place in memory: `*` makes tuples of at most {} elements", most)));
    std::vector<Value> items;
    if (of.empty()) return Value::tuple(std::move(items));
    items.reserve(count * of.size());
    for (std::size_t i = 0; i < count; ++i) items.insert(items.end(), of.begin(), of.end());
    return Value::tuple(std::move(items));
}

Value repeated(const std::string& of, std::int64_t times, Span span) {
    constexpr std::size_t most = 1 << 24;
    const auto count = static_cast<std::size_t>(times);
    if (!of.empty() && count > most / of.size())
        raise(diagnose(Diag::out_of_memory, span,
                       fmt::format("the product has no place in memory: `*` makes strings of at most {} bytes", most)));
    runtime::ChargedText text(account());
    if (of.empty()) return Value(std::move(text));
    text.reserve(count * of.size());
    for (std::size_t i = 0; i < count; ++i) text.append(of);
    return Value(std::move(text));
}

/// Whether an operation on `a` and `b` is done on arrays. False if neither is a computed number. In an interpreted
/// function, the operation is done on numbers only if each operand is a bool or an integer without a dtype.
/// `compiling`: true if compiled code knows both numbers. The operation is then done on numbers, unless the array
/// operation has a different result.
bool computes_arrays(BinaryOp op, const Number& a, const Number& b, bool compiling) {
    if (!a.computed && !b.computed) return false;
    const auto is_bool = [](const Number& n) { return n.kind == Number::Kind::boolean; };
    const auto whole = [&](const Number& n) { return is_bool(n) || (n.kind == Number::Kind::integer && n.weak()); };
    const bool of_floats = op == BinaryOp::divide || !whole(a) || !whole(b);
    if (of_floats) return !compiling || op == BinaryOp::power;
    const bool of_integers = op == BinaryOp::floor_divide || op == BinaryOp::remainder || op == BinaryOp::power ||
                             op == BinaryOp::shift_left || op == BinaryOp::shift_right;
    return (of_integers && is_bool(a) && is_bool(b)) || (op == BinaryOp::power && b.data() < 0);
}

/// The result of `a in b`.
Value membership(Stager& s, const Value& a, const Value& b, Span span) {
    if (b.record()) return Value::boolean(b.record()->find(need_text(s, a, span, "`in` of a record")) != nullptr);
    if (b.text())
        return Value::boolean(find_text(s, *b.text(), need_text(s, a, span, "`in` of a string")) != std::string::npos);
    if (const Tuple* t = b.tuple())
        return Value::boolean(
            std::ranges::any_of(t->items, [&](const Value& item) { return structurally_equal(s, a, item, span); }));
    if (!b.is_numeric() || numeric_type(b).type.rank() == 0)
        raise(diagnose(Diag::operator_kind, span, syntax::spelling(BinaryOp::in), describe(a), describe(b)));
    return s.array_work(span, [&] {
        const Value same = binary(s, BinaryOp::equal, b, a, span);
        ir::Integers axes;
        for (int d = 0; d < numeric_type(same).type.rank(); ++d) axes.push_back(d);
        return s.wrap(s.build().reduce(ir::Op::reduce_or, s.use(same), axes));
    });
}

} // namespace

namespace {

/// Warns if a tuple, or a category of a table, is compared with a text, or an array with a tuple. NumPy compares each
/// element. Here the result is one bool.
void warn_never_equal(Stager& s, bool equal, const Value& a, const Value& b, Span span) {
    const auto is_texts = [](const Value* v) {
        return v && v->tuple() && !v->tuple()->items.empty() && v->tuple()->items[0].text();
    };
    const auto is_category = [&](const Value& v) { // as stdlib/table.pm makes it
        const Record* r = v.record();
        return r && r->fields.size() == 2 && r->find("codes") && is_texts(r->find("names"));
    };
    const auto is_list = [&](const Value& v) { return is_category(v) || is_texts(&v); };
    const auto is_array = [](const Value& v) { return v.is_numeric() && numeric_type(v).type.rank() > 0; };
    const bool texts = (a.text() && is_list(b)) || (b.text() && is_list(a));
    const bool numbers = (is_array(a) && b.tuple()) || (is_array(b) && a.tuple());
    if (!texts && !numbers) return;
    s.specialiser().warn_once(Diag::never_equal, span, [&] {
        const bool category = is_category(a) || is_category(b);
        return diagnose(Diag::never_equal, span, describe(a), describe(b), equal ? "false" : "true")
            .fix(numbers    ? "compare two tuples, x.shape == (2, 3), or two arrays, array(t) == x"
                 : category ? "each text of a category: [t == \"a\" for t in table.texts(c)]"
                            : "each text of a tuple: [t == \"a\" for t in c]");
    });
}

/// The result of an operator on strings, tuples or other values that are not numeric. nullopt if the operator is not
/// defined for these values.
std::optional<Value> of_parts(Stager& s, BinaryOp op, const Value& a, const Value& b, Span span) {
    if (op == BinaryOp::equal || op == BinaryOp::not_equal) {
        warn_never_equal(s, op == BinaryOp::equal, a, b, span);
        return Value::boolean(structurally_equal(s, a, b, span) == (op == BinaryOp::equal));
    }
    if (op == BinaryOp::add && a.text() && b.text()) {
        runtime::ChargedText text(account());
        text.reserve(a.text()->size() + b.text()->size());
        text.append(*a.text());
        text.append(*b.text());
        return Value(std::move(text));
    }
    if (op == BinaryOp::add && a.tuple() && b.tuple()) {
        std::vector<Value> items;
        items.reserve(a.tuple()->items.size() + b.tuple()->items.size());
        items.insert(items.end(), a.tuple()->items.begin(), a.tuple()->items.end());
        items.insert(items.end(), b.tuple()->items.begin(), b.tuple()->items.end());
        return Value::tuple(std::move(items));
    }
    if (op == BinaryOp::multiply && (a.tuple() || a.text()) && is_integer(b)) {
        return chosen_text(s, a, [&] {
            const std::int64_t times = std::max<std::int64_t>(need_integer(s, b, span, "the number of repetitions"), 0);
            return a.tuple() ? repeated(a.tuple()->items, times, span) : repeated(*a.text(), times, span);
        });
    }
    if (is_comparison(op) && a.text() && b.text()) {
        const int order = a.text()->compare(*b.text());
        return Value::boolean(known_compare(op, Number::of(std::int64_t{order}), Number::of(std::int64_t{0}), span));
    }
    return {};
}

/// Whether the value has the fields of a sparse matrix (stdlib/sparse.pm).
bool is_sparse(const Value& v) {
    const Record* r = v.record();
    return r && r->find("data") && r->find("indices") && r->find("indptr");
}

[[noreturn]] void refuse_operands(BinaryOp op, const Value& a, const Value& b, Span span) {
    auto d = diagnose(Diag::operator_kind, span, syntax::spelling(op), describe(a), describe(b));
    if (op == BinaryOp::add && (a.text() || b.text()))
        raise(std::move(d).fix("put the value into the text: \"... {value}\""));
    if (is_sparse(a) || is_sparse(b))
        raise(std::move(d).fix("a product with a sparse matrix is sparse.matmul(a, x); its elements are a field, "
                               "{..a, data: 2 * a.data}"));
    if (a.record() && b.record()) raise(std::move(d).fix("the fields of both: {..a, ..b}"));
    if (op == BinaryOp::remainder && a.text())
        raise(std::move(d).fix("put the value into the text: \"... {value:.3f}\""));
    raise(std::move(d));
}

/// The result of an operator on two known numbers.
Value number_binary(Stager& s, BinaryOp op, const Value& a, const Value& b, Span span) {
    if (op == BinaryOp::logical_and || op == BinaryOp::logical_or) {
        const bool x = is_true(s, a, span);
        const bool y = is_true(s, b, span);
        Number made = Number::of(op == BinaryOp::logical_and ? x && y : x || y);
        made.computed_from(*a.number(), *b.number());
        return made;
    }
    const Number made = known_binary(op, *a.number(), *b.number(), span);
    if (s.host().check_nans && !s.places().in_library(span))
        s.calls().check_nan(made, syntax::spelling(op), {a, b}, span);
    if (s.host().check_overflow) require_not_wrapped(op, *a.number(), *b.number(), made, span);
    return made;
}

} // namespace

Value binary(Stager& s, BinaryOp op, const Value& a, const Value& b, Span span) {
    if (a.text_template() || b.text_template()) {
        const bool texts = (a.text() || a.text_template()) && (b.text() || b.text_template());
        if (op == BinaryOp::add && texts) return joined(a, b);
        s.host_work(fmt::format("`{}` needs text that holds computed values", syntax::spelling(op)), span);
    }
    if (op == BinaryOp::in) return membership(s, a, b, span);
    if (op == BinaryOp::not_in) return unary(s, UnaryOp::logical_not, membership(s, a, b, span), span);
    if (op == BinaryOp::matmul) {
        if (a.record() || b.record()) refuse_operands(op, a, b, span);
        CallArguments given;
        given.positional = {a, b};
        given.positional_spans = {span, span};
        given.span = span;
        if (s.places().in_library(span)) { // matmuls in the library get the precision of its other operations
            given.named = {{"precision", std::string(ir::precision::highest)}};
            given.named_spans = {span};
        }
        return s.calls().call(s.modules().builtin("matmul"), std::move(given));
    }
    if (a.number() && b.number()) {
        Number operands;
        operands.computed_from(*a.number(), *b.number());
        const bool known = known_in_code(s, operands);
        const bool arrays = computes_arrays(op, *a.number(), *b.number(), s.compiling() || known);
        if (arrays && known && !s.checking()) return s.at_once([&] { return binary(s, op, a, b, span); });
        if (!arrays && !(s.scopes().errors_as_checks && divides_by_zero(op, *a.number(), *b.number())))
            return number_binary(s, op, a, b, span);
    }
    if (a.is_numeric() && b.is_numeric()) {
        try {
            return ArrayOperators(s, span).apply(op, a, b);
        } catch (Error& e) {
            ops::replace_display_name(e.diagnostic(), syntax::spelling(op));
            throw;
        }
    }
    if (auto made = of_parts(s, op, a, b, span)) return *std::move(made);
    refuse_operands(op, a, b, span);
}

Value unary(Stager& s, UnaryOp op, const Value& a, Span span) {
    if (!a.is_numeric())
        raise(diagnose(Diag::wrong_kind, span, fmt::format("`{}`", syntax::spelling(op)), "a number or an array",
                       describe(a)));
    const DType dtype = numeric_type(a).type.dtype;
    if (op == UnaryOp::logical_not) {
        if (dtype != DType::b1) raise(diagnose(Diag::condition_kind, span, describe(a)));
        if (const Number* n = a.number()) return known_bit_not(*n);
        return elementwise(s, ir::Op::not_, {a}, span);
    }
    if (op == UnaryOp::bit_not) {
        if (!runtime::is_integer(dtype) && dtype != DType::b1)
            raise(diagnose(Diag::wrong_kind, span, "`~`", "integers or bools", describe(a)));
        if (const Number* n = a.number()) return known_bit_not(*n);
        return elementwise(s, ir::Op::not_, {a}, span);
    }
    if (dtype == DType::b1)
        raise(diagnose(Diag::wrong_kind, span, "`-`", "numbers; for bools there is `not`", describe(a)));
    if (const Number* n = a.number()) {
        const Number made = known_negate(*n, span);
        const Number zero = Number::of(std::int64_t{0});
        if (s.host().check_overflow) require_not_wrapped(BinaryOp::subtract, zero, *n, made, span);
        return made;
    }
    return elementwise(s, ir::Op::neg, {a}, span);
}

} // namespace pm::stage
