#pragma once
#include "compiler/stage/core/staged_function.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/transform/analysis/nan_checks.hpp"

#include <set>
#include <string>
#include <vector>

namespace pm::stage {

/// Stages functions into separate blocks, and runs blocks or appends calls of them.
class Staging {
  public:
    explicit Staging(Stager& s) : s_(s) {}

    /// Stages `body`, a call of `function`, into a separate block. For each leaf, `body` gets a parameter of the new
    /// block, or a known number if the leaf is in `known`. The function is staged again until all numbers that it needs
    /// are known.
    StagedFunction function(const Value& function, const std::vector<Value>& leaves, const std::set<std::size_t>& known,
                            const std::function<Value(const std::vector<Value>&)>& body, Span span,
                            const NeedHandlers& handlers = {});
    /// Stages a call of any function value into a block.
    StagedFunction call(const Call& call);
    /// Stages a call in which `leaves` replace the leaves of the function and the arguments. The new leaves may have
    /// other types; for example, they may be slices. Leaves in `known` are numbers that stay known.
    StagedFunction leaves(const Call& call, const std::vector<Value>& leaves, const std::set<std::size_t>& known,
                          const LeafCheck& before_known = {});
    /// The result of a staged function. Its leaves are `results`, the results of the function's block.
    Value rebuild(const StagedFunction& f, const std::vector<Value>& results) const;
    /// The result of a staged function. Its staged leaves are values of the function's block. In interpreted code,
    /// known numbers in the result are converted by Interpreted::known_result.
    Value result_of(const StagedFunction& f) const;

    /// Appends a call of `block` with these operands to the current context; at top level, runs the block instead.
    /// `policy` selects the values that a derivative keeps (transform/partial_eval/checkpoint.hpp); empty: all values.
    std::vector<Value> apply(const ir::BlockPtr& block, const std::vector<Value>& operands,
                             const std::vector<NumericType>& results, Span span, const std::string& policy = {});
    /// Runs a block at top level. If `donation` is not null, leaf_of[i] is the index of the leaf that is operand i;
    /// further operands are captures.
    std::vector<Value> run(const ir::BlockPtr& block, const std::vector<Value>& operands,
                           const std::vector<NumericType>& results, Span span, Donation* donation = nullptr,
                           const std::vector<std::size_t>& leaf_of = {});
    /// Runs the operations that have been appended to `context` at top level. Returns `result`, with its staged leaves
    /// replaced by the results.
    Value finish_at_top(const std::shared_ptr<Context>& context, const Value& result, Span span);

    /// The known number that is passed for a leaf which must be known. If the leaf cannot be known, raises `otherwise`.
    Number needed_number(const Value& function, const Reason& otherwise, const Value& leaf, Widths widths, Span span);
    /// The known number that is passed to `function`. A function of the library gets a number with all digits.
    Number known_to(const Value& function, const Number& n, Widths widths) const;
    /// The number of a leaf that must be known. If the leaf cannot be known, raises `otherwise`.
    Number number_or(const Reason& otherwise, const Value& leaf, Span span);

  private:
    /// Stages the function once: leaves become parameters unless they are known.
    StagedFunction one_round(const std::shared_ptr<Context>& context, const std::vector<Value>& given,
                             const std::vector<bool>& known,
                             const std::function<Value(const std::vector<Value>&)>& body, Span span);

    Stager& s_;
};

/// Whether a value holds a function, a module or computed text. A call with such a result cannot have a separate block.
bool holds_function(const Value& v);
/// Returns the block. With Host::verify, the block is verified first; if it is invalid, the internal error names
/// `after`, the step that built the block.
const ir::BlockPtr& verified(const Stager& s, const ir::BlockPtr& block, std::string_view after);
/// Prepares a new block for transformations and runs.
ir::BlockPtr prepared(const Stager& s, const ir::BlockPtr& block);
/// Returns the block. With Host::check_nans, returns a block with checks that its operations compute no NaN.
ir::BlockPtr nan_checked(const Stager& s, const ir::BlockPtr& block, const transform::NanChecks& what = {});

} // namespace pm::stage
