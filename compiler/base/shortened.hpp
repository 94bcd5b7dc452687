#pragma once
#include "compiler/base/diagnostic.hpp"

namespace pm {

/// A copy of the diagnostic to show, in which all texts are short: they may quote long names and numbers of the
/// program. A quotation (in backquotes) of more than 200 characters is cut to its first 40. From a text of more than
/// 2000 characters the middle is removed.
Diagnostic shortened(Diagnostic diagnostic);

} // namespace pm
