#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/combinators.hpp"

// Operations on tapes; ops.def describes them. The results of tape_set, tape_add and tape_sum are the handles of
// operand 0. If one of these operations creates a tape, the result has the handle of the new tape.

namespace pm::ops {
namespace {

void require_handles(const Inst& inst, const Type& type) { require_dtype(inst, type.dtype, tapes); }

/// Checks that the tapes and the index have the same shape. If this check fails, the compiler has an error.
void require_index(const Type& handles, const Type& index) {
    PM_CHECK(index.dtype == DType::i64 && index.shape == handles.shape, ir::to_string(index));
}

/// The shape E of an entry, from the shape `all` = S + E, where S is the shape of the handles.
Shape element_shape(const Type& handles, const Shape& all) {
    PM_CHECK(all.size() >= handles.shape.size() && std::equal(handles.shape.begin(), handles.shape.end(), all.begin()),
             ir::to_string(handles));
    return {all.begin() + static_cast<std::ptrdiff_t>(handles.shape.size()), all.end()};
}

runtime::TapeBatch batch_of(const Array& handles, const Array& values) {
    const std::int64_t count = handles.elements();
    return {count, count == 0 ? 0 : values.elements() / count, values.dtype()};
}

// ---- tape_set, tape_add

std::vector<Type> write_type(const Inst& inst, std::span<const Type> in) {
    require_handles(inst, in[0]);
    require_index(in[0], in[2]);
    element_shape(in[0], in[1].shape);
    return {in[0]};
}

template <auto Write>
std::vector<Array> write_eval(EvalContext& c) {
    PM_CHECK(c.tapes != nullptr, "tapes in a place that keeps none");
    Array out = c.in[0].clone();
    Write(*c.tapes, 0, batch_of(out, c.in[1]), c.in[1].data(), c.in[2].as<std::int64_t>(),
          static_cast<std::uint64_t*>(out.mutable_data()));
    return {std::move(out)};
}

template <Op Write>
Tangents write_jvp(JvpContext& c) {
    if (!c.tangent(0) && !c.tangent(1)) return {std::nullopt};
    return {c.b.emit1(Write, {tangent_or_zero(c, 0), tangent_or_zero(c, 1), c.in(2)})};
}

/// The transpose of a write reads an entry of the cotangent. The entry remains on the tape. The entry is not read
/// again, because a program writes each index only once.
void write_transpose(TransposeContext& c) {
    const Value ct = *c.ct();
    if (c.linear(1)) {
        const Shape element = element_shape(c.operand_types[0], c.operand_types[1].shape);
        c.add(1, c.b.tape_get(ct, c.in(2), {c.operand_types[1].dtype, element}));
    }
    c.add(0, ct);
}

template <Op Write>
Values write_batch(BatchContext& c) {
    return {c.b.emit1(Write, {c.full(0), c.full(1), c.full(2)})};
}

// ---- tape_get

std::vector<Type> get_type(const Inst& inst, std::span<const Type> in) {
    require_handles(inst, in[0]);
    require_index(in[0], in[1]);
    Type type{inst.attrs.dtype(Attr::dtype), in[0].shape};
    const Shape& element = inst.attrs.integers(Attr::shape);
    type.shape.insert(type.shape.end(), element.begin(), element.end());
    require_shape(type);
    return {std::move(type)};
}

std::vector<Array> get_eval(EvalContext& c) {
    Array out = new_result(c);
    runtime::tape_get(batch_of(c.in[0], out), c.in[0].as<std::uint64_t>(), c.in[1].as<std::int64_t>(),
                      out.mutable_data());
    return {std::move(out)};
}

void get_transpose(TransposeContext& c) {
    const Value ct = *c.ct();
    c.add_into(0, [&](Build& b, Value sum) { return b.tape_add(sum, ct, c.in(1)); });
}

/// A tape with a tangent may contain values that have no tangent. For example, one branch of an `if` returns a tape of
/// floats, and the other branch returns, as the same result, a tape of conditions.
Tangents get_jvp(JvpContext& c) {
    const DType dtype = c.inst.attrs.dtype(Attr::dtype);
    if (dtype != DType::tape && !runtime::is_inexact(dtype)) return {std::nullopt};
    return jvp_linear_first(c);
}

Values get_batch(BatchContext& c) {
    return {c.b.tape_get(c.full(0), c.full(1), {c.inst.attrs.dtype(Attr::dtype), c.inst.attrs.integers(Attr::shape)})};
}

// ---- tape_sum

std::vector<Type> sum_type(const Inst& inst, std::span<const Type> in) {
    require_handles(inst, in[0]);
    require_same(inst, in);
    return {in[0]};
}

std::vector<Array> sum_eval(EvalContext& c) {
    Array out = c.in[0].clone();
    runtime::tape_sum(out.elements(), c.in[1].as<std::uint64_t>(), static_cast<std::uint64_t*>(out.mutable_data()));
    return {std::move(out)};
}

void sum_transpose(TransposeContext& c) {
    c.add(0, *c.ct());
    c.add(1, *c.ct());
}

Values sum_batch(BatchContext& c) { return {c.b.add(c.full(0), c.full(1))}; }

// On a tape, as in memory, a complex value is stored as pairs (re, im).

std::vector<Parts> tape_write_parts(PartsContext& c) {
    return {{c.b.emit1(c.inst.op, {c.in[0].re, parts::interleaved(c.b, c.in[1]), c.in[2].re}), {}}};
}
std::vector<Parts> tape_get_parts(PartsContext& c) {
    Type pairs{runtime::part_type(c.inst.attrs.dtype(Attr::dtype)), c.inst.attrs.integers(Attr::shape)};
    pairs.shape.push_back(2);
    return {parts::taken_apart(c.b, c.b.tape_get(c.in[0].re, c.in[1].re, pairs))};
}

} // namespace

const OpRules rule::tape_set = checked<Op::tape_set>({
    .type = write_type,
    .eval = write_eval<runtime::tape_set>,
    .jvp = write_jvp<Op::tape_set>,
    .transpose = write_transpose,
    .batch = write_batch<Op::tape_set>,
    .lower = LowerKernel{Kernel::tape},
    .samples = none,
    .doc = "The tapes with an array under a number.",
    .name = "while",
    .parts = tape_write_parts,
});
const OpRules rule::tape_add = checked<Op::tape_add>({
    .type = write_type,
    .eval = write_eval<runtime::tape_add>,
    .jvp = write_jvp<Op::tape_add>,
    .transpose = write_transpose,
    .batch = write_batch<Op::tape_add>,
    .lower = LowerKernel{Kernel::tape},
    .samples = none,
    .doc = "The tapes with an array added to what is under a number.",
    .name = "while",
    .parts = tape_write_parts,
});
const OpRules rule::tape_get = checked<Op::tape_get>({
    .type = get_type,
    .eval = get_eval,
    .jvp = get_jvp,
    .transpose = get_transpose,
    .batch = get_batch,
    .lower = LowerKernel{Kernel::tape},
    .samples = none,
    .doc = "What the tapes have under a number; zeros where there is nothing.",
    .name = "while",
    .parts = tape_get_parts,
});
const OpRules rule::tape_sum = checked<Op::tape_sum>({
    .type = sum_type,
    .eval = sum_eval,
    .jvp = jvp_linear,
    .transpose = sum_transpose,
    .batch = sum_batch,
    .lower = LowerKernel{Kernel::tape},
    .samples = none,
    .doc = "All that two tapes hold, added.",
    .name = "while",
});

} // namespace pm::ops
