#pragma once
#include "compiler/stage/core/staged_function.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/transform/analysis/numeric_checks.hpp"

#include <set>
#include <string>
#include <vector>

namespace pm::stage {

/// Stages functions into separate blocks. Runs such blocks, or appends calls of the blocks to the current context.
class Staging {
  public:
    explicit Staging(Stager& s) : s_(s) {}

    /// Stages `body`, which is a call of `function`, into a separate block. For each leaf, `body` gets a parameter of
    /// the new block. For a leaf whose index is in `known`, `body` gets a known number instead. Staging is repeated
    /// until all numbers that `function` needs are known.
    StagedFunction function(const Value& function, const std::vector<Value>& leaves, const std::set<std::size_t>& known,
                            const std::function<Value(const std::vector<Value>&)>& body, Span span,
                            const NeedHandlers& handlers = {});
    /// Stages a call of any function value into a block.
    StagedFunction call(const Call& call);
    /// Stages a call in which `leaves` replace the leaves of the function and the arguments. The new leaves may have
    /// other types. For example, they may be slices of the original leaves. Leaves whose index is in `known` are
    /// numbers that stay known.
    StagedFunction leaves(const Call& call, const std::vector<Value>& leaves, const std::set<std::size_t>& known,
                          const LeafCheck& before_known = {});
    /// The result of a staged function. Its staged leaves are replaced by `results`, the results of the function's
    /// block.
    Value rebuild(const StagedFunction& f, const std::vector<Value>& results) const;
    /// The result of a staged function. The staged leaves of the result are values of the function's block. In
    /// interpreted code, Interpreted::known_result converts the known numbers in the result.
    Value result_of(const StagedFunction& f) const;

    /// Appends a call of `block` with these operands to the current context. In interpreted code, runs the block
    /// instead. `policy` selects the values that a derivative keeps (transform/partial_eval/checkpoint.hpp). If
    /// `policy` is empty, the derivative keeps all values that it needs.
    std::vector<Value> apply(const ir::BlockPtr& block, const std::vector<Value>& operands,
                             const std::vector<NumericType>& results, Span span, const std::string& policy = {});
    /// Runs a block at top level. If `donation` is not null, `leaf_of[i]` is the index of the leaf that is passed as
    /// operand number i. The operands after `leaf_of` are captures.
    std::vector<Value> run(const ir::BlockPtr& block, const std::vector<Value>& operands,
                           const std::vector<NumericType>& results, Span span, Donation* donation = nullptr,
                           const std::vector<std::size_t>& leaf_of = {});
    /// Runs the operations in `context`, which was opened at top level. Returns `result` with its staged leaves
    /// replaced by the computed values.
    Value finish_at_top(const std::shared_ptr<Context>& context, const Value& result, Span span);

    /// The known number that is passed to `function` for `leaf`, which must be known. If the leaf cannot be known,
    /// raises `otherwise`.
    Number needed_number(const Value& function, const Reason& otherwise, const Value& leaf, Widths widths, Span span);
    /// The number that is passed to `function` for the known number `n`. A function of the library gets the number as a
    /// literal with all digits; other functions get a computed number.
    Number known_to(const Value& function, const Number& n, Widths widths) const;
    /// The number of `leaf`, which must be known. If the leaf cannot be known, raises `otherwise`.
    Number number_or(const Reason& otherwise, const Value& leaf, Span span);

  private:
    /// Stages the function once. Leaves that are not known become parameters.
    StagedFunction one_round(const std::shared_ptr<Context>& context, const std::vector<Value>& given,
                             const std::vector<bool>& known,
                             const std::function<Value(const std::vector<Value>&)>& body, Span span);

    Stager& s_;
};

/// Whether a value contains a function, a module, or a string with staged values. A call with such a result cannot have
/// a separate block.
bool holds_function(const Value& v);
/// Returns `block`. If Host::verify is set, verifies the block first. If the block is invalid, the internal error names
/// `after`, the step that built the block.
const ir::BlockPtr& verified(const Stager& s, const ir::BlockPtr& block, std::string_view after);
/// Returns `block` with the checks that it needs, and verifies it. Must be called for each new block before the block
/// is transformed or run.
ir::BlockPtr prepared(const Stager& s, const ir::BlockPtr& block);
/// Returns `block`. If Host::check_nans is set, adds checks that no operation of the block computes a NaN.
ir::BlockPtr nan_checked(const Stager& s, const ir::BlockPtr& block, const transform::NanChecks& what = {});

} // namespace pm::stage
