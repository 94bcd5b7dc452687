#include "compiler/stage/control.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/restore.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

struct Mismatch {
    std::string what, left, right;
};

/// A leaf of a join: the value on either side, and the type both get.
struct Output {
    Value left, right;
    DType dtype;
    bool weak;
};

bool same_number(const Number& a, const Number& b) {
    return a.kind == b.kind && a.i == b.i && a.f == b.f && a.dtype == b.dtype;
}

Value zeros_like_tree(const Value& tree, Context& context) {
    return map_leaves(tree, [&](const Value& leaf) {
        const NumericType t = context.type_of(leaf);
        return context.wrap(context.build().zeros(t.type), t.weak);
    });
}

/// Joins two trees: the structure, with a number per staged leaf that says which output it is.
class Join {
  public:
    Join(Context& left, Context& right) : left_(left), right_(right) {}

    std::vector<Output> outputs;
    std::vector<std::int64_t> places;
    bool lenient = false;
    Value held; ///< what stands for a missing value where it is of the same type; zeros otherwise

    Value tree(const std::string& what, const Value& a, const Value& b) {
        if (lenient && a.is_none() && !b.is_none()) return tree(what, missing(b, left_), b);
        if (lenient && b.is_none() && !a.is_none()) return tree(what, a, missing(a, right_));
        if (a.is_numeric() && b.is_numeric()) return leaf(what, a, b);
        if (a.tuple() && b.tuple() && a.tuple()->items.size() == b.tuple()->items.size()) {
            std::vector<Value> items;
            for (std::size_t i = 0; i < a.tuple()->items.size(); ++i)
                items.push_back(tree(what, a.tuple()->items[i], b.tuple()->items[i]));
            return Value::tuple(std::move(items));
        }
        if (a.record() && b.record() && a.record()->fields.size() == b.record()->fields.size()) {
            auto fields = a.record()->fields;
            for (const std::size_t i : sorted_fields(*a.record())) {
                const Value* other = b.record()->find(fields[i].first);
                if (!other) throw Mismatch{what, tree_text(a), tree_text(b)};
                fields[i].second = tree(what, fields[i].second, *other);
            }
            return Value::record(std::move(fields));
        }
        if (!same_leaves(a, b)) throw Mismatch{what, describe(a), describe(b)};
        return a;
    }

  private:
    /// A loop that keeps what it has does not copy it.
    Value missing(const Value& like, Context& side) const {
        const auto alike = [&] {
            const std::vector<Value> a = leaves(held);
            const std::vector<Value> b = leaves(like);
            for (std::size_t i = 0; i < a.size(); ++i) {
                const NumericType x = side.type_of(a[i]);
                const NumericType y = side.type_of(b[i]);
                if (x.type != y.type || x.weak != y.weak) return false;
            }
            return true;
        };
        return same_structure(held, like) && alike() ? held : zeros_like_tree(like, side);
    }
    Value leaf(const std::string& what, const Value& a, const Value& b) {
        if (a.number() && b.number() && same_number(*a.number(), *b.number())) {
            places.push_back(-1);
            return a;
        }
        const NumericType x = left_.type_of(a);
        const NumericType y = right_.type_of(b);
        const bool keys = x.type.dtype == DType::key || y.type.dtype == DType::key;
        Promoted p{x.type.dtype, x.weak && y.weak};
        if (x.type.dtype != y.type.dtype && !keys) p = promote(x.type.dtype, x.weak, y.type.dtype, y.weak);
        // Only a weak number changes its dtype.
        const bool fits = x.type.shape == y.type.shape && (x.type.dtype == p.dtype || x.weak) &&
                          (y.type.dtype == p.dtype || y.weak) && (!keys || x.type.dtype == y.type.dtype);
        if (!fits) throw Mismatch{what, ir::to_string(x.type), ir::to_string(y.type)};
        places.push_back(static_cast<std::int64_t>(outputs.size()));
        outputs.push_back({a, b, p.dtype, p.weak});
        return a;
    }

    Context& left_;
    Context& right_;
};

Value place(const Value& tree, const std::vector<std::int64_t>& places, std::size_t& next,
            const std::vector<Value>& results) {
    return map_leaves(tree, [&](const Value& leaf) {
        const std::int64_t at = places.at(next++);
        return at < 0 ? leaf : results.at(static_cast<std::size_t>(at));
    });
}

/// Gives a finished block the parameters of this list, in this order; a missing one is added and not used.
ir::BlockPtr with_params(const ir::BlockPtr& block, const std::vector<std::pair<ir::Value, Type>>& params) {
    auto made = std::make_shared<ir::Block>(*block);
    made->params.clear();
    for (const auto& [value, type] : params) {
        if (value) {
            made->params.push_back(value);
            continue;
        }
        made->params.push_back({static_cast<std::uint32_t>(made->values.size())});
        made->values.push_back(type);
    }
    return made;
}

/// The captures of several regions of one instruction, each outer value once.
class Wholes {
  public:
    void add(const Context& region) {
        for (const Context::Capture& c : region.captures())
            if (index(c.outer) < 0) outer_.push_back(c.outer);
    }
    ir::Values operands(Context& parent) const {
        ir::Values out;
        for (const Value& v : outer_) out.push_back(parent.use(v));
        return out;
    }
    /// The parameters that stand for them in a region.
    std::vector<std::pair<ir::Value, Type>> params(const Context& region) const {
        std::vector<std::pair<ir::Value, Type>> out;
        for (const Value& v : outer_) {
            ir::Value param;
            for (const Context::Capture& c : region.captures())
                if (same_source(c.outer, v)) param = c.param;
            out.emplace_back(param, numeric_type(v).type);
        }
        return out;
    }
    std::size_t size() const { return outer_.size(); }

  private:
    std::int64_t index(const Value& v) const {
        for (std::size_t i = 0; i < outer_.size(); ++i)
            if (same_source(outer_[i], v)) return static_cast<std::int64_t>(i);
        return -1;
    }
    std::vector<Value> outer_;
};

} // namespace

std::vector<Value> Control::values() const {
    std::vector<Value> out;
    for (const Local& l : s_.frame_->locals) out.push_back(l.cell.value);
    return out;
}

Cell* Control::held() const {
    for (std::size_t i = s_.frame_->locals.size(); i-- > 0;)
        if (s_.frame_->locals[i].name == returned_value) return &s_.frame_->locals[i].cell;
    return nullptr;
}

void Control::may_leave() {
    const Cell* outer = held();
    const Value so_far = outer ? outer->value : Value(None{});
    s_.frame_->locals.push_back({exit_code, {s_.wrap_number(Flow::normal), true, {}}, s_.region_depth_});
    s_.frame_->locals.push_back({returned_value, {so_far, true, {}}, s_.region_depth_});
}

void Control::hold(const Value& value) {
    // Not marked as changed: the flow of control carries the value out of the region.
    if (Cell* cell = held(); cell && !value.is_none()) cell->value = value;
}

void Control::restore(const std::vector<Value>& values) {
    auto& locals = s_.frame_->locals;
    locals.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) locals[i].cell.value = values[i];
}

/// One side of a branch, staged.
struct Control::Region {
    std::shared_ptr<Context> context;
    Value result;
    std::vector<Value> locals;
    std::set<std::size_t> dirty;
};

Value Control::branch(const Stager::Condition& condition, const std::function<Value()>& then,
                      const std::function<Value()>& otherwise, Span span, bool lenient) {
    const std::shared_ptr<Context> parent = s_.context_;
    const std::vector<Value> before = values();
    const auto side = [&](const std::function<Value()>& work) {
        Region r;
        r.context = std::make_shared<Context>(Context::Kind::region, parent, "");
        Dirty dirty{s_.frame_, before.size(), {}};
        {
            const Restore context_scope(s_.context_, r.context);
            const Restore depth_scope(s_.region_depth_, s_.region_depth_ + 1);
            s_.dirty_.push_back(&dirty);
            try {
                r.result = work();
            } catch (...) {
                s_.dirty_.pop_back();
                restore(before);
                throw;
            }
            s_.dirty_.pop_back();
        }
        r.locals = values();
        r.dirty = std::move(dirty.indices);
        restore(before);
        return r;
    };
    const Restore conditions_scope(s_.conditions_);
    s_.conditions_.push_back(condition);
    Region left = side(then);
    Region right = side(otherwise);

    Join join(*left.context, *right.context);
    std::set<std::size_t> dirty = left.dirty;
    dirty.insert(right.dirty.begin(), right.dirty.end());
    Value result;
    std::vector<std::pair<std::size_t, Value>> changed;
    if (const Cell* value = held()) join.held = value->value;
    try {
        join.lenient = lenient;
        result = join.tree(lenient ? "an early `return`" : "`if`", left.result, right.result);
        for (const std::size_t i : dirty) {
            const std::string& name = s_.frame_->locals[i].name;
            join.lenient = name == returned_value;
            changed.emplace_back(i, join.tree(fmt::format("`{}`", name), left.locals[i], right.locals[i]));
        }
    } catch (const Mismatch& m) {
        // A condition that can become known takes one side only.
        Diagnostic differ = diagnose(Diag::types_differ, span, m.what, m.left, m.right)
                                .note("both sides of a condition that is computed in compiled code give the same type");
        try {
            if (condition.value.staged() && s_.can_become_known(condition.value))
                s_.need_number(condition.value, span, "a condition");
        } catch (NeedKnown& need) {
            need.otherwise = std::make_shared<const Diagnostic>(std::move(differ));
            throw;
        }
        raise(std::move(differ));
    }

    ir::Values left_results, right_results;
    for (const Output& o : join.outputs) {
        left_results.push_back(left.context->use(o.left, o.dtype));
        right_results.push_back(right.context->use(o.right, o.dtype));
    }
    Wholes wholes;
    wholes.add(*left.context);
    wholes.add(*right.context);
    const auto left_params = wholes.params(*left.context);
    const auto right_params = wholes.params(*right.context);
    const ir::BlockPtr left_block = with_params(left.context->build().finish(left_results), left_params);
    const ir::BlockPtr right_block = with_params(right.context->build().finish(right_results), right_params);
    ir::Values operands{parent->use(condition.value)};
    for (const ir::Value v : wholes.operands(*parent)) operands.push_back(v);
    parent->build().set_span(s_.place(span));
    const ir::Values made = parent->build().emit(ir::Op::if_, operands, {}, {left_block, right_block});
    std::vector<Value> results;
    for (std::size_t i = 0; i < made.size(); ++i) results.push_back(parent->wrap(made[i], join.outputs[i].weak));
    std::size_t next = 0;
    const Value out = place(result, join.places, next, results);
    for (const auto& [i, tree] : changed) {
        s_.mark_dirty(*s_.frame_, i);
        s_.frame_->locals[i].cell.value = place(tree, join.places, next, results);
    }
    return out;
}

// ---- loops

/// A local that a loop carries.
struct Control::Carry {
    std::size_t local;
    Value initial; ///< in the parent, with the type the loop gives it
    Value param;   ///< in the region
};

std::vector<Control::Carry> Control::first_carries(const std::set<std::string>& assigned) {
    std::vector<Carry> carries;
    const auto& locals = s_.frame_->locals;
    for (std::size_t i = 0; i < locals.size(); ++i) {
        const bool hidden = std::any_of(locals.begin() + static_cast<std::ptrdiff_t>(i) + 1, locals.end(),
                                        [&](const Local& l) { return l.name == locals[i].name; });
        if (locals[i].cell.mut && !hidden && assigned.count(locals[i].name) != 0)
            carries.push_back({i, locals[i].cell.value, {}});
    }
    return carries;
}

void Control::enter(std::vector<Carry>& carries, Context& context) {
    for (Carry& c : carries) {
        c.param = map_leaves(c.initial, [&](const Value& leaf) {
            const NumericType t = context.type_of(leaf);
            return context.parameter(t.type, t.weak);
        });
        s_.frame_->locals[c.local].cell.value = c.param;
    }
}

namespace {

/// What a carried value must be for a turn to give it back unchanged in type: the initial value, changed where it is
/// weak. Sets `changed`.
Value settled(const std::string& name, const Value& initial, const Value& after, bool& changed, Context& parent,
              int loop, Span span) {
    const auto refuse = [&]() -> Value {
        if (loop >= 0) // a `for` can be unrolled
            throw NeedUnroll{
                loop, span,
                fmt::format("`{}` changes its type, from {} to {}", name, tree_text(initial), tree_text(after))};
        auto d = diagnose(Diag::carried_type, span, name, tree_text(initial), tree_text(after));
        if (initial.function() || initial.range())
            raise(std::move(d)
                      .note("a loop keeps functions and ranges with all that they hold")
                      .fix("carry the numbers it is made of, and make it in the loop"));
        raise(std::move(d));
    };
    if (name == returned_value && initial.is_none() && !after.is_none()) {
        changed = true;
        return zeros_like_tree(after, parent);
    }
    if (initial.is_numeric() && after.is_numeric()) {
        const NumericType a = parent.type_of(initial);
        const NumericType b = parent.type_of(after);
        if (a.type == b.type && (!a.weak || b.weak)) return initial;
        if (a.type.shape != b.type.shape) return refuse();
        const DType both = promote(a.type.dtype, a.weak, b.type.dtype, b.weak).dtype;
        if (b.weak && both == a.type.dtype) return initial; // the turn's value is converted
        if (!a.weak || both != b.type.dtype) return refuse();
        changed = true;
        return parent.wrap(parent.use(initial, b.type.dtype), b.weak);
    }
    if (initial.tuple() && after.tuple() && initial.tuple()->items.size() == after.tuple()->items.size()) {
        std::vector<Value> items;
        for (std::size_t i = 0; i < initial.tuple()->items.size(); ++i)
            items.push_back(
                settled(name, initial.tuple()->items[i], after.tuple()->items[i], changed, parent, loop, span));
        return Value::tuple(std::move(items));
    }
    if (initial.record() && after.record() && initial.record()->fields.size() == after.record()->fields.size()) {
        auto fields = initial.record()->fields;
        for (auto& [field, value] : fields) {
            const Value* other = after.record()->find(field);
            if (!other) return refuse();
            value = settled(name, value, *other, changed, parent, loop, span);
        }
        return Value::record(std::move(fields));
    }
    return same_leaves(initial, after) ? initial : refuse();
}

/// Appends the leaves of `after` in the types of `like`.
void append_leaves(const Value& after, const Value& like, Context& context, ir::Values& out) {
    const std::vector<Value> types = leaves(like);
    const std::vector<Value> found = leaves(after);
    PM_CHECK(found.size() == types.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        out.push_back(context.use(found[i], context.type_of(types[i]).type.dtype));
}

} // namespace

bool Control::settle(std::vector<Carry>& carries, const std::set<std::size_t>& dirty, Context& parent, int loop,
                     Span span) {
    bool again = false;
    for (const std::size_t i : dirty) {
        const bool known = std::any_of(carries.begin(), carries.end(), [&](const Carry& c) { return c.local == i; });
        if (!known) {
            carries.push_back({i, {}, {}});
            again = true;
        }
    }
    if (again) return true;
    for (Carry& c : carries)
        c.initial = settled(s_.frame_->locals[c.local].name, c.initial, s_.frame_->locals[c.local].cell.value, again,
                            parent, loop, span);
    return again;
}

Value Control::scan(const Loop& loop, const Turn& turn) {
    const std::shared_ptr<Context> parent = s_.context_;
    const std::vector<Value> before = values();
    std::vector<Carry> carries = first_carries(loop.assigned);
    for (int round = 0;; ++round) {
        PM_CHECK(round < 100);
        const auto region = std::make_shared<Context>(Context::Kind::region, parent, "");
        const Value index = region->parameter({DType::i32, {}}, true);
        region->mark_loop_index(index.staged()->value, loop.id);
        enter(carries, *region);
        std::vector<Value> slices;
        for (const Value& v : loop.sliced) {
            const NumericType t = numeric_type(v);
            slices.push_back(
                region->parameter({t.type.dtype, Shape(t.type.shape.begin() + 1, t.type.shape.end())}, t.weak));
        }
        Dirty dirty{s_.frame_, before.size(), {}};
        Value stacked;
        {
            const Restore context_scope(s_.context_, region);
            const Restore depth_scope(s_.region_depth_, s_.region_depth_ + 1);
            s_.dirty_.push_back(&dirty);
            try {
                stacked = turn(index, slices);
            } catch (...) {
                s_.dirty_.pop_back();
                restore(before);
                throw;
            }
            s_.dirty_.pop_back();
        }
        if (settle(carries, dirty.indices, *parent, loop.may_unroll ? loop.id : -1, loop.span)) {
            restore(before);
            for (Carry& c : carries)
                if (c.initial.is_none()) c.initial = before[c.local];
            continue;
        }

        ir::Values results;
        for (const Carry& c : carries)
            append_leaves(s_.frame_->locals[c.local].cell.value, c.initial, *region, results);
        const std::size_t carried = results.size();
        std::vector<NumericType> out_types;
        std::vector<std::int64_t> places;
        for_each_leaf(stacked, [&](const Value& leaf) {
            places.push_back(static_cast<std::int64_t>(out_types.size()));
            out_types.push_back(region->type_of(leaf));
            results.push_back(region->use(leaf, out_types.back().type.dtype));
        });
        restore(before);

        Wholes wholes;
        wholes.add(*region);
        std::vector<std::pair<ir::Value, Type>> params{{index.staged()->value, {DType::i32, {}}}};
        for (const auto& p : wholes.params(*region)) params.push_back(p);
        for (const Carry& c : carries)
            for_each_leaf(c.param,
                          [&](const Value& leaf) { params.emplace_back(leaf.staged()->value, leaf.staged()->type); });
        for (const Value& v : slices) params.emplace_back(v.staged()->value, v.staged()->type);
        const ir::BlockPtr body = with_params(region->build().finish(results), params);

        ir::Values operands = wholes.operands(*parent);
        for (const Carry& c : carries) append_leaves(c.initial, c.initial, *parent, operands);
        for (const Value& v : loop.sliced) operands.push_back(parent->use(v));
        parent->build().set_span(s_.place(loop.span));
        const ir::Values made = parent->build().emit(ir::Op::scan, operands,
                                                     {{ir::Attr::whole, static_cast<std::int64_t>(wholes.size())},
                                                      {ir::Attr::carried, static_cast<std::int64_t>(carried)},
                                                      {ir::Attr::length, loop.length},
                                                      {ir::Attr::reverse, std::int64_t{loop.reverse ? 1 : 0}}},
                                                     {body});
        std::size_t next = 0;
        for (const Carry& c : carries) {
            s_.mark_dirty(*s_.frame_, c.local);
            s_.frame_->locals[c.local].cell.value = map_leaves(
                c.initial, [&](const Value& leaf) { return parent->wrap(made[next++], numeric_type(leaf).weak); });
        }
        std::vector<Value> outs;
        for (std::size_t i = 0; i < out_types.size(); ++i)
            outs.push_back(parent->wrap(made[carried + i], out_types[i].weak));
        std::size_t at = 0;
        return place(stacked, places, at, outs);
    }
}

void Control::repeat(const std::function<Value()>& condition, const std::function<void()>& body,
                     const std::set<std::string>& assigned, Span span, std::optional<Counter> counter) {
    const std::shared_ptr<Context> parent = s_.context_;
    const std::vector<Value> before = values();
    std::vector<Carry> carries = first_carries(assigned);
    for (int round = 0;; ++round) {
        PM_CHECK(round < 100);
        Dirty dirty{s_.frame_, before.size(), {}};
        const auto stage = [&](const std::shared_ptr<Context>& region, const std::function<void()>& work) {
            const Restore context_scope(s_.context_, region);
            const Restore depth_scope(s_.region_depth_, s_.region_depth_ + 1);
            s_.dirty_.push_back(&dirty);
            try {
                work();
            } catch (...) {
                s_.dirty_.pop_back();
                restore(before);
                throw;
            }
            s_.dirty_.pop_back();
        };
        const auto test = std::make_shared<Context>(Context::Kind::region, parent, "");
        enter(carries, *test);
        std::vector<Value> test_params;
        for (const Carry& c : carries) test_params.push_back(c.param);
        ir::Value test_result;
        Value more;
        stage(test, [&] {
            const Value v = more = condition();
            if (!v.is_numeric() || numeric_type(v).type != Type{DType::b1, {}}) s_.known_condition(v, span); // raises
            test_result = test->use(v);
        });
        restore(before);
        const auto region = std::make_shared<Context>(Context::Kind::region, parent, "");
        enter(carries, *region);
        for (const Carry& c : carries)
            if (counter && c.local == counter->local) region->mark_loop_index(c.param.staged()->value, counter->id);
        {
            const Restore conditions_scope(s_.conditions_);
            s_.conditions_.push_back({more, span});
            stage(region, body);
        }
        if (settle(carries, dirty.indices, *parent, counter ? counter->id : -1, span)) {
            restore(before);
            for (Carry& c : carries)
                if (c.initial.is_none()) c.initial = before[c.local];
            continue;
        }
        ir::Values results;
        for (const Carry& c : carries)
            append_leaves(s_.frame_->locals[c.local].cell.value, c.initial, *region, results);
        restore(before);

        Wholes wholes;
        wholes.add(*test);
        wholes.add(*region);
        auto test_list = wholes.params(*test);
        auto body_list = wholes.params(*region);
        for (std::size_t i = 0; i < carries.size(); ++i) {
            for_each_leaf(test_params[i], [&](const Value& leaf) {
                test_list.emplace_back(leaf.staged()->value, leaf.staged()->type);
            });
            for_each_leaf(carries[i].param, [&](const Value& leaf) {
                body_list.emplace_back(leaf.staged()->value, leaf.staged()->type);
            });
        }
        const ir::BlockPtr test_block = with_params(test->build().finish({test_result}), test_list);
        const std::int64_t carried = static_cast<std::int64_t>(results.size());
        const ir::BlockPtr body_block = with_params(region->build().finish(results), body_list);
        ir::Values operands = wholes.operands(*parent);
        for (const Carry& c : carries) append_leaves(c.initial, c.initial, *parent, operands);
        parent->build().set_span(s_.place(span));
        const ir::Values made = parent->build().emit(
            ir::Op::while_, operands,
            {{ir::Attr::whole, static_cast<std::int64_t>(wholes.size())}, {ir::Attr::carried, carried}},
            {test_block, body_block});
        std::size_t next = 0;
        for (const Carry& c : carries) {
            s_.mark_dirty(*s_.frame_, c.local);
            s_.frame_->locals[c.local].cell.value = map_leaves(
                c.initial, [&](const Value& leaf) { return parent->wrap(made[next++], numeric_type(leaf).weak); });
        }
        return;
    }
}

} // namespace pm::stage
