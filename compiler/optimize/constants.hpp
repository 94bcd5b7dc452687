#pragma once
#include "compiler/ops/core/build.hpp"
#include "runtime/array.hpp"

#include <optional>

namespace pm::optimize {

/// The result of a `constant` instruction: its type and elements.
struct Constant {
    ir::Type type;
    ir::Literal literal;

    /// Whether all elements are equal; the literal then has only one element.
    bool splat() const { return literal.bytes.size() == runtime::size_of(type.dtype); }
    /// Whether every element is `value`, converted to the dtype. -0.0 and 0.0 are different.
    bool is(double value) const;
    runtime::Array array() const;
};

std::optional<Constant> constant_of(const ops::Build& b, ir::Value v);
/// The elements of an array as a literal. If all elements are equal, the literal has only one element.
ir::Literal literal_of(const runtime::Array& array);

/// Folds a flat instruction and returns its results; nullopt if the instruction cannot be folded. A result is a
/// constant, computed by the eval rule of the operation, or the chosen operand of a select. The list is empty for a
/// check that holds. A constant has at most `most_folded` elements, unless all elements are equal. An operation is
/// folded only if every implementation computes the same bits. So results do not change if the pass is skipped.
std::optional<ir::Values> fold_flat(ops::Build& b, const ir::Inst& inst, const std::vector<ir::Type>& types);
inline constexpr std::int64_t most_folded = 256;

/// The replacement of a control instruction: a call of `block` on `arguments`.
struct FoldedControl {
    ir::BlockPtr block; ///< null: the results are the arguments
    ir::Values arguments;
};
/// Folds an `if` with a constant condition to the taken branch, and a loop without iterations to its initial values.
/// nullopt if `inst` is neither.
std::optional<FoldedControl> fold_control(ops::Build& b, const ir::Inst& inst, const std::vector<ir::Type>& types);

} // namespace pm::optimize
