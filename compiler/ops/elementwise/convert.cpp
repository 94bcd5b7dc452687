#include "compiler/base/count.hpp"
#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/combinators.hpp"

// convert, bitcast, stop_gradient, barrier. Conversions are the casts of the language. A conversion from float to
// integer rounds towards zero and saturates; NaN becomes 0. Conversions between integers wrap. A conversion to bool
// tests whether the number is not zero. A conversion to a float rounds once, half to even.

namespace pm::ops {
namespace {

std::vector<Type> type_convert(const Inst& inst, std::span<const Type> operands) {
    const DType to = inst.attrs.dtype(Attr::dtype);
    // A complex operand may not be converted to a real dtype, because the operations real and imag do that.
    require_dtype(inst, operands[0].dtype, runtime::is_complex(to) ? fields | bools : ordered);
    require_dtype(inst, to, fields | bools);
    return {Type{to, operands[0].shape}};
}

std::vector<Array> eval_convert(EvalContext& c) {
    Array out = new_result(c);
    const Array& x = c.in[0];
    void* to = out.mutable_data();
    for (std::int64_t i = 0; i < out.elements(); ++i) {
        if (runtime::is_float(x.dtype()))
            runtime::write_f64(out.dtype(), to, i, x.as_f64(i));
        else if (runtime::is_unsigned_integer(x.dtype()))
            runtime::write_u64(out.dtype(), to, i, x.as_u64(i));
        else
            runtime::write_i64(out.dtype(), to, i, x.as_i64(i));
    }
    return {std::move(out)};
}

Tangents jvp_convert(JvpContext& c) {
    const DType to = c.inst.attrs.dtype(Attr::dtype);
    if (!c.tangent(0) || !runtime::is_inexact(to)) return {std::nullopt};
    return {c.b.convert(*c.tangent(0), to)};
}

void transpose_convert(TransposeContext& c) {
    const DType from = c.operand_types[0].dtype;
    const bool narrows = runtime::is_complex(c.b.dtype(*c.ct())) && !runtime::is_complex(from);
    c.add(0, c.b.convert(narrows ? c.b.unary(Op::real, *c.ct()) : *c.ct(), from));
}

nest::Ref element_convert(ElementContext& c, const nest::Indices& at) {
    const nest::Ref x = c.element(0, at);
    return c.operand_types[0].dtype == c.result_type.dtype ? x : c.n.op(ScalarOp::convert, c.result_type.dtype, {x});
}

std::vector<Sample> samples_convert() {
    std::vector<Sample> samples;
    for (DType from : members(ordered)) {
        for (DType to : members(ordered)) {
            Sample sample{{{from, {70}}}, {{Attr::dtype, to}}, {Domain::any}};
            sample.differentiable = from == DType::f64 && to == DType::f64;
            samples.push_back(std::move(sample));
        }
    }
    for (const Shape& shape : sample_shapes())
        samples.push_back({{{DType::f32, shape}}, {{Attr::dtype, DType::f64}}, {Domain::any}});
    return samples;
}

std::vector<Type> type_bitcast(const Inst& inst, std::span<const Type> operands) {
    const DType from = operands[0].dtype;
    const DType to = inst.attrs.dtype(Attr::dtype);
    require_dtype(inst, from, numbers | keys);
    require_dtype(inst, to, numbers | keys);
    if (runtime::size_of(from) != runtime::size_of(to)) {
        raise(diagnose(Diag::bitcast_width, {}, runtime::name(from), runtime::name(to), runtime::size_of(from),
                       Count{runtime::size_of(to)}));
    }
    return {Type{to, operands[0].shape}};
}

std::vector<Array> eval_bitcast(EvalContext& c) { return {c.in[0].bitcast(c.result_types[0].dtype)}; }

nest::Ref element_bitcast(ElementContext& c, const nest::Indices& at) {
    const nest::Ref x = c.element(0, at);
    return c.operand_types[0].dtype == c.result_type.dtype ? x : c.n.op(ScalarOp::bitcast, c.result_type.dtype, {x});
}

std::vector<Sample> samples_bitcast() {
    std::vector<Sample> samples;
    for (DType from : members(numbers | keys)) {
        for (DType to : members(numbers | keys)) {
            if (runtime::size_of(from) == runtime::size_of(to))
                samples.push_back({{{from, {7}}}, {{Attr::dtype, to}}, {Domain::any}});
        }
    }
    for (const Shape& shape : sample_shapes())
        samples.push_back({{{DType::f32, shape}}, {{Attr::dtype, DType::u32}}, {Domain::any}});
    for (Sample& sample : samples) sample.differentiable = false;
    return samples;
}

std::vector<Array> eval_same(EvalContext& c) { return {c.in[0]}; }
nest::Ref element_same(ElementContext& c, const nest::Indices& at) { return c.element(0, at); }

Tangents jvp_barrier(JvpContext& c) { return {c.tangent(0)}; }
void transpose_barrier(TransposeContext& c) { c.add(0, *c.ct()); }

std::vector<Sample> samples_stop_gradient() {
    std::vector<Sample> samples = elementwise_samples(1, every, {Domain::any});
    for (Sample& sample : samples) sample.differentiable = false; // its derivative is zero by definition
    return samples;
}

std::vector<Parts> convert_parts(PartsContext& c) {
    const Parts& x = c.in[0];
    const DType part = runtime::part_type(c.inst.attrs.dtype(Attr::dtype));
    Parts made{c.b.convert(x.re, part), {}};
    if (x.im) made.im = c.b.convert(*x.im, part);
    return {made};
}

} // namespace

const OpRules rule::convert = checked<Op::convert>({.type = type_convert,
                                                    .eval = eval_convert,
                                                    .jvp = jvp_convert,
                                                    .transpose = transpose_convert,
                                                    .batch = batch_elementwise,
                                                    .lower = LowerElement{element_convert},
                                                    .samples = samples_convert,
                                                    .doc = "The same numbers in another dtype.",
                                                    .name = "astype",
                                                    .parts = convert_parts,
                                                    .keeps_parts = true,
                                                    .cost = 0});

const OpRules rule::bitcast = checked<Op::bitcast>({.type = type_bitcast,
                                                    .eval = eval_bitcast,
                                                    .jvp = none,
                                                    .transpose = none,
                                                    .batch = batch_elementwise,
                                                    .lower = LowerElement{element_bitcast},
                                                    .samples = samples_bitcast,
                                                    .doc = "The same bits as another dtype of the same width.",
                                                    .name = "bitcast_convert_type",
                                                    .cost = 0});

const OpRules rule::stop_gradient = checked<Op::stop_gradient>({.type = type_same<anything>,
                                                                .eval = eval_same,
                                                                .jvp = none,
                                                                .transpose = none,
                                                                .batch = batch_elementwise,
                                                                .lower = LowerElement{element_same},
                                                                .samples = samples_stop_gradient,
                                                                .doc = "x, as a constant for derivatives.",
                                                                .parts = parts::each,
                                                                .keeps_parts = true,
                                                                .cost = 0});

const OpRules rule::barrier = checked<Op::barrier>({.type = type_same<anything>,
                                                    .eval = eval_same,
                                                    .jvp = jvp_barrier,
                                                    .transpose = transpose_barrier,
                                                    .batch = batch_elementwise,
                                                    .lower = LowerElement{element_same},
                                                    .samples = samples_elementwise<1, every, Domain::any>,
                                                    .doc = "x; values made of it are made again rather than kept.",
                                                    .name = "checkpoint",
                                                    .parts = parts::each,
                                                    .keeps_parts = true,
                                                    .cost = 0});

} // namespace pm::ops
