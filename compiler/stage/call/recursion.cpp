// Functions that call themselves while they are being staged.
#include "compiler/stage/call/specialise.hpp"

#include <algorithm>

namespace pm::stage {

namespace {

Diagnostic endless_recursion(const std::string& name, Span condition, Span span) {
    return diagnose(Diag::staged_recursion, span, name)
        .label(condition, "under this condition")
        .fix("use a `while` or `for` loop, or pass a known number that ends the recursion");
}

} // namespace

/// Makes `ending`, which decides whether a recursion continues, known if possible.
void Stager::end_recursion(const Value& ending, const std::function<Diagnostic()>& otherwise, Span span) {
    if (!can_become_known(ending)) return;
    try {
        need_number(ending, span, "the number that ends a recursion");
    } catch (NeedKnown& need) {
        need.otherwise = std::make_shared<const Diagnostic>(otherwise());
        throw;
    }
}

/// After an early return, the condition is part of the block's exit code. Then a number that is passed to the recursive
/// call can end the recursion.
void Stager::end_recursion_by(const std::vector<Value>& leaves, const std::function<Diagnostic()>& otherwise,
                              Span span) {
    for (const bool integers : {true, false})
        for (const Value& leaf : leaves) {
            const Staged* s = leaf.staged();
            if (s && s->type.rank() == 0 && runtime::is_integer(s->type.dtype) == integers)
                end_recursion(leaf, otherwise, span);
        }
}

Value Stager::recursive_call(const Value& function, const std::vector<Value>& arguments,
                             const std::vector<std::pair<std::string, Value>>& named, const std::vector<Value>& leaves,
                             std::size_t outside, Span span) {
    // The same function is being staged for the same types, so only known conditions can end the recursion. `outside`
    // is the number of conditions around the first call.
    const std::string& name = function.function()->name;
    const Condition* condition = nullptr; // the innermost staged one
    const auto endless = [&] { return endless_recursion(name, condition->span, span); };
    for (std::size_t i = outside; i < conditions_.size(); ++i) {
        if (!conditions_[i].value.staged()) continue;
        condition = &conditions_[i];
        end_recursion(condition->value, endless, span);
    }
    if (condition) {
        end_recursion_by(leaves, endless, span);
        if (std::none_of(leaves.begin(), leaves.end(), [](const Value& v) { return v.number() != nullptr; }))
            raise(endless());
    }
    return call_unstaged(function, arguments, named, span);
}

/// Handles a call of `function` that could not be staged. The function may call itself with other types each time, as
/// for the rows of its argument. Both sides of the ending condition are then staged, and the failure may be after the
/// last call. In that case the condition becomes known. True: stage the call again with more of its numbers known.
bool Stager::end_failed_recursion(const Value& function, const Digest& key, const std::vector<Value>& leaves,
                                  const Diagnostic& failure, Span span) {
    const Function* f = function.function();
    if (!f || f->native || f->transformed || ends_run(failure)) return false;
    const syntax::Function* declared = &(*f->module)[f->id];
    const Frame* outermost = nullptr;
    for (const Frame* frame = frame_; frame; frame = frame->caller)
        if (frame->function == declared) outermost = frame;
    if (!outermost) return false;
    const auto reason = std::make_shared<const Diagnostic>(failure);
    bool more = false;
    if (failure.id != Diag::recursion_too_deep) // else no number of this call can end the recursion
        for (std::size_t i = 0; i < leaves.size(); ++i)
            if (leaves[i].number())
                more |= cache_->knowns[key].leaves.try_emplace(static_cast<std::int64_t>(i), reason).second;
    if (more) return true;
    const auto otherwise = [&] { return failure; };
    try {
        for (std::size_t i = outermost->conditions; i < conditions_.size(); ++i)
            if (conditions_[i].value.staged()) end_recursion(conditions_[i].value, otherwise, span);
        end_recursion_by(leaves, otherwise, span);
    } catch (const NeedUnroll&) { // unrolling a loop that may be long; the failure is the better message
    }
    return false;
}

} // namespace pm::stage
