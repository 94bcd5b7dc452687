#include "compiler/ops/core/rules.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/transform/core/bit_mask.hpp"
#include "compiler/transform/core/custom.hpp"
#include "compiler/transform/core/dependence.hpp"
#include "compiler/transform/core/transform.hpp"
#include "runtime/dtype.hpp"

#include <map>
#include <tuple>

namespace pm::transform {
namespace {

/// A value and its tangent. The tangent is nullopt if it is known to be zero.
struct Dual {
    Value primal;
    std::optional<Value> tangent;
};
using Duals = std::vector<Dual>;

BitMask active_of(const Duals& duals) {
    BitMask active;
    for (const Dual& d : duals) active.push_back(d.tangent.has_value());
    return active;
}
Values primals_of(const Duals& duals) {
    Values primals;
    for (const Dual& d : duals) primals.push_back(d.primal);
    return primals;
}
/// The tangents of the marked values. Zeros replace a missing tangent.
Values tangents_of(Build& b, const Duals& duals, const BitMask& marked) {
    Values tangents;
    for (std::size_t i = 0; i < duals.size(); ++i)
        if (marked[i]) tangents.push_back(duals[i].tangent ? *duals[i].tangent : b.zeros_like(duals[i].primal));
    return tangents;
}

/// Returns pairs of a primal and its tangent. `values` has the primals, then a tangent for each active primal.
Duals pair_up(const Values& values, const BitMask& active) {
    Duals duals;
    std::size_t next = active.size();
    for (std::size_t i = 0; i < active.size(); ++i) {
        duals.push_back({values[i], std::nullopt});
        if (active[i]) duals.back().tangent = values[next++];
    }
    PM_CHECK(next == values.size());
    return duals;
}

/// Forward mode through control flow. The rewritten block is cached for each combination of active parameters and
/// wanted results.
class Forward {
  public:
    /// A result marked in `want` gets a tangent even if the tangent is zero.
    const Jvp& block(const BlockPtr& block, const BitMask& active, const BitMask& want);

  private:
    Jvp make(const ir::Block& block, const BitMask& active, const BitMask& want);
    Duals step(Build& b, const Inst& inst, const Duals& operands);
    static Duals flat(Build& b, const Inst& inst, const Duals& operands);
    Duals call(Build& b, const Inst& inst, const Duals& operands);
    static Duals custom(Build& b, const Inst& inst, const Duals& operands);
    Duals custom_linear(Build& b, const Inst& inst, const Duals& operands);
    Duals branch(Build& b, const Inst& inst, const Duals& operands);
    Duals loop(Build& b, const Inst& inst, const Duals& operands);
    Duals mapped(Build& b, const Inst& inst, const Duals& operands);
    const Jvp& loop_body(const Inst& inst, BitMask& active);

    std::map<std::tuple<BlockPtr, BitMask, BitMask>, Jvp> made_;
};

const Jvp& Forward::block(const BlockPtr& block, const BitMask& active, const BitMask& want) {
    const auto key = std::make_tuple(block, active, want);
    const auto found = made_.find(key);
    if (found != made_.end()) return found->second;
    return made_.emplace(key, make(*block, active, want)).first->second;
}

Jvp Forward::make(const ir::Block& block, const BitMask& active, const BitMask& want) {
    PM_CHECK(active.size() == block.params.size());
    Build b(derived_name(block, "jvp"));
    Duals now(block.values.size());
    for (const Value p : block.params) now[p.id].primal = b.param(block.type(p));
    for (const Value p : pick(block.params, active)) now[p.id].tangent = b.param(block.type(p));
    for (const Inst& inst : block.insts) {
        Duals operands;
        for (const Value v : inst.operands) operands.push_back(now[v.id]);
        b.set_place(inst.place);
        const Duals results = step(b, inst, operands);
        for (std::size_t i = 0; i < results.size(); ++i) now[inst.results[i].id] = results[i];
    }
    Duals results;
    for (const Value v : block.results) results.push_back(now[v.id]);
    Jvp made;
    made.active_results = joined(active_of(results), want);
    const Values tangents = tangents_of(b, results, made.active_results);
    made.block = b.finish(concat(primals_of(results), tangents));
    return made;
}

Duals Forward::step(Build& b, const Inst& inst, const Duals& operands) {
    if (!any(active_of(operands))) {
        Duals results;
        for (const Value v : b.copy(inst, primals_of(operands))) results.push_back({v, std::nullopt});
        return results;
    }
    switch (control_of(inst.op)) {
    case Control::flat: return flat(b, inst, operands);
    case Control::call: return call(b, inst, operands);
    case Control::if_: return branch(b, inst, operands);
    case Control::while_:
    case Control::scan: return loop(b, inst, operands);
    case Control::pmap: return mapped(b, inst, operands);
    case Control::custom: return custom(b, inst, operands);
    case Control::custom_linear: return custom_linear(b, inst, operands);
    }
    PM_UNREACHABLE();
}

Duals Forward::flat(Build& b, const Inst& inst, const Duals& operands) {
    const Values primals = primals_of(operands);
    const Values results = b.copy(inst, primals);
    std::vector<std::optional<Value>> tangents(results.size());
    if (const auto rule = ops::rules(inst.op).jvp) {
        std::vector<std::optional<Value>> in;
        for (const Dual& d : operands) in.push_back(d.tangent);
        ops::JvpContext context{b, inst, primals, results, in};
        tangents = rule.fn(context);
        PM_CHECK(tangents.size() == results.size());
    }
    Duals duals;
    for (std::size_t i = 0; i < results.size(); ++i) duals.push_back({results[i], tangents[i]});
    return duals;
}

Duals Forward::call(Build& b, const Inst& inst, const Duals& operands) {
    const BitMask active = active_of(operands);
    const Jvp& callee = ir::placed_at(inst, [&]() -> const Jvp& { return block(inst.regions[0], active, {}); });
    ir::Attrs attrs = inst.attrs;
    attrs.set(ir::Attr::text, callee.block->name);
    return pair_up(
        b.emit(Op::call, concat(primals_of(operands), tangents_of(b, operands, active)), attrs, {callee.block}),
        callee.active_results);
}

[[noreturn]] void refuse_closed(const Inst& inst) {
    raise(diagnose(Diag::closed_derivative, inst.place.span, inst.attrs.text(ir::Attr::text))
              .note("its rules give derivatives by its arguments alone: by anything else it would silently be zero")
              .fix("pass it as an argument")
              .fix("or take it as constant: stop_gradient(value)"));
}

/// True if a result of some region depends on the captured operands marked in `closed`. A local function captures every
/// name in its text, even the names of its own parameters. So a local function may capture operands that it does not
/// use.
bool reach_results(const Inst& inst, const BitMask& closed) {
    Dependence dependence;
    for (const BlockPtr& region : inst.regions) {
        const BitMask params = concat(closed, BitMask(region->params.size() - closed.size(), false));
        if (any(dependence.results(region, params))) return true;
    }
    return false;
}

[[noreturn]] void refuse_late(const Inst& inst) {
    raise(diagnose(Diag::late_derivative, inst.place.span, inst.attrs.text(ir::Attr::text))
              .note("rules are staged for as many derivatives as there are around the call")
              .fix("make what is differentiated, a pullback for example, within the function of which the derivative "
                   "is taken"));
}

/// Replaces the function by the program's rule. A jvp rule returns results and tangents. If the rule consists of fwd
/// and bwd, two instructions replace the function. A call of fwd returns results and residuals. Then a `custom_linear`,
/// whose transpose is bwd, returns the tangents. A tangent is dropped if the jvp rule is known to return zeros for it.
Duals Forward::custom(Build& b, const Inst& inst, const Duals& operands) {
    const std::size_t closed = leading_operands(inst);
    const Duals args = part(operands, closed, operands.size());
    const BitMask active = active_of(part(operands, 0, closed));
    if (any(active) && reach_results(inst, active)) refuse_closed(inst);
    if (inst.regions.size() == 1) refuse_late(inst);
    std::vector<Type> types;
    for (const Dual& d : args) types.push_back(b.type(d.primal));
    const Values primals = primals_of(operands);
    const Values tangents = tangents_of(b, args, differentiable(types));

    const BlockPtr& first = inst.regions[1];
    const bool forward = inst.regions.size() == 2;
    ir::Attrs attrs;
    attrs.set(ir::Attr::text, first->name);
    if (forward) attrs.set(ir::Attr::rule, inst.attrs.text(ir::Attr::text));
    const Values made = b.emit(Op::call, forward ? concat(primals, tangents) : primals, attrs, {first});
    const std::size_t results = inst.results.size();
    Values found = part(made, results, made.size()); // the tangents, or the residuals if the rule consists of fwd and
                                                     // bwd
    if (!forward) {
        Values in = concat(part(primals, 0, closed), found);
        const auto residuals = static_cast<std::int64_t>(in.size());
        in = concat(std::move(in), tangents);
        found = b.emit(Op::custom_linear, std::move(in),
                       {{ir::Attr::text, inst.attrs.text(ir::Attr::text)}, {ir::Attr::closed, residuals}},
                       {inst.regions[2]});
    }
    Duals duals;
    std::size_t next = 0;
    for (std::size_t i = 0; i < results; ++i) {
        duals.push_back({made[i], std::nullopt});
        if (!runtime::is_inexact(b.dtype(made[i]))) continue;
        if (!forward || !gives_zero(*first, results + next)) duals.back().tangent = found[next];
        ++next;
    }
    return duals;
}

/// A `custom_linear` is linear in its tangents, so its derivative with respect to them is the `custom_linear` itself.
/// Its derivative with respect to its residuals is the derivative of its forward block.
Duals Forward::custom_linear(Build& b, const Inst& inst, const Duals& operands) {
    const std::size_t residuals = leading_operands(inst);
    if (any(active_of(part(operands, 0, residuals)))) {
        if (!forward_of(inst)) refuse_forward(inst);
        return call(b, call_of_forward(inst), operands);
    }
    const Values primals = primals_of(operands);
    const Values results = b.copy(inst, primals);
    const Duals along = part(operands, residuals, operands.size());
    const Values tangents =
        b.copy(inst, concat(part(primals, 0, residuals), tangents_of(b, along, BitMask(along.size(), true))));
    Duals duals;
    for (std::size_t i = 0; i < results.size(); ++i) duals.push_back({results[i], tangents[i]});
    return duals;
}

/// A result is active if it is active in one of the branches. If the result is not active in the other branch, that
/// branch returns zeros as the tangent of the result.
Duals Forward::branch(Build& b, const Inst& inst, const Duals& operands) {
    const BitMask active = active_of(operands);
    const BitMask args = part(active, 1, active.size());
    const BitMask want =
        joined(block(inst.regions[0], args, {}).active_results, block(inst.regions[1], args, {}).active_results);
    const Jvp& then = block(inst.regions[0], args, want);
    const Jvp& otherwise = block(inst.regions[1], args, want);
    const Values all = concat(primals_of(operands), tangents_of(b, operands, active));
    return pair_up(b.emit(Op::if_, all, inst.attrs, {then.block, otherwise.block}), want);
}

/// `active` marks the active operands of the loop. The function also marks the carried values that become active in
/// some iteration. Returns the derivative of the body for these marks.
const Jvp& Forward::loop_body(const Inst& inst, BitMask& active) {
    const LoopRoles roles = loop_roles(inst);
    const BlockPtr& body = inst.regions.back();
    for (;;) {
        BitMask params = active;
        if (inst.op == Op::scan) params.insert(params.begin(), false); // the index has no tangent
        BitMask want(body->results.size(), false);
        for (std::size_t i = 0; i < roles.carried; ++i) want[i] = active[roles.whole + i];
        const Jvp& made = block(body, params, want);
        bool grown = false;
        for (std::size_t i = 0; i < roles.carried; ++i)
            if (made.active_results[i] && !active[roles.whole + i]) grown = active[roles.whole + i] = true;
        if (!grown) return made;
    }
}

/// The groups of operands and results are: whole, carried, sliced, stacked. In each group, the primals come first, then
/// the tangents.
Duals Forward::loop(Build& b, const Inst& inst, const Duals& operands) {
    const LoopRoles roles = loop_roles(inst);
    const bool scan = inst.op == Op::scan;
    BitMask active = active_of(operands);
    const Jvp& body = loop_body(inst, active);
    const BitMask& found = body.active_results;

    const auto order = interleaved({roles.whole, roles.carried, roles.sliced}, active);
    const auto results_order = interleaved({roles.carried, found.size() - roles.carried}, found);
    BitMask params = active;
    if (scan) params.insert(params.begin(), false);
    std::vector<std::size_t> groups = {roles.whole, roles.carried, roles.sliced};
    if (scan) groups.insert(groups.begin(), 1);
    const BlockPtr interleaved_body = with_params(*body.block, slots(interleaved(groups, params)));
    std::vector<BlockPtr> regions;
    if (!scan) {
        // The condition does not use tangents.
        std::vector<Slot> slots_of_condition;
        const std::vector<Type> types = interleaved_body->param_types();
        for (std::size_t i = 0; i < order.size(); ++i)
            slots_of_condition.push_back(order[i] < active.size() ? slot(order[i]) : Slot{Slot::unused, types[i]});
        regions.push_back(with_params(*inst.regions[0], slots_of_condition));
    }
    regions.push_back(with_results(*interleaved_body, permuted(interleaved_body->results, results_order)));

    ir::Attrs attrs = inst.attrs;
    const auto marked = [&](std::size_t begin, std::size_t size) {
        return static_cast<std::int64_t>(size + count(part(active, begin, begin + size)));
    };
    attrs.set(ir::Attr::whole, marked(0, roles.whole));
    attrs.set(ir::Attr::carried, marked(roles.whole, roles.carried));
    const Values all = concat(primals_of(operands), tangents_of(b, operands, active));
    const Values made = b.emit(inst.op, permuted(all, order), attrs, std::move(regions));
    Values results(made.size());
    for (std::size_t i = 0; i < made.size(); ++i) results[results_order[i]] = made[i];
    return pair_up(results, found);
}

/// A tangent is mapped along the same axis as its primal.
Duals Forward::mapped(Build& b, const Inst& inst, const Duals& operands) {
    const BitMask active = active_of(operands);
    const Jvp& body = block(inst.regions[0], active, {});
    const ir::Integers& in_axes = inst.attrs.integers(ir::Attr::in_axes);
    const ir::Integers& out_axes = inst.attrs.integers(ir::Attr::out_axes);
    ir::Attrs attrs = inst.attrs;
    attrs.set(ir::Attr::in_axes, concat(in_axes, pick(in_axes, active)));
    attrs.set(ir::Attr::out_axes, concat(out_axes, pick(out_axes, body.active_results)));
    return pair_up(
        b.emit(Op::pmap, concat(primals_of(operands), tangents_of(b, operands, active)), attrs, {body.block}),
        body.active_results);
}

} // namespace

Jvp jvp(const BlockPtr& block, const std::vector<bool>& active) {
    for (std::size_t i = 0; i < active.size(); ++i)
        PM_CHECK(!active[i] || runtime::is_inexact(block->type(block->params[i]).dtype),
                 "a tangent of a value that is not inexact");
    return Forward().block(block, active, {});
}

} // namespace pm::transform
