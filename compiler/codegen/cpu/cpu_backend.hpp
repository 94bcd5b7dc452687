#pragma once
#include "compiler/codegen/program/backend.hpp"

#include <memory>

namespace pm::codegen {

/// The target whose units are functions of the host's code. Both arguments must outlive it.
std::unique_ptr<Backend> cpu_backend(const plan::Program& program, const Machine& machine);

} // namespace pm::codegen
