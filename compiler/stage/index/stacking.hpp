#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// How values are put together along an axis.
struct Joining {
    DType dtype;      ///< of the result, to which each is converted
    Shape shape;      ///< of the result
    std::size_t axis; ///< along which they follow each other
};

/// Whether `values` are put together at once, by copying their bytes: at top level, where all are numbers or arrays in
/// the host's memory, and are many or small. A program would have an input for each.
bool joined_at_once(Stager& s, const std::vector<Value>& values);

/// Numbers and arrays as one array, in their order, by copying: linear in its bytes. Raises where a number does not fit
/// the dtype (Diag::number_too_large) or a complex value would become a real one (Diag::complex_to_real).
runtime::Array joined(Stager& s, const std::vector<Value>& values, const Joining& joining, Span span);

/// Raises where `item`, which an iteration gives to an array, is no tree of numbers and arrays but for parts that are
/// the same in each: those hold no value of the loop's `region`.
void require_item(const Value& item, const Context& region, Span span);

} // namespace pm::stage
