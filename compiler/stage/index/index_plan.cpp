#include "compiler/stage/index/index_plan.hpp"
#include "compiler/base/count.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/operands.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ops/effects/check_attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace pm::stage {
namespace {

using syntax::IndexItem;

/// Clamps a bound of a slice as Python does: to the range 0 to size. If `backwards` is true, to the range -1 to size -
/// 1.
std::int64_t bound(std::int64_t v, std::int64_t size, bool backwards) {
    if (v < 0) v += size;
    const std::int64_t low = backwards ? -1 : 0;
    const std::int64_t high = backwards ? size - 1 : size;
    return std::clamp(v, low, high);
}

class IndexReader {
  public:
    IndexReader(Stager& s, const Type& type, Span span, bool update)
        : s_(s), type_(type), span_(span), update_(update) {}

    IndexPlan read(const std::vector<IndexItem>& items) {
        struct Part {
            const IndexItem* item;
            Value value;
            bool fresh = false;
        };
        std::vector<Part> parts;
        std::int64_t used = 0;
        bool ellipsis = false;
        for (const IndexItem& item : items) {
            Part part{&item, {}};
            if (item.kind == IndexItem::Kind::single) {
                part.value = evaluate(s_, item.first);
                part.fresh = part.value.is_none();
                used += part.fresh ? 0 : axes_taken(part.value);
            } else if (item.kind == IndexItem::Kind::ellipsis) {
                ellipsis = true;
            } else {
                ++used;
            }
            parts.push_back(std::move(part));
        }
        if (used > type_.rank())
            raise(diagnose(Diag::too_many_indices, span_, ir::to_string(type_), Count{type_.rank()}, used));
        const std::int64_t rest = type_.rank() - used;
        for (const Part& part : parts) {
            if (part.item->kind == IndexItem::Kind::ellipsis) {
                for (std::int64_t i = 0; i < rest; ++i) whole();
            } else if (part.fresh) {
                order_.push_back(fresh);
            } else if (part.item->kind == IndexItem::Kind::single) {
                single(part.value, *part.item);
            } else {
                slice(*part.item);
            }
        }
        if (!ellipsis)
            for (std::int64_t i = 0; i < rest; ++i) whole();
        return finish();
    }

  private:
    static std::int64_t axes_taken(const Value& v) {
        if (v.is_numeric() && numeric_type(v).type.dtype == DType::b1 && numeric_type(v).type.rank() > 0)
            return numeric_type(v).type.rank();
        return 1;
    }

    std::int64_t size() const { return type_.shape[plan_.axes.size()]; }
    int axis() const { return static_cast<int>(plan_.axes.size()); }

    void push(AxisIndex a) {
        order_.push_back(axis());
        a.size = size();
        plan_.axes.push_back(std::move(a));
    }

    void whole() {
        AxisIndex a;
        a.count = size();
        push(a);
    }

    /// Adds a suggestion to the error that an index is a tuple: to use the elements of the tuple as indices. For
    /// example, `nonzero(mask)` returns a tuple with an index array for each axis.
    void repair_tuple(Diagnostic& d, const Tuple& t, const IndexItem& item) const {
        constexpr std::size_t longest = 40;
        const std::string_view text = s_.sources().text(item.span);
        const bool numbers = std::all_of(t.items.begin(), t.items.end(), [](const Value& v) { return v.is_numeric(); });
        if (!numbers || t.items.empty() || text.size() > longest) return;
        if (std::holds_alternative<syntax::Tuple>(s_.tree()[item.first].node)) {
            d.help.emplace_back("leave out the parentheses around the indices");
            return;
        }
        std::string elements;
        for (std::size_t i = 0; i < t.items.size(); ++i)
            elements += fmt::format("{}{}[{}]", i == 0 ? "" : ", ", text, i);
        d.help.push_back(fmt::format("index with its {}: {}", t.items.size() == 1 ? "element" : "elements", elements));
    }

    void single(const Value& v, const IndexItem& item) {
        const Span span = item.span;
        AxisIndex a;
        a.span = span;
        if (!v.is_numeric()) {
            if (v.range()) raise(diagnose(Diag::bad_index, span, "a range is no index").fix("use a slice: x[a:b]"));
            auto d = diagnose(Diag::bad_index, span, fmt::format("{} is no index", describe(v)));
            if (v.tuple()) repair_tuple(d, *v.tuple(), item);
            raise(std::move(d));
        }
        const NumericType t = numeric_type(v);
        if (t.type.dtype == DType::b1 && t.type.rank() > 0) return mask(v, span);
        if (!runtime::is_integer(t.type.dtype))
            raise(diagnose(Diag::bad_index, span, fmt::format("an index is an integer, got {}", describe(v)))
                      .fix(t.type.dtype == DType::b1 ? "a mask has a bool for each element: x[x > 0]"
                                                     : "convert it: i32(...)"));
        if (t.type.rank() > 0) {
            a.kind = AxisIndex::Kind::array;
            a.index = v;
            plan_.distinct = false;
            return push(a);
        }
        if (v.staged()) {
            a.kind = AxisIndex::Kind::staged;
            a.index = v;
            return push(a);
        }
        a.kind = AxisIndex::Kind::integer;
        const std::int64_t i = need_integer(s_, v, span, "an index");
        const bool outside = i < -size() || i >= size();
        if (outside && s_.scopes().errors_as_checks) {
            a.kind = AxisIndex::Kind::staged;
            a.index = v;
            return push(a);
        }
        if (outside)
            raise(diagnose(Diag::index_out_of_range, span,
                           fmt::format("index {} is out of range for axis {} of size {}", i, axis(), size()))
                      .fix(valid_indices(size())));
        a.start = i < 0 ? i + size() : i;
        push(a);
    }

    /// A read by a mask that compiled code does not know is host work. Where code must be compiled, it is an error.
    [[noreturn]] void refuse_mask(const Value& mask, Span span) const {
        auto d = diagnose(Diag::mask_not_known, span);
        if (update_) raise(std::move(d).fix("beside the mask, use numbers and slices"));
        const bool row = numeric_type(mask).type.rank() == 1;
        d.help = {"keep the size: where(mask, x, 0)",
                  fmt::format("or say how many there are at most: {}",
                              row ? "x[nonzero(mask, size=n)[0]]" : "nonzero(mask, size=n)")};
        s_.host_work("the number of elements that a mask selects depends on values", span,
                     std::make_shared<const Diagnostic>(d));
        raise(std::move(d));
    }

    /// Converts a known mask to index arrays of its true elements. In an update, the elements of a mask may be unknown.
    /// Such a mask is stored in the plan unchanged.
    void mask(const Value& v, Span span) {
        std::optional<Array> known;
        if (v.array() || !update_) known = constant_array(s_, v, span);
        const Array* m = known ? &*known : nullptr;
        if (!m && !update_) refuse_mask(v, span);
        const Shape shape = numeric_type(v).type.shape;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (shape[d] != type_.shape[plan_.axes.size() + d])
                raise(diagnose(Diag::bad_index, span,
                               fmt::format("a mask of shape {} does not fit axis {} of {}", ir::to_string(shape),
                                           plan_.axes.size() + d, ir::to_string(type_))));
        if (!m) {
            mask_span_ = span;
            if (plan_.mask) refuse_mask(v, span);
            plan_.mask = v;
            plan_.mask_axis = plan_.axes.size();
            for (std::size_t d = 0; d < shape.size(); ++d) whole();
            return;
        }
        s_.specialiser().note_value_read();
        plan_.distinct = plan_.distinct && !plan_.has_arrays;
        plan_.has_arrays = true;
        std::vector<std::vector<std::int32_t>> places(static_cast<std::size_t>(m->rank()));
        for (std::int64_t i = 0; i < m->elements(); ++i) {
            if (!m->as_bool(i)) continue;
            std::int64_t left = i;
            for (int d = m->rank(); d-- > 0;) {
                places[static_cast<std::size_t>(d)].push_back(static_cast<std::int32_t>(left % m->size(d)));
                left /= m->size(d);
            }
        }
        for (auto& p : places) {
            AxisIndex a;
            a.kind = AxisIndex::Kind::array;
            a.span = span;
            const auto n = static_cast<std::int64_t>(p.size());
            a.index = Value(Array::from_values(DType::i32, {n}, p, s_.host().allocator));
            push(a);
        }
    }

    void slice(const IndexItem& item) {
        AxisIndex a;
        a.span = item.span;
        if (item.kind == IndexItem::Kind::window) {
            const Value start = evaluate(s_, item.first);
            a.count = need_integer(s_, evaluate(s_, item.last), item.span, "the length of a window");
            if (a.count < 0 || a.count > size())
                raise(diagnose(Diag::bad_index, item.span,
                               fmt::format("a window of {:element|elements} does not fit axis {} of size {}",
                                           Count{a.count}, axis(), size())));
            if (start.staged()) {
                a.kind = AxisIndex::Kind::window;
                a.index = start;
                return push(a);
            }
            std::int64_t from = need_integer(s_, start, item.span, "a window");
            if (from < 0) from += size();
            if (from < 0 || from + a.count > size())
                raise(diagnose(Diag::index_out_of_range, item.span,
                               fmt::format("the window {}:+{} is out of range for axis {} of size {}", from, a.count,
                                           axis(), size()))
                          .fix(valid_starts(size(), a.count)));
            a.start = from;
            return push(a);
        }
        const auto part = [&](syntax::ExprId e) -> std::optional<std::int64_t> {
            if (!e) return {};
            const Value v = evaluate(s_, e);
            if (v.is_none()) return {};
            return need_integer(s_, v, item.span, "the bound of a slice");
        };
        const auto first = part(item.first);
        const auto last = part(item.last);
        a.stride = part(item.step).value_or(1);
        if (a.stride == 0) raise(diagnose(Diag::bad_index, item.span, "the step of a slice is zero"));
        const bool back = a.stride < 0;
        const std::int64_t n = size();
        const std::int64_t from = first ? bound(*first, n, back) : back ? n - 1 : 0;
        const std::int64_t to = last ? bound(*last, n, back) : back ? -1 : n;
        a.start = from;
        if (back)
            a.count = from > to ? (from - to - 1) / -a.stride + 1 : 0;
        else
            a.count = to > from ? (to - from - 1) / a.stride + 1 : 0;
        if (a.count == 0) a.start = 0, a.stride = 1;
        push(a);
    }

    /// Sets `mask_place`. The mask counts as an index array. An index of a single element that is used together with
    /// the mask counts as an index array too.
    void place_mask() {
        const std::size_t behind = plan_.mask_axis + static_cast<std::size_t>(numeric_type(*plan_.mask).type.rank());
        std::size_t first = order_.size(), last = 0, count = 0;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const auto axis = static_cast<std::size_t>(order_[i]);
            if (order_[i] == fresh || plan_.axes[axis].kind == AxisIndex::Kind::array)
                refuse_mask(*plan_.mask, mask_span_);
            const auto kind = plan_.axes[axis].kind;
            const bool in_mask = plan_.mask_axis <= axis && axis < behind;
            if (!in_mask && kind != AxisIndex::Kind::integer && kind != AxisIndex::Kind::staged) continue;
            first = std::min(first, i);
            last = i;
            ++count;
        }
        // The index has no `none`, so `order_` has the axes in order. If the axes whose index counts as an index array
        // are adjacent, the result begins with the `first` axes before them. Then comes the axis of the true elements.
        // If these axes are not adjacent, the axis of the true elements is the first axis.
        plan_.mask_place = last - first + 1 == count ? first : 0;
    }

    IndexPlan finish() {
        if (plan_.mask) place_mask();
        for (const AxisIndex& a : plan_.axes) plan_.has_arrays = plan_.has_arrays || a.kind == AxisIndex::Kind::array;
        // If the index has an index array, an index of a single element counts as an index array without axes.
        const auto is_advanced = [&](int axis) {
            if (axis == fresh) return false;
            const auto kind = plan_.axes[static_cast<std::size_t>(axis)].kind;
            return kind == AxisIndex::Kind::array ||
                   (plan_.has_arrays && (kind == AxisIndex::Kind::integer || kind == AxisIndex::Kind::staged));
        };
        for (const AxisIndex& a : plan_.axes) {
            if (a.kind != AxisIndex::Kind::array) continue;
            const auto joined = ops::broadcast_shapes(plan_.advanced, numeric_type(a.index).type.shape);
            if (!joined) {
                auto d = no_broadcast(a.span, plan_.advanced, numeric_type(a.index).type.shape);
                for (const AxisIndex& other : plan_.axes)
                    if (other.kind == AxisIndex::Kind::array && other.span != a.span)
                        d.label(other.span, describe(other.index));
                raise(std::move(d).under(describe(a.index)));
            }
            plan_.advanced = *joined;
        }
        // Index arrays are adjacent if each index between the first and the last index array is an index array.
        std::size_t first = order_.size(), last = 0, count = 0;
        for (std::size_t i = 0; i < order_.size(); ++i)
            if (is_advanced(order_[i])) {
                first = std::min(first, i);
                last = i;
                ++count;
            }
        const bool together = count > 0 && last - first + 1 == count;
        const auto put_advanced = [&] {
            for (std::size_t d = 0; d < plan_.advanced.size(); ++d)
                plan_.out.push_back({IndexPlan::Out::Kind::advanced, static_cast<int>(d), plan_.advanced[d]});
        };
        if (plan_.has_arrays && !together) put_advanced();
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const int axis = order_[i];
            if (axis == fresh) {
                plan_.out.push_back({IndexPlan::Out::Kind::fresh, 0, 1});
                continue;
            }
            if (is_advanced(axis)) {
                if (together && i == first) put_advanced();
                continue;
            }
            const AxisIndex& a = plan_.axes[static_cast<std::size_t>(axis)];
            if (a.kind == AxisIndex::Kind::integer || a.kind == AxisIndex::Kind::staged) continue;
            plan_.out.push_back({IndexPlan::Out::Kind::axis, axis, a.count});
        }
        return std::move(plan_);
    }

    Stager& s_;
    const Type& type_;
    Span span_;
    bool update_;
    Span mask_span_;
    IndexPlan plan_;
    static constexpr int fresh = -1;
    std::vector<int> order_; ///< numbers of the array's axes, and `fresh` for each new axis, in the order of the index
};

} // namespace

IndexPlan plan_index(Stager& stager, const Type& type, const std::vector<IndexItem>& items, Span span, bool update) {
    return IndexReader(stager, type, span, update).read(items);
}

DType index_dtype(DType given, std::int64_t size) {
    const bool wide =
        size > std::numeric_limits<std::int32_t>::max() || runtime::size_of(given) == 8 || given == DType::u32;
    return wide ? DType::i64 : DType::i32;
}

ir::Value as_places(Stager& s, const Value& v, std::int64_t size) {
    const DType given = numeric_type(v).type.dtype;
    if (given != DType::u64) return s.use(v, index_dtype(given, size));
    auto& b = s.build();
    const ir::Value x = s.use(v); // a number above the i64 maximum becomes the i64 maximum, which is out of range too
    const ir::Value most = b.constant_i(DType::u64, std::numeric_limits<std::int64_t>::max(), b.shape(x));
    return b.convert(b.binary(ir::Op::min, x, most), DType::i64);
}

ir::Value checked_index(Stager& s, const Value& index, std::int64_t size, int axis, Span span) {
    auto& b = s.build();
    const ir::Value given = s.use(index);
    const ir::Value i = as_places(s, index, size);
    const ir::Value n = b.constant_i(b.dtype(i), size, b.shape(i));
    const ir::Value zero = b.zeros_like(i);
    const ir::Value negative = b.compare(ir::Op::less, i, zero);
    const ir::Value wrapped = b.select(negative, b.add(i, n), i);
    const ir::Value ok =
        b.binary(ir::Op::and_, b.compare(ir::Op::less_equal, zero, wrapped), b.compare(ir::Op::less, wrapped, n));
    b.set_span(s.places().of(span));
    b.emit(ir::Op::check, {ok, given, wrapped},
           ops::check_attributes({Diag::index_out_of_range,
                                  fmt::format("index {{}} is out of range for axis {} of size {}", axis, size),
                                  valid_indices(size), true}));
    return wrapped;
}

IndexPlan with_operands(Stager& s, IndexPlan plan) {
    if (!s.interpreting()) return plan;
    for (AxisIndex& a : plan.axes) {
        const bool window = a.kind == AxisIndex::Kind::slice && a.stride == 1 && !a.whole() && a.count > 0;
        if (a.kind != AxisIndex::Kind::integer && !window) continue;
        a.kind = window ? AxisIndex::Kind::window : AxisIndex::Kind::staged;
        Array position = Array::zeros(index_dtype(DType::i32, a.size), {}, s.host().allocator);
        runtime::write_i64(position.dtype(), position.mutable_data(), 0, a.start);
        a.index = Value(std::move(position));
        a.in_range = true;
    }
    return plan;
}

} // namespace pm::stage
