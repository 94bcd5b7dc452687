#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/transform/core/transform.hpp"

namespace pm::stage {

/// If Host::explain_grad is set, reports the residuals of a derivative: the values of the first part that the linear
/// part uses. The report has their types, bytes and positions, and the number of operations that the derivative
/// recomputes. `name` is the text of the derivative, such as `grad(f)`.
void explain_gradient(const Host& host, const SourceMap& sources, Span at, const std::string& name,
                      const transform::Linearized& made);

} // namespace pm::stage
