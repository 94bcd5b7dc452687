#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/op.hpp"

namespace pm::ops {

/// The name of an operation in programs: its operator or function, `%` for `rem`. Messages to users say this name,
/// never that of IR text.
std::string_view display_name(ir::Op op);

/// If a message begins with the display_name of an operation, or with an operator, replaces this by `name`. Several
/// functions and operators of the language may be made of one operation. Other messages do not change.
void speak_of(Diagnostic& diagnostic, std::string_view name);

} // namespace pm::ops
