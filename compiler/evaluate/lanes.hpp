#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace pm::evaluate {

using runtime::Array;

/// One slice of every pmap around an instruction: where it stands along each of their axes, outermost first.
struct Lane {
    std::vector<std::pair<std::int64_t, std::int64_t>> at; ///< (axis id, index)
    std::int64_t iteration = 0;                            ///< the lane of a compiled program that would run it
    std::int64_t device = 0;                               ///< that lane's

    std::int64_t index(std::int64_t axis) const;
};
/// The lanes that run an instruction together, by number. Outside of any pmap it is one lane without axes.
using Lanes = std::vector<Lane>;
/// The value of one name in each lane.
using Column = std::vector<Array>;

/// Does a collective for all lanes at once. Lanes that agree on all other axes exchange with each other, in the order
/// of the instruction's `axes`, row-major; reductions combine in that order.
std::vector<Column> run_collective(const ir::Inst& inst, const std::vector<Column>& operands, const Lanes& lanes,
                                   const std::shared_ptr<runtime::Allocator>& allocator);

// ---- parts of arrays along an axis

using Memory = std::shared_ptr<runtime::Allocator>;
/// Elements begin..end along an axis; the axis stays.
Array part(const Array& x, std::size_t axis, std::int64_t begin, std::int64_t end, const Memory& memory);
/// Element i along an axis, which goes.
Array item(const Array& x, std::size_t axis, std::int64_t i, const Memory& memory);
/// Arrays of equal types but for the size of the axis, one behind the other.
Array join(const std::vector<Array>& parts, std::size_t axis, const Memory& memory);
/// Arrays of one type along a new axis. At least one.
Array stack(const std::vector<Array>& items, std::size_t axis, const Memory& memory);

} // namespace pm::evaluate
