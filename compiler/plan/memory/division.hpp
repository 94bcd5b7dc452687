#pragma once
#include "compiler/plan/program/program.hpp"

namespace pm::plan {

/// Finds the arguments and results that the lanes of a program for several processes use, each lane its own part.
/// Removes the meetings that bring these results to all processes, and sets Program::divisions.
void divide(Program& program);

} // namespace pm::plan
