#pragma once
#include "compiler/plan/program/program.hpp"

namespace pm::plan {

/// Finds the arguments and results that the lanes of a program for several processes use, each lane its own part.
/// Removes the meetings that bring these results to all processes. Sets Program::argument_divisions, result_divisions
/// and argument_is_used.
void divide(Program& program);

} // namespace pm::plan
