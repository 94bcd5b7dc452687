#pragma once
#include "compiler/codegen/program/backend.hpp"

#include <memory>

namespace pm::codegen {

/// The back end whose units are functions in the host's code. `program` and `machine` must outlive the back end.
std::unique_ptr<Backend> cpu_backend(const plan::Program& program, const Machine& machine);

} // namespace pm::codegen
