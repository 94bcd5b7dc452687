#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace pm::evaluate {

using runtime::Array;

/// One slice of each pmap around an instruction. The slices are given by an index along each pmap axis, outermost
/// first.
struct Lane {
    std::vector<std::pair<std::int64_t, std::int64_t>> at; ///< per pmap axis: (axis id, index)
    std::int64_t iteration = 0;                            ///< the lane that would run this slice in a compiled program
    std::int64_t device = 0;                               ///< the device of the lane `iteration`

    std::int64_t index(std::int64_t axis) const;
};
/// The lanes that run an instruction together, in lexicographic order of their indices. Outside of any pmap, the list
/// has one lane without axes.
using Lanes = std::vector<Lane>;
/// One IR value in each lane.
using Column = std::vector<Array>;

/// Runs a collective for all lanes at once. The instruction's `axes` divide the lanes into groups. The lanes of a group
/// exchange values. Along all other axes, the lanes of a group have equal indices. Within a group, the order of the
/// lanes is row-major over `axes`. Reductions combine values in that order.
std::vector<Column> run_collective(const ir::Inst& inst, const std::vector<Column>& operands, const Lanes& lanes,
                                   const std::shared_ptr<runtime::Allocator>& allocator);

// ---- parts of arrays along an axis

using Memory = std::shared_ptr<runtime::Allocator>;
/// The elements of `x` with the indices begin .. end - 1 along an axis.
Array part(const Array& x, std::size_t axis, std::int64_t begin, std::int64_t end, const Memory& memory);
/// Element `i` of `x` along axis `axis`. The result does not have axis `axis`.
Array item(const Array& x, std::size_t axis, std::int64_t i, const Memory& memory);
/// Concatenates the arrays `parts` along axis `axis`. The types of the arrays may differ only in the size of that axis.
Array join(const std::vector<Array>& parts, std::size_t axis, const Memory& memory);
/// Stacks the arrays `items` along a new axis. All items must have one type. `items` must not be empty.
Array stack(const std::vector<Array>& items, std::size_t axis, const Memory& memory);

} // namespace pm::evaluate
