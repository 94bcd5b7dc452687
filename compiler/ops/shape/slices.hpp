#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::ops {

/// Cuts axis `axis` of an array into slices, and stacks them along a new axis 0. If `tiled`, a slice is a block of axis
/// `axis`. Otherwise a slice is one element, without that axis.
Value with_slices_first(Build& b, Value v, std::int64_t axis, std::int64_t slices, bool tiled);
/// The inverse of with_slices_first: moves the slices from axis 0 back to `axis`. If `tiled`, the slices are merged
/// with the elements of `axis`.
Value with_slices_back(Build& b, Value v, std::int64_t axis, bool tiled);

/// Per receiver of a ppermute among `devices` devices: the number of the device that sends to this receiver, or -1 if
/// no device does.
ir::Integers sources_of(const ir::Inst& permute, std::int64_t devices);

} // namespace pm::ops
