#pragma once
#include "compiler/syntax/ast.hpp"

#include <set>
#include <string>

namespace pm::stage {

/// Every name a function's body mentions, its own parameters and locals too.
std::set<std::string> free_names(const syntax::Module& tree, syntax::FunctionId id);
/// Every name that a block's statements assign (`x = ..`, `x[i] += ..`), in inner blocks too but not in functions.
std::set<std::string> assigned_names(const syntax::Module& tree, syntax::BlockId id);
/// The same for the blocks inside an expression.
std::set<std::string> assigned_names(const syntax::Module& tree, syntax::ExprId id);
/// True when the block holds break, continue (of an enclosing loop) or return.
bool leaves_early(const syntax::Module& tree, syntax::BlockId id);
/// True when the block holds a return.
bool returns_inside(const syntax::Module& tree, syntax::BlockId id);
/// True when the block holds a break of the loop around it.
bool breaks_inside(const syntax::Module& tree, syntax::BlockId id);

} // namespace pm::stage
