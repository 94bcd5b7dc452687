#pragma once
#include "compiler/base/diagnostic.hpp"

namespace pm {

/// A copy of the diagnostic with shortened texts, for output. A text can be long because it quotes names and numbers of
/// the program. A quotation (in backquotes) of more than 200 characters is cut to its first 40. A text of more than
/// 2000 characters loses its middle.
Diagnostic shortened(Diagnostic diagnostic);

} // namespace pm
