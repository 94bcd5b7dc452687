#pragma once
#include "compiler/plan/program/program.hpp"
#include "runtime/array.hpp"

#include <stdexcept>

/// Runs programs one element after the other, exactly in the order that nest.hpp and program.hpp state. It shares no
/// code with any back end: what compiled code gives must have the same bits, but for functions such as exp, which it
/// takes from libm.
namespace pm::plan::testing {

/// A check that failed: site and element of the least failure.
struct CheckFailed : std::runtime_error {
    CheckFailed(std::uint32_t site, std::int64_t element)
        : std::runtime_error("check failed"), site(site), element(element) {}
    std::uint32_t site;
    std::int64_t element;
};

std::vector<runtime::Array> interpret(const Program& program, const std::vector<runtime::Array>& arguments);

/// One scalar operation on the bits of elements; `to` is the result's dtype, `from` that of the operands (of the last
/// one).
std::uint64_t scalar_operation(nest::ScalarOp op, nest::DType to, nest::DType from,
                               const std::vector<std::uint64_t>& operands);
/// Two elements combined, in the type a reduction accumulates in.
std::uint64_t combine_elements(nest::Combine how, nest::DType dtype, std::uint64_t a, std::uint64_t b);

/// How many steps of a kind there are, in all lists.
std::size_t count_steps(const Steps& steps, StepKind kind);

} // namespace pm::plan::testing
