#pragma once
#include "compiler/syntax/ast.hpp"

namespace pm::syntax {

/// Operators that group to the left, `a + b * c - d`: the innermost operand and then, outwards, each operator with what
/// stands on its right. Such a chain does not count as nesting (max_tree_height), so that whoever walks a tree takes it
/// in a loop. `and` and `or` belong to none: what is on their right may not run.
struct LeftChain {
    struct Step {
        ExprId id;
        const Binary* node;
    };
    ExprId first;
    std::vector<Step> steps; ///< none when the expression is no such operator
};
LeftChain left_chain(const Module& module, ExprId id);

/// True for an operator that a chain can go on from.
bool in_left_chain(const Expr& expr);

} // namespace pm::syntax
