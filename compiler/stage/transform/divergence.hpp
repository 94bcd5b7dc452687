#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/core/around.hpp"
#include "compiler/transform/core/transform.hpp"

namespace pm::stage {

/// Adds to `d` the reason why result number `result` of a pmap's function differs from device to device, and a
/// suggestion. For each parameter of the function, `varying` has the named axes along which the parameter differs.
Diagnostic with_reason(Diagnostic d, const ir::Block& block, std::size_t result, const NamedAxis& axis,
                       const std::vector<transform::AxisSet>& varying);

} // namespace pm::stage
