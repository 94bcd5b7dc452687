#pragma once
#include "compiler/ops/core/build.hpp"
#include "runtime/array.hpp"

#include <optional>

namespace pm::optimize {

/// The elements of the result of a `constant` instruction.
struct Constant {
    ir::Type type;
    ir::Literal literal;

    /// Whether the literal has one element for all.
    bool splat() const { return literal.bytes.size() == runtime::size_of(type.dtype); }
    /// Whether this is a splat of `value` converted to the dtype. -0.0 and 0.0 are different.
    bool is(double value) const;
    runtime::Array array() const;
};

std::optional<Constant> constant_of(const ops::Build& b, ir::Value v);
/// The elements of an array as a literal: one element if all are equal.
ir::Literal literal_of(const runtime::Array& array);

/// The results of a flat instruction that can be folded. They are constants computed with the eval rules of the
/// operations, or the chosen operand of a select. The list is empty for a check that holds. nullopt for other
/// instructions. Constants have at most `most_folded` elements, unless all elements are equal. Only operations whose
/// bits are the same in every implementation are folded, so that results do not change if the pass is skipped.
std::optional<ir::Values> fold_flat(ops::Build& b, const ir::Inst& inst, const std::vector<ir::Type>& types);
inline constexpr std::int64_t most_folded = 256;

/// The replacement of a control instruction: a block and its arguments.
struct FoldedControl {
    ir::BlockPtr block; ///< null: the results are the arguments
    ir::Values arguments;
};
/// Folds an `if` with a constant condition to the taken branch, and a loop without iterations to its initial values.
/// nullopt for other instructions.
std::optional<FoldedControl> fold_control(ops::Build& b, const ir::Inst& inst, const std::vector<ir::Type>& types);

} // namespace pm::optimize
