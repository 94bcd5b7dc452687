#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/transform/core/transform.hpp"

namespace pm::stage {

/// If Host::explain_grad is set: reports the values that the linear part of a derivative keeps of the first part. The
/// report has their types, bytes and positions, and the number of operations that the derivative recomputes. `name` is
/// the source form of the derivative.
void explain_gradient(const Host& host, const SourceMap& sources, Span at, const std::string& name,
                      const transform::Linearized& made);

} // namespace pm::stage
