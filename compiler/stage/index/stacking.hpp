#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The result of joining values along an axis.
struct Joining {
    DType dtype;      ///< dtype of the result; each value is converted to this dtype
    Shape shape;      ///< shape of the result
    std::size_t axis; ///< the axis along which the values are joined
};

/// Whether `values` are joined by copying their bytes. Otherwise they are joined by a program with an input for each
/// value. True at top level if all values are numbers or arrays in host memory, and there are many of them, they are
/// small, or the bytes of each are contiguous in the result.
bool joined_at_once(Stager& s, const std::vector<Value>& values, const Joining& joining);

/// Joins numbers and arrays into one array by copying them. Takes time linear in the bytes of the result. Raises
/// Diag::number_too_large if a number does not fit the dtype, and Diag::complex_to_real if a complex value would become
/// real.
runtime::Array joined(Stager& s, const std::vector<Value>& values, const Joining& joining, Span span);

/// Raises unless `item`, the value of an iteration, can be stacked. Its numbers and arrays are stacked. Its other parts
/// must be equal in all iterations, so they may not contain values of the loop's `region`.
void require_item(const Value& item, const Context& region, Span span);

/// Values of the same shape, stacked along a new axis 0. Their dtype is `as` if given, otherwise the promoted dtype.
Value stack_values(Stager& s, const std::vector<Value>& items, Span span, std::optional<DType> as = {});
/// Trees of the same structure, stacked leaf by leaf.
Value stack_trees(Stager& s, const std::vector<Value>& rows, Span span);

} // namespace pm::stage
