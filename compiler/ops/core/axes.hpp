#pragma once
#include "compiler/ops/core/combinators.hpp"

/// Lists of axes, which the rules of shape, indexing, reduction and contraction operations check and rearrange.
namespace pm::ops {

// ---- checks of type rules. Mistakes are raised without a place; Build fills it in.

/// Raises Diag::axis_missing unless `axis` is an axis of `type`.
void require_axis(const Inst& inst, std::int64_t axis, const Type& type);
/// Raises unless every one is an axis of `type` and none is given twice (Diag::axis_repeated).
void require_axes(const Inst& inst, const Integers& axes, const Type& type);
/// Returns the list attribute `attr`. Raises Diag::entries_per_axis unless it has one entry for each axis of `type`.
const Integers& require_per_axis(const Inst& inst, Attr attr, const Type& type);

/// The axis that an attribute names.
inline std::size_t axis_of(const Inst& inst, Attr attr = Attr::axis) {
    return static_cast<std::size_t>(inst.attrs.integer(attr));
}

// ---- lists

/// from, from + 1, ... (`count` of them).
Integers counting(std::int64_t from, std::size_t count);
/// Every entry one greater: the same axes when the batch has become axis 0.
Integers shifted(Integers axes);
/// `shifted` with axis 0 in front of it.
Integers with_batch_axis(const Integers& axes);
/// `value` in front of the list.
Integers preceded(std::int64_t value, const Integers& list);
bool holds(const Integers& list, std::int64_t value);
/// The axes 0..rank-1 that `axes` does not hold, increasing.
Integers other_axes(std::size_t rank, const Integers& axes);
/// The sizes of these axes.
Shape sizes_of(const Shape& shape, const Integers& axes);
/// `first` followed by `second`.
Integers joined(Integers first, const Integers& second);
/// p with p[permutation[i]] = i.
Integers inverse(const Integers& permutation);

// ---- samples

/// The samples, and each one of f32 in f64 too: derivatives are tested in f64.
std::vector<Sample> with_doubles(std::vector<Sample> samples);

// ---- the rest

/// i32 where every index of an axis of `size` elements fits, else i64.
DType index_dtype(std::int64_t size);
/// Repeats the instruction on operands that have the batch as axis 0. Its axis (the attribute `axis`) is one greater.
Values batch_along_axis(BatchContext& c);

} // namespace pm::ops
