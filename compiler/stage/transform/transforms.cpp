// Creates the values grad(f), vmap(f), pmap(f), jit(f) ..., and runs calls of these values.
#include "compiler/stage/transform/transforms.hpp"
#include "compiler/stage/known/known.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/call/library_call.hpp"
#include "compiler/stage/call/transform_trace.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/options.hpp"
#include "compiler/stage/transform/custom.hpp"
#include "compiler/stage/transform/derivatives.hpp"
#include "compiler/stage/transform/mapping.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

namespace {

Value make_function(Transformed t) {
    std::string text = fmt::format("{}({})", name(t.kind), name_of(t.function()));
    constexpr std::size_t option_bytes = 128; // an estimate
    return std::allocate_shared<const Function>(Counted<Function, option_bytes>(),
                                                Function{std::move(text), std::move(t)});
}

/// Runs a call of a transformed function such as grad(f) or vmap(f). `inner` is a call of f with the same arguments.
Value call_now(Stager& s, const Transformed& t, Call inner) {
    switch (t.kind) {
    case Transformation::jit: return s.calls().call(std::move(inner));
    case Transformation::checkpoint: return checkpoint_call(s, t, std::move(inner));
    case Transformation::grad:
    case Transformation::value_and_grad: return gradient_call(s, t, std::move(inner));
    case Transformation::vmap:
    case Transformation::pmap: return map_call(s, t, std::move(inner));
    case Transformation::custom_jvp:
    case Transformation::custom_vjp:
    case Transformation::linear_call:
        if (s.interpreting() || all_known(call_leaves(inner))) return s.calls().call(std::move(inner));
        return custom_call(s, t, s.calls().by_position(inner), inner.span);
    }
    PM_UNREACHABLE();
}

} // namespace

Value Calls::call_transformed(const Value& function, CallArguments given) {
    const Span span = given.span;
    if (const LinearMap* map = function.function()->linear()) return linear_call(s_, *map, given.positional, span);
    // At top level, the call below runs the function.
    return through(
        s_, function, [&] { return chain_text(s_, function); }, s_.places().site().positional, span,
        [&] { return s_.specialiser().call({function, given.positional, given.named, span}); });
}

Value Calls::transform_now(Call call) {
    const Value function = call.function;
    const auto chain = [&] { return chain_text(s_, function); };
    return through(s_, function, chain, s_.places().site().positional, call.span, [&] {
        const Function& f = *function.function();
        if (f.linear()) return linear_call(s_, *f.linear(), call.arguments, call.span);
        return call_now(s_, *f.transformed(), std::move(call).of(f.transformed()->function()));
    });
}

Value custom_value(Stager& s, Transformation kind, const Arguments& a) {
    for (std::size_t i = 0; i < a.values.size(); ++i)
        if (!a[i].function() && !a[i].dtype()) raise(diagnose(Diag::not_a_function, a.spans[i], describe(a[i])));
    s.around().custom_rules.any = true;
    s.around().custom_rules.linear_calls |= kind == Transformation::linear_call;
    return make_function({.kind = kind, .functions = a.values, .span = a.span});
}

Value transform_value(Stager& s, Transformation kind, Arguments& a, const std::vector<std::string>& names) {
    const Value& f = a[0];
    if (!f.function() && !f.dtype()) raise(diagnose(Diag::not_a_function, a.spans[0], describe(f)));
    Transformed t{.kind = kind, .functions = {f}, .span = a.span};
    for (std::size_t i = 1; i < names.size(); ++i)
        if (a.given[i]) { // numbers in options (axes, sizes, bools) must be known
            t.options.emplace_back(names[i], map_leaves(a[i], [&](const Value& leaf) -> Value {
                                       return !leaf.number() && numeric_type(leaf).type.rank() == 0
                                                  ? Value(need_number(s, leaf, a.spans[i], names[i]))
                                                  : leaf;
                                   }));
            t.option_spans.push_back(a.spans[i]);
        }
    return make_function(std::move(t));
}

} // namespace pm::stage
