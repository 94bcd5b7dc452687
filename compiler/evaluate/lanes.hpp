#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace pm::evaluate {

using runtime::Array;

/// A combination of slices, one of each pmap around an instruction: an index along each pmap axis, outermost first.
struct Lane {
    std::vector<std::pair<std::int64_t, std::int64_t>> at; ///< (axis id, index)
    std::int64_t iteration = 0;                            ///< the lane that would run this slice in a compiled program
    std::int64_t device = 0;                               ///< the device of that lane

    std::int64_t index(std::int64_t axis) const;
};
/// The lanes that run an instruction together, in lexicographic order of their indices. Outside of any pmap there is
/// one lane without axes.
using Lanes = std::vector<Lane>;
/// One IR value in each lane.
using Column = std::vector<Array>;

/// Runs a collective for all lanes at once. Lanes form a group and exchange values if they have equal indices along the
/// axes that are not in the instruction's `axes`. The order within a group is row-major over `axes`, and reductions
/// combine in that order.
std::vector<Column> run_collective(const ir::Inst& inst, const std::vector<Column>& operands, const Lanes& lanes,
                                   const std::shared_ptr<runtime::Allocator>& allocator);

// ---- parts of arrays along an axis

using Memory = std::shared_ptr<runtime::Allocator>;
/// The elements begin .. end - 1 along an axis.
Array part(const Array& x, std::size_t axis, std::int64_t begin, std::int64_t end, const Memory& memory);
/// The element i along an axis. The result does not have that axis.
Array item(const Array& x, std::size_t axis, std::int64_t i, const Memory& memory);
/// Concatenates arrays along an axis. The types of the arrays may differ only in the size of that axis.
Array join(const std::vector<Array>& parts, std::size_t axis, const Memory& memory);
/// Stacks arrays of one type along a new axis. `items` must not be empty.
Array stack(const std::vector<Array>& items, std::size_t axis, const Memory& memory);

} // namespace pm::evaluate
