// A function that calls itself while it is being staged.
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

/// Makes `ending`, on which it depends whether a recursion goes on, known where it can be.
void Stager::end_recursion(const Value& ending, const std::function<Diagnostic()>& otherwise, Span span) {
    if (!can_become_known(ending)) return;
    try {
        need_number(ending, span, "the number that ends a recursion");
    } catch (NeedKnown& need) {
        need.otherwise = std::make_shared<const Diagnostic>(otherwise());
        throw;
    }
}

/// After an early return the condition is hidden in how the block goes on: then a number that is passed on can end the
/// recursion.
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
    // The same function for the same types is being staged: only known conditions can end this. `outside` of them stood
    // around the first call.
    const std::string& name = function.function()->name;
    const Condition* condition = nullptr; // the innermost that is staged
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

/// A call of `function` could not be staged. Where the function calls itself for other types each time, as for the rows
/// of its argument, both sides of the condition that ends this are staged, and what fails may stand behind the last
/// call: then the condition becomes known. True: the call is to be staged again, with more of its numbers known.
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
    if (failure.id != Diag::recursion_too_deep) // no number of this call ends what goes on for a thousand more
        for (std::size_t i = 0; i < leaves.size(); ++i)
            if (leaves[i].number())
                more |= cache_->knowns[key].leaves.try_emplace(static_cast<std::int64_t>(i), reason).second;
    if (more) return true;
    const auto otherwise = [&] { return failure; };
    try {
        for (std::size_t i = outermost->conditions; i < conditions_.size(); ++i)
            if (conditions_[i].value.staged()) end_recursion(conditions_[i].value, otherwise, span);
        end_recursion_by(leaves, otherwise, span);
    } catch (const NeedUnroll&) { // of a loop that may be long: what has failed says more
    }
    return false;
}

} // namespace pm::stage
