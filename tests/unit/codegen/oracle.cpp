// The interpreter of plan's tests, part of this binary too: the exact oracle of emitted code.
#include "tests/unit/plan/interpret_nest.cpp"
#include "tests/unit/plan/interpret_program.cpp"
#include "tests/unit/plan/interpret_scalar.cpp"
