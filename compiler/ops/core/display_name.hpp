#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/ir.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pm::ops {

/// The name of an operation in programs. It is an operator or a function, for example `%` for `rem`. Messages to users
/// contain this name, never the name in IR text.
std::string_view display_name(ir::Op op);

/// The name of the operation in programs. For a factorization, this is the function of `linalg`.
std::string name_in_programs(const ir::Inst& inst);
/// The expression, in a program, of an operation on these operands, such as "log(a)" or "a / b".
std::string as_written(std::string_view name, const std::vector<std::string>& operands);
/// The expression of the elementwise instruction `inst` on these operands.
std::string as_written(const ir::Inst& inst, std::vector<std::string> operands);

/// If a message begins with a display_name or an operator, replaces it by `name`. Otherwise the message does not
/// change. The replacement is needed because several functions and operators of the language may use one operation.
void replace_display_name(Diagnostic& diagnostic, std::string_view name);

} // namespace pm::ops
