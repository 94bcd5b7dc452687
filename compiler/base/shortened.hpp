#pragma once
#include "compiler/base/diagnostic.hpp"

namespace pm {

/// The diagnostic as it is shown: none of its texts is long, whatever names and numbers of the program or of its files
/// they tell. A quotation, `...`, of more than 200 characters is cut to 40; a text of more than 2000 in its middle.
Diagnostic shortened(Diagnostic diagnostic);

} // namespace pm
