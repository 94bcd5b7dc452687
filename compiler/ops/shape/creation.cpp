#include "compiler/ops/core/combinators.hpp"

#include <cstring>

// constant and iota. The literal of a constant has either all elements, or one element that is repeated.

namespace pm::ops {
namespace {

Type created_type(const Inst& inst) {
    Type type{inst.attrs.dtype(Attr::dtype), inst.attrs.integers(Attr::shape)};
    require_shape(type);
    return type;
}

/// True if the literal has one element, which is repeated.
bool fills(const Type& type, const ir::Literal& literal) {
    return literal.bytes.size() == runtime::size_of(type.dtype) && type.elements() != 1;
}

std::vector<Type> type_constant(const Inst& inst, std::span<const Type>) {
    Type type = created_type(inst);
    require_dtype(inst, type.dtype, anything);
    const std::size_t width = runtime::size_of(type.dtype);
    const std::size_t bytes = inst.attrs.literal(Attr::value).bytes.size();
    PM_CHECK(bytes == width || bytes == width * static_cast<std::size_t>(type.elements()), ir::to_string(type));
    return {std::move(type)};
}

std::vector<Array> eval_constant(EvalContext& c) {
    const ir::Literal& literal = c.inst.attrs.literal(Attr::value);
    Array out = new_result(c);
    if (out.elements() == 0) return {std::move(out)};
    auto* to = static_cast<std::uint8_t*>(out.mutable_data());
    if (!fills(c.result_types[0], literal)) {
        std::memcpy(to, literal.bytes.data(), literal.bytes.size());
        return {std::move(out)};
    }
    for (std::int64_t i = 0; i < out.elements(); ++i)
        std::memcpy(to + static_cast<std::size_t>(i) * literal.bytes.size(), literal.bytes.data(),
                    literal.bytes.size());
    return {std::move(out)};
}

std::uint64_t bits_at(const ir::Literal& literal, std::size_t width, std::size_t i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, literal.bytes.data() + i * width, width);
    return bits;
}

/// A constant with several different elements becomes a chain of selects. This is correct for any number of elements,
/// but fast only for a few. plan/ stores large constants in a buffer and does not call this function.
nest::Ref element_constant(ElementContext& c, const nest::Indices& at) {
    const ir::Literal& literal = c.inst.attrs.literal(Attr::value);
    const DType dtype = c.result_type.dtype;
    const std::size_t width = runtime::size_of(dtype);
    nest::Ref value = c.n.constant_bits(dtype, bits_at(literal, width, 0));
    const std::size_t count = literal.bytes.size() / width;
    if (count == 1) return value;
    nest::Index flat = nest::Index::constant(0);
    for (std::size_t axis = 0; axis < at.size(); ++axis)
        flat = c.n.add(c.n.mul(flat, c.result_type.shape[axis]), at[axis]);
    const nest::Ref position = c.n.value(flat);
    for (std::size_t i = 1; i < count; ++i) {
        const nest::Ref before =
            c.n.op(ScalarOp::less, DType::b1, {position, c.n.constant(DType::i64, static_cast<double>(i))});
        value = c.n.op(ScalarOp::select, dtype, {before, value, c.n.constant_bits(dtype, bits_at(literal, width, i))});
    }
    return value;
}

std::vector<Sample> samples_constant() {
    std::vector<Sample> samples;
    for (DType dtype : members(every)) {
        const std::size_t width = runtime::size_of(dtype);
        ir::Literal one;
        one.bytes.assign(width, 1);
        ir::Literal all;
        for (std::size_t i = 0; i < 6 * width; ++i) all.bytes.push_back(dtype == DType::b1 ? i % 2 : (i * 37) % 61);
        for (const Shape& shape : std::vector<Shape>{{}, {0}, {7}, {130, 127}})
            samples.push_back({{}, {{Attr::shape, shape}, {Attr::dtype, dtype}, {Attr::value, one}}, {}});
        samples.push_back({{}, {{Attr::shape, Integers{2, 3}}, {Attr::dtype, dtype}, {Attr::value, all}}, {}});
    }
    ir::Literal many; // a large constant, which plan/ stores in a buffer
    for (std::size_t i = 0; i < 130 * 127 * sizeof(std::int32_t); ++i)
        many.bytes.push_back(static_cast<std::uint8_t>(i * 37 % 251));
    samples.push_back({{}, {{Attr::shape, Integers{130, 127}}, {Attr::dtype, DType::i32}, {Attr::value, many}}, {}});
    return samples;
}

std::vector<Type> type_iota(const Inst& inst, std::span<const Type>) {
    Type type = created_type(inst);
    require_dtype(inst, type.dtype, fields);
    const std::int64_t axis = inst.attrs.integer(Attr::axis);
    PM_CHECK(axis >= 0 && axis < type.rank(), "iota along an axis that is not there");
    return {std::move(type)};
}

std::vector<Array> eval_iota(EvalContext& c) {
    Array out = new_result(c);
    const auto axis = static_cast<std::size_t>(c.inst.attrs.integer(Attr::axis));
    const Shape& shape = out.shape();
    std::int64_t inner = 1;
    for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
    void* to = out.mutable_data();
    for (std::int64_t i = 0; i < out.elements(); ++i) runtime::write_i64(out.dtype(), to, i, i / inner % shape[axis]);
    return {std::move(out)};
}

nest::Ref element_iota(ElementContext& c, const nest::Indices& at) {
    const nest::Ref position = c.n.value(at[static_cast<std::size_t>(c.inst.attrs.integer(Attr::axis))]);
    if (c.result_type.dtype == DType::i64) return position;
    return c.n.op(ScalarOp::convert, c.result_type.dtype, {position});
}

std::vector<Sample> samples_iota() {
    std::vector<Sample> samples;
    for (DType dtype : members(numbers))
        samples.push_back(
            {{}, {{Attr::shape, Integers{3, 5}}, {Attr::dtype, dtype}, {Attr::axis, std::int64_t{1}}}, {}});
    for (const Shape& shape : std::vector<Shape>{{0}, {1}, {7}, {300}, {4, 0, 2}, {70, 33}, {130, 127}})
        for (DType dtype : {DType::i32, DType::u8})
            samples.push_back({{}, {{Attr::shape, shape}, {Attr::dtype, dtype}, {Attr::axis, std::int64_t{0}}}, {}});
    return samples;
}

std::vector<Parts> constant_parts(PartsContext& c) {
    const Inst& inst = c.inst;
    const DType dtype = inst.attrs.dtype(Attr::dtype);
    const std::size_t width = runtime::size_of(dtype) / 2;
    const std::vector<std::uint8_t>& bytes = inst.attrs.literal(Attr::value).bytes;
    ir::Literal re, im;
    for (std::size_t at = 0; at < bytes.size(); at += 2 * width) {
        const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const auto middle = from + static_cast<std::ptrdiff_t>(width);
        re.bytes.insert(re.bytes.end(), from, middle);
        im.bytes.insert(im.bytes.end(), middle, middle + static_cast<std::ptrdiff_t>(width));
    }
    const Type type{runtime::part_type(dtype), inst.attrs.integers(Attr::shape)};
    Parts made{c.b.literal(type, std::move(re)), {}};
    if (std::any_of(im.bytes.begin(), im.bytes.end(), [](std::uint8_t byte) { return byte != 0; }))
        made.im = c.b.literal(type, std::move(im));
    return {made};
}

std::vector<Parts> iota_parts(PartsContext& c) {
    ir::Attrs attrs = c.inst.attrs;
    attrs.set(Attr::dtype, runtime::part_type(attrs.dtype(Attr::dtype)));
    return {{c.b.emit1(Op::iota, {}, std::move(attrs)), {}}};
}

} // namespace

const OpRules rule::constant = checked<Op::constant>({.type = type_constant,
                                                      .eval = eval_constant,
                                                      .jvp = none,
                                                      .transpose = none,
                                                      .batch = none,
                                                      .lower = LowerElement{element_constant},
                                                      .samples = samples_constant,
                                                      .doc = "An array of known elements.",
                                                      .name = "full",
                                                      .parts = constant_parts,
                                                      .cost = 0});

const OpRules rule::iota = checked<Op::iota>({.type = type_iota,
                                              .eval = eval_iota,
                                              .jvp = none,
                                              .transpose = none,
                                              .batch = none,
                                              .lower = LowerElement{element_iota},
                                              .samples = samples_iota,
                                              .doc = "Each element is its index along one axis; narrow integers wrap.",
                                              .name = "arange",
                                              .parts = iota_parts,
                                              .cost = 0});

} // namespace pm::ops
