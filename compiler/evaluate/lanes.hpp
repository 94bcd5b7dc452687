#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace pm::evaluate {

using runtime::Array;

/// One slice of each pmap around an instruction: an index along each pmap axis, outermost first.
struct Lane {
    std::vector<std::pair<std::int64_t, std::int64_t>> at; ///< (axis id, index)
    std::int64_t iteration = 0;                            ///< the lane that would run this slice in a compiled program
    std::int64_t device = 0;                               ///< the device of that lane

    std::int64_t index(std::int64_t axis) const;
};
/// The lanes that run an instruction together, by number. Outside of any pmap it is one lane without axes.
using Lanes = std::vector<Lane>;
/// One IR value in each lane.
using Column = std::vector<Array>;

/// Runs a collective for all lanes at once. Lanes that have the same index on all other axes exchange with each other.
/// Their order is row-major over the instruction's `axes`, and reductions combine in that order.
std::vector<Column> run_collective(const ir::Inst& inst, const std::vector<Column>& operands, const Lanes& lanes,
                                   const std::shared_ptr<runtime::Allocator>& allocator);

// ---- parts of arrays along an axis

using Memory = std::shared_ptr<runtime::Allocator>;
/// Elements begin..end along an axis; the axis remains.
Array part(const Array& x, std::size_t axis, std::int64_t begin, std::int64_t end, const Memory& memory);
/// Element i along an axis, which is removed.
Array item(const Array& x, std::size_t axis, std::int64_t i, const Memory& memory);
/// Concatenates arrays along an axis. Their types are equal but for the size of the axis.
Array join(const std::vector<Array>& parts, std::size_t axis, const Memory& memory);
/// Stacks arrays of one type along a new axis. There must be at least one.
Array stack(const std::vector<Array>& items, std::size_t axis, const Memory& memory);

} // namespace pm::evaluate
