#pragma once
#include "compiler/plan/program/program.hpp"
#include "runtime/array.hpp"

#include <stdexcept>

/// Runs programs element by element, exactly in the order that nest.hpp and program.hpp define. It shares no code with
/// any back end. Compiled code must have the same bits as this interpreter, except in functions such as exp, which are
/// from libm here.
namespace pm::plan::testing {

/// A failed check: its site, and the least element that failed.
struct CheckFailed : std::runtime_error {
    CheckFailed(std::uint32_t site, std::int64_t element)
        : std::runtime_error("check failed"), site(site), element(element) {}
    std::uint32_t site;
    std::int64_t element;
};

std::vector<runtime::Array> interpret(const Program& program, const std::vector<runtime::Array>& arguments);

/// The number of steps of a kind, in the list of steps and all nested lists.
std::size_t count_steps(const Steps& steps, StepKind kind);

} // namespace pm::plan::testing
