#pragma once
#include "compiler/syntax/ast.hpp"

namespace pm::syntax {

/// Operators that group to the left, `a + b * c - d`: the innermost operand and then, outwards, each operator with its
/// right operand. Such a chain does not count as nesting (max_tree_height), so a walk over a tree must use a loop for
/// it. `and` and `or` are in no chain, since their right operand may not be run.
struct LeftChain {
    struct Step {
        ExprId id;
        const Binary* node;
    };
    ExprId first;
    std::vector<Step> steps; ///< empty if the expression is no such operator
};
LeftChain left_chain(const Module& module, ExprId id);

/// True for an operator that can be in a chain.
bool in_left_chain(const Expr& expr);

} // namespace pm::syntax
