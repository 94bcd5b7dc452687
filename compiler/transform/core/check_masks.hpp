#pragma once
#include "compiler/transform/core/bit_mask.hpp"

namespace pm::transform {

/// Whether this is a check that guards a value (Attr::guards), its last operand: the result of a division, or an index
/// of a read. The check runs only where that value is used.
bool guards_value(const Inst& inst);
/// The check without the guarded operand, in the form that runs.
Inst without_guarded(Inst check);

/// Masks the checks of the block that guard a value, so that they test only the elements that a taken branch uses.
/// - A value that only one branch of a `select` or an `if` uses is checked where that branch is taken.
/// - An unused value is checked everywhere, except in a call that only one branch uses.
/// - A value that an effect uses is checked everywhere.
/// - Checks in callees, loops and branches are masked like those of the block itself.
/// - If the uses of single elements are not known, all elements are checked if one of them is used.
BlockPtr with_masked_checks(const BlockPtr& block);

} // namespace pm::transform
