#pragma once
#include "compiler/transform/core/bit_mask.hpp"

namespace pm::transform {

/// True if `inst` is a check that guards a value (Attr::guards). The guarded value is the last operand: the result of a
/// division, or the index of a read. The check tests only those elements of the guarded value that are used.
bool guards_value(const Inst& inst);
/// Returns `check` without the guarded operand. A check can run only without this operand.
Inst without_guarded(Inst check);

/// Masks each check that guards a value. The check then tests only those elements of the value that a taken branch
/// uses.
/// - A value that only one branch of a `select` or an `if` uses is checked only where that branch is taken.
/// - An unused value is checked everywhere, except in a callee whose results only one branch uses.
/// - A value that an effect uses is checked everywhere.
/// - Checks in callees, loops and branches are masked like those of the block itself.
/// - If it is not known which elements of a value are used, all its elements are checked.
BlockPtr with_masked_checks(const BlockPtr& block);

} // namespace pm::transform
