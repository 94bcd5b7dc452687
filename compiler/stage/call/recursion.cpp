// Recursion: functions that call themselves while they are being staged.
#include "compiler/stage/call/cache.hpp"
#include "compiler/stage/known/known.hpp"

#include <algorithm>

namespace pm::stage {

namespace {

Diagnostic endless_recursion(const std::string& name, Span condition, Span span) {
    return diagnose(Diag::staged_recursion, span, name)
        .label(condition, "under this condition")
        .fix("use a `while` or `for` loop, or pass a known number that ends the recursion");
}

} // namespace

/// Makes the number `ending` known if possible. `ending` determines whether a recursion continues.
void Specialiser::end_recursion(const Value& ending, const std::function<Diagnostic()>& otherwise, Span span) {
    if (!can_become_known(s_, ending)) return;
    try {
        need_number(s_, ending, span, "the number that ends a recursion");
    } catch (NeedKnown& need) {
        need.otherwise = std::make_shared<const Diagnostic>(otherwise());
        throw;
    }
}

/// Makes the scalar arguments of a recursive call known, because they can end the recursion. Needed after an early
/// return under a staged condition. There, this condition is not in Scopes::conditions, but only a part of Flow::code.
void Specialiser::end_recursion_by(const std::vector<Value>& leaves, const std::function<Diagnostic()>& otherwise,
                                   Span span) {
    for (const bool integers : {true, false})
        for (const Value& leaf : leaves) {
            const Staged* s = leaf.staged();
            if (s && s->type.rank() == 0 && runtime::is_integer(s->type.dtype) == integers)
                end_recursion(leaf, otherwise, span);
        }
}

/// Called for a recursive call of a function that is being staged for the same types. Makes the numbers known that end
/// the recursion. Raises if only staged numbers can end the recursion.
void Specialiser::need_end(const KeyedCall& call, std::size_t outside) {
    // Only a known condition can end the recursion during staging. `outside` is the number of conditions around the
    // first call of the function.
    const std::string& name = call.function.function()->name;
    const Condition* condition = nullptr; // the innermost staged condition
    const auto endless = [&] { return endless_recursion(name, condition->span, call.span); };
    for (std::size_t i = outside; i < s_.scopes().conditions.size(); ++i) {
        if (!s_.scopes().conditions[i].value.staged()) continue;
        condition = &s_.scopes().conditions[i];
        end_recursion(condition->value, endless, call.span);
    }
    if (condition) {
        end_recursion_by(call.leaves, endless, call.span);
        if (std::ranges::none_of(call.leaves, [](const Value& v) { return v.number() != nullptr; })) raise(endless());
    }
}

Value Specialiser::recursive(const KeyedCall& call, std::size_t outside) {
    need_end(call, outside);
    return s_.calls().inline_call(call);
}

/// Handles a failure to stage a recursive call. The function may call itself with different types each time, for
/// example with the rows of its argument. If the condition that ends the recursion is staged, both branches of the
/// condition are staged. So staging continues after the call that would be the last call at run time, and may fail
/// there. In this case the function makes the condition known. Returns true if the call must be staged again with more
/// of its numbers known.
bool Specialiser::end_failed_recursion(const KeyedCall& call, StagedAs how, const Diagnostic& failure) {
    const Function* f = call.function.function();
    if (!f || !f->closure() || ends_run(failure)) return false;
    const syntax::Function* declared = &f->closure()->text();
    const Frame* outermost = nullptr;
    for (const Frame* frame = s_.scopes().frame; frame; frame = frame->caller)
        if (frame->function == declared) outermost = frame;
    if (!outermost) return false;
    const auto reason = std::make_shared<const Diagnostic>(failure);
    const SpecialisationKey at = specialisation_key(call, how);
    Demand demand;
    if (failure.id !=
        Diag::recursion_too_deep) // if the recursion is too deep, no number of this call can end the recursion
        for (std::size_t i = 0; i < call.leaves.size(); ++i)
            if (const auto leaf = static_cast<std::int64_t>(i);
                call.leaves[i].number() && !at.needs.leaves.contains(leaf))
                demand.leaves.emplace(leaf, reason);
    if (!demand.leaves.empty()) {
        const Demands demands{
            {call.key, demand}}; // they are demands of the caller, so they are dropped when the caller ends
        if (s_.context_) throw NeedKnown{s_.context_->function(), {}, nullptr, demands};
        add_demands(demands_, demands);
        return true;
    }
    const auto otherwise = [&] { return failure; };
    try {
        for (std::size_t i = outermost->conditions; i < s_.scopes().conditions.size(); ++i)
            if (s_.scopes().conditions[i].value.staged())
                end_recursion(s_.scopes().conditions[i].value, otherwise, call.span);
        end_recursion_by(call.leaves, otherwise, call.span);
    } catch (const NeedUnroll&) { // a loop, which may be long, would have to be unrolled; the message of the original
                                  // failure is better
    }
    return false;
}

} // namespace pm::stage
