// The function `checkpoint`. It selects the values of a function that a derivative keeps. The derivative recomputes the
// other values.
#include "compiler/transform/partial_eval/checkpoint.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/call/staging.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/options.hpp"
#include "compiler/stage/transform/transforms.hpp"
#include "compiler/stage/values/tree.hpp"

#include <algorithm>
#include <array>

namespace pm::stage {
namespace {

namespace policy = transform::policy;
constexpr std::array policies = {policy::nothing, policy::everything, policy::dots, policy::plain_dots};

void check_policy(const Value& v, Span span) {
    if (const std::string* text = v.text()) {
        if (std::find(policies.begin(), policies.end(), *text) != policies.end()) return;
        const std::vector<std::string> known(policies.begin(), policies.end());
        auto d = diagnose(Diag::wrong_kind, span, "`checkpoint`", "a policy", describe(v));
        if (const std::string near = nearest(*text, known); !near.empty())
            raise(std::move(d).fix(fmt::format("did you mean \"{}\"?", near)));
        raise(std::move(d)
                  .note(fmt::format("policies: \"{}\"", fmt::join(known, "\", \"")))
                  .fix(fmt::format("keep what checkpoint_name(x, {0}) names: policy=({0},)", quoted_text(*text))));
    }
    const Tuple* names = v.tuple();
    for (const Value& name : names ? names->items : std::vector<Value>{})
        if (name.text() && std::find(policies.begin(), policies.end(), *name.text()) != policies.end())
            raise(diagnose(Diag::wrong_kind, span, "`checkpoint`", "names of checkpoint_name in its tuple",
                           fmt::format("the policy {}", quoted_text(*name.text())))
                      .fix(fmt::format("give a policy by its name: policy={}", quoted_text(*name.text()))));
    if (v.is_none() || (names && std::all_of(names->items.begin(), names->items.end(),
                                             [](const Value& name) { return name.text() != nullptr; })))
        return;
    raise(diagnose(Diag::wrong_kind, span, "`checkpoint`", "a policy or a tuple of names", describe(v)));
}

/// The value of Attr::policy for calls of a checkpointed function. It is empty if the derivative keeps all values.
std::string policy_of(const Transformed& t, bool loops) {
    const Value* given = option(t, "policy");
    if (!given || given->is_none()) return loops ? "" : std::string(policy::nothing);
    if (const std::string* text = given->text()) return *text == policy::everything ? "" : *text;
    std::vector<std::string> names;
    for (const Value& name : given->tuple()->items) names.push_back(*name.text());
    return policy::names(names);
}

} // namespace

Value checkpoint_value(Stager& s, Arguments& a) {
    check_policy(a[1], a.spans[1]);
    need_bool(s, a[2], a.spans[2], "loops");
    return transform_value(s, Transformation::checkpoint, a, {"f", "policy", "loops"});
}

Value checkpoint_call(Stager& s, const Transformed& t, Call inner) {
    const CallLeaves given = call_leaves(inner);
    if (s.interpreting() || all_known(given)) return s.calls().call(std::move(inner));
    const Span span = inner.span;
    const Value* loops = option(t, "loops");
    const bool segments = loops && need_bool(s, *loops, span, "loops");
    StagedFunction staged = Staging(s).call(inner);
    if (segments) staged.block = verified(s, transform::segmented(staged.block), "segments");
    std::vector<Value> operands;
    for (std::size_t i = 0; i < given.all.size(); ++i)
        if (!staged.known_leaves[i]) operands.push_back(given.all[i]);
    operands.insert(operands.end(), staged.captures.begin(), staged.captures.end());
    return Staging(s).rebuild(staged,
                              Staging(s).apply(staged.block, operands, staged.results, span, policy_of(t, segments)));
}

} // namespace pm::stage
