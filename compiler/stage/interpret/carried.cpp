#include "compiler/stage/interpret/carried.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/interpret/control.hpp"
#include "compiler/stage/interpret/join.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"
#include "compiler/transform/core/bit_mask.hpp"
#include "compiler/transform/core/custom.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

namespace {

/// True if the iteration changes the length of a tuple, or the size of an axis of an array.
bool grows(const Value& initial, const Value& after) {
    if (initial.tuple() && after.tuple()) return initial.tuple()->items.size() != after.tuple()->items.size();
    if (!initial.is_numeric() || !after.is_numeric()) return false;
    const Type a = numeric_type(initial).type;
    const Type b = numeric_type(after).type;
    return a.rank() > 0 && a.rank() == b.rank() && a.shape != b.shape;
}

/// True for arrays of one shape.
bool one_shape(const Value& a, const Value& b) {
    return a.is_numeric() && b.is_numeric() && numeric_type(a).type.shape == numeric_type(b).type.shape;
}

bool is_text(const Value& v) { return v.text() || v.text_template(); }

} // namespace

void CarryJoin::refuse(const std::string& name, const Value& initial, const Value& after) const {
    Different between = different(initial, after);
    if (between.kind.empty()) between = {tree_text(initial), tree_text(after)};
    const auto& [from, to, kind] = between;
    const bool of_text = is_text(initial) && is_text(after);
    const std::string reason =
        fmt::format("`{}` changes{}, from {} to {}", name, kind.empty() ? " its type" : "", from, to);
    using Changes = NeedUnroll::Changes;
    const Changes changes = of_text ? Changes::text : one_shape(initial, after) ? Changes::dtype : Changes::other;
    if (loop_.id >= 0) throw NeedUnroll{loop_.id, loop_.span, reason, changes}; // a `for`, which can be unrolled
    auto d = diagnose(Diag::carried_type, loop_.span, name, from, to);
    if (of_text) {
        const auto refused = std::make_shared<const Diagnostic>(
            std::move(d)
                .note("texts are known before the program runs: a loop in compiled code keeps those that it has")
                .fix("print the parts in the loop: print(part, end=\"\")"));
        throw HostWork{reason, loop_.span, false, refused};
    }
    if (initial.function() || initial.range())
        raise(std::move(d)
                  .note("a loop keeps functions and ranges with all that they hold")
                  .fix("carry the numbers it is made of, and make it in the loop"));
    if (grows(initial, after))
        raise(std::move(d)
                  .note("a `while` in compiled code keeps the number of its values")
                  .fix("write into an array of a size that is enough, and count: values[n] = x; n += 1"));
    if (!initial.is_numeric() || !after.is_numeric())
        raise(std::move(d).fix(fmt::format("let each iteration give `{}` a value as the first: {}", name, from)));
    raise(std::move(d));
}

Value CarryJoin::join(const std::string& name, const Value& initial, const Value& after) {
    if (name == returned_value && initial.is_none() && !after.is_none()) {
        changed = true;
        return zeros_like_tree(after, parent_);
    }
    if (initial.is_numeric() && after.is_numeric()) {
        const NumericType a = parent_.type_of(initial);
        const NumericType b = parent_.type_of(after);
        if (a.type == b.type && (!a.weak || b.weak)) return initial;
        if (a.type.shape != b.type.shape) refuse(name, initial, after);
        const DType both = promote(a.type.dtype, a.weak, b.type.dtype, b.weak).dtype;
        if (b.weak && both == a.type.dtype) return initial; // the value after the iteration is converted
        if (!a.weak || both != b.type.dtype) refuse(name, initial, after);
        changed = true;
        return parent_.wrap(parent_.use(initial, b.type.dtype), b.weak);
    }
    if (initial.by_rows != after.by_rows) refuse(name, initial, after);
    if (initial.tuple() && after.tuple() && initial.tuple()->items.size() == after.tuple()->items.size()) {
        std::vector<Value> items;
        for (std::size_t i = 0; i < initial.tuple()->items.size(); ++i)
            items.push_back(join(name, initial.tuple()->items[i], after.tuple()->items[i]));
        return Value::tuple(std::move(items), initial.by_rows);
    }
    if (initial.record() && after.record() && initial.record()->fields.size() == after.record()->fields.size()) {
        auto fields = initial.record()->fields;
        for (auto& [field, value] : fields) {
            const Value* other = after.record()->find(field);
            if (!other) refuse(name, initial, after);
            value = join(name, value, *other);
        }
        return Value::record(std::move(fields), initial.by_rows);
    }
    if (!same_leaves(initial, after)) refuse(name, initial, after);
    return initial;
}

namespace {

using Dtypes = std::vector<std::optional<DType>>;

/// Promotes `value` to the common dtype of `value` and `dtype`. Returns whether `value` changed.
bool reach(std::optional<DType>& value, const std::optional<DType>& dtype) {
    if (!dtype) return false;
    const DType both = value ? promote(*value, false, *dtype, false).dtype : *dtype;
    const bool news = !value || both != *value;
    value = both;
    return news;
}

Dtypes reached_values(const ir::Block& block, const Dtypes& params);

Dtypes reached_results(const ir::Block& block, const Dtypes& params) {
    const Dtypes values = reached_values(block, params);
    Dtypes results;
    for (const ir::Value v : block.results) results.push_back(values[v.id]);
    return results;
}

/// The number of data operands of an operation without regions. The data operands come first. The other operands are
/// indices.
std::size_t data_operands(const ir::Inst& inst) {
    switch (inst.op) {
    case ir::Op::gather:
    case ir::Op::dynamic_slice: return 1;
    case ir::Op::scatter:
    case ir::Op::dynamic_update: return 2;
    default: return inst.operands.size();
    }
}

/// The new dtypes of the results of `inst` if its operands get the new dtypes `operands`. An empty entry means that a
/// dtype does not change. If an operation has no regions, a new dtype of an operand becomes the dtype of each result
/// that now has the same dtype as the operand.
Dtypes reached(const ir::Block& block, const ir::Inst& inst, const Dtypes& operands) {
    using transform::Control;
    Dtypes made(inst.results.size());
    const auto join = [&](const Dtypes& more) {
        bool news = false;
        for (std::size_t i = 0; i < made.size(); ++i) news = reach(made[i], more[i]) || news;
        return news;
    };
    switch (transform::control_of(inst.op)) {
    case Control::flat:
        for (std::size_t i = 0; i < data_operands(inst); ++i)
            for (std::size_t r = 0; r < made.size(); ++r)
                if (block.type(inst.operands[i]).dtype == block.type(inst.results[r]).dtype)
                    reach(made[r], operands[i]);
        break;
    case Control::if_:
        for (const ir::BlockPtr& side : inst.regions)
            join(reached_results(*side, transform::part(operands, 1, operands.size())));
        break;
    case Control::call:
    case Control::custom:
    case Control::pmap: join(reached_results(*inst.regions[0], operands)); break;
    case Control::custom_linear: // only the transpose uses the first region
        if (transform::forward_of(inst)) join(reached(block, transform::call_of_forward(inst), operands));
        break;
    case Control::while_:
    case Control::scan: {
        const transform::LoopRoles roles = transform::loop_roles(inst);
        const bool counts =
            inst.op == ir::Op::scan; // the first parameter of the body of a `scan` is the iteration's index
        Dtypes in = operands;
        for (bool news = true; news;) {
            join(reached_results(*inst.regions.back(), counts ? transform::concat(Dtypes(1), in) : in));
            news = false;
            for (std::size_t i = 0; i < roles.carried; ++i) news = reach(in[roles.whole + i], made[i]) || news;
        }
        for (std::size_t i = 0; i < roles.carried; ++i) reach(made[i], in[roles.whole + i]);
        break;
    }
    }
    return made;
}

Dtypes reached_values(const ir::Block& block, const Dtypes& params) {
    Dtypes values(block.values.size());
    for (std::size_t i = 0; i < params.size(); ++i) values[block.params[i].id] = params[i];
    for (const ir::Inst& inst : block.insts) {
        Dtypes operands;
        for (const ir::Value v : inst.operands) operands.push_back(values[v.id]);
        if (std::none_of(operands.begin(), operands.end(), [](const auto& dtype) { return dtype.has_value(); }))
            continue;
        const Dtypes made = reached(block, inst, operands);
        for (std::size_t i = 0; i < made.size(); ++i) values[inst.results[i].id] = made[i];
    }
    return values;
}

bool weak_float(const NumericType& t) { return t.weak && runtime::is_inexact(t.type.dtype); }

} // namespace

void predict(std::vector<Carry>& carries, const std::vector<Value>& after, Context& region, Context& parent) {
    /// A leaf that is a weak float at three points: before the loop, at the start of an iteration, and at the end of an
    /// iteration. The leaf's value before the loop is in the parent context. Its values at the other two points are in
    /// the region.
    struct Leaf {
        std::size_t param; ///< index of the leaf's parameter in the region
        ir::Value after;   ///< the leaf after the iteration, in the region
        Value initial;     ///< the initial value, in the parent context
        std::size_t carry, index;
        bool changed = false;
    };
    const ir::Block& block = region.build().raw().block();
    std::vector<std::size_t> param_of(block.values.size());
    for (std::size_t i = 0; i < block.params.size(); ++i) param_of[block.params[i].id] = i;
    Dtypes params(block.params.size());
    std::vector<Leaf> open;
    for (std::size_t c = 0; c < carries.size(); ++c) {
        Carry& carry = carries[c];
        const std::vector<Value> initial = leaves(carry.initial);
        const std::vector<Value> in = leaves(carry.param);
        const std::vector<Value> out = leaves(after[c]);
        carry.predicted.resize(initial.size(), false);
        if (in.size() != initial.size() || out.size() != initial.size()) continue;
        for (std::size_t i = 0; i < initial.size(); ++i) {
            if (!weak_float(numeric_type(in[i]))) continue;
            const std::size_t param = param_of[in[i].staged()->value.id];
            const NumericType now = parent.type_of(initial[i]);
            if (!weak_float(now))
                params[param] = now.type.dtype;
            else if (out[i].staged() && out[i].staged()->context.get() == &region && weak_float(numeric_type(out[i])))
                open.push_back({param, out[i].staged()->value, initial[i], c, i});
        }
    }
    for (bool news = true; news;) {
        news = false;
        const Dtypes values = reached_values(block, params);
        for (Leaf& leaf : open) {
            if (!reach(params[leaf.param], values[leaf.after.id])) continue;
            const DType from = parent.type_of(leaf.initial).type.dtype;
            if (promote(from, true, *params[leaf.param], false).dtype != *params[leaf.param]) continue;
            leaf.changed = news = true;
        }
    }
    for (const Leaf& leaf : open) {
        if (!leaf.changed) continue;
        Carry& carry = carries[leaf.carry];
        std::size_t next = 0;
        const Value made = parent.wrap(parent.use(leaf.initial, params[leaf.param]));
        carry.initial =
            map_leaves(carry.initial, [&](const Value& other) { return next++ == leaf.index ? made : other; });
        carry.predicted[leaf.index] = true;
    }
}

bool predicted_wrongly(const Carry& carry, const Value& after) {
    const std::vector<Value> out = leaves(after);
    for (std::size_t i = 0; i < out.size() && i < carry.predicted.size(); ++i)
        if (carry.predicted[i] && numeric_type(out[i]).weak) return true;
    return false;
}

void append_leaves(const Value& after, const Value& like, Context& context, ir::Values& out) {
    const std::vector<Value> types = leaves(like);
    const std::vector<Value> found = leaves(after);
    PM_CHECK(found.size() == types.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        out.push_back(context.use(found[i], context.type_of(types[i]).type.dtype));
}

} // namespace pm::stage
