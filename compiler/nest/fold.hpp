#pragma once
#include "compiler/nest/nest.hpp"

#include <limits>
#include <optional>
#include <vector>

/// What is known of integers while a nest is built.
namespace pm::nest {

/// The values an integer can take: low..high, both included; not known when it may be anything. One bound alone may be
/// known, as of max(x, 0).
struct Range {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();

    /// Bounds beyond 2^61 count as unknown, so that sums of two known ranges never overflow.
    bool known() const { return low > -(std::int64_t{1} << 61) && high < (std::int64_t{1} << 61); }
    bool within(std::int64_t least, std::int64_t most) const { return known() && low >= least && high <= most; }
    Range operator+(const Range& other) const {
        if (!known() || !other.known()) return {};
        return {low + other.low, high + other.high};
    }
};
/// Over all iterations of the loops of the nest and of `stage`, which may be null.
Range affine_range(const Nest& nest, const Stage* stage, const Affine& affine);
/// What an instruction of `stage` gives; `before` holds the ranges of the instructions before it, so that each is
/// looked at once.
Range value_range(const Nest& nest, const Stage* stage, const Inst& inst, const std::vector<Range>& before);
/// Everything an integer type or bool holds; not known for other types and those of 64 bits.
Range dtype_range(DType integer);

/// What an operation gives without being executed: one of its operands, or a constant.
struct Folded {
    Ref ref;
    std::uint64_t bits = 0;
};
/// Folds integers and booleans only: floats are folded in the IR, by the evaluator's own arithmetic.
std::optional<Folded> fold(const Nest& nest, ScalarOp op, DType dtype, const std::vector<Ref>& operands);

} // namespace pm::nest
