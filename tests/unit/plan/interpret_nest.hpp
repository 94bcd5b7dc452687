#pragma once
#include "compiler/nest/nest.hpp"

#include <cstdint>
#include <vector>

/// An interpreter of nests. It computes element by element, exactly in the order that nest.hpp defines.
namespace pm::plan::testing {

/// Runs a nest. `buffers` are the addresses of its buffers, and `sizes` the numbers of their elements. An access out of
/// bounds throws std::logic_error.
void interpret_nest(const nest::Nest& nest, std::vector<std::uint8_t*> buffers, std::vector<std::int64_t> sizes);

/// Computes a scalar operation on the bits of elements. `to` is the dtype of the result, `from` the dtype of the last
/// operand.
std::uint64_t scalar_operation(nest::ScalarOp op, nest::DType to, nest::DType from, std::uint64_t a,
                               std::uint64_t b = 0, std::uint64_t c = 0);
/// Combines two elements in the dtype in which the reduction accumulates.
std::uint64_t combine_elements(nest::Combine how, nest::DType dtype, std::uint64_t a, std::uint64_t b);
/// The dtype in which a reduction combines elements of `dtype`.
nest::DType accumulator(nest::Combine how, nest::DType dtype);

/// The bits of element `i`.
std::uint64_t read_element(const std::uint8_t* data, nest::DType dtype, std::int64_t i);
void write_element(std::uint8_t* data, nest::DType dtype, std::int64_t i, std::uint64_t bits);

} // namespace pm::plan::testing
