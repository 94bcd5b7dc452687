#include "compiler/ops/indexing/scatter.hpp"

#include "compiler/base/count.hpp"
#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/ops/core/nans.hpp"
#include "compiler/ops/indexing/gather_geometry.hpp"

#include <algorithm>

// scatter(x, update, i_0 ..) returns x after changes to the elements that gather(x, i_0 ..) would read. The elements of
// `update` are combined into them. `update` has the shape of the result of that gather. Updates out of range are
// dropped. If indices are repeated, the updates are applied in row-major order of `update`.
//
// Derivatives. set and add are linear in x and update. This also holds if indices are repeated: only the last `set` of
// an element then has an effect. mul is linear in x. The derivative of mul with respect to the update is correct even
// if indices are repeated or updates are zero. Several elements and updates may be equal to the result of min or max.
// Then the tangent of the result is the mean of their tangents.

namespace pm::ops {
namespace {

enum class Mode { set, add, mul, min, max };

std::optional<Mode> mode_named(std::string_view text) {
    if (text == "set") return Mode::set;
    if (text == "add") return Mode::add;
    if (text == "mul") return Mode::mul;
    if (text == "min") return Mode::min;
    if (text == "max") return Mode::max;
    return std::nullopt;
}
Mode mode_of(const Inst& inst) { return *mode_named(inst.attrs.text(Attr::mode)); }

DTypes taken_by(Mode mode) {
    switch (mode) {
    case Mode::set: return anything;
    case Mode::add:
    case Mode::mul: return fields;
    case Mode::min:
    case Mode::max: return ordered;
    }
    PM_UNREACHABLE();
}

std::vector<Type> scatter_type(const Inst& inst, std::span<const Type> in) {
    const std::string_view op = display_name(inst.op);
    const std::optional<Mode> mode = mode_named(inst.attrs.text(Attr::mode));
    if (!mode) raise(diagnose(Diag::scatter_mode, {}, inst.attrs.text(Attr::mode)));
    if (in.size() < 3)
        raise(diagnose(Diag::index_count, {}, op, in.empty() ? "an array" : ir::to_string(in[0]), Count{1}, 0));
    require_dtype(inst, in[0].dtype, taken_by(*mode));
    const Type part{in[0].dtype, require_gather(inst, in, 2)};
    if (in[1] != part)
        raise(diagnose(Diag::update_mismatch, {}, op, ir::to_string(in[0]), ir::to_string(part), ir::to_string(in[1])));
    return {in[0]};
}

template <class V>
V combined(Mode mode, V old, V update) {
    switch (mode) {
    case Mode::set: return update;
    case Mode::add: return wrapped_add(old, update);
    case Mode::mul: return wrapped_mul(old, update);
    case Mode::min: return lesser_of(old, update);
    case Mode::max: return greater_of(old, update);
    }
    PM_UNREACHABLE();
}

std::vector<Array> scatter_eval(EvalContext& c) {
    const GatherMap map(c.inst, c.in[0], c.in.subspan(2));
    const Mode mode = mode_of(c.inst);
    const bool wide = scatters_in_f64(c.inst, {c.in[0].dtype(), c.in[0].shape()}, c.in[2].shape());
    Array out = c.in[0].clone();
    visit_dtype(out.dtype(), [&](auto e) {
        using E = decltype(e);
        auto* to = out.template mutable_as<typename E::Stored>();
        const auto* update = c.in[1].template as<typename E::Stored>();
        const auto each_update = [&](const auto& take) {
            each_position(c.in[1].shape(), [&](std::int64_t i, const Position& at) {
                const Position place = map.locate(at);
                if (map.within(place)) take(static_cast<std::size_t>(map.offset(place)), E::load(update[i]));
            });
        };
        if constexpr (Float<typename E::Value>) {
            if (wide) {
                std::vector<double> made;
                made.reserve(static_cast<std::size_t>(out.elements()));
                for (std::int64_t i = 0; i < out.elements(); ++i) made.push_back(E::load(to[i]));
                each_update([&](std::size_t i, double x) { made[i] = combined(mode, made[i], x); });
                for (const double x : made) *to++ = E::store(static_cast<typename E::Value>(x));
                return;
            }
        }
        each_update([&](std::size_t i, auto x) { to[i] = E::store(combined(mode, E::load(to[i]), x)); });
    });
    return {std::move(out)};
}

// ---- the indices of a scatter, used in other scatters and gathers with the same indices

struct Scatter {
    Build& b;
    Values indices;
    Integers axes;
    std::int64_t batch;
    Shape x;
    Shape update;

    Scatter(Build& build, const Inst& inst, Values index_arrays, Shape x_shape, Shape update_shape)
        : b(build), indices(std::move(index_arrays)), axes(inst.attrs.integers(Attr::axes)),
          batch(inst.attrs.integer(Attr::batch, 0)), x(std::move(x_shape)), update(std::move(update_shape)) {}

    Value put(Value into, Value values, const char* mode) const {
        return b.scatter(into, values, indices, axes, mode, batch);
    }
    Value read(Value from) const { return b.gather(from, indices, axes, batch); }
    bool empty() const { return ir::product(x) == 0 || ir::product(update) == 0; }

    /// True if there is at most one update for each element of the batch.
    bool single() const {
        const Shape index = b.shape(indices[0]);
        return ir::product(Shape(index.begin() + batch, index.end())) <= 1;
    }
    /// Broadcasts `of_index` from the shape of the indices to the shape of the update.
    Value spread(Value of_index) const {
        return b.broadcast(of_index, update, counting(0, static_cast<std::size_t>(b.rank(of_index))));
    }

    /// A mask in the shape of the update. It is true for the updates that are not dropped.
    Value in_range() const {
        std::optional<Value> all;
        for (std::size_t j = 0; j < axes.size(); ++j) {
            const DType dtype = b.dtype(indices[j]);
            const Shape shape = b.shape(indices[j]);
            const std::int64_t size = x[static_cast<std::size_t>(axes[j])];
            const Value low = b.compare(Op::less_equal, b.constant_i(dtype, 0, shape), indices[j]);
            const Value high = b.compare(Op::less, indices[j], b.constant_i(dtype, size, shape));
            const Value both = b.binary(Op::and_, low, high);
            all = all ? b.binary(Op::and_, *all, both) : both;
        }
        return spread(*all);
    }

    /// Per update: true if it is the last update to its element of x. To find out, each update writes its number to an
    /// array, at the index of its element. If an update then reads its own number there, it is the last one.
    Value last() const {
        const Shape index = b.shape(indices[0]);
        const auto lead = static_cast<std::size_t>(batch);
        const std::int64_t count = ir::product(Shape(index.begin() + batch, index.end()));
        Shape flat(index.begin(), index.begin() + batch);
        flat.push_back(count);
        const DType dtype = index_dtype(count);
        const Value numbers = b.reshape(b.iota(flat, static_cast<int>(lead), dtype), index);
        const Shape board = joined(Shape(index.begin(), index.begin() + batch), sizes_of(x, axes));
        const Integers board_axes = counting(batch, axes.size());
        const Value written = b.scatter(b.constant_i(dtype, -1, board), numbers, indices, board_axes, "set", batch);
        return spread(b.compare(Op::equal, b.gather(written, indices, board_axes, batch), numbers));
    }
};

// ---- derivatives

Value one_where(Build& b, Value condition, DType dtype) { return b.convert(condition, dtype); }
Value keep_where(Build& b, Value condition, Value v) { return b.select(condition, v, b.zeros_like(v)); }

/// Returns a product for each update. Its factors are the element of `from` that the update changes, and the earlier
/// updates to this element. If `from_last` is true, the factors are the element and the later updates. A loop over the
/// updates computes the product. No division is used, so zero factors need no special case. Derivatives of every order
/// need no special case either.
Value running_product(const Scatter& s, Value from, Value update, bool from_last) {
    Build& b = s.b;
    const Shape index = b.shape(s.indices[0]);
    Values operands{from, updates_first(b, update, index, s.batch)};
    for (const Value i : s.indices) operands.push_back(updates_first(b, i, index, s.batch));

    Build body("one update");
    body.param({DType::i32, {}});
    const Value so_far = body.param(b.type(from));
    Values slices;
    for (std::size_t i = 1; i < operands.size(); ++i) {
        Type type = b.type(operands[i]);
        type.shape.erase(type.shape.begin());
        slices.push_back(body.param(std::move(type)));
    }
    const Values at(slices.begin() + 1, slices.end());
    const Value here = body.gather(so_far, at, s.axes, s.batch);
    const Value next = body.scatter(so_far, body.mul(here, slices[0]), at, s.axes, "set", s.batch);
    const std::int64_t length = b.shape(operands[1])[0];
    const Values made = b.emit(Op::scan, std::move(operands),
                               {{Attr::whole, std::int64_t{0}},
                                {Attr::carried, std::int64_t{1}},
                                {Attr::length, length},
                                {Attr::reverse, from_last ? std::int64_t{1} : std::int64_t{0}}},
                               {body.finish({next, here})});
    return updates_back(b, made.at(1), index, s.batch);
}

Tangent mul_jvp(JvpContext& c, const Scatter& s) {
    Tangent sum;
    if (c.tangent(0)) sum = s.put(*c.tangent(0), c.in(1), "mul");
    if (!c.tangent(1)) return sum;
    const Value before = s.single() ? s.read(c.in(0)) : running_product(s, c.in(0), c.in(1), false);
    Value share = c.b.mul(*c.tangent(1), before);
    if (!s.single()) share = c.b.mul(share, running_product(s, c.b.ones_like(c.in(0)), c.in(1), true));
    return s.put(sum ? *sum : c.b.zeros_like(c.in(0)), share, "add");
}

/// For min and max: the mean of the tangents of all elements and updates that are equal to the result. The tangent is
/// zero where the result is NaN.
Tangent extremum_jvp(JvpContext& c, const Scatter& s) {
    Build& b = c.b;
    const Value x_wins = b.compare(Op::equal, c.in(0), c.out());
    const Value update_wins = b.compare(Op::equal, c.in(1), s.read(c.out()));
    const DType dtype = b.dtype(c.out());
    const Value count = s.put(one_where(b, x_wins, dtype), one_where(b, update_wins, dtype), "add");
    const Value x_part = keep_where(b, x_wins, tangent_or_zero(c, 0));
    const Value update_part = keep_where(b, update_wins, tangent_or_zero(c, 1));
    return b.div(s.put(x_part, update_part, "add"), b.binary(Op::max, count, b.ones_like(count)));
}

Tangents scatter_jvp(JvpContext& c) {
    if (!c.tangent(0) && !c.tangent(1)) return {std::nullopt};
    const Scatter s(c.b, c.inst, Values(c.primals.begin() + 2, c.primals.end()), c.b.shape(c.in(0)),
                    c.b.shape(c.in(1)));
    if (s.empty()) return {tangent_or_zero(c, 0)};
    switch (mode_of(c.inst)) {
    case Mode::set: return {s.put(tangent_or_zero(c, 0), tangent_or_zero(c, 1), "set")};
    case Mode::add:
        if (!c.tangent(1)) return {c.tangent(0)};
        return {s.put(tangent_or_zero(c, 0), *c.tangent(1), "add")};
    case Mode::mul: return {mul_jvp(c, s)};
    case Mode::min:
    case Mode::max: return {extremum_jvp(c, s)};
    }
    PM_UNREACHABLE();
}

void scatter_transpose(TransposeContext& c) {
    const Value ct = *c.ct();
    Values indices;
    for (std::size_t i = 2; i < c.operands.size(); ++i) indices.push_back(c.in(i));
    const Scatter s(c.b, c.inst, std::move(indices), c.operand_types[0].shape, c.operand_types[1].shape);
    if (s.empty()) return c.add(0, ct);
    const Mode mode = mode_of(c.inst);
    if (mode == Mode::mul) {
        PM_CHECK(!c.linear(1), "scatter by mul is linear in its first operand");
        return c.add(0, s.put(ct, c.in(1), "mul"));
    }
    PM_CHECK(mode == Mode::set || mode == Mode::add, "scatter by min or max is not linear");
    // The cotangent of the update is read before it is overwritten, as in dynamic_update.
    if (c.linear(1)) {
        Value counts = s.in_range();
        if (mode == Mode::set && !s.single()) counts = c.b.binary(Op::and_, counts, s.last());
        c.add(1, keep_where(c.b, counts, s.read(ct)));
    }
    if (c.linear(0)) c.add(0, mode == Mode::add ? ct : s.put(ct, c.b.zeros(c.operand_types[1]), "set"));
}

Values scatter_batch(BatchContext& c) {
    Attrs attrs = c.inst.attrs;
    attrs.set(Attr::axes, shifted(attrs.integers(Attr::axes)));
    attrs.set(Attr::batch, attrs.integer(Attr::batch, 0) + 1);
    Values operands;
    for (std::size_t i = 0; i < c.operands.size(); ++i) operands.push_back(c.full(i));
    return c.b.emit(Op::scatter, std::move(operands), std::move(attrs));
}

struct Case {
    Shape x;
    Shape index;
    Integers axes;
    std::int64_t batch = 0;
    DType index_dtype = DType::i32;
};

Sample scatter_sample(const Case& of, const char* mode, DType dtype) {
    Sample made;
    made.attrs = {{Attr::axes, of.axes}, {Attr::batch, of.batch}, {Attr::mode, std::string(mode)}};
    const Inst inst{Op::scatter, {}, {}, made.attrs, {}, {}};
    const Shape update = GatherGeometry(inst, of.x.size(), of.index.size()).part(of.x, of.index);
    made.operands = {Type{dtype, of.x}, Type{dtype, update}};
    made.operands.insert(made.operands.end(), of.axes.size(), Type{of.index_dtype, of.index});
    made.domains = {Domain::any, Domain::any, Domain::index};
    made.differentiable = runtime::is_float(dtype);
    return made;
}

std::vector<Sample> scatter_samples() {
    const std::vector<Case> cases{
        {{7}, {}, {0}},
        {{7}, {4}, {0}},
        {{7}, {0}, {0}},
        {{5, 3}, {4}, {0}},
        {{5, 3}, {4}, {1}, 0, DType::i64},
        {{5, 3}, {2, 2}, {0, 1}},
        {{5, 3, 2}, {4}, {2, 0}},
        {{4, 5}, {4, 3}, {1}, 1},
        {{4, 5, 2}, {4}, {1}, 1},
        {{2, 3, 4, 5}, {2, 6}, {3, 1}, 1},
        {{0, 3}, {2}, {0}},
        {{3, 0}, {2}, {0}},
        {{70, 33}, {90}, {0}},
        {{17000}, {16500}, {0}},
        {{9, 33}, {501}, {0}},
    };
    std::vector<Sample> samples;
    for (const char* mode : {"set", "add", "mul", "min", "max"}) {
        for (const Case& of : cases) samples.push_back(scatter_sample(of, mode, DType::f32));
        for (DType dtype : members(taken_by(*mode_named(mode))))
            samples.push_back(scatter_sample({{5}, {3}, {0}}, mode, dtype));
    }
    return with_doubles(std::move(samples));
}

/// True if the mode is add or mul. Only these modes can make a NaN.
bool can_make_nan(const Inst& inst) {
    const std::string& mode = inst.attrs.text(Attr::mode);
    return mode == "add" || mode == "mul";
}

Value nan_in_updates(Build& b, const Inst& inst, const Values& operands) {
    Values in = operands;
    in[0] = nan_flags(b, operands[0]);
    in[1] = nan_flags(b, operands[1]);
    ir::Attrs attrs = inst.attrs;
    attrs.set(Attr::mode, std::string("add"));
    return is_flagged(b, b.emit1(Op::scatter, in, attrs));
}

/// The parts of a complex product are not products of the factors' parts. So scatters of the parts cannot compute a
/// complex product. Instead, a loop over the updates reads, multiplies and writes the elements of x.
std::vector<Parts> scatter_product(PartsContext& c) {
    Build& b = c.b;
    const Inst& inst = c.inst;
    const std::span<const Parts> in = c.in;
    const auto batch = inst.attrs.integer(Attr::batch, 0);
    const ir::Integers& axes = inst.attrs.integers(Attr::axes);
    if (ir::product(b.shape(in[0].re)) == 0 || ir::product(b.shape(in[1].re)) == 0) return {in[0]};
    const ir::Shape index = b.shape(in[2].re);
    const auto leading = [&](Value v) { return updates_first(b, v, index, batch); };
    Values operands{in[0].re, parts::imaginary(b, in[0]), leading(in[1].re), leading(parts::imaginary(b, in[1]))};
    for (const Parts& x : in.subspan(2)) operands.push_back(leading(x.re));

    Build body("one update");
    body.param({DType::i32, {}});
    const Parts so_far{body.param(b.type(operands[0])), body.param(b.type(operands[1]))};
    Values slices;
    for (std::size_t i = 2; i < operands.size(); ++i) {
        Type type = b.type(operands[i]);
        type.shape.erase(type.shape.begin());
        slices.push_back(body.param(std::move(type)));
    }
    const Values at(slices.begin() + 2, slices.end());
    const auto read = [&](Value v) { return body.gather(v, at, axes, batch); };
    const Parts made = parts::multiply(body, {read(so_far.re), read(*so_far.im)}, {slices[0], slices[1]});
    const auto write = [&](Value into, Value part) { return body.scatter(into, part, at, axes, "set", batch); };
    const ir::BlockPtr region = body.finish({write(so_far.re, made.re), write(*so_far.im, *made.im)});
    const std::int64_t length = b.shape(operands[2])[0];
    const Values out = b.emit(Op::scan, std::move(operands),
                              {{Attr::whole, std::int64_t{0}},
                               {Attr::carried, std::int64_t{2}},
                               {Attr::length, length},
                               {Attr::reverse, std::int64_t{0}}},
                              {region});
    return {{out.at(0), out.at(1)}};
}

/// The type rule accepts only the modes set, add and mul for complex types.
std::vector<Parts> scatter_parts(PartsContext& c) {
    return c.inst.attrs.text(Attr::mode) == "mul" ? scatter_product(c) : parts::each(c);
}

} // namespace

bool scatters_in_f64(const Inst& inst, const Type& x, const Shape& indices) {
    constexpr std::int64_t few = 16;
    const Mode mode = mode_of(inst);
    if (mode != Mode::add && mode != Mode::mul) return false;
    if (!runtime::is_float(x.dtype) || x.dtype == DType::f64) return false;
    std::int64_t updates = 1;
    for (auto d = static_cast<std::size_t>(inst.attrs.integer(Attr::batch, 0)); d < indices.size(); ++d)
        updates *= indices[d];
    std::int64_t places = 1;
    for (const std::int64_t axis : inst.attrs.integers(Attr::axes)) places *= x.shape[static_cast<std::size_t>(axis)];
    return updates >= std::max(places, few);
}

const OpRules rule::scatter = checked<Op::scatter>({
    .type = scatter_type,
    .eval = scatter_eval,
    .jvp = scatter_jvp,
    .transpose = scatter_transpose,
    .batch = scatter_batch,
    .lower = LowerKernel{Kernel::scatter},
    .samples = scatter_samples,
    .doc = "The array with updates set, added, multiplied or compared into the elements at index arrays; those out of "
           "range are dropped.",
    .name = "with",
    .nans = {.made = can_make_nan, .given = nan_in_updates},
    .parts = scatter_parts,
    .wraps = 2,
});

} // namespace pm::ops
