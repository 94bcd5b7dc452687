#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/transform/core/masks.hpp"
#include "compiler/transform/core/transform.hpp"
#include "compiler/transform/partial_eval/checkpoint.hpp"
#include "compiler/transform/partial_eval/split.hpp"

#include <algorithm>

/// Partial evaluation of operations with regions, except loops.
namespace pm::transform {

using ir::Attr;
using ir::Attrs;

namespace {

bool does_something(const ir::Block& block) { return !block.results.empty() || ir::has_effect(block); }

Attrs named(const ir::Block& callee) {
    Attrs attrs;
    attrs.set(Attr::text, callee.name);
    return attrs;
}

/// The attributes for a call of the linear part of `callee`, where `inst` is the call of `callee`. `inst` calls
/// `callee`.
Attrs linear_attrs(const ir::Block& callee, const Inst& inst) {
    Attrs attrs = named(callee);
    if (inst.attrs.has(Attr::rule)) attrs.set(Attr::rule, inst.attrs.text(Attr::rule));
    return attrs;
}

} // namespace

/// A `custom` that is still in the block is split like a call of its primal. The reason: the linear instructions of the
/// primal are already part of a derivative.
void PartialEvaluation::call(const Inst& inst) {
    if (inst.attrs.has(Attr::policy)) return checkpointed(inst);
    const Split& callee = ir::placed_at(inst, [&]() -> const Split& {
        return splitter_.split(inst.regions[0], operands_unknown(inst), {}, operands_same(inst));
    });
    const Trimmed& trimmed = splitter_.trimmed(callee);
    const std::size_t results = callee.unknown_results.size() - count(callee.unknown_results);
    const Values operands = known_operands(inst);
    Values made;
    if (does_something(*trimmed.known)) made = known_.emit(Op::call, operands, named(*trimmed.known), {trimmed.known});
    set_known(inst, callee.unknown_results, made);
    declare_unknown(inst, callee.unknown_results);
    if (!used(inst, callee.unknown_results)) return;
    const Values residuals =
        residual_values(inst, trimmed.residuals, part(made, results, made.size()), callee, operands);
    for (const Value v : residuals) need(v);
    steps_.push_back([this, &inst, &callee, residuals](Build& linear) {
        const Values operands = concat(fetch(linear, residuals), unknown_operands(linear, inst));
        linear.set_place(inst.place);
        set_linear(inst, callee.unknown_results,
                   linear.emit(Op::call, operands, linear_attrs(*callee.linear, inst), {callee.linear}));
    });
}

namespace {

/// Returns the block (operands of the recomputation, unknown params) -> unknown results. The operands of this block
/// pass through barriers. The block recomputes the residuals from the results of the barriers. Without barriers, a pass
/// would merge the recomputed residuals with those of the first run. Then the residuals of the first run would be kept
/// in memory.
BlockPtr linear_again(const Split& callee, const Recomputation& again) {
    Build b(callee.linear->name);
    Values in = params_of(b, again.block->param_types());
    for (Value& v : in)
        if (b.dtype(v) != ir::DType::tape) v = b.unary(Op::barrier, v);
    const std::vector<Type> types = callee.linear->param_types();
    const Values unknown = params_of(b, part(types, callee.residuals, types.size()));
    const Values residuals = b.inline_block(*again.block, in);
    return b.finish(b.inline_block(*callee.linear, concat(residuals, unknown)));
}

} // namespace

/// Keeps only the values that the policy selects. The linear part recomputes the other residuals from the call's
/// operands.
void PartialEvaluation::checkpointed(const Inst& inst) {
    const std::string& policy = inst.attrs.text(Attr::policy);
    const BlockPtr& region = policy == policy::nothing ? inst.regions[0] : splitter_.inlined(inst.regions[0]);
    const Split& callee =
        ir::placed_at(inst, [&]() -> const Split& { return splitter_.split(region, operands_unknown(inst), {}); });
    const std::size_t results = callee.known->results.size() - callee.residuals;
    const Recomputation again = recomputation(*callee.known, results, policy);
    const BlockPtr known = with_results(*callee.known, concat(part(callee.known->results, 0, results), again.kept));
    const Values operands = known_operands(inst);
    Values made;
    if (does_something(*known)) made = known_.emit(Op::call, operands, named(*known), {known});
    set_known(inst, callee.unknown_results, made);
    declare_unknown(inst, callee.unknown_results);
    if (!used(inst, callee.unknown_results)) return;
    const Values start = concat(permuted(operands, again.params), part(made, results, made.size()));
    for (const Value v : start) need(v);
    const BlockPtr linear_part = linear_again(callee, again);
    Attrs attrs = linear_attrs(*linear_part, inst);
    attrs.set(Attr::policy, policy);
    steps_.push_back([this, &inst, &callee, start, attrs, linear_part](Build& linear) {
        const Values all = concat(fetch(linear, start), unknown_operands(linear, inst));
        linear.set_place(inst.place);
        set_linear(inst, callee.unknown_results, linear.emit(Op::call, all, attrs, {linear_part}));
    });
}

// ---- if

namespace {

/// The positions of the residuals of two branches in the results of the `if`. Only one branch is taken. So residuals of
/// different branches share a position if their types are equal. Exception: if a branch has a collective, residuals
/// that are not inexact, such as conditions, trip counts and tapes, share no position. The reason: if a residual is
/// equal on every device, it must remain equal. But the residual of the other branch may differ between devices.
struct Places {
    bool collectives = false;                 ///< true if one of the branches has a collective
    std::vector<Type> types;                  ///< the types of the residuals, by position
    std::vector<std::size_t> then, otherwise; ///< the position of each fresh residual of the branch

    bool shared(const Type& type) const { return !collectives || runtime::is_inexact(type.dtype); }
    std::vector<std::size_t> place(const std::vector<Type>& fresh);
};

std::vector<std::size_t> Places::place(const std::vector<Type>& fresh) {
    std::vector<bool> taken(types.size(), false);
    std::vector<std::size_t> places;
    for (const Type& type : fresh) {
        std::size_t at = shared(type) ? 0 : types.size();
        while (at < types.size() && (taken[at] || types[at] != type)) ++at;
        if (at == types.size()) {
            types.push_back(type);
            taken.push_back(false);
        }
        taken[at] = true;
        places.push_back(at);
    }
    return places;
}

/// Returns the known branch with its fresh residuals at their positions. At the other positions, the branch returns
/// values that the linear branch does not read.
BlockPtr placed(const ir::Block& known, std::size_t results, const std::vector<Type>& types,
                const std::vector<std::size_t>& places) {
    Build b(known.name);
    const Values made = b.inline_block(known, params_of(b, known.param_types()));
    Values all = part(made, 0, results);
    std::vector<std::optional<Value>> values(types.size());
    for (std::size_t i = 0; i < places.size(); ++i) values[places[i]] = made[results + i];
    for (std::size_t i = 0; i < types.size(); ++i) all.push_back(values[i] ? *values[i] : b.unread(types[i]));
    return b.finish(std::move(all));
}

/// The linear branch as a function of (residuals by position, values passed to both branches, unknown operands).
/// `given`: the types of the parameters before the unknown operands. `at`: per residual of this branch, its index in
/// `given`.
BlockPtr linear_side(const Split& side, const std::vector<Type>& given, const std::vector<std::size_t>& at) {
    std::vector<Slot> params;
    for (const Type& type : given) params.push_back({Slot::unused, type});
    for (std::size_t i = 0; i < at.size(); ++i) params[at[i]] = slot(i);
    for (std::size_t i = side.residuals; i < side.linear->params.size(); ++i) params.push_back(slot(i));
    return with_params(*side.linear, params);
}

std::vector<Type> fresh_types(const Trimmed& trimmed, std::size_t results) {
    const std::vector<Type> types = trimmed.known->result_types();
    return part(types, results, types.size());
}

} // namespace

void PartialEvaluation::branch(const Inst& inst) {
    const BitMask unknown = operands_unknown(inst);
    if (unknown[0]) return all_unknown(inst);
    const BitMask args = part(unknown, 1, unknown.size());
    const BitMask results = splitter_.dependence().results(inst, unknown);
    const BitMask same = operands_same(inst);
    const BitMask same_args = same.empty() ? same : part(same, 1, same.size());
    const Split& then = splitter_.split(inst.regions[0], args, results, same_args);
    const Split& otherwise = splitter_.split(inst.regions[1], args, results, same_args);
    const std::size_t known_results = results.size() - count(results);
    const BitMask reusable(known_results, false);
    const bool wanted = used(inst, results);
    const Trimmed sides[] = {trim(then, reusable), trim(otherwise, reusable)};

    Places places{ir::has_collective(*inst.regions[0]) || ir::has_collective(*inst.regions[1]), {}, {}, {}};
    places.then = places.place(fresh_types(sides[0], known_results));
    places.otherwise = places.place(fresh_types(sides[1], known_results));
    const BlockPtr known_then = placed(*sides[0].known, known_results, places.types, places.then);
    const BlockPtr known_otherwise = placed(*sides[1].known, known_results, places.types, places.otherwise);
    Values made;
    if (does_something(*known_then) || does_something(*known_otherwise))
        made = known_.emit(Op::if_, known_operands(inst), inst.attrs, {known_then, known_otherwise});
    set_known(inst, results, made);
    declare_unknown(inst, results);
    if (!wanted) return;

    // The known operands of the linear `if`: the condition, then the residuals by position, then the other operands and
    // loop-invariant values that the branches use.
    Values needed = {in_known_[inst.operands[0].id]};
    needed = concat(std::move(needed), part(made, known_results, made.size()));
    const Values operands = known_values(pick(part(inst.operands, 1, inst.operands.size()), negated(args)));
    const auto places_of = [&](const Split& side, const Trimmed& trimmed, const std::vector<std::size_t>& fresh) {
        Values of_fresh;
        for (const std::size_t place : fresh) of_fresh.push_back(made[known_results + place]);
        std::vector<std::size_t> at;
        for (const Value v : residual_values(inst, trimmed.residuals, of_fresh, side, operands)) {
            std::size_t place = 0; // two equal residuals of one branch still need two parameters
            while (place + 1 < needed.size() &&
                   (needed[place + 1] != v || std::find(at.begin(), at.end(), place) != at.end()))
                ++place;
            if (place + 1 == needed.size()) needed.push_back(v);
            at.push_back(place);
        }
        return at;
    };
    const std::vector<std::size_t> at_then = places_of(then, sides[0], places.then);
    const std::vector<std::size_t> at_otherwise = places_of(otherwise, sides[1], places.otherwise);
    std::vector<Type> given = types_of(known_, needed);
    given.erase(given.begin());
    for (const Value v : needed) need(v);
    const BlockPtr linear_then = linear_side(then, given, at_then);
    const BlockPtr linear_otherwise = linear_side(otherwise, given, at_otherwise);
    steps_.push_back([this, &inst, results, needed, linear_then, linear_otherwise](Build& linear) {
        const Values operands = concat(fetch(linear, needed), unknown_operands(linear, inst));
        linear.set_place(inst.place);
        set_linear(inst, results, linear.emit(Op::if_, operands, inst.attrs, {linear_then, linear_otherwise}));
    });
}

// ---- pmap

namespace {

/// Returns the body of a pmap with a new axis 0 of size 1 in the marked parameters and results. A tiled pmap splits and
/// joins values along an existing axis. A scalar has no axis, so a scalar parameter or result needs a new axis.
BlockPtr with_unit_axes(const ir::Block& body, const BitMask& params, const BitMask& results) {
    Build b(body.name);
    Values in;
    for (std::size_t i = 0; i < body.params.size(); ++i) {
        Type type = body.type(body.params[i]);
        if (params[i]) type.shape.insert(type.shape.begin(), 1);
        in.push_back(b.param(type));
    }
    for (std::size_t i = 0; i < in.size(); ++i)
        if (params[i]) in[i] = b.reshape(in[i], body.type(body.params[i]).shape);
    Values out = b.inline_block(body, in);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!results[i]) continue;
        ir::Shape shape = b.shape(out[i]);
        shape.insert(shape.begin(), 1);
        out[i] = b.reshape(out[i], std::move(shape));
    }
    return b.finish(std::move(out));
}

/// True if the value `v` of a block cannot have a tangent. For a tape: true if its entries cannot have tangents.
bool without_tangent(const ir::Block& block, Value v) {
    if (!is_tape(block.type(v))) return !runtime::is_inexact(block.type(v).dtype);
    for (const Inst& inst : block.insts) {
        const auto at = std::find(inst.results.begin(), inst.results.end(), v);
        if (at == inst.results.end()) continue;
        const auto result = static_cast<std::size_t>(at - inst.results.begin());
        const auto of = [&](const BlockPtr& region) { return without_tangent(*region, region->results[result]); };
        switch (inst.op) {
        case Op::constant: return true; // an empty tape
        case Op::tape_set: return without_tangent(block, inst.operands[1]);
        case Op::call: return of(inst.regions[0]);
        case Op::if_: return of(inst.regions[0]) && of(inst.regions[1]);
        case Op::while_: return of(inst.regions[1]);
        default: return false;
        }
    }
    return false;
}

/// The out_axes of the results of a pmap's body, beginning with result number `from`. The axis is -1 for a result that
/// is equal on every device. Such a result may be the condition around a collective, so it must remain equal. The axis
/// is 0 for other results. The axis is also 0 for tapes that may have cotangents, because no collective adds tapes.
ir::Integers axes_of_fresh(const ir::Block& body, std::size_t from, const ir::Integers& in_axes, std::int64_t axis) {
    std::vector<AxisSet> params;
    for (const std::int64_t in : in_axes) params.push_back(in < 0 ? 0U : 1U);
    const Varies varying = varies(body, {axis}, params);
    ir::Integers axes;
    for (std::size_t i = from; i < body.results.size(); ++i) {
        const Value v = body.results[i];
        const bool whole = varying.results[i] == 0 && (!is_tape(body.type(v)) || without_tangent(body, v));
        axes.push_back(whole ? -1 : 0);
    }
    return axes;
}

} // namespace

/// The mapped axes of the residuals in the linear pmap. For a residual that is an operand of the pmap, it is the axis
/// of this operand in in_axes. For a residual that is a result, it is the axis of this result in out_axes.
void PartialEvaluation::mapped(const Inst& inst) {
    const BitMask unknown = operands_unknown(inst);
    const ir::Integers& in_axes = inst.attrs.integers(Attr::in_axes);
    const ir::Integers& out_axes = inst.attrs.integers(Attr::out_axes);
    const bool tiled = inst.attrs.integer(Attr::tiled, 0) != 0;
    const Split& body = splitter_.split(inst.regions[0], unknown, {});
    const Trimmed& trimmed = splitter_.trimmed(body);
    const BitMask& results = body.unknown_results;
    const std::size_t known_results = results.size() - count(results);
    const ir::Integers known_axes = pick(in_axes, negated(unknown));
    const ir::Integers fresh =
        axes_of_fresh(*trimmed.known, known_results, known_axes, inst.attrs.integer(Attr::axis_id));
    const auto mapped = [](std::int64_t axis) { return axis >= 0; };
    const bool units = tiled && std::any_of(fresh.begin(), fresh.end(), mapped);

    Values made;
    if (does_something(*trimmed.known)) {
        Attrs attrs = inst.attrs;
        attrs.set(Attr::in_axes, known_axes);
        attrs.set(Attr::out_axes, concat(pick(out_axes, negated(results)), fresh));
        BlockPtr known = trimmed.known;
        if (units) {
            BitMask of_results(known_results, false);
            for (const std::int64_t axis : fresh) of_results.push_back(mapped(axis));
            known = with_unit_axes(*known, BitMask(known->params.size(), false), of_results);
        }
        made = known_.emit(Op::pmap, known_operands(inst), attrs, {known});
    }
    set_known(inst, results, made);
    declare_unknown(inst, results);
    if (!used(inst, results)) return;

    const Values residuals = residual_values(inst, trimmed.residuals, part(made, known_results, made.size()), body, {});
    for (const Value v : residuals) need(v);
    ir::Integers axes;
    BitMask with_unit;
    for (const Residual& r : trimmed.residuals) {
        const bool of_fresh = r.from == Residual::From::fresh;
        axes.push_back(of_fresh                          ? fresh[r.index]
                       : r.from == Residual::From::param ? in_axes[r.index]
                                                         : out_axes[r.index]);
        with_unit.push_back(of_fresh && mapped(fresh[r.index]));
    }
    BlockPtr linear_body = body.linear;
    if (units) {
        with_unit.resize(linear_body->params.size(), false);
        linear_body = with_unit_axes(*linear_body, with_unit, BitMask(linear_body->results.size(), false));
    }
    Attrs attrs = inst.attrs;
    attrs.set(Attr::in_axes, concat(std::move(axes), pick(in_axes, unknown)));
    attrs.set(Attr::out_axes, pick(out_axes, results));
    steps_.push_back([this, &inst, results, residuals, attrs, linear_body](Build& linear) {
        const Values operands = concat(fetch(linear, residuals), unknown_operands(linear, inst));
        linear.set_place(inst.place);
        set_linear(inst, results, linear.emit(Op::pmap, operands, attrs, {linear_body}));
    });
}

} // namespace pm::transform
