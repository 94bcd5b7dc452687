#pragma once
#include "compiler/plan/partition/partition.hpp"

namespace pm::plan {

/// The values that a unit computes (fusion roots) and those that are computed at each use.
struct Roots {
    std::vector<bool> required; ///< must be in memory: results, operands of kernels and regions
    std::vector<bool> root;     ///< required, or too expensive to be computed again by each use
    std::vector<Role> roles;    ///< member (roots and results of kernels), inlined, alias, memory
    std::vector<Value> bases;
    std::vector<std::int64_t> offsets;
    std::vector<int> costs; ///< of one element, with all that is inlined in it
};
Roots find_roots(const Facts& facts, const PartitionOptions& options);

/// Up to this cost an expression is computed again rather than stored and loaded.
inline constexpr int cheap = 2;
/// In a nest over rows, which stay in cache, a value up to this cost is computed again in each stage.
inline constexpr int cheap_in_row = 24;
/// Limits for the scalar instructions of one nest, and of one inlined expression.
inline constexpr int most_nest_size = 200;
inline constexpr int most_expression_size = 100;
/// Whether this is a concatenation that is put together in memory: one of many elements or parts. Inlined, it would
/// read every part for each element.
bool is_put_together(const Facts& facts, const Inst& inst);

/// The size of one element of a value: of the value itself and of all that is inlined in it, each counted once.
struct ExpressionSize {
    int instructions = 0; ///< counted only a little beyond most_nest_size
    int reads = 0;        ///< of values in memory
    int all() const { return instructions + reads; }
};
ExpressionSize expression_size(const Facts& facts, const std::vector<Role>& roles, Value v);

} // namespace pm::plan
