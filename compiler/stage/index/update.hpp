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
/// Applies the steps of the update's path from index `at` on. `base` is the value that the steps before `at` select.
/// Returns the new value for `base`. A part of `base` may be changed in place if `base` is the part's only owner.
Value updated(Stager& s, Value& base, const Update& update, std::size_t at = 0);

} // namespace pm::stage
