#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/op.hpp"

namespace pm::ops {

/// What a program calls an operation: its operator or function, `%` for `rem`. Messages to users say this name, never
/// that of IR text.
std::string_view display_name(ir::Op op);

/// Lets a message that begins with an operation's display_name name, or an operator, begin with `name`: several
/// functions and operators of the language may be made of one operation. Other messages stay as they are.
void speak_of(Diagnostic& diagnostic, std::string_view name);

} // namespace pm::ops
