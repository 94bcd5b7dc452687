#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/transform/core/transform.hpp"

namespace pm::stage {

/// Where the host wants to know (Host::explain_grad): what a derivative keeps from its first part for its second, with
/// types, bytes and places, and what it computes again. `name` is how the derivative is written.
void explain_gradient(const Host& host, const SourceMap& sources, Span at, const std::string& name,
                      const transform::Linearized& made);

} // namespace pm::stage
