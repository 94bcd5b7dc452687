// Changed copies of values, for `with` and for assignments to parts of values.
#include "compiler/stage/index/update.hpp"
#include "compiler/base/check.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/index/index_plan.hpp"
#include "compiler/stage/index/indexing.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/values/promotion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pm::stage {

using syntax::Selector;
using syntax::UpdateOp;

namespace {

/// Converts `value`, which is assigned to a part of an array, to the dtype of the array and to the shape of the part.
/// Raises if the conversion would lose information.
ir::Value fitted(Stager& s, const Value& value, DType dtype, const Shape& shape, Span span) {
    if (!value.is_numeric())
        raise(diagnose(Diag::wrong_kind, span, "an element of an array", "a number or an array", describe(value)));
    const NumericType t = numeric_type(value);
    const bool keys = dtype == DType::key || t.type.dtype == DType::key;
    if (keys ? dtype != t.type.dtype : promote(dtype, false, t.type.dtype, t.weak).dtype != dtype)
        raise(diagnose(Diag::wrong_kind, span, fmt::format("a place in an array of {}", runtime::name(dtype)),
                       fmt::format("values that fit {}", runtime::name(dtype)), describe(value))
                  .fix(fmt::format("convert it: {}(...)", runtime::name(dtype))));
    const auto joined = ops::broadcast_shapes(shape, t.type.shape);
    if (!joined || *joined != shape)
        raise(diagnose(Diag::update_shape, span, ir::to_string(t.type.shape), ir::to_string(shape)));
    return s.build().broadcast_to(s.use(value, dtype), shape);
}

const char* scatter_mode(UpdateOp op) {
    switch (op) {
    case UpdateOp::set: return "set";
    case UpdateOp::add:
    case UpdateOp::subtract: return "add";
    case UpdateOp::multiply:
    case UpdateOp::divide: return "mul";
    case UpdateOp::minimum: return "min";
    case UpdateOp::maximum: return "max";
    default: return nullptr;
    }
}

/// Updates a contiguous range of each axis. Used if each index is a slice of stride 1, a window or a single element.
Value update_block(Stager& s, const Value& base, const IndexPlan& plan, UpdateOp op, const Value& value, Span span) {
    auto& b = s.build();
    const ir::Value x = s.use(base);
    const DType dtype = b.dtype(x);
    ir::Values starts;
    ir::Integers sizes;
    Shape place;
    bool wide = false;
    bool nowhere = false; // true if an indexed axis has size 0; no index is in range then, so the check of the index
                          // fails at run time
    for (std::size_t d = 0; d < plan.axes.size(); ++d) {
        const AxisIndex& a = plan.axes[d];
        nowhere = nowhere || (a.kind == AxisIndex::Kind::staged && a.size == 0);
        ir::Value start;
        if (a.kind == AxisIndex::Kind::staged)
            start = element_index(s, a, static_cast<int>(d));
        else if (a.kind == AxisIndex::Kind::window)
            start = window_start(s, a, static_cast<int>(d));
        else
            start = b.constant_i(index_dtype(DType::i32, a.size), a.start);
        wide = wide || b.dtype(start) == DType::i64;
        starts.push_back(start);
        const bool single = a.kind == AxisIndex::Kind::staged || a.kind == AxisIndex::Kind::integer;
        sizes.push_back(single ? 1 : a.count);
    }
    if (wide)
        for (ir::Value& v : starts) v = b.convert(v, DType::i64);
    for (const IndexPlan::Out& o : plan.out) place.push_back(o.size);
    b.set_span(s.places().of(span));
    Value new_value = value;
    if (op != UpdateOp::set) {
        const ir::Value old =
            nowhere ? b.constant_i(dtype, 0, place) : b.reshape(b.dynamic_slice(x, starts, sizes), place);
        new_value = combine(s, op, s.wrap(old), value, span);
    }
    const ir::Value part = b.reshape(fitted(s, new_value, dtype, place, span), sizes);
    return s.wrap(nowhere ? x : b.dynamic_update(x, part, starts));
}

/// Updates the array by a scatter. Used if an index is an index array, or a slice with another stride than 1. In the
/// scatter, each axis that is not whole is indexed by an array.
Value update_scattered(Stager& s, const Value& base, const IndexPlan& plan, UpdateOp op, const Value& value,
                       Span span) {
    auto& b = s.build();
    const ir::Value x = s.use(base);
    const DType dtype = b.dtype(x);
    const char* mode = scatter_mode(op);
    if (!mode)
        raise(diagnose(Diag::bad_index, span,
                       fmt::format("`{}` is not available for places given by arrays", syntax::spelling(op))));
    // The axes of the selected part are divided into the indexed axes and the remaining axes, which are whole.
    Shape spanned;
    ir::Integers permutation, remaining;
    std::vector<int> spanned_at(plan.out.size(), -1);
    for (std::size_t o = 0; o < plan.out.size(); ++o) {
        const bool whole = plan.out[o].kind == IndexPlan::Out::Kind::axis &&
                           plan.axes[static_cast<std::size_t>(plan.out[o].number)].whole();
        if (whole) {
            remaining.push_back(static_cast<std::int64_t>(o));
            continue;
        }
        spanned_at[o] = static_cast<int>(spanned.size());
        spanned.push_back(plan.out[o].size);
        permutation.push_back(static_cast<std::int64_t>(o));
    }
    permutation.insert(permutation.end(), remaining.begin(), remaining.end());

    ir::Integers axes;
    ir::Values indices;
    for (std::size_t d = 0; d < plan.axes.size(); ++d) {
        const AxisIndex& a = plan.axes[d];
        if (a.whole()) continue;
        axes.push_back(static_cast<std::int64_t>(d));
        ir::Value i;
        ir::Integers dims;
        switch (a.kind) {
        case AxisIndex::Kind::integer: i = b.constant_i(index_dtype(DType::i32, a.size), a.start); break;
        case AxisIndex::Kind::staged: i = element_index(s, a, static_cast<int>(d)); break;
        case AxisIndex::Kind::array:
            i = b.broadcast_to(element_index(s, a, static_cast<int>(d)), plan.advanced);
            for (std::size_t o = 0; o < plan.out.size(); ++o)
                if (plan.out[o].kind == IndexPlan::Out::Kind::advanced) dims.push_back(spanned_at[o]);
            break;
        case AxisIndex::Kind::slice:
        case AxisIndex::Kind::window:
            i = a.kind == AxisIndex::Kind::window ? window_start(s, a, static_cast<int>(d))
                                                  : b.constant_i(index_dtype(DType::i32, a.size), a.start);
            i = b.broadcast_scalar(i, {a.count});
            i = b.add(i, b.mul(b.iota({a.count}, 0, b.dtype(i)), b.constant_i(b.dtype(i), a.stride, {a.count})));
            for (std::size_t o = 0; o < plan.out.size(); ++o)
                if (plan.out[o].kind == IndexPlan::Out::Kind::axis && plan.out[o].number == static_cast<int>(d))
                    dims.push_back(spanned_at[o]);
            break;
        }
        indices.push_back(b.broadcast(i, spanned, dims));
    }
    bool wide = false;
    for (const ir::Value v : indices) wide = wide || b.dtype(v) == DType::i64;
    if (wide)
        for (ir::Value& v : indices) v = b.convert(v, DType::i64);
    b.set_span(s.places().of(span));
    ir::Value part = b.transpose(fitted(s, value, dtype, plan.shape(), span), permutation);
    if (op == UpdateOp::subtract) part = b.neg(part);
    if (op == UpdateOp::divide) {
        if (!runtime::is_inexact(dtype))
            raise(diagnose(Diag::bad_index, span, "`/=` on an array of integers gives floats"));
        part = b.div(b.ones_like(part), part);
    }
    return s.wrap(b.scatter(x, part, indices, axes, mode));
}

/// The value that is assigned at each true element of a mask. It is reshaped so that it broadcasts to the part of the
/// array.
Value for_each_place(Stager& s, const IndexPlan& plan, const Value& value, Span span) {
    const auto rank = static_cast<std::size_t>(numeric_type(*plan.mask).type.rank());
    Shape place, in_part; // shapes of the value for one true element: `place` is its shape by the rules of the index,
                          // and `in_part` is the shape that broadcasts to the part
    for (const IndexPlan::Out& o : plan.out) {
        const auto axis = static_cast<std::size_t>(o.number);
        const bool in_mask = plan.mask_axis <= axis && axis < plan.mask_axis + rank;
        if (!in_mask) place.push_back(o.size);
        in_part.push_back(in_mask ? 1 : o.size);
    }
    const Shape after(place.begin() + static_cast<std::ptrdiff_t>(plan.mask_place), place.end());
    place.insert(place.begin() + static_cast<std::ptrdiff_t>(plan.mask_place), 1);
    const NumericType given = numeric_type(value);
    const auto joined = ops::broadcast_shapes(place, given.type.shape);
    if (!joined || *joined != place)
        raise(diagnose(Diag::mask_not_known, span)
                  .note(fmt::format("each place gets the same, of shape {}; this has shape {}", ir::to_string(after),
                                    ir::to_string(given.type.shape)))
                  .fix("values of the array's own shape are chosen: where(mask, values, x)"));
    if (given.type.rank() == 0) return value;
    auto& b = s.build();
    return s.wrap(b.reshape(b.broadcast_to(s.use(value), place), in_part), given.weak);
}

/// Updates a part of an array where a mask with unknown elements is true. The number of true elements is not known, so
/// all true elements get the same value.
Value update_masked(Stager& s, const Value& part, const IndexPlan& plan, UpdateOp op, const Value& value, Span span) {
    auto& b = s.build();
    const ir::Value x = s.use(part);
    const Shape shape = b.shape(x);
    const ir::Value mask = s.use(*plan.mask);
    ir::Integers dims;
    for (std::size_t o = 0; o < plan.out.size(); ++o) {
        const auto axis = static_cast<std::size_t>(plan.out[o].number);
        if (plan.mask_axis <= axis && axis < plan.mask_axis + b.shape(mask).size())
            dims.push_back(static_cast<std::int64_t>(o));
    }
    const ir::Value chosen = b.broadcast(mask, shape, dims);
    const Value each = value.is_numeric() ? for_each_place(s, plan, value, span) : value;
    Value other = each;
    if ((op == UpdateOp::floor_divide || op == UpdateOp::remainder || op == UpdateOp::power) && value.is_numeric()) {
        // Where the mask is false, 1 replaces the right operand, so that no check fails there.
        Promoted type{};
        const std::vector<ir::Value> in = aligned(s, {each, Value::integer(1), s.wrap(x)}, span, &type);
        other = s.wrap(b.select(chosen, in[0], in[1]), type.weak);
    }
    const Value made = op == UpdateOp::set ? each : combine(s, op, part, other, span);
    const ir::Value fitting = fitted(s, made, b.dtype(x), shape, span);
    b.set_span(s.places().of(span));
    return s.wrap(b.select(chosen, fitting, x));
}

/// The contiguous elements that an index selects. run_of returns them if the index consists of known integers followed
/// by whole axes.
struct Run {
    std::int64_t first = 0;
    std::int64_t count = 1;
};
std::optional<Run> run_of(const IndexPlan& plan) {
    Run run;
    bool whole = false;
    for (const AxisIndex& i : plan.axes) {
        if (i.whole())
            whole = true;
        else if (whole || i.kind != AxisIndex::Kind::integer)
            return {};
        run.first = run.first * i.size + (i.whole() ? 0 : i.start);
        if (whole) run.count *= i.size;
    }
    return run;
}

/// Converts an array without axes to a number. Keys, complex arrays and all other values are returned unchanged. Called
/// only at top level.
Value scalar_number(Stager& s, const Value& v, Span span) {
    const Array* a = v.array();
    if (!a || a->rank() != 0 || a->dtype() == DType::key || runtime::is_complex(a->dtype())) return v;
    return need_number(s, v, span, "an element");
}

/// Writes elements in place to `base`, if `base` is an array at top level that has only one owner. If this is not
/// possible, writes nothing and returns false.
bool written_in_place(Stager& s, Value& base, const IndexPlan& plan, UpdateOp op, const Value& given, Span span) {
    Array* const a = base.own_array();
    if (!a || !s.interpreting() || a->dtype() == DType::key || runtime::is_complex(a->dtype())) return false;
    const std::optional<Run> run = run_of(plan);
    if (!run) return false;
    const std::size_t bytes = runtime::size_of(a->dtype());
    if (const Array* part = given.array(); part && part->rank() > 0) {
        if (op != UpdateOp::set || part->dtype() != a->dtype() || part->shape() != plan.shape()) return false;
        const Array held = *part; // its memory is not the memory of `base`, because `base` has only one owner
        std::memcpy(static_cast<std::byte*>(a->mutable_data()) + static_cast<std::size_t>(run->first) * bytes,
                    held.data(), static_cast<std::size_t>(run->count) * bytes);
        return true;
    }
    if (run->count != 1 || static_cast<std::int64_t>(plan.out.size()) != 0) return false;
    Value value = scalar_number(s, given, span);
    if (!value.number()) return false;
    if (op == UpdateOp::minimum || op == UpdateOp::maximum) return false; // both are functions of the library
    if (op != UpdateOp::set) {
        const Array element = Array::from_bytes(
            a->dtype(), {}, static_cast<const std::byte*>(a->data()) + static_cast<std::size_t>(run->first) * bytes);
        value = combine(s, op, scalar_number(s, Value(element), span), value, span);
    }
    const Number* n = value.number();
    if (!n || promote(a->dtype(), false, n->default_dtype(), n->weak()).dtype != a->dtype()) return false;
    require_fits(*n, a->dtype(), span);
    if (n->kind == Number::Kind::floating)
        runtime::write_f64(a->dtype(), a->mutable_data(), run->first, n->f);
    else
        runtime::write_i64(a->dtype(), a->mutable_data(), run->first, n->data());
    return true;
}

} // namespace

Value updated(Stager& s, Value& base, const Update& update, std::size_t at) {
    const auto& [path, op, value, span] = update;
    if (at == path.size()) return combine(s, op, base, value, span);
    const Selector& step = path[at];
    if (step.kind == Selector::Kind::field || base.record()) {
        if (!base.record()) raise(diagnose(Diag::unknown_field, step.span, describe(base), step.name.text));
        std::string name = step.name.text;
        if (step.kind == Selector::Kind::index)
            name = need_text(s, evaluate(s, step.items.at(0).first), step.span, "the field of a record");
        const bool by_rows = base.by_rows;
        auto record = taken_from<Record>(base);
        try {
            if (Value* const old = record.find(name)) {
                Value made = updated(s, *old, update, at + 1);
                *old = std::move(made);
            } else {
                if (op != UpdateOp::set || at + 1 != path.size())
                    field(s, Value::record(record.fields), {name, step.span}); // raises
                record.append(name, value);
            }
        } catch (...) {
            base = Value::of_record(std::move(record), by_rows);
            throw;
        }
        return Value::of_record(std::move(record), by_rows);
    }
    if (base.tuple()) {
        const auto n = static_cast<std::int64_t>(base.tuple()->items.size());
        std::int64_t i = static_cast<std::int64_t>(step.number);
        if (step.kind == Selector::Kind::index)
            i = need_integer(s, evaluate(s, step.items.at(0).first), step.span, "the index of a tuple");
        if (i < -n || i >= n)
            raise(diagnose(Diag::index_out_of_range, step.span,
                           fmt::format("index {} is out of range for a tuple of {}", i, n))
                      .fix(valid_indices(n)));
        const bool by_rows = base.by_rows;
        auto items = parts_of(base, &Tuple::items);
        Value& old = items[static_cast<std::size_t>(i < 0 ? i + n : i)];
        try {
            Value made = updated(s, old, update, at + 1);
            old = std::move(made);
        } catch (...) {
            base = Value::tuple(std::move(items), by_rows);
            throw;
        }
        return Value::tuple(std::move(items), by_rows);
    }
    if (!base.is_numeric() || step.kind != Selector::Kind::index)
        raise(diagnose(Diag::bad_index, step.span, fmt::format("{} has no such place", describe(base))));
    const IndexPlan plan = plan_index(s, numeric_type(base).type, step.items, step.span, at + 1 == path.size());
    const auto write = [&](UpdateOp how, const Value& v) {
        if (written_in_place(s, base, plan, how, v, span)) return std::move(base);
        const IndexPlan made = with_operands(s, plan);
        if (plan.has_arrays && plan.distinct && !scatter_mode(how)) {
            const Value changed = combine(s, how, part_of(s, base, plan, step.span), v, span);
            return s.array_work(span, [&] { return update_scattered(s, base, made, UpdateOp::set, changed, span); });
        }
        return s.array_work(span, [&] {
            const bool block = !plan.has_arrays && std::ranges::all_of(plan.axes, [](const AxisIndex& a) {
                return a.kind != AxisIndex::Kind::slice || a.stride == 1;
            });
            if (block) return update_block(s, base, made, how, v, span);
            return update_scattered(s, base, made, how, v, span);
        });
    };
    if (plan.mask) // the part that the other indices select is updated, and then written back
        return s.array_work(span, [&] {
            const bool all = std::all_of(plan.axes.begin(), plan.axes.end(), [](const auto& a) { return a.whole(); });
            const Value part = all ? base : part_of(s, base, plan, step.span);
            const Value made = update_masked(s, part, plan, op, value, span);
            return all ? made : write(UpdateOp::set, made);
        });
    if (at + 1 == path.size()) return write(op, value);
    Value part =
        part_of(s, base, plan, step.span); // for `x[i][j] = v`, the part `x[i]` is updated, and then written back
    const Value made = updated(s, part, update, at + 1);
    part = {}; // the part may be a view of the array, but `base` must be the array's only owner
    return write(UpdateOp::set, made);
}

} // namespace pm::stage
