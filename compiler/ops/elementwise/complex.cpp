#include "compiler/ops/complex/fft.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/nans.hpp"

// real, imag, conj, complex, fft. Programs contain these operations only until transform/complex/lower_complex replaces
// them, before evaluation and planning. So these operations have no `eval`. All of them except fft have no lowering.
//
// In this file, linear means linear over the real numbers: real, imag and conj do not commute with a factor i. As in
// JAX, transposes are with respect to the bilinear form <a, b> = Re(sum of a b), without a conjugate.

namespace pm::ops {
namespace {

DType complex_of(DType part) { return part == DType::f32 ? DType::c64 : DType::c128; }

std::vector<Type> type_part(const Inst& inst, std::span<const Type> operands) {
    require_dtype(inst, operands[0].dtype, complexes);
    return {Type{runtime::part_type(operands[0].dtype), operands[0].shape}};
}

std::vector<Type> type_complex(const Inst& inst, std::span<const Type> operands) {
    require_dtype(inst, operands[0].dtype, set_of(DType::f32) | set_of(DType::f64));
    require_same(inst, operands);
    return {Type{complex_of(operands[0].dtype), operands[0].shape}};
}

void transpose_real(TransposeContext& c) { c.add(0, c.b.binary(Op::complex, *c.ct(), c.b.zeros_like(*c.ct()))); }
/// Im z = Re(-i z).
void transpose_imag(TransposeContext& c) {
    c.add(0, c.b.binary(Op::complex, c.b.zeros_like(*c.ct()), c.b.neg(*c.ct())));
}
void transpose_conj(TransposeContext& c) { c.add(0, c.b.unary(Op::conj, *c.ct())); }
void transpose_complex(TransposeContext& c) {
    c.add(0, c.b.unary(Op::real, *c.ct()));
    if (c.linear(1)) c.add(1, c.b.neg(c.b.unary(Op::imag, *c.ct())));
}

template <std::size_t Operands, bool Whole>
std::vector<Sample> samples_complex() {
    std::vector<Sample> samples;
    for (const DType dtype : {DType::f32, DType::f64})
        for (const Shape& shape : sample_shapes()) {
            const DType taken = Whole ? complex_of(dtype) : dtype;
            samples.push_back({std::vector<Type>(Operands, Type{taken, shape}), {}, {Domain::any}});
        }
    return samples;
}

template <Op K, TypeRule* Type, TransposeRule* Transpose, SamplesRule* Samples, PartsRule* OnParts>
consteval OpRules part_rules(std::string_view doc) {
    return checked<K>({.type = Type,
                       .eval = none,
                       .jvp = jvp_linear,
                       .transpose = Transpose,
                       .batch = batch_elementwise,
                       .lower = LowerElsewhere{},
                       .samples = Samples,
                       .doc = doc,
                       .parts = OnParts,
                       .keeps_parts = true});
}

// ---- fft

/// The operand is complex, and the transform may be along any axis. After transform/complex/lower_complex, only
/// instructions that a device library computes remain. Their operand is real, with pairs (re, im) along the last axis.
/// The axis of the transform is the axis before the last one.
std::vector<Type> type_fft(const Inst& inst, std::span<const Type> operands) {
    const Type& x = operands[0];
    require_dtype(inst, x.dtype, complexes | set_of(DType::f32) | set_of(DType::f64));
    require_axis(inst, inst.attrs.integer(Attr::axis), x);
    PM_CHECK(runtime::is_complex(x.dtype) || (x.shape.back() == 2 && inst.attrs.integer(Attr::axis) + 2 ==
                                                                         static_cast<std::int64_t>(x.shape.size())),
             "a transform of what are no pairs");
    return {operands[0]};
}

/// The matrix of the transform is symmetric, so the transform is its own transpose.
void transpose_fft(TransposeContext& c) { c.add(0, c.b.copy(c.inst, {*c.ct()}).at(0)); }

std::vector<Sample> samples_fft() {
    const auto sample = [](DType dtype, Shape shape, std::int64_t axis, std::int64_t inverse) {
        return Sample{
            {Type{dtype, std::move(shape)}}, {{Attr::axis, axis}, {Attr::inverse, inverse}}, {Domain::any}, 1e-4};
    };
    std::vector<Sample> samples;
    for (const std::int64_t n : {0, 1, 2, 3, 8, 13, 30, 64, 97, 120, 360, 509, 1024}) {
        samples.push_back(sample(DType::c64, {n}, 0, 0));
        samples.push_back(sample(DType::c128, {n}, 0, n % 2));
    }
    samples.push_back(sample(DType::c64, {3, 12, 2}, 1, 1));
    samples.push_back(sample(DType::c64, {12, 5}, 0, 0));
    samples.push_back(sample(DType::c128, {0, 12}, 1, 0));
    samples.push_back(sample(DType::c64, {5, 4099}, 1, 0)); // 4099 is a large prime
    return samples;
}

Value nan_along_axis(Build& b, const Inst& inst, const Values& in) {
    const std::int64_t axis = inst.attrs.integer(Attr::axis);
    Integers others = other_axes(b.shape(in[0]).size(), {axis});
    return b.broadcast(b.reduce(Op::reduce_or, is_nan(b, in[0]), {axis}), b.shape(in[0]), std::move(others));
}

std::vector<Parts> real_parts(PartsContext& c) { return {{c.in[0].re, {}}}; }
std::vector<Parts> imag_parts(PartsContext& c) { return {{parts::imaginary(c.b, c.in[0]), {}}}; }
std::vector<Parts> conj_parts(PartsContext& c) {
    const Parts& z = c.in[0];
    return {{z.re, z.im ? std::optional(c.b.neg(*z.im)) : std::nullopt}};
}
std::vector<Parts> complex_parts(PartsContext& c) { return {{c.in[0].re, c.in[1].re}}; }
std::vector<Parts> fft_parts(PartsContext& c) {
    const ir::Attrs& attrs = c.inst.attrs;
    return {parts::fft(c.b, c.in[0], static_cast<int>(attrs.integer(Attr::axis)), attrs.integer(Attr::inverse) != 0)};
}

} // namespace

const OpRules rule::real =
    part_rules<Op::real, type_part, transpose_real, samples_complex<1, true>, real_parts>("The real part.");
const OpRules rule::imag =
    part_rules<Op::imag, type_part, transpose_imag, samples_complex<1, true>, imag_parts>("The imaginary part.");
const OpRules rule::conj =
    part_rules<Op::conj, type_same<complexes>, transpose_conj, samples_complex<1, true>, conj_parts>(
        "The complex conjugate.");
const OpRules rule::complex =
    part_rules<Op::complex, type_complex, transpose_complex, samples_complex<2, false>, complex_parts>("x + iy.");

const OpRules rule::fft = checked<Op::fft>({
    .type = type_fft,
    .eval = none,
    .jvp = jvp_linear,
    .transpose = transpose_fft,
    .batch = batch_along_axis,
    .lower = LowerKernel{Kernel::matrices},
    .samples = samples_fft,
    .doc = "The discrete Fourier transform along `axis`, sums of x_j exp(-2 pi i j k / n); with `inverse` those of "
           "x_j exp(2 pi i j k / n), not divided by n.",
    .name = "fft.fft",
    .nans = {.made = makes_nans, .given = nan_along_axis},
    .parts = fft_parts,
});

} // namespace pm::ops
