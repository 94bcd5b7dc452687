#pragma once
#include "compiler/plan/partition/partition.hpp"

namespace pm::plan {

/// The values that units compute (fusion roots), and the values that are computed again at each use.
struct Roots {
    std::vector<bool> required; ///< per value: true if it must be in memory, as results and the operands of kernels and
                                ///< regions must
    std::vector<bool> root;     ///< per value: true if it is required, or too expensive to be computed again at each
                                ///< use
    std::vector<Role> roles;    ///< per value: member (roots and results of kernels), inlined, alias or memory
    std::vector<Value> bases;
    std::vector<std::int64_t> offsets;
    std::vector<int> costs; ///< per value: the cost of one element, including everything that is inlined in it
};
Roots find_roots(const Facts& facts, const PartitionOptions& options);

/// An expression up to this cost is computed again at each use, instead of being stored and loaded.
inline constexpr int cheap = 2;
/// The same limit in a nest over rows, because rows stay in cache. There, a value up to this cost is computed again in
/// each stage.
inline constexpr int cheap_in_row = 24;
/// Limits for the scalar instructions of one nest, and of one inlined expression.
inline constexpr int most_nest_size = 200;
inline constexpr int most_expression_size = 100;
/// True if the parts of a concatenation are computed directly into the result's memory. This holds if the concatenation
/// has many elements or many parts. If it were inlined, it would read every part for each element.
bool is_put_together(const Facts& facts, const Inst& inst);

/// The size of the expression of one element of a value. Inlined values are included. Each of them is counted once.
struct ExpressionSize {
    int instructions = 0; ///< the number of scalar instructions; counting stops soon after most_nest_size
    int reads = 0;        ///< the number of loads of values in memory
    int all() const { return instructions + reads; }
};
ExpressionSize expression_size(const Facts& facts, const std::vector<Role>& roles, Value v);

} // namespace pm::plan
