#pragma once
#include "compiler/codegen/nest/nest_shape.hpp"
#include "compiler/plan/program/program.hpp"

#include <string>

namespace pm::codegen {

/// A text that is equal for steps that can share their code.
std::string text_of(const plan::Program& program, const plan::Step& step, const NestShape& shape);

} // namespace pm::codegen
