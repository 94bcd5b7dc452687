#include "compiler/stage/interpret/expressions.hpp"

#include "compiler/stage/call/call_arguments.hpp"
#include "compiler/stage/core/call_effects.hpp"
#include "compiler/stage/index/indexing.hpp"
#include "compiler/stage/known/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

namespace {

/// If `name` is a method of Python or NumPy, the suggestion for the error, which names the equivalent in this language.
/// Empty for other names.
std::string repair_of_method(const Value& object, std::string_view name) {
    if (object.is_numeric())
        for (const std::string_view field : {"T", "mT", "shape", "dtype", "size"})
            if (name == field) return fmt::format("it is no function: x.{}", name);
    return std::string(foreign_name(foreign_kind(object), name));
}

} // namespace

std::pair<Value, CallArguments> Expressions::method_callee(const syntax::MethodCall& m, Span span) {
    const Value object = evaluate(m.object);
    if (const Record* r = object.record())
        if (const Value* f = r->find(m.name.text)) return {*f, evaluate_arguments(m.arguments, span)};
    if (object.module()) {
        Value function = field(s_, object, m.name);
        return {std::move(function), evaluate_arguments(m.arguments, span)};
    }
    if (object.function())
        if (const auto fix = foreign_name(foreign_kind(object), m.name.text); !fix.empty())
            raise(diagnose(Diag::unknown_field, m.name.span, describe(object), m.name.text).fix(std::string(fix)));
    // Finds the innermost function with this name. A local with this name that is not a function does not hide the
    // function.
    const Value* function = nullptr;
    for (std::size_t i = s_.frame().locals.size(); i-- > 0 && !function;)
        if (s_.frame().locals[i].name == m.name.text &&
            (s_.frame().locals[i].cell.value.function() || s_.frame().locals[i].cell.value.dtype()))
            function = &s_.frame().locals[i].cell.value;
    if (!function)
        if (const auto at = s_.frame().globals->names.find(m.name.text);
            at != s_.frame().globals->names.end() && at->second.value.function()) {
            function = &s_.scopes().find(m.name.text)->value;
        }
    if (!function && !s_.interpreting())
        s_.specialiser().record_dependency(m.name.text); // a later statement may define this name in the module
    if (!function)
        if (const auto at = s_.modules().prelude()->names.find(m.name.text);
            at != s_.modules().prelude()->names.end() && (at->second.value.function() || at->second.value.dtype())) {
            // For a string or tuple, the function of the prelude with this name is not called, because it needs an
            // array. The error names the equivalent for strings or tuples.
            const bool other = foreign_kind(object) == "text" || foreign_kind(object) == "tuple";
            if (const auto fix = foreign_name(foreign_kind(object), m.name.text); other && !fix.empty())
                raise(diagnose(Diag::unknown_field, m.name.span, describe(object), m.name.text).fix(std::string(fix)));
            function = &at->second.value;
        }
    if (!function) {
        if (object.record()) field(s_, object, m.name); // raises an error that lists the existing fields
        if (std::string fix = repair_of_method(object, m.name.text); !fix.empty())
            raise(diagnose(Diag::unknown_name, m.name.span, m.name.text).fix(std::move(fix)));
        function = &s_.scopes().lookup(m.name.text, m.name.span);
    }
    const Value callee = *function;
    CallArguments given = evaluate_arguments(m.arguments, span);
    given.positional.insert(given.positional.begin(), object);
    given.positional_spans.insert(given.positional_spans.begin(), s_.tree()[m.object].span);
    given.object = m.object;
    return {callee, std::move(given)};
}

Value Expressions::method_call(const syntax::MethodCall& m, Span span) {
    auto [callee, given] = method_callee(m, span);
    return s_.calls().call(callee, std::move(given));
}

namespace {

/// Whether the form of an expression shows that the expression only computes a value. True for a comprehension, a
/// transformation, a call of a transformation's result, and a call of an anonymous function. A call of the result of
/// `jit` does not count, because it is like a call of the original function.
bool computes_by_form(const syntax::Module& tree, syntax::ExprId id) {
    const auto& node = tree[id].node;
    if (std::holds_alternative<syntax::Comprehension>(node) || std::holds_alternative<syntax::TransformCall>(node))
        return true;
    const auto* call = std::get_if<syntax::Call>(&node);
    if (!call) return false;
    const auto& callee = tree[call->callee].node;
    if (std::holds_alternative<syntax::Lambda>(callee)) return true;
    const auto* transform = std::get_if<syntax::TransformCall>(&callee);
    return transform ? transform->kind != syntax::TransformKind::jit : computes_by_form(tree, call->callee);
}

Diagnostic lost(Span span) { return diagnose(Diag::lost_value, span); }

} // namespace

Value Expressions::dropped(syntax::ExprId id) {
    const syntax::Expr& e = s_.tree()[id];
    if (const auto* m = std::get_if<syntax::MethodCall>(&e.node)) {
        auto [callee, given] = method_callee(*m, e.span);
        const auto* object = std::get_if<syntax::NameRef>(&s_.tree()[m->object].node);
        return call_dropped(callee, std::move(given), e.span, object ? object->text : "");
    }
    if (computes_by_form(s_.tree(), id)) {
        Value value = evaluate(id);
        if (!value.is_none() && !s_.places().in_library(e.span) && !Effects(s_).of(s_.tree(), id)) raise(lost(e.span));
        return value;
    }
    const auto* c = std::get_if<syntax::Call>(&e.node);
    if (!c || !std::holds_alternative<syntax::NameRef>(s_.tree()[c->callee].node)) return evaluate(id);
    const Value callee =
        s_.scopes().lookup(std::get<syntax::NameRef>(s_.tree()[c->callee].node).text, s_.tree()[c->callee].span);
    if (is_native(callee, Native::looks_at_condition)) return evaluate(id);
    return call_dropped(callee, evaluate_arguments(c->arguments, e.span, is_native(callee, Native::reads_literals)),
                        e.span, "");
}

Value Expressions::call_dropped(const Value& callee, CallArguments given, Span span, const std::string& object) {
    const Function* f = callee.function();
    if (s_.places().in_library(span))
        return s_.calls().call(callee,
                               std::move(given)); // the library calls some functions only because they may raise errors
    Effects effects(s_);
    const bool computes = callee.dtype() || (f && s_.places().of_library(*f) && !(f->native() && acts(*f->native())) &&
                                             !among(given, [&](const Value& v) { return effects.of(v); }));
    Value value = s_.calls().call(callee, std::move(given));
    if (!computes || value.is_none()) return value;
    Diagnostic d = lost(span);
    const Cell* cell = object.empty() ? nullptr : s_.scopes().cell_of(object);
    std::string text(s_.sources().text(span));
    if (text.size() > 60 || text.find('\n') != std::string::npos) text = "...";
    if (cell && f) d.notes.push_back(fmt::format("`{}` gives a new value and leaves `{}` as it is", f->name, object));
    raise(std::move(d).fix(cell && cell->mut ? fmt::format("keep it: {} = {}", object, text)
                                             : fmt::format("keep it: let y = {}", text)));
}

} // namespace pm::stage
