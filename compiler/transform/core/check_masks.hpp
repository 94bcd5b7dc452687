#pragma once
#include "compiler/transform/core/bit_mask.hpp"

namespace pm::transform {

/// Whether this is a check that guards a value (Attr::guards). That value is the last operand: the result of a
/// division, or the index of a read. The check tests only the elements of that value that are used.
bool guards_value(const Inst& inst);
/// The check without the guarded operand. Only this form can run.
Inst without_guarded(Inst check);

/// Masks each check that guards a value: the check then tests only the elements of the value that a taken branch uses.
/// - A value that only one branch of a `select` or an `if` uses is checked only where that branch is taken.
/// - An unused value is checked everywhere, except in a callee whose results only one branch uses.
/// - A value that an effect uses is checked everywhere.
/// - Checks in callees, loops and branches are masked like those of the block itself.
/// - If elements of a value may be used, but it is not known which, all elements are checked.
BlockPtr with_masked_checks(const BlockPtr& block);

} // namespace pm::transform
