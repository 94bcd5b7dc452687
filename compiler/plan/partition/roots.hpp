#pragma once
#include "compiler/plan/partition/partition.hpp"

namespace pm::plan {

/// The values that a unit computes (fusion roots), and the values that are computed again at each use.
struct Roots {
    std::vector<bool> required; ///< must be in memory: results, operands of kernels and of regions
    std::vector<bool> root;     ///< required, or too expensive for each use to compute it again
    std::vector<Role> roles;    ///< member (roots and results of kernels), inlined, alias, memory
    std::vector<Value> bases;
    std::vector<std::int64_t> offsets;
    std::vector<int> costs; ///< cost of one element, including everything inlined in it
};
Roots find_roots(const Facts& facts, const PartitionOptions& options);

/// Up to this cost an expression is computed again rather than stored and loaded.
inline constexpr int cheap = 2;
/// In a nest over rows, which stay in cache, a value up to this cost is computed again in each stage.
inline constexpr int cheap_in_row = 24;
/// Limits for the scalar instructions of one nest, and of one inlined expression.
inline constexpr int most_nest_size = 200;
inline constexpr int most_expression_size = 100;
/// Whether the parts of a concatenation are computed directly into the result's memory. True if the concatenation has
/// many elements or parts: an inlined concatenation would read every part for each element.
bool is_put_together(const Facts& facts, const Inst& inst);

/// The size of the expression of one element of a value, including all inlined values, each counted once.
struct ExpressionSize {
    int instructions = 0; ///< counting stops soon after most_nest_size
    int reads = 0;        ///< the number of loads of values in memory
    int all() const { return instructions + reads; }
};
ExpressionSize expression_size(const Facts& facts, const std::vector<Role>& roles, Value v);

} // namespace pm::plan
