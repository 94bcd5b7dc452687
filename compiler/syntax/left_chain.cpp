#include "compiler/syntax/left_chain.hpp"

#include <algorithm>

namespace pm::syntax {

bool in_left_chain(const Expr& expr) {
    const auto* binary = std::get_if<Binary>(&expr.node);
    return binary && binary->op != BinaryOp::logical_and && binary->op != BinaryOp::logical_or;
}

LeftChain left_chain(const Module& module, ExprId id) {
    LeftChain chain{id, {}};
    while (in_left_chain(module[chain.first])) {
        const auto& node = std::get<Binary>(module[chain.first].node);
        chain.steps.push_back({chain.first, &node});
        chain.first = node.left;
    }
    std::reverse(chain.steps.begin(), chain.steps.end());
    return chain;
}

} // namespace pm::syntax
