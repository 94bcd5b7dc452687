#pragma once
#include "compiler/plan/memory/memory.hpp"
#include "compiler/plan/partition/partition.hpp"

namespace pm::plan {

/// A nest, and the program's buffer of each of the nest's buffers. For an epilogue the list starts with the nest's
/// second buffer.
struct BuiltNest {
    std::shared_ptr<const nest::Nest> nest;
    std::vector<BufferId> buffers;
};

/// The information about a block that build_nest() needs.
struct NestSource {
    const Facts& facts;
    const Partition& partition;
    std::function<BufferId(Value)> buffer; ///< the buffer of a value in memory
};

/// The nest of a unit. If the unit is a kernel that may have an epilogue, the nest is the epilogue, and its buffer 0 is
/// the kernel's result. The epilogue of a dot has the grid {B, M, N}.
BuiltNest build_nest(const NestSource& source, const Unit& unit);
/// Writes the update of a dynamic_update into `target`, which initially holds the operand. If `update` is set, the nest
/// reads the update from this buffer instead of computing it.
BuiltNest build_update(const NestSource& source, const Unit& unit, BufferId target,
                       std::optional<BufferId> update = {});
/// A part of `buffer`, which has shape `shape`. The part starts at index `begin` of axis `axis`.
struct Part {
    BufferId buffer;
    Shape shape;
    std::size_t axis = 0;
    std::int64_t begin = 0;
};
/// Computes values of one shape and dtype into the target, one after another along the target's axis.
BuiltNest build_parts(const NestSource& source, std::span<const Value> parts, const Part& target);
/// A copy that converts to `dtype`.
BuiltNest build_conversion(const ir::Type& from_type, BufferId from, DType dtype, BufferId to);
/// A transposed copy: axis i of `to` is axis permutation[i] of `from`.
BuiltNest build_transpose(const ir::Type& from_type, BufferId from, BufferId to,
                          const std::vector<std::int64_t>& permutation);

/// Per axis of `v`, the stride in elements in the buffer of `base`. `v` must be `base`, or `base` after one or several
/// transposes.
std::vector<std::int64_t> element_strides(const Facts& facts, Value v, Value base);

/// Simplifies the grid: removes loops of one iteration, and merges adjacent loops if every address advances through
/// them with one stride. The order of reductions does not change.
void collapse(nest::Nest& nest);
/// Merges the grid to one loop per group. Group i is the next `groups[i]` loops; a group without loops becomes a loop
/// of one iteration. Returns false if an address has no single stride along a group; the nest is then unusable.
bool collapse_groups(nest::Nest& nest, const std::vector<std::size_t>& groups);

/// Whether each element that the nest reads from `storage` is read only by the iteration that overwrites it, before the
/// store. Buffers of the nest before `first_buffer` are ignored.
bool overwrites_in_step(const BuiltNest& built, const Memory& memory, StorageId storage, std::size_t first_buffer);

} // namespace pm::plan
