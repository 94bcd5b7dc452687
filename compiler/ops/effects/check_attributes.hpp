#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/ir.hpp"

#include <string>

namespace pm::ops {

/// The attributes of a `check` instruction.
struct Check {
    Diag diagnostic = Diag::check_failed;
    std::string text = {};   ///< the message, with {} for each value
    std::string help = {};   ///< the repair; may be empty
    bool guards = false;     ///< Attr::guards
    std::int64_t mapped = 0; ///< the number of leading axes of the condition that `vmap` or `pmap` added
};

ir::Attrs check_attributes(const Check& check);
/// Reads the attributes of `inst`, which must be a `check`.
Check check_of(const ir::Inst& inst);

/// A note for the message of a check that failed under `vmap` or `pmap`. The note names the element of the mapped axes
/// at which the check failed. `mapped` has the sizes of these axes. `element` is the row-major index of the element.
std::string mapped_note(const ir::Shape& mapped, std::int64_t element);

} // namespace pm::ops
