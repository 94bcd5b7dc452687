#pragma once
#include "compiler/transform/core/bit_mask.hpp"

namespace pm::transform {

/// A check beside an operation that is total: its last operand is the value that it guards (Attr::guards), the result
/// of a division or an index that something is read at. It is made where somebody uses that value.
bool guards_value(const Inst& inst);
/// The same check without that operand: for whatever runs.
Inst without_guarded(Inst check);

/// The block with the checks that guard a value masked: they hold for the elements of the value that a side which is
/// taken uses. What one side of a `select` or an `if` uses alone counts where that side is taken; what nobody uses
/// counts everywhere (but in a call that a side alone uses), and so does what an effect uses. Checks of what the block
/// calls, or does in loops and branches, are masked like those of the block itself. Where elements cannot be told
/// apart, all of them count if one does.
BlockPtr with_masked_checks(const BlockPtr& block);

} // namespace pm::transform
