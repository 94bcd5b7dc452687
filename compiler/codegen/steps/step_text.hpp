#pragma once
#include "compiler/codegen/nest/nest_shape.hpp"
#include "compiler/plan/program/program.hpp"

#include <string>

namespace pm::codegen {

/// Equal for steps of which one code will do.
std::string text_of(const plan::Program& program, const plan::Step& step, const NestShape& shape);

} // namespace pm::codegen
