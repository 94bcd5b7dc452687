// Compiles the interpreter of the planner's tests into this binary. The interpreter defines the exact results of
// emitted code.
#include "tests/unit/plan/interpret_nest.cpp"
#include "tests/unit/plan/interpret_program.cpp"
#include "tests/unit/plan/interpret_scalar.cpp"
