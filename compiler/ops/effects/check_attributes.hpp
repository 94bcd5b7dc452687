#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/ir.hpp"

#include <string>

namespace pm::ops {

/// The attributes of a check.
struct Check {
    Diag diagnostic = Diag::check_failed;
    std::string text = {}; ///< the message, with {} for each value
    std::string help = {}; ///< the repair; may be empty
    bool guards = false;   ///< Attr::guards
};

ir::Attrs check_attributes(const Check& check);
/// `inst` is a check.
Check check_of(const ir::Inst& inst);

} // namespace pm::ops
