#pragma once
#include "compiler/plan/memory/memory.hpp"
#include "compiler/plan/partition/partition.hpp"

namespace pm::plan {

/// A nest, and the program's buffer of each of its buffers. For an epilogue the list begins with its second buffer.
struct BuiltNest {
    std::shared_ptr<const nest::Nest> nest;
    std::vector<BufferId> buffers;
};

/// The information on a block that writing a nest needs.
struct NestSource {
    const Facts& facts;
    const Partition& partition;
    std::function<BufferId(Value)> buffer; ///< of a value in memory
};

/// The nest of a unit. For a kernel that may have an epilogue it is the epilogue, whose buffer 0 is the kernel's
/// result. The epilogue of a dot has the grid {B, M, N}.
BuiltNest build_nest(const NestSource& source, const Unit& unit);
/// Writes the update of a dynamic_update into `target`, which holds the operand. With `update`, the update is read from
/// that buffer.
BuiltNest build_update(const NestSource& source, const Unit& unit, BufferId target,
                       std::optional<BufferId> update = {});
/// A part of a buffer of this shape, from `begin` on along an axis.
struct Part {
    BufferId buffer;
    Shape shape;
    std::size_t axis = 0;
    std::int64_t begin = 0;
};
/// Computes values of one shape and dtype into the target, one after the other along its axis.
BuiltNest build_parts(const NestSource& source, std::span<const Value> parts, const Part& target);
/// A copy as `dtype`.
BuiltNest build_conversion(const ir::Type& from_type, BufferId from, DType dtype, BufferId to);
/// A transposed copy: axis i of `to` is axis permutation[i] of `from`.
BuiltNest build_transpose(const ir::Type& from_type, BufferId from, BufferId to,
                          const std::vector<std::int64_t>& permutation);

/// Per axis of `v`, the stride in elements in the buffer of `base`, where `v` is `base` after transposes.
std::vector<std::int64_t> element_strides(const Facts& facts, Value v, Value base);

/// Simplifies the grid: removes loops of one iteration, and merges adjacent loops that every address walks through as
/// one. The order of reductions does not change.
void collapse(nest::Nest& nest);
/// Merges the grid to one loop per group. Group i is the next `groups[i]` loops; one without loops becomes a loop of
/// one iteration. False if an address does not walk through a group as one: the nest is then unusable.
bool collapse_groups(nest::Nest& nest, const std::vector<std::size_t>& groups);

/// Whether each element that is read from `storage` is read by the iteration that overwrites it, before the store.
/// Buffers of `built` before `first_buffer` are not looked at.
bool overwrites_in_step(const BuiltNest& built, const Memory& memory, StorageId storage, std::size_t first_buffer);

} // namespace pm::plan
