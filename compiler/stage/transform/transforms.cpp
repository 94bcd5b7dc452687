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

Value make_function(std::string kind, std::vector<Value> values, std::vector<std::pair<std::string, Value>> options,
                    std::vector<Span> option_spans, Span span) {
    Function f;
    f.name = values.empty() ? kind : fmt::format("{}({})", kind, name_of(values[0]));
    f.transformed = Transformed{std::move(kind),        std::move(values), std::move(options), nullptr, nullptr, span,
                                std::move(option_spans)};
    constexpr std::size_t option_bytes = 128; // about
    return std::allocate_shared<const Function>(Counted<Function, option_bytes>(), std::move(f));
}

} // namespace

Value Stager::call_transformed(const Value& function, CallArguments given) {
    const Transformed& t = *function.function()->transformed;
    const Span span = given.span;
    if (t.kind == "pullback" || t.kind == "pushforward") return linear_call(*this, t, given.positional, span);
    // At top level this runs the function.
    return through(
        *this, function, [&] { return chain_text(*this, function); }, places_.site().positional, span,
        [&] { return specialiser_->call({function, given.positional, given.named, span}); });
}

Value Stager::transform_now(Call call) {
    const Value function = call.function;
    const Transformed& t = *function.function()->transformed;
    const auto chain = [&] { return chain_text(*this, function); };
    return through(*this, function, chain, places_.site().positional, call.span, [&] {
        if (t.kind == "pullback" || t.kind == "pushforward") return linear_call(*this, t, call.arguments, call.span);
        Call inner = std::move(call).of(t.values[0]);
        if (t.kind == "jit") return call_function(std::move(inner));
        if (t.kind == "checkpoint") return checkpoint_call(*this, t, std::move(inner));
        if (t.kind == "grad" || t.kind == "value_and_grad") return gradient_call(*this, t, std::move(inner));
        if (t.kind == "vmap" || t.kind == "pmap") return map_call(*this, t, std::move(inner));
        if (interpreting() || all_known(call_leaves(inner))) return call_function(std::move(inner));
        return custom_call(*this, t, by_position(inner), inner.span);
    });
}

Value custom_value(Stager& s, const std::string& kind, const Arguments& a) {
    for (std::size_t i = 0; i < a.values.size(); ++i)
        if (!a[i].function() && !a[i].dtype()) raise(diagnose(Diag::not_a_function, a.spans[i], describe(a[i])));
    s.custom_rules().any = true;
    s.custom_rules().linear_calls |= kind == "_linear_call";
    return make_function(kind, a.values, {}, {}, a.span);
}

Value transform_value(Stager& s, const std::string& kind, Arguments& a, const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, Value>> options;
    std::vector<Span> spans;
    const Value& f = a[0];
    if (!f.function() && !f.dtype()) raise(diagnose(Diag::not_a_function, a.spans[0], describe(f)));
    for (std::size_t i = 1; i < names.size(); ++i)
        if (a.given[i]) { // numbers in options must be known: axes, sizes, switches
            options.emplace_back(names[i], map_leaves(a[i], [&](const Value& leaf) -> Value {
                                     return !leaf.number() && numeric_type(leaf).type.rank() == 0
                                                ? Value(s.need_number(leaf, a.spans[i], names[i]))
                                                : leaf;
                                 }));
            spans.push_back(a.spans[i]);
        }
    return make_function(kind, {f}, std::move(options), std::move(spans), a.span);
}

} // namespace pm::stage
