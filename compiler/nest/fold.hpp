#pragma once
#include "compiler/nest/nest.hpp"

#include <limits>
#include <optional>
#include <vector>

/// Known ranges of integers, and constant folding, for use while a nest is built.
namespace pm::nest {

/// The possible values of an integer: low..high, both included. The default is unbounded. One bound may be known
/// although the other is not, for example for max(x, 0).
struct Range {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();

    /// Bounds beyond 2^61 count as unknown. So the sum of two known ranges does not overflow.
    bool known() const { return low > -(std::int64_t{1} << 61) && high < (std::int64_t{1} << 61); }
    bool within(std::int64_t least, std::int64_t most) const { return known() && low >= least && high <= most; }
    Range operator+(const Range& other) const {
        if (!known() || !other.known()) return {};
        return {low + other.low, high + other.high};
    }
};
/// The range of `affine` over all iterations of the nest's grid and of the loops of `stage`. `stage` may be null.
Range affine_range(const Nest& nest, const Stage* stage, const Affine& affine);
/// The range of the result of `inst`, an instruction of `stage`. `before` has the ranges of the earlier instructions.
Range value_range(const Nest& nest, const Stage* stage, const Inst& inst, const std::vector<Range>& before);
/// The range of the numbers of an integer dtype or bool. The range is unbounded for 64-bit integers and for other
/// dtypes.
Range dtype_range(DType integer);

/// The result of an operation that needs no code. It is `ref` if the result is an operand. Otherwise it is a constant
/// with the bits `bits`.
struct Folded {
    Ref ref;
    std::uint64_t bits = 0;
};
/// The folded result of an operation. Empty if the operation does not fold. Arithmetic folds only for integers and
/// booleans. Floats are folded in the IR, with the evaluator's arithmetic. Two operations fold for all dtypes: a select
/// with a constant condition or equal operands, and a conversion to the same dtype.
std::optional<Folded> fold(const Nest& nest, ScalarOp op, DType dtype, const std::vector<Ref>& operands);

} // namespace pm::nest
