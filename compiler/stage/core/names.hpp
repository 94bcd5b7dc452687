#pragma once
#include "compiler/syntax/ast.hpp"

#include <set>
#include <string>
#include <vector>

namespace pm::stage {

/// Every name a function's body mentions, its own parameters and locals too.
std::set<std::string> free_names(const syntax::Module& tree, syntax::FunctionId id);
/// The same of an expression.
std::set<std::string> free_names(const syntax::Module& tree, syntax::ExprId id);
/// Every name that a block's statements assign (`x = ..`, `x[i] += ..`), in inner blocks too but not in functions.
std::set<std::string> assigned_names(const syntax::Module& tree, syntax::BlockId id);
/// The same for the blocks inside an expression.
std::set<std::string> assigned_names(const syntax::Module& tree, syntax::ExprId id);
/// Those of them that it gives another value than what they have with something behind it (`t += x`, `t = t + x`).
std::set<std::string> assigned_otherwise(const syntax::Module& tree, syntax::BlockId id);
/// The names that a statement declares (`let`, `mut`, `fn`, `import`) or assigns, in inner blocks too.
std::set<std::string> changed_names(const syntax::Module& tree, syntax::StmtId id);
/// True when the block or statement holds break, continue (of an enclosing loop) or return.
bool leaves_early(const syntax::Module& tree, syntax::BlockId id);
bool leaves_early(const syntax::Module& tree, syntax::StmtId id);
/// The names a pattern binds.
std::vector<std::string> pattern_names(const syntax::Module& tree, syntax::PatternId id);
/// True when the block holds a return.
bool returns_inside(const syntax::Module& tree, syntax::BlockId id);
/// True when the block holds a break of the loop around it.
bool breaks_inside(const syntax::Module& tree, syntax::BlockId id);

} // namespace pm::stage
