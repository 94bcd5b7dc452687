#include "compiler/ops/core/build.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/rules.hpp"
#include "runtime/element.hpp"

#include <algorithm>

namespace pm::ops {

using ir::Attr;
using ir::Integers;

namespace {

std::vector<Type> types_of(const ir::Inst& inst, const std::vector<Type>& operands) {
    return ir::is_control(inst.op) ? ir::control_types(inst, operands) : result_types(inst, operands);
}

/// A literal with one element. `write` writes the bytes of the element, and converts a number as the casts of the
/// language do.
template <class Write>
ir::Literal element_literal(DType dtype, Write&& write) {
    ir::Literal literal;
    literal.bytes.resize(runtime::size_of(dtype));
    write(literal.bytes.data());
    return literal;
}

} // namespace

// ---- the block

Values Build::emit(Op op, Values operands, Attrs attrs, std::vector<ir::BlockPtr> regions) {
    const ir::OpInfo& about = ir::info(op);
    PM_CHECK(about.has(ir::control) || about.operands < 0 ||
                 operands.size() == static_cast<std::size_t>(about.operands),
             std::string(about.name));
    std::vector<Type> operand_types;
    operand_types.reserve(operands.size());
    for (Value v : operands) operand_types.push_back(type(v));
    ir::Inst inst{op, std::move(operands), {}, std::move(attrs), std::move(regions), {}};
    std::vector<Type> results;
    try {
        results = types_of(inst, operand_types);
    } catch (Error& error) {
        if (!error.diagnostic().span) error.diagnostic().span = span();
        throw;
    }
    return block_.append(std::move(inst), results);
}

Values Build::copy(const ir::Inst& inst, Values operands) {
    return emit(inst.op, std::move(operands), inst.attrs, inst.regions);
}

Values Build::inline_call(const ir::Inst& call, const Values& arguments) {
    set_place(call.place);
    return append_all(*call.regions[0], arguments, &call);
}

Values Build::append_all(const ir::Block& block, const Values& arguments, const ir::Inst* call) {
    PM_CHECK(arguments.size() == block.params.size());
    Values now(block.values.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) now[block.params[i].id] = arguments[i];
    const Span outer = span();
    for (const ir::Inst& inst : block.insts) {
        Values operands;
        operands.reserve(inst.operands.size());
        for (Value v : inst.operands) operands.push_back(now[v.id]);
        std::vector<Type> results;
        results.reserve(inst.results.size());
        for (Value v : inst.results) results.push_back(block.type(v));
        ir::Inst copy = inst;
        copy.operands = std::move(operands);
        if (!copy.place.span) copy.place.span = outer;
        if (call && ir::records_callers(inst.op)) copy.place.callers = ir::called_from(copy.place.callers, *call);
        if (inst.op != Op::call)
            for (ir::BlockPtr& region : copy.regions) {
                if (call && !ir::is_call(inst.op)) region = ir::called_from(region, *call);
                if (outer) region = ir::with_place(region, outer);
            }
        const Values made = block_.append(std::move(copy), results);
        for (std::size_t i = 0; i < made.size(); ++i) now[inst.results[i].id] = made[i];
    }
    Values results;
    results.reserve(block.results.size());
    for (Value v : block.results) results.push_back(now[v.id]);
    return results;
}

// ---- creation

Value Build::constant(DType dtype, double value, Shape shape) {
    return literal({dtype, std::move(shape)},
                   element_literal(dtype, [&](void* to) { runtime::write_f64(dtype, to, 0, value); }));
}

Value Build::constant_i(DType dtype, std::int64_t value, Shape shape) {
    return literal({dtype, std::move(shape)},
                   element_literal(dtype, [&](void* to) { runtime::write_i64(dtype, to, 0, value); }));
}

Value Build::literal(Type type, ir::Literal value) {
    return emit1(Op::constant, {},
                 {{Attr::shape, type.shape}, {Attr::dtype, type.dtype}, {Attr::value, std::move(value)}});
}

Value Build::table(const Integers& numbers, Shape shape) {
    const Type type{DType::i32, std::move(shape)};
    PM_CHECK(type.elements() == static_cast<std::int64_t>(numbers.size()));
    ir::Literal value;
    value.bytes.resize(numbers.size() * runtime::size_of(DType::i32));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        runtime::write_i64(DType::i32, value.bytes.data(), static_cast<std::int64_t>(i), numbers[i]);
    return literal(type, std::move(value));
}

Value Build::add(Value a, Value b) { return binary(dtype(a) == DType::tape ? Op::tape_sum : Op::add, a, b); }

Value Build::unread(const Type& type) {
    const ir::Literal zero = element_literal(type.dtype, [&](void* to) { runtime::write_i64(type.dtype, to, 0, 0); });
    return emit1(
        Op::constant, {},
        {{Attr::shape, type.shape}, {Attr::dtype, type.dtype}, {Attr::value, zero}, {Attr::unread, std::int64_t{1}}});
}

Value Build::iota(Shape shape, int axis, DType dtype) {
    return emit1(Op::iota, {},
                 {{Attr::axis, std::int64_t{axis}}, {Attr::shape, std::move(shape)}, {Attr::dtype, dtype}});
}

Value Build::convert(Value a, DType to) {
    if (dtype(a) == to) return a;
    return emit1(Op::convert, {a}, {{Attr::dtype, to}});
}

// ---- shape

Value Build::broadcast(Value a, Shape to, Integers dims) {
    if (shape(a) == to && dims == counting(0, to.size())) return a;
    return emit1(Op::broadcast, {a}, {{Attr::shape, std::move(to)}, {Attr::dims, std::move(dims)}});
}

Value Build::broadcast_to(Value a, const Shape& to) {
    const Shape from = shape(a);
    if (from == to) return a;
    const auto refuse = [&] {
        raise(diagnose(Diag::shapes_do_not_broadcast, span(), ir::to_string(from), ir::to_string(to)));
    };
    if (from.size() > to.size()) refuse();
    // `broadcast` does not stretch axes of size 1. So a reshape first removes the axes that are stretched.
    const std::size_t lead = to.size() - from.size();
    Shape kept;
    Integers dims;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] == to[lead + i]) {
            kept.push_back(from[i]);
            dims.push_back(static_cast<std::int64_t>(lead + i));
        } else if (from[i] != 1) {
            refuse();
        }
    }
    return broadcast(reshape(a, std::move(kept)), to, std::move(dims));
}

Value Build::reshape(Value a, Shape to) {
    if (shape(a) == to) return a;
    return emit1(Op::reshape, {a}, {{Attr::shape, std::move(to)}});
}

Value Build::transpose(Value a, Integers permutation) {
    if (permutation == counting(0, shape(a).size())) return a;
    return emit1(Op::transpose, {a}, {{Attr::permutation, std::move(permutation)}});
}

Value Build::move_axis(Value a, int from, int to) {
    Integers permutation = counting(0, static_cast<std::size_t>(rank(a)));
    permutation.erase(permutation.begin() + from);
    permutation.insert(permutation.begin() + to, from);
    return transpose(a, std::move(permutation));
}

Value Build::slice(Value a, Integers start, Integers limit, Integers stride) {
    if (stride.empty()) stride.assign(start.size(), 1);
    const bool whole = std::all_of(start.begin(), start.end(), [](std::int64_t s) { return s == 0; }) &&
                       limit == shape(a) &&
                       std::all_of(stride.begin(), stride.end(), [](std::int64_t s) { return s == 1; });
    if (whole) return a;
    return emit1(Op::slice, {a},
                 {{Attr::start, std::move(start)}, {Attr::limit, std::move(limit)}, {Attr::stride, std::move(stride)}});
}

Value Build::slice_axis(Value a, int axis, std::int64_t start, std::int64_t limit, std::int64_t stride) {
    const auto at = static_cast<std::size_t>(axis);
    Integers starts(shape(a).size(), 0);
    Integers limits = shape(a);
    Integers strides(shape(a).size(), 1);
    starts[at] = start;
    limits[at] = limit;
    strides[at] = stride;
    return slice(a, std::move(starts), std::move(limits), std::move(strides));
}

Value Build::pad(Value a, Value fill, Integers low, Integers high, Integers interior) {
    if (interior.empty()) interior.assign(low.size(), 0);
    const auto zero = [](const Integers& all) {
        return std::all_of(all.begin(), all.end(), [](std::int64_t x) { return x == 0; });
    };
    if (zero(low) && zero(high) && zero(interior)) return a;
    return emit1(Op::pad, {a, fill},
                 {{Attr::low, std::move(low)}, {Attr::high, std::move(high)}, {Attr::interior, std::move(interior)}});
}

Value Build::concatenate(Values parts, int axis) {
    if (parts.size() == 1) return parts[0];
    return emit1(Op::concatenate, std::move(parts), {{Attr::axis, std::int64_t{axis}}});
}

Value Build::reverse(Value a, Integers axes) {
    if (axes.empty()) return a;
    return emit1(Op::reverse, {a}, {{Attr::axes, std::move(axes)}});
}

// ---- reductions, products and accesses at indices

Value Build::reduce(Op op, Value a, Integers axes) {
    std::sort(axes.begin(), axes.end());
    if (axes.empty()) return a;
    return emit1(op, {a}, {{Attr::axes, std::move(axes)}});
}

Value Build::dot(Value a, Value b, DotAxes axes, std::string_view precision) {
    Attrs attrs{{Attr::lhs_contract, std::move(axes.lhs_contract)},
                {Attr::rhs_contract, std::move(axes.rhs_contract)},
                {Attr::lhs_batch, std::move(axes.lhs_batch)},
                {Attr::rhs_batch, std::move(axes.rhs_batch)}};
    if (!precision.empty()) attrs.set(Attr::precision, std::string(precision));
    return emit1(Op::dot, {a, b}, std::move(attrs));
}

Value Build::dynamic_slice(Value a, Values starts, Integers sizes) {
    starts.insert(starts.begin(), a);
    return emit1(Op::dynamic_slice, std::move(starts), {{Attr::sizes, std::move(sizes)}});
}

Value Build::dynamic_update(Value a, Value update, Values starts) {
    starts.insert(starts.begin(), {a, update});
    return emit1(Op::dynamic_update, std::move(starts));
}

Value Build::gather(Value a, Values indices, Integers axes, std::int64_t batch) {
    indices.insert(indices.begin(), a);
    return emit1(Op::gather, std::move(indices), {{Attr::axes, std::move(axes)}, {Attr::batch, batch}});
}

Value Build::tape_get(Value tapes, Value index, const Type& element) {
    return emit1(Op::tape_get, {tapes, index}, {{Attr::shape, element.shape}, {Attr::dtype, element.dtype}});
}

Value Build::scatter(Value a, Value update, Values indices, Integers axes, std::string mode, std::int64_t batch) {
    indices.insert(indices.begin(), {a, update});
    return emit1(Op::scatter, std::move(indices),
                 {{Attr::axes, std::move(axes)}, {Attr::batch, batch}, {Attr::mode, std::move(mode)}});
}

std::optional<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
    const std::size_t rank = std::max(a.size(), b.size());
    Shape both(rank);
    for (std::size_t i = 0; i < rank; ++i) { // i counts from the last axis
        const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1) return std::nullopt;
        both[rank - 1 - i] = x == 1 ? y : x;
    }
    return both;
}

} // namespace pm::ops
