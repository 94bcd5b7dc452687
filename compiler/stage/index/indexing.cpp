// Reads parts of values: `x[...]`, fields, items of tuples.
#include "compiler/stage/index/indexing.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/nearest.hpp"
#include "compiler/ops/effects/check_attributes.hpp"
#include "compiler/stage/call/donation.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/index/index_plan.hpp"
#include "compiler/stage/index/sequence.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/embedded.hpp"
#include "compiler/stage/known/foreign.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/operands.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

/// Converts all indices to i64 if one of them is i64.
void widen_together(ops::Build& b, ir::Values& indices) {
    if (std::ranges::none_of(indices, [&](ir::Value v) { return b.dtype(v) == DType::i64; })) return;
    for (ir::Value& v : indices) v = b.convert(v, DType::i64);
}

/// Emits the operations that read the part of an array that a plan selects.
class PartReader {
  public:
    PartReader(Stager& s, const Value& object, const IndexPlan& plan)
        : s_(s), b_(s.build()), plan_(plan), x_(s.use(object)), rank_(b_.rank(x_)), weak_(numeric_type(object).weak) {}

    Value read(Span span) {
        slice(); // slices come first, so that the array is smaller in the other steps
        take_windows();
        const ir::Integers gathered = gather(span);
        x_ = b_.transpose(x_, permutation(gathered));
        return s_.wrap(b_.reshape(x_, plan_.shape()), weak_);
    }

  private:
    const AxisIndex& axis(int d) const { return plan_.axes[static_cast<std::size_t>(d)]; }

    /// Reads the slices and the elements at known indices.
    void slice() {
        ir::Integers start, limit, stride, reversed;
        for (int d = 0; d < rank_; ++d) {
            const AxisIndex& a = axis(d);
            const bool sliced =
                a.kind == AxisIndex::Kind::slice || (a.kind == AxisIndex::Kind::integer && !plan_.has_arrays);
            if (!sliced || (a.whole() && a.kind == AxisIndex::Kind::slice)) {
                start.push_back(0);
                limit.push_back(a.size);
                stride.push_back(1);
                continue;
            }
            const std::int64_t count = a.kind == AxisIndex::Kind::integer ? 1 : a.count;
            std::int64_t from = a.start;
            if (a.stride < 0) {
                from = a.start + (count - 1) * a.stride;
                reversed.push_back(d);
            }
            const std::int64_t step = a.stride < 0 ? -a.stride : a.stride;
            start.push_back(from);
            limit.push_back(count == 0 ? from : from + (count - 1) * step + 1);
            stride.push_back(step);
        }
        x_ = b_.slice(x_, start, limit, stride);
        if (!reversed.empty()) x_ = b_.reverse(x_, reversed);
    }

    /// Reads the windows whose start is staged.
    void take_windows() {
        ir::Values starts;
        ir::Integers sizes;
        bool windows = false;
        for (int d = 0; d < rank_; ++d) {
            const AxisIndex& a = axis(d);
            if (a.kind != AxisIndex::Kind::window) {
                starts.push_back(b_.constant_i(DType::i32, 0));
                sizes.push_back(b_.shape(x_)[static_cast<std::size_t>(d)]);
                continue;
            }
            windows = true;
            starts.push_back(window_start(s_, a, d));
            sizes.push_back(a.count);
        }
        if (!windows) return;
        widen_together(b_, starts);
        x_ = b_.dynamic_slice(x_, starts, sizes);
    }

    /// Reads elements at staged indices and at index arrays by one gather. After the gather, `x_` has the axes of the
    /// indices first, and then the other axes. Returns the axes of the array that the gather has indexed.
    ir::Integers gather(Span span) {
        ir::Integers gathered;
        ir::Values indices;
        for (int d = 0; d < rank_; ++d) {
            const AxisIndex& a = axis(d);
            const bool element = a.kind == AxisIndex::Kind::staged || a.kind == AxisIndex::Kind::array ||
                                 (a.kind == AxisIndex::Kind::integer && plan_.has_arrays);
            if (!element) continue;
            gathered.push_back(d);
            const ir::Value i =
                a.kind == AxisIndex::Kind::integer ? b_.constant_i(DType::i32, a.start) : element_index(s_, a, d);
            indices.push_back(b_.broadcast_to(i, plan_.advanced));
        }
        b_.set_span(s_.places().of(span));
        if (gathered.empty()) return gathered;
        widen_together(b_, indices);
        // An axis of size 0 is padded to one element, so that the gather is valid. If the gather is executed, the check
        // of the index fails first. In a loop with zero iterations, the gather is never executed.
        ir::Integers more(static_cast<std::size_t>(rank_), 0);
        for (const std::int64_t d : gathered)
            if (b_.shape(x_)[static_cast<std::size_t>(d)] == 0 && ir::product(plan_.advanced) > 0)
                more[static_cast<std::size_t>(d)] = 1;
        if (std::ranges::any_of(more, [](std::int64_t n) { return n > 0; }) && b_.dtype(x_) != DType::key)
            x_ = b_.pad(x_, b_.constant(b_.dtype(x_), 0.0, {}), ir::Integers(static_cast<std::size_t>(rank_), 0), more);
        x_ = b_.gather(x_, indices, gathered);
        return gathered;
    }

    /// The axes of `x_` in the order of the result. Axes with a single known index are last. They have size 1, and a
    /// reshape removes them later.
    ir::Integers permutation(const ir::Integers& gathered) const {
        // For each axis that is not gathered, its position in `x_`.
        std::vector<int> position(static_cast<std::size_t>(rank_), -1);
        int next = gathered.empty() ? 0 : static_cast<int>(plan_.advanced.size());
        for (int d = 0; d < rank_; ++d)
            if (std::ranges::find(gathered, d) == gathered.end()) position[static_cast<std::size_t>(d)] = next++;
        ir::Integers order;
        for (const IndexPlan::Out& o : plan_.out) {
            if (o.kind == IndexPlan::Out::Kind::advanced) order.push_back(o.number);
            if (o.kind == IndexPlan::Out::Kind::axis) order.push_back(position[static_cast<std::size_t>(o.number)]);
        }
        for (int d = 0; d < rank_; ++d)
            if (axis(d).kind == AxisIndex::Kind::integer && !plan_.has_arrays)
                order.push_back(position[static_cast<std::size_t>(d)]);
        return order;
    }

    Stager& s_;
    ops::Build& b_;
    const IndexPlan& plan_;
    ir::Value x_;
    int rank_;
    bool weak_;
};

} // namespace

ir::Value element_index(Stager& s, const AxisIndex& a, int axis) {
    return a.in_range ? s.use(a.index) : checked_index(s, a.index, a.size, axis, a.span);
}

ir::Value window_start(Stager& s, const AxisIndex& a, int axis) {
    auto& b = s.build();
    const ir::Value given = s.use(a.index);
    if (a.in_range) return given;
    const ir::Value i = as_places(s, a.index, a.size);
    const DType dtype = b.dtype(i);
    const ir::Value zero = b.constant_i(dtype, 0);
    const ir::Value from = b.select(b.compare(ir::Op::less, i, zero), b.add(i, b.constant_i(dtype, a.size)), i);
    const ir::Value last = b.constant_i(dtype, a.size - a.count);
    const ir::Value ok =
        b.binary(ir::Op::and_, b.compare(ir::Op::less_equal, zero, from), b.compare(ir::Op::less_equal, from, last));
    b.set_span(s.places().of(a.span));
    b.emit(ir::Op::check, {ok, given, from},
           ops::check_attributes(
               {Diag::index_out_of_range,
                fmt::format("the window {{}}:+{} is out of range for axis {} of size {}", a.count, axis, a.size),
                valid_starts(a.size, a.count), true}));
    return from;
}

namespace {

/// At top level, the rows that a plan selects from an array if these rows are contiguous in memory. nullopt otherwise.
/// If programs run on copies of host arrays in a device's memory (Host::brings_arrays), the rows of a host array are a
/// view. Then later uses of the rows find the device's copy of the array. Otherwise the rows are a copy in the same
/// kind of memory, so the array still has only one owner.
std::optional<Array> rows_of(Stager& s, const Value& object, const IndexPlan& plan) {
    const Array* a = object.array();
    if (!a || !s.interpreting() || plan.axes.empty() || plan.out.size() != plan.axes.size()) return {};
    const AxisIndex& first = plan.axes[0];
    if (first.kind != AxisIndex::Kind::slice || first.whole() || (first.stride != 1 && first.count > 1)) return {};
    if (!std::all_of(plan.axes.begin() + 1, plan.axes.end(), [](const AxisIndex& x) { return x.whole(); })) return {};
    const std::int64_t begin = first.count == 0 ? 0 : first.start;
    Array rows = a->rows(begin, begin + first.count);
    const bool nothing_there =
        s.host().problem != nullptr; // true if the program is only checked; the array then has no elements
    return nothing_there || (s.host().brings_arrays && a->on_host()) ? rows : rows.clone();
}

} // namespace

Value part_of(Stager& s, const Value& object, const IndexPlan& plan, Span span) {
    const bool first_alone =
        !plan.axes.empty() && plan.axes[0].kind == AxisIndex::Kind::integer &&
        plan.out.size() + 1 == plan.axes.size() &&
        std::all_of(plan.axes.begin() + 1, plan.axes.end(), [](const AxisIndex& a) { return a.whole(); });
    if (const Array* a = object.array(); a && first_alone) {
        s.specialiser().note_value_read();
        return {a->at(plan.axes[0].start), object.weak};
    }
    if (std::optional<Array> rows = rows_of(s, object, plan)) return {*std::move(rows), object.weak};
    const IndexPlan made = with_operands(s, plan);
    return s.array_work(span, [&] { return PartReader(s, object, made).read(span); });
}

namespace {

/// `i` as an index from 0 of n elements. `sequence` describes them in the error, as "a tuple of {}".
std::size_t place_within(std::int64_t i, std::int64_t n, fmt::format_string<std::int64_t&> sequence, Span span) {
    if (i < -n || i >= n)
        raise(diagnose(Diag::index_out_of_range, span,
                       fmt::format("index {} is out of range for {}", i, fmt::format(sequence, n)))
                  .fix(valid_indices(n)));
    return static_cast<std::size_t>(i < 0 ? i + n : i);
}

/// One element of a tuple or a string.
Value item_at(Stager& s, const Value& object, const Value& at, Span span) {
    if (const Tuple* tuple = object.tuple()) {
        const auto n = static_cast<std::int64_t>(tuple->items.size());
        const std::int64_t i = need_integer(s, at, span, "the index of a tuple");
        return tuple->items[place_within(i, n, "a tuple of {}", span)];
    }
    const std::int64_t i = need_integer(s, at, span, "the index of a string");
    const std::int64_t n = character_count(s, *object.text());
    const std::size_t place = place_within(i, n, "a string of {} characters", span);
    return std::string(character_at(s, *object.text(), static_cast<std::int64_t>(place)));
}

/// A slice of a tuple or a string.
Value slice_of(Stager& s, const Value& object, const std::vector<syntax::IndexItem>& items, Span span) {
    const std::vector<Value> all = object.tuple() ? object.tuple()->items : known_elements(s, object, span);
    // The plan is made as for an array with one axis of the same length.
    const Type as_array{DType::b1, {static_cast<std::int64_t>(all.size())}};
    const AxisIndex a = plan_index(s, as_array, items, span).axes[0];
    std::vector<Value> chosen;
    for (std::int64_t i = 0; i < a.count; ++i) chosen.push_back(all[static_cast<std::size_t>(a.start + i * a.stride)]);
    if (object.tuple()) return Value::tuple(std::move(chosen));
    std::string text;
    for (const Value& c : chosen) text += *c.text();
    return text;
}

} // namespace

Value index(Stager& s, const Value& object, const std::vector<syntax::IndexItem>& items, Span span) {
    if (object.text_template()) s.host_work("an index needs text that holds computed values", span);
    if (object.is_numeric()) return part_of(s, object, plan_index(s, numeric_type(object).type, items, span), span);
    if (items.size() != 1) raise(diagnose(Diag::bad_index, span, fmt::format("{} takes one index", describe(object))));
    const syntax::IndexItem& item = items[0];
    const bool single = item.kind == syntax::IndexItem::Kind::single;
    if (single && object.record()) {
        const Value at = evaluate(s, item.first);
        return field(s, object, {need_text(s, at, item.span, "the field of a record"), item.span});
    }
    if ((object.tuple() || object.text()) && (single || item.kind == syntax::IndexItem::Kind::slice))
        return chosen_text(s, object, [&] {
            return single ? item_at(s, object, evaluate(s, item.first), item.span) : slice_of(s, object, items, span);
        });
    auto d = diagnose(Diag::bad_index, span, fmt::format("{} cannot be indexed like this", describe(object)));
    if (object.function()) raise(std::move(d).fix("write arguments in parentheses: f(x)"));
    raise(std::move(d));
}

std::vector<Value> spread(Stager& s, const Value& v, Span span) {
    if (const auto* t = v.tuple()) return t->items;
    if (v.is_numeric() && numeric_type(v).type.rank() > 0) {
        std::vector<Value> parts;
        for (std::int64_t i = 0; i < numeric_type(v).type.shape[0]; ++i) parts.push_back(element(s, v, i, span));
        return parts;
    }
    raise(diagnose(Diag::rest_argument, span, describe(v)));
}

Value element(Stager& s, const Value& v, std::int64_t i, Span span) {
    if (const runtime::Array* a = v.array()) {
        s.specialiser().note_value_read();
        return {a->at(i), v.weak};
    }
    return s.array_work(span, [&] {
        const ir::Value x = s.use(v);
        const Shape shape = s.build().shape(x);
        const ir::Value part = s.build().slice_axis(x, 0, i, i + 1);
        return s.wrap(s.build().reshape(part, Shape(shape.begin() + 1, shape.end())), numeric_type(v).weak);
    });
}

Value element_at(Stager& s, const Value& v, const Value& i, Span span) {
    return s.array_work(span, [&] {
        const std::int64_t size = numeric_type(v).type.shape.at(0);
        const ir::Value x = s.use(v);
        return s.wrap(s.build().gather(x, {checked_index(s, i, size, 0, span)}, {0}), numeric_type(v).weak);
    });
}

namespace {

/// Up to three names of a module that begin with `name` and an underscore: "stats.norm_logpdf, stats.norm_pdf". Empty
/// if the module has no such names.
std::string names_in_front(const std::vector<std::string>& names, const std::string& module, const std::string& name) {
    constexpr int most = 3;
    std::string found;
    int count = 0;
    for (const std::string& other : names)
        if (other.starts_with(name + "_") && count++ < most)
            found += fmt::format("{}{}.{}", found.empty() ? "" : ", ", module, other);
    return found;
}

} // namespace

Diagnostic missing_member(const ModuleScope& module, const ModuleScope& prelude, const syntax::Name& name) {
    std::vector<std::string> names;
    for (const auto& [member, cell] : module.names)
        if (!member.starts_with('_') || name.text.starts_with('_')) names.push_back(member);
    std::sort(names.begin(), names.end());
    auto d = diagnose(Diag::unknown_field, name.span, fmt::format("the module `{}`", module.name), name.text);
    if (const auto repair = foreign_name(module.name, name.text); !repair.empty())
        return std::move(d).fix(std::string(repair));
    if (const std::string fronted = names_in_front(names, module.name, name.text); !fronted.empty())
        return std::move(d).fix(fmt::format("its functions have its name in front: {}", fronted));
    if (embedded_module(module.name) && prelude.names.count(name.text) != 0)
        return std::move(d).fix(fmt::format("write it without the name of a module: {}", name.text));
    if (const std::string near = nearest(name.text, names); !near.empty())
        return std::move(d).under(fmt::format("did you mean `{}`?", near));
    return d;
}

Value field(Stager& s, const Value& object, const syntax::Name& name) {
    if (const Record* r = object.record()) {
        if (const Value* v = r->find(name.text)) return *v;
        std::vector<std::string> names;
        for (const auto& [field, value] : r->fields)
            if (names.size() < NearNames::most) names.push_back(field);
        auto d = diagnose(Diag::unknown_field, name.span, "the record", name.text);
        if (const auto repair = foreign_name("record", name.text); !repair.empty())
            raise(std::move(d).fix(std::string(repair)));
        if (const std::string near = nearest(name.text, names); !near.empty())
            raise(std::move(d).under(fmt::format("did you mean `{}`?", near)));
        constexpr std::size_t most_shown = 20;
        const std::size_t more = r->fields.size() - std::min(r->fields.size(), most_shown);
        names.resize(std::min(names.size(), most_shown));
        raise(std::move(d).note(
            fmt::format("it has {}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} others", more))));
    }
    if (const ModuleValue* m = object.module()) {
        const auto at = m->scope->names.find(name.text);
        if (at != m->scope->names.end()) return value_of(name.text, at->second, name.span);
        raise(missing_member(*m->scope, *s.modules().prelude(), name));
    }
    if (object.is_numeric()) {
        const Type& type = numeric_type(object).type;
        if (name.text == "shape") {
            std::vector<Value> sizes;
            for (const std::int64_t n : type.shape) sizes.push_back(Value::integer(n));
            return Value::tuple(std::move(sizes));
        }
        if (name.text == "dtype") return Value(type.dtype);
        if (name.text == "ndim") return Value::integer(type.rank());
        if (name.text == "size") return Value::integer(type.elements());
        if (name.text == "real" || name.text == "imag") return complex_part(s, object, name.text == "real", name.span);
        if (name.text == "T" || name.text == "mT") {
            ir::Integers permutation;
            for (int d = 0; d < type.rank(); ++d) permutation.push_back(name.text == "T" ? type.rank() - 1 - d : d);
            if (name.text == "mT") {
                if (type.rank() < 2)
                    raise(diagnose(Diag::wrong_kind, name.span, "`.mT`", "an array with two axes at least",
                                   describe(object)));
                std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
            }
            return s.array_work(name.span, [&] {
                return s.wrap(s.build().transpose(s.use(object), permutation), numeric_type(object).weak);
            });
        }
        auto d = diagnose(Diag::unknown_field, name.span, describe(object), name.text);
        const Cell* const own = s.scopes().cell_of(name.text);
        const Cell* const f = own && own->unknown ? nullptr : s.scopes().find(name.text);
        if (f && f->value.function()) raise(std::move(d).fix(fmt::format("call it: .{}()", name.text)));
        if (const auto repair = foreign_name("array", name.text); !repair.empty())
            raise(std::move(d).fix(std::string(repair)));
        raise(std::move(d).note("arrays have shape, dtype, ndim, size, T, mT, real and imag"));
    }
    auto d = diagnose(Diag::unknown_field, name.span, describe(object), name.text);
    if (const auto repair = foreign_name(foreign_kind(object), name.text); !repair.empty())
        raise(std::move(d).fix(std::string(repair)));
    raise(std::move(d));
}

} // namespace pm::stage
