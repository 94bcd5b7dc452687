// Rules for loops, branches and pmap:
//  - a constant operand is defined in the regions instead;
//  - if several operands are equal, only one of them is passed;
//  - a carried value that the body returns unchanged becomes a whole operand;
//  - a loop-invariant output of a scan becomes a broadcast outside of the scan;
//  - a loop of one iteration is replaced by its body.
#include "compiler/optimize/simplify.hpp"

#include <algorithm>
#include <numeric>

namespace pm::optimize {
namespace {

using ir::Attr;
using ir::Integers;
using ir::Op;
using ir::Shape;
using ir::Type;

std::size_t count(const Inst& inst, Attr attr) { return static_cast<std::size_t>(inst.attrs.integer(attr)); }

/// The role of an operand. Only whole operands and sliced operands may be removed or replaced.
enum class Role { whole, sliced, carried };

Role role(const Inst& inst, std::size_t operand) {
    if (inst.op != Op::scan && inst.op != Op::while_) return Role::whole;
    const std::size_t whole = count(inst, Attr::whole);
    if (operand < whole) return Role::whole;
    return operand < whole + count(inst, Attr::carried) ? Role::carried : Role::sliced;
}

/// The index of a parameter of the regions minus the index of its operand.
std::ptrdiff_t offset(Op op) { return op == Op::scan ? 1 : op == Op::if_ ? -1 : 0; }

/// The replacement of one operand. If all fields are empty, the operand is not replaced.
struct OperandReplacement {
    std::optional<Constant> constant; ///< the operand is this constant, which the region will define
    std::optional<std::size_t> same;  ///< the index of an earlier operand that is equal
    std::optional<Value> whole; ///< for a sliced operand whose slices are all equal: the slice, as a new whole operand
    bool stays() const { return !constant && !same; }
};

/// If all slices of a sliced operand are equal, returns the slice. Empty if the slices are not known to be equal.
std::optional<Value> every_slice(Simplify& s, Value v) {
    const auto spread = s.made_by(v, Op::broadcast);
    if (!spread) return std::nullopt;
    Integers dims = spread->attrs.integers(Attr::dims);
    if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return std::nullopt;
    Shape shape = spread->attrs.integers(Attr::shape);
    shape.erase(shape.begin());
    for (std::int64_t& d : dims) --d;
    return s.make(Op::broadcast, {spread->operands[0]},
                  {{Attr::shape, std::move(shape)}, {Attr::dims, std::move(dims)}});
}

std::vector<OperandReplacement> replacements(Simplify& s, const Inst& inst) {
    std::vector<OperandReplacement> out(inst.operands.size());
    for (std::size_t i = inst.op == Op::if_ ? 1 : 0; i < inst.operands.size(); ++i) {
        const Role as = role(inst, i);
        if (as == Role::carried) continue;
        auto known = s.constant(inst.operands[i]);
        if (known && known->splat()) {
            out[i].constant = std::move(known);
            continue;
        }
        for (std::size_t k = inst.op == Op::if_ ? 1 : 0; k < i && !out[i].same; ++k) {
            const bool axes =
                inst.op != Op::pmap || inst.attrs.integers(Attr::in_axes)[k] == inst.attrs.integers(Attr::in_axes)[i];
            if (out[k].stays() && !out[k].whole && inst.operands[k] == inst.operands[i] && role(inst, k) == as && axes)
                out[i].same = k;
        }
        if (as == Role::sliced && !out[i].same) out[i].whole = every_slice(s, inst.operands[i]);
    }
    return out;
}

/// Returns the region after the replacements `replacements`. If an operand became a whole operand, its parameter
/// follows the other whole parameters.
BlockPtr rebind(const BlockPtr& region, const Inst& inst, const std::vector<OperandReplacement>& replacements) {
    Rebuild to(*region, nullptr);
    const std::ptrdiff_t shift = offset(inst.op);
    const auto param = [&](std::size_t operand) {
        return region->params[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(operand) + shift)];
    };
    const auto keep = [&](Value p) { to.set(p, to.b.param(region->type(p))); };
    if (inst.op == Op::scan) keep(region->params[0]);
    const std::size_t first = inst.op == Op::if_ ? 1 : 0;
    for (std::size_t i = first; i < replacements.size(); ++i)
        if (role(inst, i) == Role::whole && replacements[i].stays()) keep(param(i));
    for (std::size_t i = first; i < replacements.size(); ++i)
        if (replacements[i].whole) keep(param(i));
    for (std::size_t i = first; i < replacements.size(); ++i)
        if (role(inst, i) != Role::whole && replacements[i].stays() && !replacements[i].whole) keep(param(i));
    for (std::size_t i = first; i < replacements.size(); ++i) {
        if (replacements[i].constant)
            to.set(param(i), to.b.literal(region->type(param(i)), replacements[i].constant->literal));
        if (replacements[i].same) to.set(param(i), to(param(*replacements[i].same)));
    }
    for (const Inst& made : region->insts) to.copy(made);
    return to.finish();
}

/// Replaces operands of `inst`. Returns false if there is nothing to replace.
bool rebind_operands(Simplify& s, Inst& inst) {
    const std::vector<OperandReplacement> all = replacements(s, inst);
    if (std::all_of(all.begin(), all.end(), [](const OperandReplacement& f) { return f.stays() && !f.whole; }))
        return false;
    for (BlockPtr& region : inst.regions) region = rebind(region, inst, all);
    Values operands;
    Values became_whole;
    Integers in_axes;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].whole) became_whole.push_back(*all[i].whole);
        if (!all[i].stays() || all[i].whole) continue;
        operands.push_back(inst.operands[i]);
        if (inst.op == Op::pmap) in_axes.push_back(inst.attrs.integers(Attr::in_axes)[i]);
    }
    if (inst.op == Op::pmap) inst.attrs.set(Attr::in_axes, std::move(in_axes));
    if (inst.op == Op::scan || inst.op == Op::while_) {
        std::int64_t whole = 0;
        for (std::size_t i = 0; i < all.size(); ++i) whole += role(inst, i) == Role::whole && all[i].stays() ? 1 : 0;
        operands.insert(operands.begin() + whole, became_whole.begin(), became_whole.end());
        inst.attrs.set(Attr::whole, whole + static_cast<std::int64_t>(became_whole.size()));
    }
    inst.operands = std::move(operands);
    return true;
}

/// Returns the region with reordered parameters. `order` has, for each new index, the old index. Of the results, only
/// those in `results` are kept.
BlockPtr reordered(const BlockPtr& region, const std::vector<std::size_t>& order,
                   const std::vector<std::size_t>& results) {
    Rebuild to(*region, nullptr);
    for (const std::size_t i : order) to.set(region->params[i], to.b.param(region->type(region->params[i])));
    for (const Inst& made : region->insts) to.copy(made);
    Values out;
    for (const std::size_t i : results) out.push_back(to(region->results[i]));
    return to.b.finish(std::move(out));
}

/// Emits the instruction without the results that are in `known`. Returns all results, including those in `known`.
Values without_known(Simplify& s, Inst inst, const std::vector<Type>& types,
                     const std::vector<std::optional<Value>>& known) {
    std::vector<std::size_t> params(inst.regions[0]->params.size());
    std::iota(params.begin(), params.end(), std::size_t{0});
    std::vector<std::size_t> kept;
    std::vector<Type> kept_types;
    for (std::size_t i = 0; i < types.size(); ++i)
        if (!known[i]) {
            kept.push_back(i);
            kept_types.push_back(types[i]);
        }
    for (BlockPtr& region : inst.regions) region = reordered(region, params, kept);
    const Values made = s.emit(std::move(inst), kept_types);
    Values results;
    std::size_t next = 0;
    for (std::size_t i = 0; i < types.size(); ++i) results.push_back(known[i] ? *known[i] : made[next++]);
    return results;
}

/// Turns carried values that the body returns unchanged into whole operands. Returns the results of the new loop in the
/// order of the old results. Empty if the body changes every carried value.
std::optional<Values> carry_to_whole(Simplify& s, Inst inst, const std::vector<Type>& types) {
    const std::size_t whole = count(inst, Attr::whole);
    const std::size_t carried = count(inst, Attr::carried);
    const std::size_t first = inst.op == Op::scan ? 1 : 0;
    const Block& body = *inst.regions.back();
    std::vector<bool> unchanged(types.size(), false);
    for (std::size_t j = 0; j < carried; ++j) unchanged[j] = body.results[j] == body.params[first + whole + j];
    const auto moved = std::count(unchanged.begin(), unchanged.end(), true);
    if (moved == 0) return std::nullopt;
    std::vector<std::size_t> operand_order;
    std::vector<std::size_t> kept_results;
    for (std::size_t i = 0; i < whole; ++i) operand_order.push_back(i);
    for (std::size_t j = 0; j < carried; ++j)
        if (unchanged[j]) operand_order.push_back(whole + j);
    for (std::size_t j = 0; j < carried; ++j)
        if (!unchanged[j]) operand_order.push_back(whole + j);
    for (std::size_t i = whole + carried; i < inst.operands.size(); ++i) operand_order.push_back(i);
    for (std::size_t i = 0; i < types.size(); ++i)
        if (!unchanged[i]) kept_results.push_back(i);
    std::vector<std::size_t> params;
    if (first == 1) params.push_back(0);
    for (const std::size_t i : operand_order) params.push_back(first + i);
    if (inst.op == Op::while_) inst.regions[0] = reordered(inst.regions[0], params, {0});
    inst.regions.back() = reordered(inst.regions.back(), params, kept_results);
    const Values old = inst.operands;
    for (std::size_t i = 0; i < old.size(); ++i) inst.operands[i] = old[operand_order[i]];
    inst.attrs.set(Attr::whole, static_cast<std::int64_t>(whole) + moved);
    inst.attrs.set(Attr::carried, static_cast<std::int64_t>(carried) - moved);
    std::vector<Type> kept_types;
    for (const std::size_t i : kept_results) kept_types.push_back(types[i]);
    const Values made = s.emit(std::move(inst), kept_types);
    Values results;
    std::size_t next = 0;
    for (std::size_t i = 0; i < types.size(); ++i) results.push_back(unchanged[i] ? old[whole + i] : made[next++]);
    return results;
}

/// Finds the outputs of a scan that need no loop, and computes them outside of it. In every iteration, such an output
/// is a whole value, a constant, or an unchanged sliced operand. Returns all results. Empty if there is no such output.
std::optional<Values> known_outputs(Simplify& s, Inst inst, const std::vector<Type>& types) {
    const std::size_t whole = count(inst, Attr::whole);
    const std::size_t carried = count(inst, Attr::carried);
    const Block& body = *inst.regions[0];
    std::vector<std::optional<Value>> known(types.size());
    bool any = false;
    for (std::size_t i = carried; i < types.size(); ++i) {
        const Value v = body.results[i];
        const auto p = std::find(body.params.begin() + 1, body.params.end(), v) - body.params.begin() - 1;
        const auto operand = static_cast<std::size_t>(p);
        if (operand < whole) {
            Integers dims;
            for (int axis = 1; axis < types[i].rank(); ++axis) dims.push_back(axis);
            known[i] = s.make(Op::broadcast, {inst.operands[operand]},
                              {{Attr::shape, types[i].shape}, {Attr::dims, std::move(dims)}});
        } else if (operand >= whole + carried && operand < inst.operands.size()) {
            known[i] = inst.operands[operand];
        } else {
            for (const Inst& made : body.insts)
                if (made.op == Op::constant && made.results[0] == v &&
                    made.attrs.literal(Attr::value).bytes.size() == runtime::size_of(types[i].dtype))
                    known[i] = s.b.literal(types[i], made.attrs.literal(Attr::value));
        }
        any = any || known[i];
    }
    if (!any) return std::nullopt;
    return without_known(s, std::move(inst), types, known);
}

/// Finds the results of a pmap that are equal to an operand, and replaces them by that operand. Returns all results.
/// Empty if there is no such result.
std::optional<Values> forwarded_results(Simplify& s, Inst inst, const std::vector<Type>& types) {
    const Block& body = *inst.regions[0];
    std::vector<std::optional<Value>> known(types.size());
    for (std::size_t r = 0; r < types.size(); ++r)
        for (std::size_t p = 0; p < body.params.size() && !known[r]; ++p)
            if (body.results[r] == body.params[p] &&
                inst.attrs.integers(Attr::in_axes)[p] == inst.attrs.integers(Attr::out_axes)[r])
                known[r] = inst.operands[p];
    if (std::none_of(known.begin(), known.end(), [](const auto& k) { return k.has_value(); })) return std::nullopt;
    Integers out_axes;
    for (std::size_t r = 0; r < types.size(); ++r)
        if (!known[r]) out_axes.push_back(inst.attrs.integers(Attr::out_axes)[r]);
    inst.attrs.set(Attr::out_axes, std::move(out_axes));
    return without_known(s, std::move(inst), types, known);
}

/// Replaces a scan of one iteration by its body. Empty if the trip count is not 1.
std::optional<Values> one_iteration(Simplify& s, const Inst& inst, const std::vector<Type>& types) {
    if (inst.attrs.integer(Attr::length) != 1) return std::nullopt;
    const Block& body = *inst.regions[0];
    Values arguments{s.b.constant_i(ir::DType::i32, 0)};
    for (std::size_t i = 0; i < inst.operands.size(); ++i)
        arguments.push_back(role(inst, i) == Role::sliced ? s.make(Op::reshape, {inst.operands[i]},
                                                                   {{Attr::shape, body.type(body.params[i + 1]).shape}})
                                                          : inst.operands[i]);
    Values results = s.replay(body, arguments);
    for (std::size_t i = count(inst, Attr::carried); i < results.size(); ++i)
        results[i] = s.make(Op::reshape, {results[i]}, {{Attr::shape, types[i].shape}});
    return results;
}

/// Finds the results of an `if` that are equal in both branches, and replaces them. Such a result is the same operand,
/// or the same constant, in both branches. Returns all results. Empty if there is no such result.
std::optional<Values> same_on_both_sides(Simplify& s, Inst inst, const std::vector<Type>& types) {
    const Block& a = *inst.regions[0];
    const Block& b = *inst.regions[1];
    const auto constant_in = [](const Block& block, Value v) -> const ir::Literal* {
        for (const Inst& made : block.insts)
            if (made.op == Op::constant && made.results[0] == v) return &made.attrs.literal(Attr::value);
        return nullptr;
    };
    std::vector<std::optional<Value>> known(types.size());
    bool any = false;
    for (std::size_t i = 0; i < types.size(); ++i) {
        const auto p =
            static_cast<std::size_t>(std::find(a.params.begin(), a.params.end(), a.results[i]) - a.params.begin());
        if (p < a.params.size() && b.params[p] == b.results[i]) {
            known[i] = inst.operands[p + 1];
        } else if (const ir::Literal* const x = constant_in(a, a.results[i])) {
            const ir::Literal* const y = constant_in(b, b.results[i]);
            if (y != nullptr && *x == *y) known[i] = s.b.literal(types[i], *x);
        }
        any = any || known[i];
    }
    if (!any) return std::nullopt;
    return without_known(s, std::move(inst), types, known);
}

} // namespace

std::optional<Values> simplify_control(Simplify& s, Inst& inst, const std::vector<Type>& types) {
    if (inst.op != Op::call && rebind_operands(s, inst)) s.changed = true;
    for (BlockPtr& region : inst.regions) {
        BlockPtr made = s.region(region);
        s.changed = s.changed || made != region;
        region = std::move(made);
    }
    if (auto inlined = fold_control(s.b, inst, types))
        return inlined->block ? s.replay(*inlined->block, inlined->arguments) : std::move(inlined->arguments);
    std::optional<Values> found;
    if (inst.op == Op::scan || inst.op == Op::while_) found = carry_to_whole(s, inst, types);
    if (!found && inst.op == Op::scan) found = known_outputs(s, inst, types);
    if (!found && inst.op == Op::scan) found = one_iteration(s, inst, types);
    if (!found && inst.op == Op::if_) found = same_on_both_sides(s, inst, types);
    if (!found && inst.op == Op::pmap) found = forwarded_results(s, inst, types);
    return found;
}

} // namespace pm::optimize
