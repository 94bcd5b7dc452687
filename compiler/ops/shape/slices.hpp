#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::ops {

/// Cuts axis `axis` of an array into so many slices, which go along a new axis 0. Tiled, a slice is a block of that
/// axis; otherwise it is one element of it, and the axis goes.
Value with_slices_first(Build& b, Value v, std::int64_t axis, std::int64_t slices, bool tiled);
/// Undoes it: the slices along axis 0 go back along `axis`, merged with it when tiled.
Value with_slices_back(Build& b, Value v, std::int64_t axis, bool tiled);

/// Per receiver of a ppermute among `devices` the number of its source, -1 for none.
ir::Integers sources_of(const ir::Inst& permute, std::int64_t devices);

} // namespace pm::ops
