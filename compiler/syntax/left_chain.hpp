#pragma once
#include "compiler/syntax/ast.hpp"

namespace pm::syntax {

/// A chain of left-associative operators, such as `a + b - d`. It consists of the innermost left operand, then each
/// operator with its right operand, from the innermost operator outwards. The length of a chain is not limited by
/// max_tree_height, so a walk over the tree must process the chain in a loop, not by recursion. `and` and `or` are not
/// part of chains, because the right operand of `and` and `or` is not always evaluated.
struct LeftChain {
    struct Step {
        ExprId id;
        const Binary* node;
    };
    ExprId first;
    std::vector<Step> steps; ///< empty if the expression is no operator of a chain
};
LeftChain left_chain(const Module& module, ExprId id);

/// True if the expression is an operator that can be part of a chain.
bool in_left_chain(const Expr& expr);

} // namespace pm::syntax
