#pragma once
#include "compiler/stage/core/staged_function.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/transform/analysis/nan_checks.hpp"

#include <set>
#include <string>
#include <vector>

namespace pm::stage {

/// Stages functions into separate blocks, and applies blocks.
class Staging {
  public:
    explicit Staging(Stager& s) : s_(s) {}

    /// Stages `body`, a call of `function`, into a separate block. `body` gets the leaves in the new context; leaves in
    /// `known` stay numbers. The function is staged again until all numbers that it needs are known.
    StagedFunction function(const Value& function, const std::vector<Value>& leaves, const std::set<std::size_t>& known,
                            const std::function<Value(const std::vector<Value>&)>& body, Span span,
                            const NeedHandlers& handlers = {});
    /// Stages a call of any function value into a block.
    StagedFunction call(const Call& call);
    /// Stages a call with `leaves` in place of those of its arguments; they may have other types, such as slices of
    /// them. Leaves in `known` are numbers that stay known.
    StagedFunction leaves(const Call& call, const std::vector<Value>& leaves, const std::set<std::size_t>& known,
                          const LeafCheck& before_known = {});
    /// The result of a staged function, with `results` of its block as leaves.
    Value rebuild(const StagedFunction& f, const std::vector<Value>& results) const;
    /// The structure of a staged function's result. In interpreted code, its known numbers become results of
    /// interpreted code (Interpreted::known_result).
    Value result_of(const StagedFunction& f) const;

    /// Appends a call of `block` with these operands to the current context, or runs it at top level. `policy`: the
    /// residuals that a derivative keeps (transform/partial_eval/checkpoint.hpp); empty: all.
    std::vector<Value> apply(const ir::BlockPtr& block, const std::vector<Value>& operands,
                             const std::vector<NumericType>& results, Span span, const std::string& policy = {});
    /// Runs a block at top level. With `donation`, leaf_of[i] is the leaf of operand i; further operands are captures.
    std::vector<Value> run(const ir::BlockPtr& block, const std::vector<Value>& operands,
                           const std::vector<NumericType>& results, Span span, Donation* donation = nullptr,
                           const std::vector<std::size_t>& leaf_of = {});
    /// Runs the operations that `context` has collected at top level. Returns `result` with their values.
    Value finish_at_top(const std::shared_ptr<Context>& context, const Value& result, Span span);

    /// The known number to pass for a leaf that must be known. If it cannot be known, the error is `otherwise`.
    Number needed_number(const Value& function, const Reason& otherwise, const Value& leaf, Widths widths, Span span);
    /// The number as `function` gets it. Functions of the library get all of its digits.
    Number known_to(const Value& function, const Number& n, Widths widths) const;
    /// The number of a leaf that must be known. If it cannot be known, the error is `otherwise`.
    Number number_or(const Reason& otherwise, const Value& leaf, Span span);

  private:
    /// Stages the function once: leaves become parameters unless they are known.
    StagedFunction one_round(const std::shared_ptr<Context>& context, const std::vector<Value>& given,
                             const std::vector<bool>& known,
                             const std::function<Value(const std::vector<Value>&)>& body, Span span);

    Stager& s_;
};

/// Returns the block. With Host::verify it is verified first; an internal error then names `after`, the step that made
/// it.
const ir::BlockPtr& verified(const Stager& s, const ir::BlockPtr& block, std::string_view after);
/// Prepares a new block for transformations and runs.
ir::BlockPtr prepared(const Stager& s, const ir::BlockPtr& block);
/// Returns the block; with Host::check_nans, a block whose operations are checked for NaNs.
ir::BlockPtr nan_checked(const Stager& s, const ir::BlockPtr& block, const transform::NanChecks& what = {});

} // namespace pm::stage
