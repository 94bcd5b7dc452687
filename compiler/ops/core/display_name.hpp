#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/op.hpp"

namespace pm::ops {

/// The name of an operation in programs. It is an operator or a function, for example `%` for `rem`. Messages to users
/// contain this name, never the name in IR text.
std::string_view display_name(ir::Op op);

/// If a message begins with a display_name or an operator, replaces it by `name`. Otherwise the message does not
/// change. The replacement is needed because several functions and operators of the language may use one operation.
void replace_display_name(Diagnostic& diagnostic, std::string_view name);

} // namespace pm::ops
