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

/// How many steps of a kind there are, in all lists.
std::size_t count_steps(const Steps& steps, StepKind kind);

} // namespace pm::plan::testing
