#pragma once
#include "compiler/transform/core/bit_mask.hpp"

namespace pm::transform {

/// Whether this is a check of a total operation. Its last operand is the value that it guards (Attr::guards): the
/// result of a division, or an index of a read. The check is made where something uses that value.
bool guards_value(const Inst& inst);
/// The same check without that operand: the form that runs.
Inst without_guarded(Inst check);

/// Masks the checks of the block that guard a value: they hold for the elements of the value that a taken side uses.
/// - A value that only one side of a `select` or an `if` uses counts where that side is taken.
/// - A value that nothing uses counts everywhere, except in a call that only a side uses.
/// - A value that an effect uses counts everywhere.
/// - Checks in callees, loops and branches are masked like those of the block itself.
/// - Where elements cannot be told apart, all of them count if one does.
BlockPtr with_masked_checks(const BlockPtr& block);

} // namespace pm::transform
