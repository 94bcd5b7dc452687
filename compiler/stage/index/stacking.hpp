#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// How values are joined along an axis.
struct Joining {
    DType dtype;      ///< of the result; each value is converted to it
    Shape shape;      ///< of the result
    std::size_t axis; ///< along which the values follow each other
};

/// Whether `values` are joined by copying their bytes, and not by a program, which would need an input for each. True
/// at top level if all are numbers or arrays in host memory, and they are many or small.
bool joined_at_once(Stager& s, const std::vector<Value>& values);

/// Joins numbers and arrays into one array, in their order, by copying; takes time linear in its bytes. Raises if a
/// number does not fit the dtype (Diag::number_too_large) or a complex value would become real (Diag::complex_to_real).
runtime::Array joined(Stager& s, const std::vector<Value>& values, const Joining& joining, Span span);

/// Raises unless `item`, the value of an iteration, can be stacked: a tree of numbers and arrays. Other parts of the
/// tree must be equal in all iterations, so they may not contain values of the loop's `region`.
void require_item(const Value& item, const Context& region, Span span);

/// Values of one shape stacked along a new axis 0. The dtype is `as`, or else the promoted one.
Value stack_values(Stager& s, const std::vector<Value>& items, Span span, std::optional<DType> as = {});
/// Trees of one structure, stacked leaf by leaf.
Value stack_trees(Stager& s, const std::vector<Value>& rows, Span span);

} // namespace pm::stage
