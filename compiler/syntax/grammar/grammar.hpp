#pragma once
#include "compiler/syntax/build/builder.hpp"

namespace pm::syntax::grammar {

/// Reads a whole text and makes its statements. It reports mistakes to the builder, one for each statement. Throws
/// GiveUp.
void parse_file(const Tokens& tokens, Builder& builder);

} // namespace pm::syntax::grammar
