#pragma once
#include "compiler/syntax/ast.hpp"

#include <set>
#include <string>
#include <vector>

namespace pm::stage {

/// The names that a function reads before it binds them: the names of the scopes around it. A method `x.f(..)` reads
/// `f`. The function's own name is not free.
std::set<std::string> free_names(const syntax::Module& tree, syntax::FunctionId id);
/// Every name that a function reads, including its own parameters, locals and the names of methods.
std::set<std::string> mentioned_names(const syntax::Module& tree, syntax::FunctionId id);
/// Every name that an expression reads.
std::set<std::string> mentioned_names(const syntax::Module& tree, syntax::ExprId id);
/// Every name that a block's statements assign (`x = ..`, `x[i] += ..`), also in inner blocks but not in functions that
/// the block defines.
std::set<std::string> assigned_names(const syntax::Module& tree, syntax::BlockId id);
/// Every name that the blocks inside an expression assign.
std::set<std::string> assigned_names(const syntax::Module& tree, syntax::ExprId id);
/// The names that a block assigns other than by appending to them (`t += x` and `t = t + x` append).
std::set<std::string> assigned_otherwise(const syntax::Module& tree, syntax::BlockId id);
/// The names that a statement declares (`let`, `mut`, `fn`, `import`) or assigns, also in inner blocks.
std::set<std::string> changed_names(const syntax::Module& tree, syntax::StmtId id);
/// True if the block or statement contains a return, or a break or continue of a loop around it.
bool leaves_early(const syntax::Module& tree, syntax::BlockId id);
bool leaves_early(const syntax::Module& tree, syntax::StmtId id);
/// The names that a pattern binds.
std::vector<std::string> pattern_names(const syntax::Module& tree, syntax::PatternId id);
/// True if the block contains a return.
bool returns_inside(const syntax::Module& tree, syntax::BlockId id);
/// True if the block contains a break of the loop around the block.
bool breaks_inside(const syntax::Module& tree, syntax::BlockId id);

} // namespace pm::stage
