#include "compiler/ops/core/combinators.hpp"
#include "compiler/ops/core/display_name.hpp"

#include <array>
#include <cmath>

namespace pm::ops {

// ---- sets of dtypes

std::string describe(DTypes set) {
    struct Group {
        DTypes set;
        std::string_view name;
    };
    constexpr Group groups[] = {
        {bools, "bool"}, {ints, "integers"}, {floats, "floats"}, {complexes, "complex numbers"}, {keys, "keys"}};
    std::vector<std::string> parts;
    for (const Group& group : groups) {
        if ((set & group.set) == group.set) {
            parts.emplace_back(group.name);
            continue;
        }
        for (DType d : members(set & group.set)) parts.emplace_back(runtime::name(d));
    }
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
        text += parts[i];
    }
    return text;
}

std::vector<DType> members(DTypes set) {
    std::vector<DType> all;
    for (int d = 0; d < runtime::dtype_count; ++d)
        if (contains(set, static_cast<DType>(d))) all.push_back(static_cast<DType>(d));
    return all;
}

// ---- type rules

namespace {

/// The dtype in `taken` to which the repair suggests a conversion. Nullopt if `found` is the dtype of keys, or if no
/// dtype is suitable.
std::optional<DType> conversion(DType found, DTypes taken) {
    if (found == DType::key) return {};
    const std::array order = found == DType::b1 ? std::array{DType::u8, DType::i32, DType::f32}
                                                : std::array{DType::f32, DType::i32, DType::b1};
    for (const DType d : order)
        if (contains(taken, d)) return d;
    return {};
}

/// The repair for an operation that is not defined for complex numbers.
std::string complex_repair(Op op) {
    switch (op) {
    case Op::less:
    case Op::less_equal:
    case Op::max:
    case Op::min:
    case Op::reduce_max:
    case Op::reduce_min:
    case Op::cummax:
    case Op::cummin:
    case Op::argmax:
    case Op::argmin:
    case Op::pmax:
    case Op::pmin: return "complex numbers have no order: take abs(z), real(z) or imag(z)";
    case Op::convert: return "take a part: real(z), imag(z) or abs(z)";
    default: return "take real parts first: real(z), imag(z) or abs(z)";
    }
}

} // namespace

void require_dtype(const Inst& inst, DType found, DTypes taken) {
    if (contains(taken, found)) return;
    const std::string_view op = display_name(inst.op);
    auto d = diagnose(Diag::dtype_not_taken, {}, op, describe(taken), runtime::name(found));
    if (runtime::is_complex(found)) raise(std::move(d).fix(complex_repair(inst.op)));
    if (const auto to = conversion(found, taken))
        d.help.push_back(fmt::format("convert it first: {}(x)", runtime::name(*to)));
    raise(std::move(d));
}

void require_same(const Inst& inst, std::span<const Type> operands) {
    for (const Type& type : operands.subspan(1)) {
        if (type == operands[0]) continue;
        raise(diagnose(Diag::operands_disagree, {}, display_name(inst.op), ir::to_string(operands[0]),
                       ir::to_string(type)));
    }
}

void require_same_shape(const Inst& inst, std::span<const Type> operands) {
    for (const Type& type : operands.subspan(1)) {
        if (type.shape == operands[0].shape) continue;
        raise(diagnose(Diag::shapes_disagree, {}, display_name(inst.op), ir::to_string(operands[0].shape),
                       ir::to_string(type.shape)));
    }
}

void require_shape(const Type& type) {
    bool empty = false;
    for (std::int64_t size : type.shape) {
        if (size < 0) raise(diagnose(Diag::negative_size, {}, size));
        empty = empty || size == 0;
    }
    if (empty) return;
    constexpr std::int64_t most = std::int64_t{1} << 62;
    auto bytes = static_cast<std::int64_t>(runtime::size_of(type.dtype));
    for (std::int64_t size : type.shape) {
        if (size > most / bytes)
            raise(diagnose(Diag::too_many_elements, {}, ir::to_string(type.shape), runtime::name(type.dtype)));
        bytes *= size;
    }
}

// ---- derivatives

Tangent add_tangents(Build& b, const Tangent& x, const Tangent& y) {
    if (!x) return y;
    if (!y) return x;
    return b.add(*x, *y);
}

Value tangent_or_zero(JvpContext& c, std::size_t i) { return c.tangent(i) ? *c.tangent(i) : c.b.zeros_like(c.in(i)); }

Value one(JvpContext& c) { return c.b.ones_like(c.in(0)); }

Value square_scale(Build& b, Value size, bool small) {
    const DType dtype = b.dtype(size);
    struct Powers {
        int large, down; ///< the scale is 2^down for sizes from 2^large on
        int tiny, up;    ///< the scale is 2^up for sizes below 2^tiny
    };
    const Powers powers = dtype == DType::f16   ? Powers{7, -9, -8, 14}
                          : dtype == DType::f64 ? Powers{400, -600, -400, 600}
                                                : Powers{40, -66, -40, 80};
    const auto power = [&](int exponent) { return b.constant(dtype, std::ldexp(1.0, exponent), b.shape(size)); };
    Value scale = power(0);
    if (small) scale = b.select(b.compare(Op::less, size, power(powers.tiny)), power(powers.up), scale);
    return b.select(b.compare(Op::less, size, power(powers.large)), scale, power(powers.down));
}

Tangents jvp_linear(JvpContext& c) {
    Values operands;
    for (std::size_t i = 0; i < c.primals.size(); ++i) operands.push_back(tangent_or_zero(c, i));
    const Values made = c.b.copy(c.inst, std::move(operands));
    return {made.begin(), made.end()};
}

Tangents jvp_linear_first(JvpContext& c) {
    if (!c.tangent(0)) return {std::nullopt};
    Values operands(c.primals.begin(), c.primals.end());
    operands[0] = *c.tangent(0);
    return {c.b.copy(c.inst, std::move(operands)).at(0)};
}

// ---- batching

Values batch_elementwise(BatchContext& c) {
    Values operands;
    for (std::size_t i = 0; i < c.operands.size(); ++i) operands.push_back(c.full(i));
    return c.b.copy(c.inst, std::move(operands));
}

// ---- eval

Array new_result(const EvalContext& c, std::size_t i) {
    return Array::empty(c.result_types[i].dtype, c.result_types[i].shape, c.allocator);
}

// ---- samples

const std::vector<Shape>& sample_shapes() {
    static const std::vector<Shape> shapes = {{}, {0}, {1}, {7}, {3, 5}, {4, 0, 2}, {70, 33}, {130, 127}};
    return shapes;
}

std::vector<Sample> elementwise_samples(std::size_t operands, DTypes set, const std::vector<Domain>& domains,
                                        const Attrs& attrs, double tolerance) {
    std::vector<Sample> samples;
    const DType main = contains(set, DType::f32) ? DType::f32 : members(set).front();
    for (DType dtype : members(set)) {
        const std::vector<Shape> shapes = dtype == main ? sample_shapes() : std::vector<Shape>{{7}, {3, 5}};
        for (const Shape& shape : shapes) {
            Sample sample{std::vector<Type>(operands, Type{dtype, shape}), attrs, domains, tolerance};
            sample.differentiable = runtime::is_float(dtype);
            samples.push_back(std::move(sample));
        }
    }
    return samples;
}

} // namespace pm::ops
