#pragma once
#include "compiler/nest/nest.hpp"

#include <cstdint>
#include <vector>

/// Runs nests one element after the other, exactly in the order that nest.hpp states.
namespace pm::plan::testing {

/// Runs a nest with these addresses of its buffers. `sizes`: elements of each buffer; an access beyond it throws
/// std::logic_error.
void interpret_nest(const nest::Nest& nest, std::vector<std::uint8_t*> buffers, std::vector<std::int64_t> sizes);

/// One scalar operation on the bits of elements; `to` is the result's dtype, `from` that of the operands (of the last
/// one).
std::uint64_t scalar_operation(nest::ScalarOp op, nest::DType to, nest::DType from, std::uint64_t a,
                               std::uint64_t b = 0, std::uint64_t c = 0);
/// Two elements combined, in the type a reduction accumulates in.
std::uint64_t combine_elements(nest::Combine how, nest::DType dtype, std::uint64_t a, std::uint64_t b);
/// The type in which elements of `dtype` are combined.
nest::DType accumulator(nest::Combine how, nest::DType dtype);

/// The bits of element `i`.
std::uint64_t read_element(const std::uint8_t* data, nest::DType dtype, std::int64_t i);
void write_element(std::uint8_t* data, nest::DType dtype, std::int64_t i, std::uint64_t bits);

} // namespace pm::plan::testing
