#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The suggestion of an error about a text, or a tuple of texts, in place of an array.
inline constexpr std::string_view texts_in_tuples =
    "texts are in tuples: (\"a\", \"b\"), or (str(v) for v in x); text.sort, text.unique and text.indices take them";

/// The result of joining values along an axis.
struct Joining {
    DType dtype;      ///< dtype of the result; each value is converted to this dtype
    Shape shape;      ///< shape of the result
    std::size_t axis; ///< the axis along which the values are joined
};

/// Whether `values` are joined by copying their bytes. If false, the values are joined by a program with an input for
/// each value. True only at top level, and only if all values are numbers or arrays in CPU memory. In addition there
/// must be many values, or the values must be small, or the bytes of each value must be contiguous in the result.
bool joined_at_once(Stager& s, const std::vector<Value>& values, const Joining& joining);

/// Joins numbers and arrays into one array by copying them. The time is linear in the bytes of the result. Raises
/// Diag::number_too_large if a number does not fit the dtype. Raises Diag::complex_to_real if a complex value would
/// become real.
runtime::Array joined(Stager& s, const std::vector<Value>& values, const Joining& joining, Span span);

/// Raises if `item`, the value of an iteration, cannot be stacked. The numbers and arrays in `item` are stacked. The
/// other values in `item` must be equal in all iterations, so they must not contain values of `region`, the region of
/// the loop.
void require_item(const Value& item, const Context& region, Span span);

/// Values of the same shape, stacked along a new axis 0. The result has the dtype `as`. If `as` is empty, it has the
/// promoted dtype.
Value stack_values(Stager& s, const std::vector<Value>& items, Span span, std::optional<DType> as = {});
/// Trees of the same structure, stacked leaf by leaf into one tree.
Value stack_trees(Stager& s, const std::vector<Value>& rows, Span span);
/// Trees of the same structure, joined leaf by leaf along axis 0, which each leaf has. Their lengths may differ.
Value join_trees(Stager& s, std::vector<Value> rows, Span span);
/// The tree whose leaves have the axes 0 and 1 of those of `tree` as one axis.
Value rows_joined(Stager& s, const Value& tree, Span span);

} // namespace pm::stage
