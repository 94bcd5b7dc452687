// The function `assert`. The error message shows the values that the condition compares, or the arguments of the
// function that the condition calls.
#include "compiler/stage/interpret/assertion.hpp"

#include "compiler/stage/interpret/expressions.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/printing.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

namespace pm::stage {
namespace {

/// The largest number of elements of an array that the message shows. For a larger array it shows only the first
/// element for which the condition is false, or the type.
constexpr std::int64_t shown_whole = 20;

/// An error message under construction. It consists of text, known values and staged values.
class Message {
  public:
    explicit Message(Span span) : span_(span) {}

    void text(std::string_view t) { text_ += t; }
    void whole(const Value& v) {
        if (v.text())
            text_ += "\"" + *v.text() + "\"";
        else
            bare(v);
    }
    /// Appends the value. A string is appended without quotes.
    void bare(const Value& v) { append_formatted(pieces_, text_, v, {}, span_); }
    /// Appends the value. For a large value, appends the type instead.
    void brief(const Value& v) {
        std::int64_t elements = 0;
        for_each_leaf(v, [&](const Value& leaf) { elements += ir::product(numeric_type(leaf).type.shape); });
        if (elements <= shown_whole) return whole(v);
        text_ += v.tuple() || v.record() ? tree_text(v) : describe(v);
    }
    Value value() { return text_value(std::move(pieces_), std::move(text_)); }

  private:
    Span span_;
    Template pieces_;
    std::string text_;
};

/// The value of a condition, and the parts of the condition's expression.
struct Part {
    /// An operand or an argument: a value, or source text.
    struct Item {
        std::string text;
        Value value;
    };
    Value value;
    std::optional<syntax::BinaryOp>
        compared;         ///< the operator that compares the two `items`; empty if the expression is no comparison
    std::string function; ///< the name of the function that was called with `items`; empty if the expression is no call
    std::vector<Item> items;
    bool every =
        false; ///< true if every element of `value` must be true, because the condition is `all(...)` or `not any(...)`
    bool any = false; ///< true if the condition is `not any(...)`; the comparison that the message shows must then be
                      ///< false for all elements
    bool negated = false; ///< true if `value` is the negation of the expression that the message shows
    bool refusal = false; ///< true if the assertion is in the library; its text states the requirement
};

// ---- looking at the condition

/// The form in which look() returns the condition.
enum class Wanted : std::uint8_t {
    value,
    every, ///< an array whose elements must all be true: `a < b` for `all(a < b)`, the negation of `a < b` for `not
           ///< any(a < b)`
};
Part look(Stager& s, syntax::ExprId id, Wanted asked);

/// If the expression is a call of the native `native` with one argument, this argument. nullopt otherwise.
std::optional<syntax::ExprId> argument_of(Stager& s, syntax::ExprId id, std::string_view native) {
    const auto* call = std::get_if<syntax::Call>(&s.tree()[id].node);
    if (!call || !std::holds_alternative<syntax::NameRef>(s.tree()[call->callee].node)) return {};
    if (call->arguments.size() != 1 || call->arguments[0].named() || call->arguments[0].spread) return {};
    const Value callee = evaluate(s, call->callee);
    const Function* f = callee.function();
    if (!f || !f->native() || f->native()->name != native) return {};
    return call->arguments[0].value;
}

/// Handles `all(...)` with Wanted::every. If the argument of `all` is a comparison, the comparison is checked and shown
/// without `all`.
Part look_at_all(Stager& s, const syntax::Call& call, syntax::ExprId argument, Span span) {
    Part inner = look(s, argument, Wanted::every);
    inner.every = true;
    if (inner.compared) return inner;
    return {s.calls().call({evaluate(s, call.callee), {inner.value}, {}, span}), {}, {}, {}};
}

/// Handles a condition that is a call of a named function.
Part look_at_call(Stager& s, const syntax::Call& call, const Value& callee, const std::string& name, Span span) {
    CallArguments given = Expressions(s).evaluate_arguments(call.arguments, span);
    Part part;
    part.function = name;
    for (std::size_t i = 0; i < given.positional.size(); ++i) {
        const Value& v = given.positional[i];
        const bool as_written = v.function() || v.module();
        part.items.push_back({as_written ? std::string(s.sources().text(given.positional_spans[i])) : "", v});
    }
    for (std::size_t i = 0; i < given.named.size(); ++i)
        part.items.push_back({fmt::format("{}={}", given.named[i].first, s.sources().text(given.named_spans[i])), {}});
    part.value = s.calls().call(callee, std::move(given));
    return part;
}

/// Handles `not`. For `not any(a < b)` with Wanted::every, the value is an array: the negation of `a < b` for each
/// element.
Part look_at_not(Stager& s, syntax::ExprId operand, Wanted asked, Span span) {
    const auto argument = asked == Wanted::every ? argument_of(s, operand, "any") : std::nullopt;
    Part inner = look(s, argument ? *argument : operand, Wanted::value);
    if (argument && !inner.compared) {
        const syntax::Call& any = std::get<syntax::Call>(s.tree()[operand].node);
        inner = {s.calls().call({evaluate(s, any.callee), {inner.value}, {}, s.tree()[operand].span}), {}, {}, {}};
    }
    inner.value = unary(s, syntax::UnaryOp::logical_not, inner.value, span);
    inner.any = inner.every = argument && inner.compared;
    inner.negated = !inner.negated;
    return inner;
}

Part look(Stager& s, syntax::ExprId id, Wanted asked) {
    const syntax::Expr& e = s.tree()[id];
    if (const auto* u = std::get_if<syntax::Unary>(&e.node); u && u->op == syntax::UnaryOp::logical_not)
        return look_at_not(s, u->operand, asked, e.span);
    if (const auto* b = std::get_if<syntax::Binary>(&e.node);
        b && b->op >= syntax::BinaryOp::equal && b->op <= syntax::BinaryOp::not_in) {
        const Value left = evaluate(s, b->left);
        const Value right = evaluate(s, b->right);
        return {binary(s, b->op, left, right, e.span), b->op, {}, {{"", left}, {"", right}}};
    }
    const auto* call = std::get_if<syntax::Call>(&e.node);
    if (asked == Wanted::every)
        if (const auto argument = argument_of(s, id, "all")) return look_at_all(s, *call, *argument, e.span);
    if (const auto* name = call ? std::get_if<syntax::NameRef>(&s.tree()[call->callee].node) : nullptr) {
        const Value callee = evaluate(s, call->callee);
        if (callee.function()) return look_at_call(s, *call, callee, name->text, e.span);
    }
    return {evaluate(s, id), {}, {}, {}};
}

// ---- showing the condition

/// Element number `at` of `v`, in row-major order, after `v` is broadcast to `shape`.
Value element_of(const Value& v, const Shape& shape, std::int64_t at) {
    const Array* a = v.array();
    if (!a) return v;
    Array part = *a;
    std::int64_t size = ir::product(shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        size /= shape[axis];
        const std::int64_t i = at / size;
        at %= size;
        if (shape.size() - axis > a->shape().size()) continue; // an axis that broadcasting added
        part = part.at(part.size(0) == 1 ? 0 : i);
    }
    return part;
}

/// Writes the index of the first false element of an array, as "at [2, 0]". Returns the row-major number of this
/// element.
std::int64_t show_place(const Array& ok, Message& m) {
    std::int64_t at = 0;
    while (at < ok.elements() && ok.as_bool(at)) ++at;
    std::string index;
    std::int64_t rest = at;
    for (std::int64_t axis = ok.rank(); axis-- > 0;) {
        const std::int64_t size = ok.size(static_cast<int>(axis));
        index = fmt::format("{}{}{}", rest % size, index.empty() ? "" : ", ", index);
        rest /= size;
    }
    m.text("at [" + index + "]");
    return at;
}

/// Writes "2 < 1" or "not 2 < 1". For a refusal, writes "got 2", because in assertions of the library the left operand
/// is the value of an argument.
template <class Side>
void show_sides(const Part& part, Message& m, Side side) {
    if (part.refusal)
        m.text("got ");
    else if (part.negated != part.any)
        m.text("not ");
    side(0);
    if (part.refusal) return;
    m.text(fmt::format(" {} ", spelling(*part.compared)));
    side(1);
}

/// Shows the index and the operands of the first element for which a large comparison is false.
void show_element(Stager& s, const Part& part, Message& m, Span span) {
    const Shape shape = numeric_type(part.value).type.shape;
    if (const Array* ok = part.value.array()) {
        const std::int64_t at = show_place(*ok, m);
        m.text(part.refusal ? " " : ": ");
        return show_sides(part, m, [&](std::size_t i) { m.whole(element_of(part.items[i].value, shape, at)); });
    }
    // The values in the message are broadcast to the shape of the condition. For values of this shape, the check prints
    // only the elements at the first index where the condition is false.
    ops::Build& b = s.build();
    const std::vector<ir::Value> sides = aligned(s, {part.items[0].value, part.items[1].value}, span);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        m.text(axis == 0 ? "at [" : ", ");
        m.whole(s.wrap(b.iota(shape, static_cast<int>(axis), DType::i32)));
    }
    m.text(part.refusal ? "] " : "]: ");
    show_sides(part, m, [&](std::size_t i) { m.whole(s.wrap(b.broadcast_to(sides[i], shape))); });
}

void show(Stager& s, Part& part, Message& m, Span span) {
    const bool array = part.value.is_numeric() && numeric_type(part.value).type.rank() > 0;
    if (part.compared && array && ir::product(numeric_type(part.value).type.shape) > shown_whole)
        return show_element(s, part, m, span);
    if (part.compared) {
        const bool any = part.any && !part.refusal;
        if (any) m.text("not any(");
        show_sides(part, m, [&](std::size_t i) { m.brief(part.items[i].value); });
        if (any) m.text(")");
        if (!array || !part.value.staged()) return;
        // The condition is reduced to a scalar. For a scalar condition, the check prints whole arrays.
        ops::Build& b = s.build();
        const ir::Value ok = s.use(part.value);
        ir::Integers axes;
        for (int i = 0; i < b.rank(ok); ++i) axes.push_back(i);
        part.value = s.wrap(b.reduce(ir::Op::reduce_and, ok, axes));
        return;
    }
    m.text((part.negated ? "not " : "") + part.function + "(");
    for (std::size_t i = 0; i < part.items.size(); ++i) {
        if (i) m.text(", ");
        m.text(part.items[i].text);
        if (part.items[i].text.empty()) m.brief(part.items[i].value);
    }
    m.text(")");
}

class Assertion {
  public:
    Assertion(Stager& s, syntax::ExprId text, Span span) : s_(s), text_(text), span_(span) {}

    /// Checks a condition. For `a and b`, checks `a` and then `b`.
    void hold(syntax::ExprId condition) {
        const auto* both = std::get_if<syntax::Binary>(&s_.tree()[condition].node);
        if (!both || both->op != syntax::BinaryOp::logical_and) return check(look(s_, condition, Wanted::every));
        const Part left = look(s_, both->left, Wanted::every);
        if (!left.value.is_numeric()) known_condition(s_, left.value, s_.tree()[both->left].span); // raises
        if (numeric_type(left.value).type.rank() > 0 && !left.every)
            return check({binary(s_, both->op, left.value, evaluate(s_, both->right), span_), {}, {}, {}});
        check(left);
        // If the left operand is known to be false, the right operand is not evaluated.
        if (!left.value.number() || left.value.number()->i != 0) hold(both->right);
    }

  private:
    void check(Part part) {
        Message m(span_);
        const bool shown = part.compared || !part.function.empty();
        if (holds_surely(part.value)) return check_holds(s_, part.value, {}, Diag::assertion_failed, span_);
        if (text_)
            m.bare(evaluate(s_, text_));
        else
            m.text("the assertion does not hold");
        part.refusal = text_ && part.compared && s_.places().in_library(span_);
        if (shown) {
            m.text(part.refusal ? ", " : text_ ? " (" : ": ");
            show(s_, part, m, span_);
            if (text_ && !part.refusal) m.text(")");
        }
        check_holds(s_, part.value, m.value(), Diag::assertion_failed, span_);
    }

    Stager& s_;
    syntax::ExprId text_; ///< the second argument of `assert`; empty if there is none
    Span span_;
};

} // namespace

bool assertion(Stager& s, const syntax::Call& call, Span span) {
    const auto& a = call.arguments;
    const auto plain = [](const syntax::Argument& x) { return !x.spread && !x.named(); };
    if (a.empty() || a.size() > 2 || !plain(a[0])) return false;
    if (a.size() == 2 && !plain(a[1]) && a[1].name.text != "text") return false;
    Assertion(s, a.size() == 2 ? a[1].value : syntax::ExprId{}, span).hold(a[0].value);
    return true;
}

} // namespace pm::stage
