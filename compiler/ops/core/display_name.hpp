#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/op.hpp"

namespace pm::ops {

/// The name of an operation in programs: its operator or function, `%` for `rem`. Messages to users contain this name,
/// never the name in IR text.
std::string_view display_name(ir::Op op);

/// Replaces the display_name or operator at the beginning of a message by `name`, because several functions and
/// operators of the language may use one operation. Other messages do not change.
void replace_display_name(Diagnostic& diagnostic, std::string_view name);

} // namespace pm::ops
