#pragma once
#include "compiler/plan/partition/partition.hpp"

namespace pm::plan {

/// Which values are computed by a unit of their own choosing (roots) and which where they are used.
struct Roots {
    std::vector<bool> required; ///< must be in memory: results, operands of kernels and regions
    std::vector<bool> root;     ///< required, or too expensive to be computed again by each use
    std::vector<Role> roles;    ///< member (roots and what kernels give), inlined, alias, memory
    std::vector<Value> bases;
    std::vector<std::int64_t> offsets;
    std::vector<int> costs; ///< of one element, with what is inlined in it
};
Roots find_roots(const Facts& facts, const PartitionOptions& options);

/// Cheaper than this an expression is computed again rather than stored and loaded.
inline constexpr int cheap = 2;
/// Within a row that stays in cache: up to this cost a value is computed again in each stage.
inline constexpr int cheap_in_row = 24;
/// Scalar instructions of one nest, and of one inlined expression.
inline constexpr int most_nest_size = 200;
inline constexpr int most_expression_size = 100;
/// A concatenation of more elements is put together in memory: computed where it is used it reads every part for each
/// element.
inline constexpr std::int64_t most_inlined_parts = 256;

int op_size(const Inst& inst);

} // namespace pm::plan
