#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/ir.hpp"

#include <string>

namespace pm::ops {

/// The attributes of a check.
struct Check {
    Diag diagnostic = Diag::check_failed;
    std::string text = {};   ///< the message, with {} for each value
    std::string help = {};   ///< the repair; may be empty
    bool guards = false;     ///< Attr::guards
    std::int64_t mapped = 0; ///< the number of leading axes of the condition that `vmap` or `pmap` added
};

ir::Attrs check_attributes(const Check& check);
/// `inst` is a check.
Check check_of(const ir::Inst& inst);

/// The note that names the element of the mapped axes, which have the sizes `mapped`, at which a check failed.
/// `element`: its row-major index.
std::string mapped_note(const ir::Shape& mapped, std::int64_t element);

} // namespace pm::ops
