#pragma once
#include "compiler/nest/nest.hpp"

#include <limits>
#include <optional>

/// What is known of integers while a nest is built.
namespace pm::nest {

/// The values an i64 can take: low..high, both included; not known when it may be anything.
struct Range {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();

    /// Bounds beyond 2^61 count as unknown, so that sums of two known ranges never overflow.
    bool known() const { return low > -(std::int64_t{1} << 61) && high < (std::int64_t{1} << 61); }
    Range operator+(const Range& other) const {
        if (!known() || !other.known()) return {};
        return {low + other.low, high + other.high};
    }
};
/// Over all turns of the loops of the nest and its last stage.
Range affine_range(const Nest& nest, const Affine& affine);
Range value_range(const Nest& nest, Ref value);
Range dtype_range(DType integer);

/// What an operation gives without being executed: one of its operands, or a constant.
struct Folded {
    Ref ref;
    std::uint64_t bits = 0;
};
/// Folds integers and booleans only: floats are folded in the IR, by the evaluator's own arithmetic.
std::optional<Folded> fold(const Nest& nest, ScalarOp op, DType dtype, const std::vector<Ref>& operands);

} // namespace pm::nest
