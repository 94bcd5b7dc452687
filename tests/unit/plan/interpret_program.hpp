#pragma once
#include "compiler/plan/program/program.hpp"
#include "runtime/array.hpp"

#include <stdexcept>

/// An interpreter of programs. It computes element by element, exactly in the order that nest.hpp and program.hpp
/// define. The interpreter shares no code with any back end. The results of compiled code must have the same bits as
/// those of the interpreter. Functions such as exp are an exception, because the interpreter calls libm.
namespace pm::plan::testing {

/// A failed check: the site of the check, and the least element that failed.
struct CheckFailed : std::runtime_error {
    CheckFailed(std::uint32_t site, std::int64_t element)
        : std::runtime_error("check failed"), site(site), element(element) {}
    std::uint32_t site;
    std::int64_t element;
};

std::vector<runtime::Array> interpret(const Program& program, const std::vector<runtime::Array>& arguments);

/// The number of steps of a kind, in `steps` and in all lists of steps nested in it.
std::size_t count_steps(const Steps& steps, StepKind kind);

} // namespace pm::plan::testing
