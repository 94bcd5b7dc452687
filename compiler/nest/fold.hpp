#pragma once
#include "compiler/nest/nest.hpp"

#include <limits>
#include <optional>
#include <vector>

/// Known ranges and constant folding of integers while a nest is built.
namespace pm::nest {

/// The values that an integer can have: low..high, both included. The default is unbounded. One bound may be known
/// without the other, for example for max(x, 0).
struct Range {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();

    /// Bounds beyond 2^61 count as unknown, so the sum of two known ranges does not overflow.
    bool known() const { return low > -(std::int64_t{1} << 61) && high < (std::int64_t{1} << 61); }
    bool within(std::int64_t least, std::int64_t most) const { return known() && low >= least && high <= most; }
    Range operator+(const Range& other) const {
        if (!known() || !other.known()) return {};
        return {low + other.low, high + other.high};
    }
};
/// The range over all iterations of the loops of the nest and of `stage`, which may be null.
Range affine_range(const Nest& nest, const Stage* stage, const Affine& affine);
/// The range of the result of an instruction of `stage`. `before` has the ranges of the earlier instructions.
Range value_range(const Nest& nest, const Stage* stage, const Inst& inst, const std::vector<Range>& before);
/// The range of an integer dtype or bool. Unbounded for 64-bit integers and for other dtypes.
Range dtype_range(DType integer);

/// The result of an operation that needs no code: `ref` if the result is an operand, otherwise a constant with `bits`.
struct Folded {
    Ref ref;
    std::uint64_t bits = 0;
};
/// The folded result of an operation; empty if the operation does not fold. Arithmetic folds for integers and booleans
/// only: the IR folds floats, with the evaluator's arithmetic. For all dtypes, a select with a constant condition or
/// with equal operands folds, and so does a conversion to the same dtype.
std::optional<Folded> fold(const Nest& nest, ScalarOp op, DType dtype, const std::vector<Ref>& operands);

} // namespace pm::nest
