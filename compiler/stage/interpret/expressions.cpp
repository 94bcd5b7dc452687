#include "compiler/stage/interpret/expressions.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/call/call_arguments.hpp"
#include "compiler/stage/call/donation.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/index/indexing.hpp"
#include "compiler/stage/index/sequence.hpp"
#include "compiler/stage/index/update.hpp"
#include "compiler/stage/interpret/assertion.hpp"
#include "compiler/stage/interpret/literals.hpp"
#include "compiler/stage/interpret/loops.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/names/names.hpp"
#include "compiler/syntax/left_chain.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

namespace {

/// If the only argument of a call is an array literal, this literal. Null otherwise.
const syntax::Array* only_literal(const syntax::Module& tree, const std::vector<syntax::Argument>& arguments) {
    if (arguments.size() != 1 || arguments[0].named() || arguments[0].spread) return nullptr;
    return std::get_if<syntax::Array>(&tree[arguments[0].value].node);
}

} // namespace

Value evaluate(Stager& s, syntax::ExprId id) { return Expressions(s).evaluate(id); }

Value Expressions::evaluate(syntax::ExprId id) {
    const syntax::Module& module = s_.tree();
    const syntax::Expr& e = module[id];
    return std::visit(
        [&](const auto& n) -> Value {
            using T = std::decay_t<decltype(n)>;
            if constexpr (std::is_same_v<T, syntax::IntLiteral>)
                return literal(n, e.span, s_.sources());
            else if constexpr (std::is_same_v<T, syntax::FloatLiteral>)
                return literal(n);
            else if constexpr (std::is_same_v<T, syntax::ImaginaryLiteral>)
                return Value(Number::of(std::complex<double>(0, n.value)));
            else if constexpr (std::is_same_v<T, syntax::BoolLiteral>)
                return Value::boolean(n.value);
            else if constexpr (std::is_same_v<T, syntax::NoneLiteral>)
                return None{};
            else if constexpr (std::is_same_v<T, syntax::StringLiteral>)
                return string(n);
            else if constexpr (std::is_same_v<T, syntax::NameRef>)
                return s_.scopes().lookup(n.text, e.span);
            else if constexpr (std::is_same_v<T, syntax::Transform>)
                return s_.scopes().lookup(std::string(syntax::name(n.kind)), e.span);
            else if constexpr (std::is_same_v<T, syntax::Tuple>)
                return Value::tuple(values_of(n.items));
            else if constexpr (std::is_same_v<T, syntax::Array>)
                return array_literal(n, e.span);
            else if constexpr (std::is_same_v<T, syntax::Record>)
                return record_literal(n);
            else if constexpr (std::is_same_v<T, syntax::Comprehension>)
                return comprehension(n, e.span);
            else if constexpr (std::is_same_v<T, syntax::Unary>) {
                if (const auto least = least_number(module, n)) return *least;
                return unary(s_, n.op, evaluate(n.operand), e.span);
            } else if constexpr (std::is_same_v<T, syntax::Binary>)
                return in_left_chain(e) ? chain(id, 0) : logical(n, e.span);
            else if constexpr (std::is_same_v<T, syntax::Range>) {
                Range range;
                range.parts = {evaluate(n.first), evaluate(n.last), Value::integer(1)};
                return std::make_shared<const Range>(std::move(range));
            } else if constexpr (std::is_same_v<T, syntax::Call>)
                return call(n, id);
            else if constexpr (std::is_same_v<T, syntax::TransformCall>)
                return s_.calls().call(s_.scopes().lookup(std::string(syntax::name(n.kind)), n.keyword),
                                       evaluate_arguments(n.arguments, e.span));
            else if constexpr (std::is_same_v<T, syntax::MethodCall>) {
                const auto named = s_.modules().prelude()->names.find(n.name.text);
                const auto called = [&] { return method_call(n, e.span); };
                return named != s_.modules().prelude()->names.end() && is_native(named->second.value, Native::chooses)
                           ? choice(called, id)
                           : called();
            } else if constexpr (std::is_same_v<T, syntax::Field>)
                return std::holds_alternative<syntax::IntLiteral>(module[n.object].node)
                           ? field_of_literal(n)
                           : field(s_, evaluate(n.object), n.name);
            else if constexpr (std::is_same_v<T, syntax::TupleIndex>)
                return tuple_index(evaluate(n.object), n.index, n.index_span);
            else if constexpr (std::is_same_v<T, syntax::Index>)
                return index(s_, evaluate(n.object), n.items, e.span);
            else if constexpr (std::is_same_v<T, syntax::With>) {
                Value base = evaluate(n.base);
                const Value value = evaluate(n.value);
                return updated(s_, base, {n.path, n.op, value, e.span});
            } else if constexpr (std::is_same_v<T, syntax::If>)
                return conditional(n, 0, e.span, nullptr);
            else if constexpr (std::is_same_v<T, syntax::Lambda>)
                return function(n.function);
            else
                PM_UNREACHABLE();
        },
        e.node);
}

Value Expressions::call(const syntax::Call& n, syntax::ExprId id) {
    const Span span = s_.tree()[id].span;
    const Value callee = evaluate(n.callee);
    if (is_native(callee, Native::looks_at_condition) && assertion(s_, n, span)) return None{};
    if (const auto* literal = callee.dtype() ? only_literal(s_.tree(), n.arguments) : nullptr)
        return typed_literal(*literal, *callee.dtype(), span);
    const bool literals = is_native(callee, Native::reads_literals);
    if (!is_native(callee, Native::chooses))
        return s_.calls().call(callee, evaluate_arguments(n.arguments, span, literals));
    return choice([&] { return s_.calls().call(callee, evaluate_arguments(n.arguments, span, literals)); }, id);
}

/// Calls a function that selects one of its arguments (Native::chooses). At top level each argument is run as a
/// separate program. If a check in such a program fails, the whole call is run again as one program. In this program a
/// check fails only if the checked value is selected. If the arguments assign names, the call is not run again.
Value Expressions::choice(const std::function<Value()>& call, syntax::ExprId id) {
    const auto under_condition = [&] {
        const Restore scope(s_.scopes().errors_as_checks, true);
        return call();
    };
    if (!s_.interpreting()) return under_condition();
    try {
        return call();
    } catch (const Error& failure) {
        const Diag failed = failure.diagnostic().id;
        if (failed != Diag::division_by_zero && failed != Diag::index_out_of_range) throw;
        if (!assigned_names(s_.tree(), id).empty()) throw;
        try {
            return s_.array_work(s_.tree()[id].span, [&] {
                Value made = under_condition();
                const auto prints = [](const ir::Inst& inst) { return inst.op == ir::Op::print; };
                if (ir::any_inst(s_.build().raw().block(), prints))
                    throw failure; // the first run has already printed this output
                return made;
            });
        } catch (const Error& again) { // the first error is reported, because its position is in the argument
            if (ends_run(again.diagnostic())) throw;
        } catch (const HostWork&) {
        } catch (const NeedKnown&) {
        } catch (const NeedUnroll&) {
        }
        throw;
    }
}

Value Expressions::chain(syntax::ExprId id, int depth) {
    constexpr int most_levels = 4; // most chains are short, so they need no list of steps
    if (depth < most_levels) {
        const auto& last = std::get<syntax::Binary>(s_.tree()[id].node);
        const Value left = in_left_chain(s_.tree()[last.left]) ? chain(last.left, depth + 1) : evaluate(last.left);
        return chain_step({id, &last}, left, evaluate(last.right));
    }
    const syntax::LeftChain chain = left_chain(s_.tree(), id);
    Value left = evaluate(chain.first);
    for (const syntax::LeftChain::Step& step : chain.steps) {
        const Value right = evaluate(step.node->right);
        left = chain_step(step, left, right);
    }
    return left;
}

Value Expressions::chain_step(const syntax::LeftChain::Step& step, const Value& left, const Value& right) {
    const Span span = s_.tree()[step.id].span;
    try {
        return binary(s_, step.node->op, left, right, span);
    } catch (Error& e) {
        const syntax::Binary& b = *step.node;
        show_operands(e.diagnostic(), span, {{s_.tree()[b.left].span, &left}, {s_.tree()[b.right].span, &right}});
        throw;
    }
}

CallArguments Expressions::evaluate_arguments(const std::vector<syntax::Argument>& arguments, Span span,
                                              bool literals) {
    CallArguments given;
    given.span = span;
    given.written = &arguments;
    given.positional.reserve(arguments.size());
    given.positional_spans.reserve(arguments.size());
    for (const syntax::Argument& a : arguments) {
        const Span at = s_.tree()[a.value].span;
        const auto* literal = literals ? std::get_if<syntax::Array>(&s_.tree()[a.value].node) : nullptr;
        Value v = literal ? Value::tuple(values_of(literal->items, true)) : evaluate(a.value);
        if (a.named()) {
            given.named.emplace_back(a.name.text, std::move(v));
            given.named_spans.push_back(at);
            given.name_spans.push_back(a.name.span);
        } else if (a.spread) {
            for (Value& part : spread(s_, v, at)) {
                given.positional.push_back(std::move(part));
                given.positional_spans.push_back(at);
            }
        } else {
            given.positional.push_back(std::move(v));
            given.positional_spans.push_back(at);
        }
    }
    return given;
}

Value Expressions::comprehension(const syntax::Comprehension& c, Span span) {
    const Value source = evaluate(c.source);
    const Span source_span = s_.tree()[c.source].span;
    warn_of_fields(s_, source, c.pattern, source_span);
    const auto with_item = [&](const Value& item, syntax::ExprId part) {
        const std::size_t before = s_.frame().locals.size();
        bind_pattern(s_, c.pattern, item, false, source_span);
        Value v = evaluate(part);
        s_.frame().locals.resize(before);
        return v;
    };
    Elements elements{[&](const Value& item) { return with_item(item, c.body); }, {}};
    elements.header = join(s_.tree()[c.pattern].span, source_span);
    if (c.condition)
        elements.keeps = [&](const Value& item) { return keeps(with_item(item, c.condition), c.condition); };
    elements.joins = c.nested;
    const Restore top_scope(s_.frame().top, false);
    if (!c.tuple) return Loops(s_).map_over(source, elements, span);
    std::vector<Value> items = known_elements(s_, source, source_span, elements);
    if (!c.nested) return Value::tuple(std::move(items));
    std::vector<Value> all;
    for (const Value& inner : items) all.insert(all.end(), inner.tuple()->items.begin(), inner.tuple()->items.end());
    return Value::tuple(std::move(all));
}

/// Whether a comprehension keeps an element. If the condition cannot become known, the comprehension is host work,
/// because its length depends on the condition.
bool Expressions::keeps(const Value& value, syntax::ExprId condition) {
    const Span span = s_.tree()[condition].span;
    if (!known_condition(s_, value, span) && !can_become_known(s_, value))
        s_.host_work("the length of a comprehension depends on the values in its `if`", span);
    return is_true(s_, value, span);
}

Value Expressions::function(syntax::FunctionId id) {
    const syntax::Function& declared = s_.tree()[id];
    Closure made{s_.frame().module, id, s_.frame().globals, {}, !s_.frame().top};
    if (!s_.frame().locals.empty()) {
        // A local function uses names of outer scopes. It captures the current values of these names.
        for (const std::string& name : free_names(s_.tree(), id))
            for (std::size_t i = s_.frame().locals.size(); i-- > 0;)
                if (s_.frame().locals[i].name == name) {
                    const Cell& cell = s_.frame().locals[i].cell;
                    if (cell.unknown) throw runtime::AbstractRead{};
                    made.captured.emplace_back(name, value_of(name, cell, declared.signature));
                    break;
                }
    }
    constexpr std::size_t captured_bytes = 128; // an estimate
    return std::allocate_shared<const Function>(Counted<Function, captured_bytes>(),
                                                Function{declared.name.text, std::move(made)});
}

Value Expressions::tuple_index(const Value& object, std::uint64_t index, Span span) {
    if (!object.tuple()) {
        if (object.is_numeric() && numeric_type(object).type.rank() > 0 &&
            index < static_cast<std::uint64_t>(numeric_type(object).type.shape[0]))
            return element(s_, object, static_cast<std::int64_t>(index), span);
        raise(diagnose(Diag::wrong_kind, span, fmt::format("`.{}`", index), "a tuple", describe(object)));
    }
    const auto& items = object.tuple()->items;
    if (index >= items.size())
        raise(diagnose(Diag::index_out_of_range, span,
                       fmt::format("index {} is out of range for a tuple of {}", index, items.size()))
                  .fix(valid_indices(static_cast<std::int64_t>(items.size()))));
    return items[index];
}

} // namespace pm::stage
