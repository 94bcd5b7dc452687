#pragma once
#include "compiler/base/diagnostic.hpp"

namespace pm {

/// The diagnostic as it is shown, with all texts short, since they may quote long names and numbers of the program. A
/// quotation, `...`, of more than 200 characters is cut to 40. A text of more than 2000 is cut in its middle.
Diagnostic shortened(Diagnostic diagnostic);

} // namespace pm
