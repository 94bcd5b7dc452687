#pragma once
#include "compiler/ops/complex/parts.hpp"

namespace pm::ops::parts {

/// Computes the discrete Fourier transform of `x` along axis `axis` by real matrix products. The result is not divided
/// by the size of the axis.
Parts fft(Build& b, const Parts& x, int axis, bool inverse);
/// Computes the same transform as fft(), as one `fft` instruction on an array of pairs (re, im). A device library will
/// run the instruction.
Parts fft_of_pairs(Build& b, const Parts& x, int axis, bool inverse);

} // namespace pm::ops::parts
