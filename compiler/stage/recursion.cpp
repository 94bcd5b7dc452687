// A function that calls itself while it is being staged.
#include "compiler/stage/stager.hpp"

#include <algorithm>

namespace pm::stage {

namespace {

Diagnostic endless_recursion(const std::string& name, Span condition, Span span) {
    return diagnose(Diag::staged_recursion, span, name)
        .label(condition, "under this condition")
        .fix("use a `while` or `for` loop, or pass a known number that ends the recursion");
}

} // namespace

/// Makes `ending`, on which it depends whether `name` calls itself again, known where it can be.
void Stager::end_recursion(const Value& ending, const std::string& name, const Condition& condition, Span span) {
    if (!can_become_known(ending)) return;
    try {
        need_number(ending, span, "the number that ends a recursion");
    } catch (NeedKnown& need) {
        need.otherwise = std::make_shared<const Diagnostic>(endless_recursion(name, condition.span, span));
        throw;
    }
}

Value Stager::recursive_call(const Value& function, const std::vector<Value>& arguments,
                             const std::vector<std::pair<std::string, Value>>& named, const std::vector<Value>& leaves,
                             std::size_t outside, Span span) {
    // The same function for the same types is being staged: only known conditions can end this. `outside` of them stood
    // around the first call.
    const std::string& name = function.function()->name;
    const Condition* condition = nullptr; // the innermost that is staged
    for (std::size_t i = outside; i < conditions_.size(); ++i) {
        if (!conditions_[i].value.staged()) continue;
        condition = &conditions_[i];
        end_recursion(condition->value, name, *condition, span);
    }
    if (condition) {
        // After an early return the condition is hidden in how the block goes on: then a number that is passed on can
        // end it.
        for (const bool integers : {true, false})
            for (const Value& leaf : leaves) {
                const Staged* s = leaf.staged();
                if (s && s->type.rank() == 0 && runtime::is_integer(s->type.dtype) == integers)
                    end_recursion(leaf, name, *condition, span);
            }
        if (std::none_of(leaves.begin(), leaves.end(), [](const Value& v) { return v.number() != nullptr; }))
            raise(endless_recursion(name, condition->span, span));
    }
    return call_unstaged(function, arguments, named, span);
}

} // namespace pm::stage
