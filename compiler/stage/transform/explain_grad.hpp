#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/transform/core/transform.hpp"

namespace pm::stage {

/// If Host::explain_grad is set, reports the residuals of a derivative. The report has the types, bytes and positions
/// of the residuals, and the number of operations that the derivative recomputes. `name` describes the derivative, such
/// as "grad(f)".
void explain_gradient(const Host& host, const SourceMap& sources, Span at, const std::string& name,
                      const transform::Linearized& made);

} // namespace pm::stage
