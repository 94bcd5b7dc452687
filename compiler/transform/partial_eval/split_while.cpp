#include "compiler/transform/partial_eval/split.hpp"

/// Partial evaluation of `while`. The known loop counts its iterations and stores the residuals of each iteration on
/// tapes. The linear loop is a counted loop (Attr::counted) with the same trip count. So the linear loop can be
/// transposed.
namespace pm::transform {

using ir::Attr;
using ir::Attrs;

namespace {

const Type tape{ir::DType::tape, {}};

/// Describes where an iteration of the linear loop finds a residual.
struct Place {
    bool on_tape = false;
    std::size_t index = 0; ///< the index in `kept` or in `outside`
};
struct WhilePlaces {
    std::vector<Place> residuals;
    Values outside; ///< loop-invariant residuals, in the known block
    Values kept;    ///< values of the known body that are stored, one for each tape
};

/// Classifies the residuals. Loop-invariant residuals are not stored on tapes.
WhilePlaces places_of(Build& b, Invariants& invariants, const Split& body, const Values& whole) {
    const ir::Block& known = *body.known;
    const std::size_t results = known.results.size() - body.residuals;
    Outside outside(b, known, invariants, body.same, whole);
    WhilePlaces places;
    for (std::size_t r = 0; r < body.residuals; ++r) {
        const Value v = known.results[results + r];
        const bool same = body.same[v.id];
        Values& list = same ? places.outside : places.kept;
        places.residuals.push_back({!same, list.size()});
        list.push_back(same ? outside.make(v) : v);
    }
    return places;
}

/// The block with additional parameters for the iteration number and the tapes, which become carried values of the
/// loop.
BlockPtr with_tapes(const ir::Block& block, std::size_t tapes) {
    std::vector<Slot> params;
    for (std::size_t i = 0; i < block.params.size(); ++i) params.push_back(slot(i));
    params.push_back({Slot::unused, iteration_number});
    params.insert(params.end(), tapes, Slot{Slot::unused, tape});
    return with_params(block, params);
}

/// Returns the block (whole, carried, iteration, tapes) -> (carried, iteration + 1, tapes). The block stores the values
/// `kept` of the iteration on the tapes.
BlockPtr recording(const ir::Block& body, std::size_t carried, const Values& kept) {
    const BlockPtr iteration = with_results(body, concat(part(body.results, 0, carried), kept));
    Build b(body.name);
    const Values in = params_of(b, iteration->param_types());
    const Value number = b.param(iteration_number);
    const Values tapes = params_of(b, std::vector<Type>(kept.size(), tape));
    const Values made = b.inline_block(*iteration, in);
    Values results = part(made, 0, carried);
    results.push_back(b.add(number, b.constant_i(iteration_number.dtype, 1)));
    for (std::size_t i = 0; i < kept.size(); ++i) results.push_back(b.tape_set(tapes[i], made[carried + i], number));
    return b.finish(std::move(results));
}

/// The linear body as the body of a counted loop: (n, outside, tapes, unknown whole operands, i, unknown carried
/// values) -> (i + 1, unknown carried values). `types` are the types of its parameters.
BlockPtr counted_body(const Split& body, const WhilePlaces& places, const std::vector<Type>& types, std::size_t whole) {
    Build b(body.linear->name);
    const Values in = params_of(b, types);
    const Value number = in[whole];
    const std::size_t first_tape = 1 + places.outside.size();
    const std::vector<Type> linear = body.linear->param_types();
    Values arguments;
    for (std::size_t r = 0; r < body.residuals; ++r) {
        const Place& place = places.residuals[r];
        arguments.push_back(place.on_tape ? b.tape_get(in[first_tape + place.index], number, linear[r])
                                          : in[1 + place.index]);
    }
    for (std::size_t i = first_tape + places.kept.size(); i < in.size(); ++i)
        if (i != whole) arguments.push_back(in[i]);
    Values results = {b.add(number, b.constant_i(iteration_number.dtype, 1))};
    return b.finish(concat(std::move(results), b.inline_block(*body.linear, arguments)));
}

} // namespace

void PartialEvaluation::loop(const Inst& inst) {
    const BitMask results = splitter_.dependence().results(inst, operands_unknown(inst));
    const BitMask whole = part(operands_unknown(inst), 0, loop_roles(inst).whole);
    if (any(splitter_.dependence().results(inst.regions[0], concat(whole, results)))) return all_unknown(inst);
    if (used(inst, results) && splitter_.loops() == WhileLoops::refused) throw UncountedLoop{};
    const bool counted =
        inst.attrs.integer(Attr::counted, 0) != 0 && !results[0] && count(results) + 1 == results.size();
    if (counted)
        counted_loop(inst, results);
    else
        recorded_loop(inst, results);
}

/// Splits a counted loop in which only the trip count and loop-invariant values are known. Only the linear part has the
/// loop.
void PartialEvaluation::counted_loop(const Inst& inst, const BitMask& results) {
    const Value n = in_known_[inst.operands[0].id];
    set_known(inst, results, {n});
    declare_unknown(inst, results);
    if (!used(inst, results)) return;
    need_unmarked(inst, operands_unknown(inst));
    steps_.push_back([this, &inst, results](Build& linear) {
        const Values operands = linear_values(linear, inst.operands);
        linear.set_place(inst.place);
        const Values made = linear.copy(inst, operands);
        set_linear(inst, results, part(made, 1, made.size()));
    });
}

void PartialEvaluation::recorded_loop(const Inst& inst, const BitMask& results) {
    const LoopRoles roles = loop_roles(inst);
    const BitMask operands = operands_unknown(inst);
    const BitMask whole = part(operands, 0, roles.whole);
    const BitMask params = concat(whole, results);
    const bool wanted = used(inst, results);
    const Split& condition = splitter_.split(inst.regions[0], params, {});
    BitMask same = negated(whole);
    same.resize(params.size(), false);
    const Split& body = splitter_.split(inst.regions[1], params, results, same);

    const Values known_whole = known_values(pick(part(inst.operands, 0, roles.whole), negated(whole)));
    const std::size_t carried = roles.carried - count(results);
    Values known = concat(known_whole,
                          known_values(pick(part(inst.operands, roles.whole, inst.operands.size()), negated(results))));
    WhilePlaces places;
    if (wanted) places = places_of(known_, splitter_.invariants(), body, known_whole);
    const std::size_t tapes = places.kept.size();
    known_.set_place(inst.place);
    known.push_back(known_.constant_i(iteration_number.dtype, 0));
    for (std::size_t i = 0; i < tapes; ++i) known.push_back(known_.zeros(tape));
    Attrs attrs = inst.attrs;
    if (attrs.has(Attr::counted)) attrs.set(Attr::counted, std::int64_t{0});
    attrs.set(Attr::whole, static_cast<std::int64_t>(known_whole.size()));
    attrs.set(Attr::carried, static_cast<std::int64_t>(carried + 1 + tapes));
    const Values made = known_.emit(
        Op::while_, known, attrs, {with_tapes(*condition.known, tapes), recording(*body.known, carried, places.kept)});
    set_known(inst, results, made);
    declare_unknown(inst, results);
    if (!wanted) return;

    // The residuals of the loop: the trip count, the loop-invariant residuals, the tapes.
    Values kept = {made[carried]};
    kept = concat(concat(std::move(kept), places.outside), part(made, carried + 1, made.size()));
    for (const Value v : kept) need(v);
    // The initial value of a carried value may be known, although later values are unknown.
    for (std::size_t i = 0; i < roles.carried; ++i)
        if (results[i] && !operands[roles.whole + i]) need(in_known_[inst.operands[roles.whole + i].id]);
    const Values unknown_whole = pick(part(inst.operands, 0, roles.whole), whole);
    const Values unknown_carried = pick(part(inst.operands, roles.whole, inst.operands.size()), results);
    steps_.push_back([=, this, &inst, &body](Build& linear) {
        Values all = concat(fetch(linear, kept), linear_values(linear, unknown_whole));
        const std::size_t linear_whole = all.size();
        linear.set_place(inst.place);
        all.push_back(linear.constant_i(iteration_number.dtype, 0));
        all = concat(std::move(all), linear_values(linear, unknown_carried));
        const std::vector<Type> types = types_of(linear, all);
        Attrs counted = inst.attrs;
        counted.set(Attr::counted, std::int64_t{1});
        counted.set(Attr::whole, static_cast<std::int64_t>(linear_whole));
        counted.set(Attr::carried, static_cast<std::int64_t>(all.size() - linear_whole));
        linear.set_place(inst.place);
        const Values next =
            linear.emit(Op::while_, all, counted,
                        {below_count(types, linear_whole), counted_body(body, places, types, linear_whole)});
        set_linear(inst, results, part(next, 1, next.size()));
    });
}

} // namespace pm::transform
