#pragma once
#include "compiler/ops/core/combinators.hpp"

/// Functions on lists of axes. The rules of shape, indexing, reduction and contraction operations use them.
namespace pm::ops {

// ---- checks of type rules. The errors have no source place; Build adds the place.

/// Raises Diag::axis_missing unless `axis` is an axis of `type`.
void require_axis(const Inst& inst, std::int64_t axis, const Type& type);
/// Raises Diag::axis_missing unless each entry is an axis of `type`. Raises Diag::axis_repeated if an axis occurs
/// twice.
void require_axes(const Inst& inst, const Integers& axes, const Type& type);
/// Returns the list attribute `attr`. Raises Diag::entries_per_axis unless it has one entry for each axis of `type`.
const Integers& require_per_axis(const Inst& inst, Attr attr, const Type& type);

/// The axis that the attribute `attr` names.
inline std::size_t axis_of(const Inst& inst, Attr attr = Attr::axis) {
    return static_cast<std::size_t>(inst.attrs.integer(attr));
}

// ---- lists

/// from, from + 1, ... (`count` of them).
Integers counting(std::int64_t from, std::size_t count);
/// Adds one to every entry. If the batch is inserted as axis 0, the result has the new numbers of the axes `axes`.
Integers shifted(Integers axes);
/// Axis 0, then the entries of shifted(axes).
Integers with_batch_axis(const Integers& axes);
/// `value`, then the entries of `list`.
Integers preceded(std::int64_t value, const Integers& list);
bool holds(const Integers& list, std::int64_t value);
/// The axes 0..rank-1 that are not in `axes`, in increasing order.
Integers other_axes(std::size_t rank, const Integers& axes);
/// The sizes of the axes `axes`.
Shape sizes_of(const Shape& shape, const Integers& axes);
/// `first` followed by `second`.
Integers joined(Integers first, const Integers& second);
/// The permutation p with p[permutation[i]] = i.
Integers inverse(const Integers& permutation);

// ---- samples

/// `samples`, and an f64 copy of each f32 sample, because derivatives are tested in f64.
std::vector<Sample> with_doubles(std::vector<Sample> samples);

// ---- other functions

/// i32 if i32 can represent every index of an axis of `size` elements, otherwise i64.
DType index_dtype(std::int64_t size);
/// Batch rule: appends the instruction on operands that have the batch as axis 0. The attribute `axis` increases by
/// one.
Values batch_along_axis(BatchContext& c);

} // namespace pm::ops
