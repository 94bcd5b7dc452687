#pragma once
#include "compiler/syntax/build/builder.hpp"

namespace pm::syntax::grammar {

/// Parses a whole text and builds its statements. Reports mistakes to the builder, at most one for each statement. If
/// the parse must stop, throws GiveUp.
void parse_file(const Tokens& tokens, Builder& builder);

} // namespace pm::syntax::grammar
