#pragma once
#include "compiler/plan/memory/memory.hpp"
#include "compiler/plan/partition/partition.hpp"

namespace pm::plan {

/// A nest, with the program's buffer for each of the nest's buffers. If the nest is an epilogue, the list has no entry
/// for the nest's first buffer.
struct BuiltNest {
    std::shared_ptr<const nest::Nest> nest;
    std::vector<BufferId> buffers;
};

/// The information about a block that build_nest() needs.
struct NestSource {
    const Facts& facts;
    const Partition& partition;
    std::function<BufferId(Value)> buffer; ///< returns the buffer of a value that is in memory
};

/// The nest of a unit. If the unit is a kernel that may have an epilogue, the nest is the epilogue. Buffer 0 of the
/// epilogue is the kernel's result. The epilogue of a dot has the grid {B, M, N}.
BuiltNest build_nest(const NestSource& source, const Unit& unit);
/// A nest that writes the update of a dynamic_update into `target`. `target` initially holds the operand that is
/// updated. If `update` is set, the nest reads the values to write from the buffer `update`. Otherwise it computes
/// them.
BuiltNest build_update(const NestSource& source, const Unit& unit, BufferId target,
                       std::optional<BufferId> update = {});
/// A part of `buffer`, which has shape `shape`. The part starts at index `begin` of axis `axis`.
struct Part {
    BufferId buffer;
    Shape shape;
    std::size_t axis = 0;
    std::int64_t begin = 0;
};
/// A nest that computes the values `parts`, which have one shape and dtype. The nest writes them into `target` one
/// after another along the target's axis.
BuiltNest build_parts(const NestSource& source, std::span<const Value> parts, const Part& target);
/// A nest that copies `from` to `to` and converts the elements to `dtype`.
BuiltNest build_conversion(const ir::Type& from_type, BufferId from, DType dtype, BufferId to);
/// A nest that copies with a transposition: axis i of `to` is axis permutation[i] of `from`.
BuiltNest build_transpose(const ir::Type& from_type, BufferId from, BufferId to,
                          const std::vector<std::int64_t>& permutation);

/// Returns, per axis of `v`, the stride in elements in the buffer of `base`. `v` must be `base`, or `base` after one or
/// several transposes.
std::vector<std::int64_t> element_strides(const Facts& facts, Value v, Value base);

/// Simplifies the grid of `nest`. Loops of one iteration are removed. Adjacent loops are merged if, for every address,
/// one stride covers both loops. The order of reductions does not change.
void collapse(nest::Nest& nest);
/// Merges the loops of the grid to one loop per group. Group i is the next `groups[i]` loops. A group without loops
/// becomes a loop of one iteration. If an address does not have one stride along a group, returns false. The nest is
/// then unusable.
bool collapse_groups(nest::Nest& nest, const std::vector<std::size_t>& groups);

/// True if the nest may overwrite `storage` in place. If an iteration overwrites an element of `storage`, no other
/// iteration may read this element. The same iteration must read it before the store. Buffers of the nest before
/// `first_buffer` are ignored.
bool overwrites_in_step(const BuiltNest& built, const Memory& memory, StorageId storage, std::size_t first_buffer);

} // namespace pm::plan
