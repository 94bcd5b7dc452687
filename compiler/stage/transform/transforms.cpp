// grad, vmap, pmap, jit ... as values and as calls.
#include "compiler/stage/transform/transforms.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/call/library_call.hpp"
#include "compiler/stage/call/transform_trace.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/core/tree.hpp"
#include "compiler/stage/known/options.hpp"
#include "compiler/stage/transform/custom.hpp"
#include "compiler/stage/transform/derivatives.hpp"
#include "compiler/stage/transform/mapping.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

namespace {

Value make_function(Transformed t) {
    Function f;
    f.name = fmt::format("{}({})", name(t.kind), name_of(t.function()));
    f.transformed = std::move(t);
    constexpr std::size_t option_bytes = 128; // about
    return std::allocate_shared<const Function>(Counted<Function, option_bytes>(), std::move(f));
}

/// A call of grad(f), vmap(f) ...; `inner` is the same call of f.
Value call_now(Stager& s, const Transformed& t, Call inner) {
    switch (t.kind) {
    case Transformation::jit: return s.call_function(std::move(inner));
    case Transformation::checkpoint: return checkpoint_call(s, t, std::move(inner));
    case Transformation::grad:
    case Transformation::value_and_grad: return gradient_call(s, t, std::move(inner));
    case Transformation::vmap:
    case Transformation::pmap: return map_call(s, t, std::move(inner));
    case Transformation::custom_jvp:
    case Transformation::custom_vjp:
    case Transformation::linear_call:
        if (s.interpreting() || all_known(call_leaves(inner))) return s.call_function(std::move(inner));
        return custom_call(s, t, s.by_position(inner), inner.span);
    }
    PM_UNREACHABLE();
}

} // namespace

Value Stager::call_derived(const Value& function, CallArguments given) {
    const Span span = given.span;
    if (const auto& map = function.function()->linear) return linear_call(*this, *map, given.positional, span);
    // At top level this runs the function.
    return through(
        *this, function, [&] { return chain_text(*this, function); }, places_.site().positional, span,
        [&] { return specialiser_->call({function, given.positional, given.named, span}); });
}

Value Stager::transform_now(Call call) {
    const Value function = call.function;
    const auto chain = [&] { return chain_text(*this, function); };
    return through(*this, function, chain, places_.site().positional, call.span, [&] {
        const Function& f = *function.function();
        if (f.linear) return linear_call(*this, *f.linear, call.arguments, call.span);
        return call_now(*this, *f.transformed, std::move(call).of(f.transformed->function()));
    });
}

Value custom_value(Stager& s, Transformation kind, const Arguments& a) {
    for (std::size_t i = 0; i < a.values.size(); ++i)
        if (!a[i].function() && !a[i].dtype()) raise(diagnose(Diag::not_a_function, a.spans[i], describe(a[i])));
    s.custom_rules().any = true;
    s.custom_rules().linear_calls |= kind == Transformation::linear_call;
    return make_function({.kind = kind, .functions = a.values, .span = a.span});
}

Value transform_value(Stager& s, Transformation kind, Arguments& a, const std::vector<std::string>& names) {
    const Value& f = a[0];
    if (!f.function() && !f.dtype()) raise(diagnose(Diag::not_a_function, a.spans[0], describe(f)));
    Transformed t{.kind = kind, .functions = {f}, .span = a.span};
    for (std::size_t i = 1; i < names.size(); ++i)
        if (a.given[i]) { // numbers in options must be known: axes, sizes, switches
            t.options.emplace_back(names[i], map_leaves(a[i], [&](const Value& leaf) -> Value {
                                       return !leaf.number() && numeric_type(leaf).type.rank() == 0
                                                  ? Value(s.need_number(leaf, a.spans[i], names[i]))
                                                  : leaf;
                                   }));
            t.option_spans.push_back(a.spans[i]);
        }
    return make_function(std::move(t));
}

} // namespace pm::stage
