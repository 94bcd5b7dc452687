#include "compiler/stage/interpret/control.hpp"

#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/index/stacking.hpp"
#include "compiler/stage/interpret/join.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
std::vector<Value> Control::values() const {
    std::vector<Value> out;
    for (const Local& l : s_.frame().locals) out.push_back(l.cell.value);
    return out;
}

Cell* Control::held() const {
    for (std::size_t i = s_.frame().locals.size(); i-- > 0;)
        if (s_.frame().locals[i].name == returned_value) return &s_.frame().locals[i].cell;
    return nullptr;
}

void Control::may_leave() {
    const Cell* outer = held();
    const Value so_far = outer ? outer->value : Value(None{});
    s_.scopes().add_local(exit_code, {s_.wrap(s_.build().constant_i(DType::i32, Flow::normal)), true, {}});
    s_.scopes().add_local(returned_value, {so_far, true, {}});
}

void Control::hold(const Value& value) {
    // The local is not marked as assigned: the value leaves the region in the joined results of the branches.
    if (Cell* cell = held(); cell && !value.is_none()) cell->value = value;
}

void Control::restore(const std::vector<Value>& values) {
    auto& locals = s_.frame().locals;
    locals.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) locals[i].cell.value = values[i];
}

void Control::join_returns(Join& join, const Value& made) {
    Frame& frame = s_.frame();
    if (frame.result)
        join.promote_to(*frame.result, made);
    else
        join.each_converted(made, [&](std::size_t leaf, DType dtype) { frame.joined_returns.emplace(leaf, dtype); });
}

/// One staged branch.
struct Control::Region {
    std::shared_ptr<Context> context;
    Value result;
    std::vector<Value> locals;
    std::set<std::size_t> dirty;
};

Value Control::branch(const Condition& condition, const std::function<Value()>& then,
                      const std::function<Value()>& otherwise, Span span, bool lenient) {
    const std::shared_ptr<Context> parent = s_.context_;
    const std::vector<Value> before = values();
    const auto side = [&](const std::function<Value()>& work) {
        Region r;
        r.context = std::make_shared<Context>(Context::Kind::region, parent, "");
        Dirty dirty{s_.scopes().frame, before.size(), {}};
        in_region(r.context, before, dirty, [&] { r.result = work(); });
        r.locals = values();
        r.dirty = std::move(dirty.indices);
        restore(before);
        return r;
    };
    const Restore conditions_scope(s_.scopes().conditions);
    s_.scopes().conditions.push_back(condition);
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
        if (lenient) join_returns(join, result.tuple()->items[1]);
        for (const std::size_t i : dirty) {
            const std::string& name = s_.frame().locals[i].name;
            join.lenient = name == returned_value;
            changed.emplace_back(i, join.tree(fmt::format("`{}`", name), left.locals[i], right.locals[i]));
            if (join.lenient) join_returns(join, changed.back().second);
        }
        if (join.texts) throw *join.texts;
    } catch (const Mismatch& m) {
        // If the condition can become known, the function is staged again with the condition known. Then only one
        // branch is staged.
        Diagnostic differ =
            diagnose(Diag::types_differ, span, m.what, m.left, m.right)
                .note(m.why.empty() ? "both sides of a condition that is computed in compiled code give the same type"
                                    : m.why);
        differ.help = m.help;
        differ.compiled_only = m.of_texts;
        try {
            if (condition.value.staged() && can_become_known(s_, condition.value))
                need_number(s_, condition.value, span, "a condition");
        } catch (NeedKnown& need) {
            need.otherwise = std::make_shared<const Diagnostic>(std::move(differ));
            throw;
        }
        if (m.of_texts) s_.host_work(chooses_text, span, std::make_shared<const Diagnostic>(differ));
        raise(std::move(differ));
    }

    ir::Values left_results, right_results;
    for (const Output& o : join.outputs) {
        left_results.push_back(left.context->use(o.left, o.dtype));
        right_results.push_back(right.context->use(o.right, o.dtype));
    }
    RegionCaptures captures;
    captures.add(*left.context);
    captures.add(*right.context);
    const auto left_params = captures.params(*left.context);
    const auto right_params = captures.params(*right.context);
    const ir::BlockPtr left_block = with_params(left.context->build().finish(left_results), left_params);
    const ir::BlockPtr right_block = with_params(right.context->build().finish(right_results), right_params);
    ir::Values operands{parent->use(condition.value)};
    for (const ir::Value v : captures.operands(*parent)) operands.push_back(v);
    parent->build().set_span(s_.places().of(span));
    const ir::Values made = parent->build().emit(ir::Op::if_, operands, {}, {left_block, right_block});
    std::vector<Value> results;
    for (std::size_t i = 0; i < made.size(); ++i) results.push_back(parent->wrap(made[i], join.outputs[i].weak));
    std::size_t next = 0;
    const Value out = place(result, join.places, next, results);
    for (const auto& [i, tree] : changed) {
        s_.scopes().mark_dirty(i);
        s_.frame().locals[i].cell.value = place(tree, join.places, next, results);
    }
    return out;
}

// ---- loops

std::vector<Carry> Control::first_carries(const std::set<std::string>& assigned) {
    std::vector<Carry> carries;
    const auto& locals = s_.frame().locals;
    for (std::size_t i = 0; i < locals.size(); ++i) {
        const bool hidden = std::any_of(locals.begin() + static_cast<std::ptrdiff_t>(i) + 1, locals.end(),
                                        [&](const Local& l) { return l.name == locals[i].name; });
        if (locals[i].cell.mut && !hidden && assigned.count(locals[i].name) != 0)
            carries.push_back({i, locals[i].cell.value});
    }
    return carries;
}

void Control::enter(std::vector<Carry>& carries, Context& context) {
    for (Carry& c : carries) {
        c.param = map_leaves(c.initial, [&](const Value& leaf) {
            const NumericType t = context.type_of(leaf);
            return context.parameter(t.type, t.weak);
        });
        s_.frame().locals[c.local].cell.value = c.param;
    }
}

void Control::in_region(const std::shared_ptr<Context>& region, const std::vector<Value>& before, Dirty& dirty,
                        const std::function<void()>& work) {
    const Restore context_scope(s_.context_, region);
    const Restore depth_scope(s_.scopes().open_regions, s_.scopes().open_regions + 1);
    s_.scopes().dirty.push_back(&dirty);
    try {
        raise_first(*region, work);
    } catch (...) {
        s_.scopes().dirty.pop_back();
        restore(before);
        throw;
    }
    s_.scopes().dirty.pop_back();
}

bool Control::settle(std::vector<Carry>& carries, const std::set<std::size_t>& dirty, Context& region, Context& parent,
                     bool& predicts, LoopPlace loop) {
    std::set<std::size_t> known;
    for (const Carry& c : carries) known.insert(c.local);
    bool again = false;
    for (const std::size_t i : dirty) {
        if (known.count(i) != 0) continue;
        carries.push_back({i, {}});
        again = true;
    }
    if (again) return true;
    const auto after = [&](const Carry& c) -> const Value& { return s_.frame().locals[c.local].cell.value; };
    if (std::any_of(carries.begin(), carries.end(), [&](const Carry& c) { return predicted_wrongly(c, after(c)); })) {
        predicts = false;
        for (Carry& c : carries) c = {c.local, {}};
        return true;
    }
    std::vector<Value> left;
    CarryJoin join(parent, loop);
    for (Carry& c : carries) {
        left.push_back(after(c));
        c.initial = join.join(s_.frame().locals[c.local].name, c.initial, left.back());
    }
    if (join.changed && predicts) predict(carries, left, region, parent);
    return join.changed;
}

/// The number of rounds is finite. The reason is that each round adds a carried name, or changes the type of a weak
/// leaf to a type that is wider or not weak. Predicted types are dropped at most once.
void Control::until_stable(std::vector<Carry>& carries, LoopPlace loop, const Round& round) {
    const std::shared_ptr<Context> parent = s_.context_;
    const std::vector<Value> before = values();
    bool predicts = true;
    for (;;) {
        Dirty dirty{s_.scopes().frame, before.size(), {}};
        const std::shared_ptr<Context> region = round(before, dirty);
        if (!settle(carries, dirty.indices, *region, *parent, predicts, loop)) return;
        restore(before);
        for (Carry& c : carries)
            if (c.initial.is_none()) c.initial = before[c.local];
    }
}

/// Assigns the results of a loop to the locals that the loop carries.
void Control::leave(const std::vector<Carry>& carries, const ir::Values& made) {
    std::size_t next = 0;
    for (const Carry& c : carries) {
        s_.scopes().mark_dirty(c.local);
        s_.frame().locals[c.local].cell.value =
            map_leaves(c.initial, [&](const Value& leaf) { return s_.wrap(made[next++], numeric_type(leaf).weak); });
    }
}

Value Control::scan(const Loop& loop, const Iteration& iteration) {
    const std::shared_ptr<Context> parent = s_.context_;
    const std::vector<Value> outside = values();
    std::vector<Carry> carries = first_carries(loop.assigned);
    std::shared_ptr<Context> region;
    Value index, stacked;
    std::vector<Value> slices;
    until_stable(carries, {loop.may_unroll ? loop.id : -1, loop.span},
                 [&](const std::vector<Value>& before, Dirty& dirty) {
                     region = std::make_shared<Context>(Context::Kind::region, parent, "");
                     index = region->parameter({DType::i32, {}}, true);
                     region->mark_loop_index(index.staged()->value, loop.id);
                     enter(carries, *region);
                     slices.clear();
                     for (const Value& v : loop.sliced) {
                         const NumericType t = numeric_type(v);
                         Shape shape(t.type.shape.begin() + 1, t.type.shape.end());
                         slices.push_back(region->parameter({t.type.dtype, std::move(shape)}, t.weak));
                     }
                     in_region(region, before, dirty, [&] { stacked = iteration(index, slices); });
                     return region;
                 });
    require_item(stacked, *region, loop.span);

    ir::Values results;
    for (const Carry& c : carries) append_leaves(s_.frame().locals[c.local].cell.value, c.initial, *region, results);
    const std::size_t carried = results.size();
    std::vector<NumericType> out_types;
    std::vector<std::int64_t> places;
    for_each_leaf(stacked, [&](const Value& leaf) {
        places.push_back(static_cast<std::int64_t>(out_types.size()));
        out_types.push_back(numeric_type(leaf));
        if (const Number* n = leaf.number()) require_fits(*n, out_types.back().type.dtype, loop.span);
        results.push_back(region->use(leaf, out_types.back().type.dtype));
    });
    restore(outside);

    RegionCaptures captures;
    captures.add(*region);
    std::vector<RegionParam> params{{index.staged()->value, {DType::i32, {}}}};
    for (const auto& p : captures.params(*region)) params.push_back(p);
    for (const Carry& c : carries)
        for_each_leaf(c.param,
                      [&](const Value& leaf) { params.emplace_back(leaf.staged()->value, leaf.staged()->type); });
    for (const Value& v : slices) params.emplace_back(v.staged()->value, v.staged()->type);
    const ir::BlockPtr body = with_params(region->build().finish(results), params);

    ir::Values operands = captures.operands(*parent);
    for (const Carry& c : carries) append_leaves(c.initial, c.initial, *parent, operands);
    for (const Value& v : loop.sliced) operands.push_back(parent->use(v));
    parent->build().set_span(s_.places().of(loop.header ? loop.header : loop.span));
    const ir::Values made = parent->build().emit(ir::Op::scan, operands,
                                                 {{ir::Attr::whole, static_cast<std::int64_t>(captures.size())},
                                                  {ir::Attr::carried, static_cast<std::int64_t>(carried)},
                                                  {ir::Attr::length, loop.length},
                                                  {ir::Attr::reverse, std::int64_t{loop.reverse ? 1 : 0}}},
                                                 {body});
    leave(carries, made);
    std::vector<Value> outs;
    for (std::size_t i = 0; i < out_types.size(); ++i)
        outs.push_back(
            parent->wrap(made[carried + i])); // the result is not weak; an array of number literals is not weak either
    std::size_t at = 0;
    return place(without_rows(stacked), places, at, outs);
}

void Control::repeat(const std::function<Value()>& condition, const std::function<void()>& body,
                     const std::set<std::string>& assigned, Span span, std::optional<Counter> counter) {
    const std::shared_ptr<Context> parent = s_.context_;
    const std::vector<Value> outside = values();
    std::vector<Carry> carries = first_carries(assigned);
    std::shared_ptr<Context> test, region;
    std::vector<Value> test_params;
    ir::Value test_result;
    until_stable(carries, {counter ? counter->id : -1, span}, [&](const std::vector<Value>& before, Dirty& dirty) {
        test = std::make_shared<Context>(Context::Kind::region, parent, "");
        enter(carries, *test);
        test_params.clear();
        for (const Carry& c : carries) test_params.push_back(c.param);
        Value more;
        in_region(test, before, dirty, [&] {
            more = condition();
            if (!more.is_numeric() || numeric_type(more).type != Type{DType::b1, {}})
                known_condition(s_, more, span); // raises
            test_result = test->use(more);
        });
        restore(before);
        region = std::make_shared<Context>(Context::Kind::region, parent, "");
        enter(carries, *region);
        for (const Carry& c : carries)
            if (counter && c.local == counter->local) region->mark_loop_index(c.param.staged()->value, counter->id);
        const Restore conditions_scope(s_.scopes().conditions);
        s_.scopes().conditions.push_back({more, span});
        in_region(region, before, dirty, body);
        return region;
    });
    ir::Values results;
    for (const Carry& c : carries) append_leaves(s_.frame().locals[c.local].cell.value, c.initial, *region, results);
    restore(outside);

    RegionCaptures captures;
    captures.add(*test);
    captures.add(*region);
    std::vector<RegionParam> test_list = captures.params(*test);
    std::vector<RegionParam> body_list = captures.params(*region);
    for (std::size_t i = 0; i < carries.size(); ++i) {
        for_each_leaf(test_params[i],
                      [&](const Value& leaf) { test_list.emplace_back(leaf.staged()->value, leaf.staged()->type); });
        for_each_leaf(carries[i].param,
                      [&](const Value& leaf) { body_list.emplace_back(leaf.staged()->value, leaf.staged()->type); });
    }
    const ir::BlockPtr test_block = with_params(test->build().finish({test_result}), test_list);
    const std::int64_t carried = static_cast<std::int64_t>(results.size());
    const ir::BlockPtr body_block = with_params(region->build().finish(results), body_list);
    ir::Values operands = captures.operands(*parent);
    for (const Carry& c : carries) append_leaves(c.initial, c.initial, *parent, operands);
    parent->build().set_span(s_.places().of(span));
    leave(carries, parent->build().emit(
                       ir::Op::while_, operands,
                       {{ir::Attr::whole, static_cast<std::int64_t>(captures.size())}, {ir::Attr::carried, carried}},
                       {test_block, body_block}));
}

} // namespace pm::stage
