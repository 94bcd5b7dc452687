#pragma once
#include "compiler/syntax/ast.hpp"

#include <set>
#include <string>
#include <vector>

namespace pm::stage {

/// The free names of a function: the names that the function reads without having bound them before. They are names of
/// the scopes around the function. A method call `x.f(..)` reads `f`. The function's own name is not free.
std::set<std::string> free_names(const syntax::Module& tree, syntax::FunctionId id);
/// All names that a function reads, including names of its own parameters, locals and methods.
std::set<std::string> mentioned_names(const syntax::Module& tree, syntax::FunctionId id);
/// All names that an expression reads.
std::set<std::string> mentioned_names(const syntax::Module& tree, syntax::ExprId id);
/// All names that the statements of a block assign, as in `x = ..` and `x[i] += ..`. Inner blocks are included.
/// Functions that the block defines are not included.
std::set<std::string> assigned_names(const syntax::Module& tree, syntax::BlockId id);
/// All names that the blocks inside an expression assign.
std::set<std::string> assigned_names(const syntax::Module& tree, syntax::ExprId id);
/// The names that a block assigns by other statements than appends. `t += x` and `t = t + x` are appends.
std::set<std::string> assigned_otherwise(const syntax::Module& tree, syntax::BlockId id);
/// The names that a statement declares (`let`, `mut`, `fn`, `import`) or assigns. Inner blocks are included.
std::set<std::string> changed_names(const syntax::Module& tree, syntax::StmtId id);
/// True if the block or statement contains a return, or a break or continue of a loop around the block or statement.
bool leaves_early(const syntax::Module& tree, syntax::BlockId id);
bool leaves_early(const syntax::Module& tree, syntax::StmtId id);
/// The names that a pattern binds.
std::vector<std::string> pattern_names(const syntax::Module& tree, syntax::PatternId id);
/// True if the block contains a return.
bool returns_inside(const syntax::Module& tree, syntax::BlockId id);
/// True if the block contains a break of the loop around the block.
bool breaks_inside(const syntax::Module& tree, syntax::BlockId id);

} // namespace pm::stage
