// The interpreter of the planner's tests, as part of this binary. It is the exact oracle of emitted code.
#include "tests/unit/plan/interpret_nest.cpp"
#include "tests/unit/plan/interpret_program.cpp"
#include "tests/unit/plan/interpret_scalar.cpp"
