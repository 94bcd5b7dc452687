#include "compiler/base/count.hpp"
#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/ops/core/nans.hpp"
#include "compiler/ops/reduce/extremum.hpp"

#include <algorithm>

// Collectives over the named axes `axes`. `axis_size` is the product of the sizes of these axes. plan/ lowers them
// (prepare/spmd.cpp, lower/lanes.cpp), and evaluate/ runs them. The batch rules of this file are for collectives that
// are not over the batch axis. The batch remains axis 0, and the numbers of positional axes increase by one.
// Derivatives are those of JAX's pmap. The transpose of psum is psum. The transpose of all_gather is psum_scatter, and
// the transpose of psum_scatter is all_gather. The transpose of ppermute is the inverse ppermute. The transpose of
// all_to_all is all_to_all with its axes exchanged.

namespace pm::ops {
namespace {

std::int64_t parts_of(const Inst& inst) { return inst.attrs.integer(Attr::axis_size); }
bool tiled(const Inst& inst) { return inst.attrs.integer(Attr::tiled, 0) != 0; }

/// An expression that selects the first `count` elements of `x` along an axis, such as `x[:, :4]`.
std::string first_of(std::size_t axis, std::int64_t count) {
    std::string before;
    for (std::size_t i = 0; i < axis; ++i) before += ":, ";
    return fmt::format("x[{}:{}]", before, count);
}

/// Adds two repairs to `d`. One cuts the size of x along the axis to a multiple of `parts`. The other pads x with
/// zeros.
Diagnostic with_multiples(Diagnostic d, std::size_t axis, std::int64_t size, std::int64_t parts) {
    const std::int64_t below = parts == 0 ? 0 : size / parts * parts;
    if (below > 0) d.help.push_back(fmt::format("cut the axis to {}: {}", below, first_of(axis, below)));
    if (parts > 0 && size > 0)
        d.help.push_back(fmt::format("{}fill it up with zeros to {}: pad_to(x, {}{}).0", below > 0 ? "or " : "",
                                     (size + parts - 1) / parts * parts, parts,
                                     axis == 0 ? "" : fmt::format(", axis={}", axis)));
    return d;
}

Diagnostic uneven_parts(const Inst& inst, Attr attr, const Type& x) {
    const std::size_t axis = axis_of(inst, attr);
    return with_multiples(
        diagnose(Diag::collective_parts, {}, display_name(inst.op), axis, ir::to_string(x), Count{parts_of(inst)}),
        axis, x.shape[axis], parts_of(inst));
}

Diagnostic wrong_size(const Inst& inst, Attr attr, const Type& x) {
    const std::size_t axis = axis_of(inst, attr);
    const std::int64_t size = x.shape[axis];
    const std::int64_t parts = parts_of(inst);
    auto d = diagnose(Diag::collective_size, {}, display_name(inst.op), Count{parts}, axis, size, ir::to_string(x));
    if (size > parts && parts > 0 && size % parts == 0)
        d.help.push_back(fmt::format("give each {} of them: tiled=true", size / parts));
    if (size > parts)
        return std::move(d).fix(
            fmt::format("{}cut the axis to {}: {}", d.help.empty() ? "" : "or ", parts, first_of(axis, parts)));
    return with_multiples(std::move(d), axis, size, parts);
}

/// Raises an error unless axis `attr` can be cut into one part for each device. If the collective is tiled, the parts
/// are blocks of equal sizes. Otherwise a part is one element, without the axis.
void require_parts(const Inst& inst, Attr attr, const Type& x) {
    require_axis(inst, inst.attrs.integer(attr), x);
    const std::int64_t size = x.shape[axis_of(inst, attr)];
    if (tiled(inst) && (parts_of(inst) == 0 || size % parts_of(inst) != 0)) raise(uneven_parts(inst, attr, x));
    if (!tiled(inst) && size != parts_of(inst)) raise(wrong_size(inst, attr, x));
}

void cut_axis(const Inst& inst, Attr attr, Shape& shape) {
    const std::size_t axis = axis_of(inst, attr);
    if (tiled(inst))
        shape[axis] /= parts_of(inst);
    else
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
}

/// Changes `type`, the type of one device's part, to the type of the joined parts of all devices. If the collective is
/// tiled, the parts are concatenated along axis `attr`. Otherwise they are stacked along a new axis.
void join_axis(const Inst& inst, Attr attr, Type& type) {
    const std::int64_t axis = inst.attrs.integer(attr);
    if (tiled(inst)) {
        require_axis(inst, axis, type);
        type.shape[static_cast<std::size_t>(axis)] *= parts_of(inst);
    } else {
        if (axis < 0 || axis > type.rank())
            raise(
                diagnose(Diag::axis_missing, {}, display_name(inst.op), axis, ir::to_string(type), Count{type.rank()}));
        type.shape.insert(type.shape.begin() + axis, parts_of(inst));
    }
    require_shape(type);
}

Values batch_same(BatchContext& c) { return c.b.copy(c.inst, {c.in(0)}); }

Attrs moved(const Inst& inst, std::initializer_list<Attr> axes) {
    Attrs attrs = inst.attrs;
    for (Attr attr : axes) attrs.set(attr, attrs.integer(attr) + 1);
    return attrs;
}

// ---- psum, pmax, pmin: elementwise over the devices

template <DTypes Taken>
std::vector<Type> preduce_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, Taken);
    return {in[0]};
}

void psum_transpose(TransposeContext& c) {
    if (c.linear(0)) c.add(0, c.b.copy(c.inst, {*c.ct()}).at(0));
}

Tangents pextremum_jvp(JvpContext& c) {
    if (!c.tangent(0)) return {std::nullopt};
    const auto same = [](Value v) { return v; };
    const auto sum = [&](Value v) { return c.b.emit1(Op::psum, {v}, c.inst.attrs); };
    return {mean_of_equals(c.b, c.in(0), *c.tangent(0), c.out(), same, sum)};
}

// ---- all_gather, psum_scatter

std::vector<Type> all_gather_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, anything);
    Type result = in[0];
    join_axis(inst, Attr::axis, result);
    return {std::move(result)};
}

std::vector<Type> psum_scatter_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, fields);
    require_parts(inst, Attr::axis, in[0]);
    Type result = in[0];
    cut_axis(inst, Attr::axis, result.shape);
    return {std::move(result)};
}

void all_gather_transpose(TransposeContext& c) {
    if (c.linear(0)) c.add(0, c.b.emit1(Op::psum_scatter, {*c.ct()}, c.inst.attrs));
}
void psum_scatter_transpose(TransposeContext& c) {
    if (c.linear(0)) c.add(0, c.b.emit1(Op::all_gather, {*c.ct()}, c.inst.attrs));
}

Values batch_axis(BatchContext& c) { return {c.b.emit1(c.inst.op, {c.in(0)}, moved(c.inst, {Attr::axis}))}; }

// ---- ppermute: `pairs` is source, destination, source, destination ...; a device without a source gets zeros

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// "((0, 1), (1, 0))"
std::string pairs_text(const Pairs& pairs) {
    std::string text;
    for (const auto& [from, to] : pairs) text += fmt::format("{}({}, {})", text.empty() ? "" : ", ", from, to);
    return fmt::format("({}{})", text, pairs.size() == 1 ? "," : "");
}

/// Adds the repairs for pairs outside of an axis of size n. The first repair is to use the pairs modulo n. It is added
/// only if no device then occurs twice. The second repair is to use only the pairs within the axis.
Diagnostic with_pairs(Diagnostic d, const Integers& pairs, std::int64_t n) {
    constexpr std::size_t most_shown = 16;
    if (pairs.size() > 2 * most_shown || n == 0)
        return std::move(d).fix(n == 0 ? "an empty axis has no places" : fmt::format("places go from 0 to {}", n - 1));
    Pairs ring;
    Pairs within;
    bool once = true;
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
        const auto in_ring = [n](std::int64_t place) { return (place % n + n) % n; };
        const std::pair moved(in_ring(pairs[i]), in_ring(pairs[i + 1]));
        for (const auto& [from, to] : ring) once = once && from != moved.first && to != moved.second;
        ring.push_back(moved);
        if (moved == std::pair(pairs[i], pairs[i + 1])) within.push_back(moved);
    }
    if (once) d.help.push_back(fmt::format("go round the axis, whose places are 0 to {}: {}", n - 1, pairs_text(ring)));
    return std::move(d).fix(fmt::format("{}leave out what is beyond it: {}", once ? "or " : "", pairs_text(within)));
}

void require_devices(const Inst& inst, const Integers& pairs) {
    const auto outside = [&](std::int64_t device) { return device < 0 || device >= parts_of(inst); };
    for (std::size_t i = 0; i < pairs.size(); i += 2)
        if (outside(pairs[i]) || outside(pairs[i + 1]))
            raise(with_pairs(diagnose(Diag::ppermute_range, {}, Count{parts_of(inst)}, pairs[i], pairs[i + 1]), pairs,
                             parts_of(inst)));
}

std::vector<Type> ppermute_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, anything);
    const Integers& pairs = inst.attrs.integers(Attr::pairs);
    PM_CHECK(pairs.size() % 2 == 0);
    require_devices(inst, pairs);
    Integers sources;
    Integers destinations;
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
        if (holds(sources, pairs[i])) raise(diagnose(Diag::ppermute_twice, {}, "source", pairs[i]));
        if (holds(destinations, pairs[i + 1])) raise(diagnose(Diag::ppermute_twice, {}, "destination", pairs[i + 1]));
        sources.push_back(pairs[i]);
        destinations.push_back(pairs[i + 1]);
    }
    return {in[0]};
}

void ppermute_transpose(TransposeContext& c) {
    Attrs attrs = c.inst.attrs;
    Integers pairs = attrs.integers(Attr::pairs);
    for (std::size_t i = 0; i < pairs.size(); i += 2) std::swap(pairs[i], pairs[i + 1]);
    attrs.set(Attr::pairs, std::move(pairs));
    if (c.linear(0)) c.add(0, c.b.emit1(Op::ppermute, {*c.ct()}, std::move(attrs)));
}

// ---- all_to_all: part j of device i along split_axis becomes part i of device j along concat_axis

std::vector<Type> all_to_all_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, anything);
    require_parts(inst, Attr::split_axis, in[0]);
    Type result = in[0];
    cut_axis(inst, Attr::split_axis, result.shape);
    join_axis(inst, Attr::concat_axis, result);
    return {std::move(result)};
}

void all_to_all_transpose(TransposeContext& c) {
    Attrs attrs = c.inst.attrs;
    attrs.set(Attr::split_axis, c.inst.attrs.integer(Attr::concat_axis));
    attrs.set(Attr::concat_axis, c.inst.attrs.integer(Attr::split_axis));
    if (c.linear(0)) c.add(0, c.b.emit1(Op::all_to_all, {*c.ct()}, std::move(attrs)));
}

Values all_to_all_batch(BatchContext& c) {
    return {c.b.emit1(Op::all_to_all, {c.in(0)}, moved(c.inst, {Attr::split_axis, Attr::concat_axis}))};
}

// ---- axis_index: the device's position along the named axis

std::vector<Type> axis_index_type(const Inst&, std::span<const Type>) { return {Type{DType::i32, {}}}; }

Value nan_on_devices(Build& b, const Inst& inst, const Values& in) {
    return is_flagged(b, b.emit1(inst.op, {nan_flags(b, in[0])}, inst.attrs));
}

} // namespace

const OpRules rule::psum = checked<Op::psum>({
    .type = preduce_type<fields>,
    .eval = none,
    .jvp = jvp_linear,
    .transpose = psum_transpose,
    .batch = batch_same,
    .lower = LowerElsewhere{},
    .samples = none,
    .doc = "The sum of all devices' values along the named axes.",
    .nans = {.made = makes_nans, .given = nan_on_devices},
    .parts = parts::each,
    .wraps = 1,
});
const OpRules rule::pmax = checked<Op::pmax>({
    .type = preduce_type<ordered>,
    .eval = none,
    .jvp = pextremum_jvp,
    .transpose = none,
    .batch = batch_same,
    .lower = LowerElsewhere{},
    .samples = none,
    .doc =
        "The greatest of all devices' values along the named axes; the derivative is shared equally among equal ones.",
});
const OpRules rule::pmin = checked<Op::pmin>({
    .type = preduce_type<ordered>,
    .eval = none,
    .jvp = pextremum_jvp,
    .transpose = none,
    .batch = batch_same,
    .lower = LowerElsewhere{},
    .samples = none,
    .doc = "The least of all devices' values along the named axes; the derivative is shared equally among equal ones.",
});
const OpRules rule::all_gather = checked<Op::all_gather>({
    .type = all_gather_type,
    .eval = none,
    .jvp = jvp_linear,
    .transpose = all_gather_transpose,
    .batch = batch_axis,
    .lower = LowerElsewhere{},
    .samples = none,
    .doc = "All devices' values: along a new axis, or one after another with `tiled`.",
    .parts = parts::each,
});
const OpRules rule::psum_scatter = checked<Op::psum_scatter>({
    .type = psum_scatter_type,
    .eval = none,
    .jvp = jvp_linear,
    .transpose = psum_scatter_transpose,
    .batch = batch_axis,
    .lower = LowerElsewhere{},
    .samples = none,
    .doc = "The device's own part of the sum of all devices' values.",
    .nans = {.made = makes_nans, .given = nan_on_devices},
    .parts = parts::each,
    .wraps = 1,
});
const OpRules rule::ppermute = checked<Op::ppermute>({
    .type = ppermute_type,
    .eval = none,
    .jvp = jvp_linear,
    .transpose = ppermute_transpose,
    .batch = batch_same,
    .lower = LowerElsewhere{},
    .samples = none,
    .doc = "The value of the device that sends to this one, zeros when none does.",
    .parts = parts::each,
});
const OpRules rule::all_to_all = checked<Op::all_to_all>({
    .type = all_to_all_type,
    .eval = none,
    .jvp = jvp_linear,
    .transpose = all_to_all_transpose,
    .batch = all_to_all_batch,
    .lower = LowerElsewhere{},
    .samples = none,
    .doc = "Each device's parts, one from every device: cut along split_axis, joined along concat_axis.",
    .parts = parts::each,
});
const OpRules rule::axis_index = checked<Op::axis_index>({
    .type = axis_index_type,
    .eval = none,
    .jvp = none,
    .transpose = none,
    .batch = none,
    .lower = LowerElsewhere{},
    .samples = none,
    .doc = "The device's position along the named axis, as i32.",
});

} // namespace pm::ops
