#pragma once
#include "compiler/ops/core/build.hpp"
#include "compiler/transform/core/bit_mask.hpp"

#include <optional>
#include <span>

/// Shared by the files of `lower_complex`: complex values as pairs of real ones, and the operations on them.
namespace pm::transform {

/// A value as its parts; a real one is `re` alone. A complex value without `im` is real everywhere: one that came
/// from a real array costs half, and its infinite elements do not meet a zero that the program did not write.
struct Parts {
    Value re;
    std::optional<Value> im;
};

/// `im`, or zeros.
Value imaginary(Build& b, const Parts& z);
/// re + i im with both parts present.
Parts whole(Build& b, const Parts& z);
/// The parts as one array [..., 2], and back.
Value interleaved(Build& b, const Parts& z);
Parts taken_apart(Build& b, Value pairs);

// ---- arithmetic
Parts add(Build& b, const Parts& x, const Parts& y);
Parts subtract(Build& b, const Parts& x, const Parts& y);
Parts negate(Build& b, const Parts& x);
Parts multiply(Build& b, const Parts& x, const Parts& y);
/// The divisor is scaled by a power of two, so that its square neither overflows nor underflows. x / 0 divides each
/// part by 0, and a finite number over an infinite one is 0.
Parts divide(Build& b, const Parts& x, const Parts& y);
Parts dot(Build& b, const Inst& inst, const Parts& x, const Parts& y);
/// The modulus, without overflow in the squares.
Value modulus(Build& b, const Parts& z);

// ---- functions (reals_math.cpp)
/// An elementwise operation of one operand that is analytic: exp, sqrt, atan ...
Parts analytic(Build& b, Op op, const Parts& z);
Parts power(Build& b, const Parts& x, const Parts& y);
Parts sign(Build& b, const Parts& z);

// ---- the discrete Fourier transform (reals_fft.cpp), along an axis, not divided by its size
Parts fft(Build& b, const Parts& x, int axis, bool inverse);
/// The same as one `fft` instruction on pairs.
Parts fft_of_pairs(Build& b, const Parts& x, int axis, bool inverse);

/// Values of these types from the results of an operation on parts, in order: two results for each complex value.
std::vector<Parts> gathered(const Values& made, std::span<const Type> types);

/// Flat operations that have a complex operand or result (reals_rules.cpp). `types` are those of the operands, `out`
/// those of the results.
std::vector<Parts> split_flat(Build& b, const Inst& inst, std::span<const Parts> in, std::span<const Type> types,
                              std::span<const Type> out);

} // namespace pm::transform
