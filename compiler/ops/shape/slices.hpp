#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::ops {

/// Cuts axis `axis` of an array into this many slices, along a new axis 0. If `tiled`, a slice is a block of that
/// axis. Otherwise it is one element, and the axis is removed.
Value with_slices_first(Build& b, Value v, std::int64_t axis, std::int64_t slices, bool tiled);
/// The inverse: moves the slices from axis 0 to `axis`, merged with that axis if tiled.
Value with_slices_back(Build& b, Value v, std::int64_t axis, bool tiled);

/// Per receiver of a ppermute among `devices`: the number of its source, or -1 if there is none.
ir::Integers sources_of(const ir::Inst& permute, std::int64_t devices);

} // namespace pm::ops
