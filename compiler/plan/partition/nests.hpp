#pragma once
#include "compiler/plan/memory/memory.hpp"
#include "compiler/plan/partition/partition.hpp"

namespace pm::plan {

/// A nest and the program's buffers that its buffers are (for an epilogue: those from its second on).
struct BuiltNest {
    std::shared_ptr<const nest::Nest> nest;
    std::vector<BufferId> buffers;
};

/// What writing a nest needs to know of its block.
struct NestSource {
    const Facts& facts;
    const Partition& partition;
    std::function<BufferId(Value)> buffer; ///< of a value in memory
};

/// The nest of a unit; of what may have an epilogue that, whose buffer 0 is the product: a dot's over {B, M, N}.
BuiltNest build_nest(const NestSource& source, const Unit& unit);
/// Writes the update's elements of a dynamic_update into `target`, which holds the operand; with `update`, from that
/// buffer.
BuiltNest build_update(const NestSource& source, const Unit& unit, BufferId target,
                       std::optional<BufferId> update = {});
/// Computes one value into `target`.
BuiltNest build_value(const NestSource& source, Value v, BufferId target);
/// Computes `part`, which is operand of the concatenation `unit`, into its place from `begin` on along the axis.
BuiltNest build_part(const NestSource& source, const Unit& unit, Value part, std::int64_t begin, BufferId target);
/// A copy as `dtype`.
BuiltNest build_conversion(const ir::Type& from_type, BufferId from, DType dtype, BufferId to);
/// A transposed copy: axis i of `to` is axis permutation[i] of `from`.
BuiltNest build_transpose(const ir::Type& from_type, BufferId from, BufferId to,
                          const std::vector<std::int64_t>& permutation);

/// Elements of a buffer that one step along an axis of `v` passes over, where `v` is `base` seen through transposes.
std::vector<std::int64_t> element_strides(const Facts& facts, Value v, Value base);

/// Shorter loops that say the same: extents of 1 go, and neighbours of the grid that every address walks through as one
/// become one. The order of reductions stays.
void collapse(nest::Nest& nest);
/// The same where neighbours in the grid belong together, as many as each number says, and each group is to be one loop
/// in the end, of one iteration if it has none. False, and the nest is of no use then, where an address does not walk
/// through a group as one.
bool collapse_groups(nest::Nest& nest, const std::vector<std::size_t>& groups);

/// What is read from `storage` is read by the iteration that overwrites it, before it does.
bool overwrites_in_step(const BuiltNest& built, const Memory& memory, StorageId storage, std::size_t first_buffer);

} // namespace pm::plan
