#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The update `base.path op= value`.
struct Update {
    const std::vector<syntax::Selector>& path;
    syntax::UpdateOp op;
    const Value& value;
    Span span;
};
/// Applies the update to `base`, the part that the steps of the path before `at` select, and returns the new part.
/// Parts of `base` may be changed in place if `base` is their only owner.
Value updated(Stager& s, Value& base, const Update& update, std::size_t at = 0);

} // namespace pm::stage
