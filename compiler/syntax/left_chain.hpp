#pragma once
#include "compiler/syntax/ast.hpp"

namespace pm::syntax {

/// A chain of operators that group to the left, such as `a + b * c - d`: the innermost operand, then each operator with
/// its right operand, outwards. Such a chain does not count as nesting (max_tree_height), so a walk over a tree must
/// use a loop for it. `and` and `or` are in no chain, since their right operand may be skipped.
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
