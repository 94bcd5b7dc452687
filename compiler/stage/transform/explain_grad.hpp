#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/transform/core/transform.hpp"

namespace pm::stage {

/// If Host::explain_grad is set: reports the values that a derivative keeps from its first part for its second. The
/// report has their types, bytes and places, and the number of operations that the derivative computes again. `name` is
/// the source form of the derivative.
void explain_gradient(const Host& host, const SourceMap& sources, Span at, const std::string& name,
                      const transform::Linearized& made);

} // namespace pm::stage
