#pragma once
#include "compiler/ops/complex/parts.hpp"

namespace pm::ops::parts {

/// The discrete Fourier transform along an axis, not divided by its size, by real matrix products.
Parts fft(Build& b, const Parts& x, int axis, bool inverse);
/// The transform as one `fft` instruction on an array of pairs (re, im), which a device library will compute.
Parts fft_of_pairs(Build& b, const Parts& x, int axis, bool inverse);

} // namespace pm::ops::parts
