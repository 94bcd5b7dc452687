#pragma once
#include "compiler/ops/core/build.hpp"
#include "runtime/array.hpp"

#include <optional>

namespace pm::optimize {

/// The result of a `constant` instruction: its type and elements.
struct Constant {
    ir::Type type;
    ir::Literal literal;

    /// True if all elements are equal. The literal then has only one element.
    bool splat() const { return literal.bytes.size() == runtime::size_of(type.dtype); }
    /// True if every element is `value`, converted to the dtype. -0.0 and 0.0 are different.
    bool is(double value) const;
    runtime::Array array() const;
};

std::optional<Constant> constant_of(const ops::Build& b, ir::Value v);
/// The elements of `array` as a literal. If all elements are equal, the literal has only one element.
ir::Literal literal_of(const runtime::Array& array);

/// Folds an instruction without regions and returns its results. Nullopt if the instruction cannot be folded. A result
/// is a constant that the eval rule of the operation computed, or the chosen operand of a select. For a check that
/// holds, the list of results is empty. A constant has at most `most_folded` elements, unless all elements are equal.
/// An operation is folded only if every back end would compute the same bits. So results do not change if the pass is
/// skipped.
std::optional<ir::Values> fold_flat(ops::Build& b, const ir::Inst& inst, const std::vector<ir::Type>& types);
inline constexpr std::int64_t most_folded = 256;

/// The replacement of a control instruction. It is a call of `block` with `arguments`.
struct FoldedControl {
    ir::BlockPtr block; ///< null: the results of the instruction are the arguments
    ir::Values arguments;
};
/// Folds an `if` with a constant condition to the taken branch, and a loop without iterations to its initial values.
/// Nullopt if `inst` is neither of the two.
std::optional<FoldedControl> fold_control(ops::Build& b, const ir::Inst& inst, const std::vector<ir::Type>& types);

} // namespace pm::optimize
