// Calls of interpreted functions. An interpreted function is staged once, to find its types and the numbers that
// compiled code would know.
#include "compiler/stage/call/cache.hpp"
#include "compiler/stage/call/staging.hpp"
#include "compiler/stage/call/types_only.hpp"
#include "compiler/stage/core/restore.hpp"

namespace pm::stage {
namespace {

/// Converts a computed number to an argument of a function that works on data of these widths.
Value widened(const Value& v, Widths widths) {
    if (const Number* n = v.number()) return n->computed ? Value(n->as_computed(widths.wide)) : v;
    if (!v.array()) return v;
    const NumericType t = widths.of_argument(numeric_type(v));
    return {v.array()->convert(t.type.dtype), t.weak};
}

} // namespace

/// Calls an interpreted function. If `in_place` is false, the function does host work. If `in_place` is true, the
/// function's result contains functions or strings with staged values. Such a function may also be called in compiled
/// code. Arithmetic in the function follows the rules of compiled code. If `in_place` is true and all arguments are
/// literals, the arguments are passed unchanged.
Value Specialiser::interpreted(const KeyedCall& call, bool in_place) {
    Value result;
    const auto interpret = [&](const Call& as_given) {
        s_.on_deep_stack([&] { result = s_.calls().inline_call(as_given); });
    };
    if (in_place &&
        (s_.places().of_library(*call.function.function()) || (s_.as_compiled() && all_written(call.leaves)))) {
        interpret(call);
        return result;
    }
    const bool written = !in_place && is_known_call(call);
    if (s_.types_only() && !in_place) {
        const Specialisation& types = for_types(call, written);
        if (!types.function.block) throw HostWork{"the types of its result cannot be determined", call.span};
        return apply(types, call);
    }
    const bool from_top = !s_.as_compiled();
    const Widths widths = widths_of(call.leaves);
    const Restore scope(s_.interpreted_, s_.compiling() ? s_.interpreted_ : s_.interpreted_.within(widths));
    std::vector<Value> given;
    Demands demands = demands_;
    if (s_.compiling()) {
        for (const Value& leaf : call.leaves)
            given.push_back(leaf.number() ? leaf.number()->as_computed(widths.wide) : leaf);
    } else if (in_place && !from_top) {
        // In compiled code the called function would become a part of the caller. So the numbers that the caller knows
        // stay known here.
        for (const Value& leaf : call.leaves)
            given.push_back(leaf.number() && leaf.number()->computed ? leaf : s_.interpreted_.argument(leaf));
    } else {
        const Specialisation& types = for_types(call, written);
        given = interpreted_leaves(call, types, written);
        demands = types.needs.demands;
    }
    {
        const Restore demands_scope(demands_, std::move(demands));
        interpret(with_leaves(call, given));
    }
    if (!s_.compiling() && !written && s_.interpreted_.returns_computed) {
        const auto types = returned_types(call);
        result = types ? joined(s_, result, *types, *types) : s_.interpreted_.computed(result);
    }
    return from_top ? at_top(result) : result;
}

/// Whether compiled code would know the result of a call of an interpreted function; see known_call.
bool Specialiser::is_known_call(const KeyedCall& call) {
    if (!s_.as_compiled() || call.leaves.empty() || !all_written(call.leaves)) return false;
    if (cache_->in_progress.contains(specialisation_key(call, {.all_known = true, .types = true}).key)) return false;
    const StagedFunction& made = for_types(call, true).function;
    return made.block && made.is_known();
}

/// The leaves of a call, converted for the interpreted function. Numbers that compiled code would know stay known; the
/// others become computed numbers. `written`: true if compiled code would know the result for these literals. The
/// leaves are then returned unchanged.
std::vector<Value> Specialiser::interpreted_leaves(const KeyedCall& call, const Specialisation& types, bool written) {
    s_.interpreted_.unrolled = types.unrolled;
    s_.interpreted_.known_globals = types.needs.globals;
    if (written) return call.leaves;
    std::vector<Value> given = call.leaves;
    const Widths widths = widths_of(given);
    const std::set<std::size_t> known = know_leaves(call, types.needs.leaves, given);
    for (std::size_t i = 0; i < given.size(); ++i) {
        const Number* n = given[i].number();
        const bool is_known = n && (known.contains(i) || n->stays_known());
        given[i] = is_known ? Value(Staging(s_).known_to(call.function, *n, widths).specialised_if(true))
                            : s_.interpreted_.argument(widened(given[i], widths));
    }
    return given;
}

/// Stages an interpreted function only to find its types. The specialisation has the types of the result, the numbers
/// that compiled code would know, and the loops that compiled code would unroll. If the function cannot be staged, the
/// specialisation has no block. `all_known`: true if all arguments are known numbers. Throws HostWork if the function
/// calls itself with the same key.
const Specialisation& Specialiser::for_types(const KeyedCall& call, bool all_known) {
    const StagedAs how{all_known, true};
    const SpecialisationKey at = specialisation_key(call, how);
    if (const auto outer = cache_->in_progress.find(at.key); outer != cache_->in_progress.end()) {
        need_end(call, outer->second);
        throw HostWork{"it calls itself", call.span};
    }
    if (const Specialisation* found = cache_->find(at.key)) {
        record_all(found->dependencies);
        return *found;
    }
    std::optional<Recorded> recorded;
    std::optional<Diagnostic> failure;
    TypesOnly(s_, {}, {}).of([&]() -> Value {
        const Restore kind(s_.kind_of_function_, Context::Kind::types);
        try {
            recorded = stage_recorded(call, specialisation_key(call, how), all_known);
        } catch (const Error& e) {
            failure = e.diagnostic();
            throw;
        }
        return {};
    });
    if (failure && !all_known && end_failed_recursion(call, how, *failure)) return for_types(call, all_known);
    if (!recorded) {
        Recorder ended = cache_->take_abandoned();
        recorded = {specialisation_key(call, how), {}, ended.final_dependencies(), std::move(ended.unrolled)};
    }
    const Digest key = recorded->call.key;
    Specialisation& made = cache_->add(key, call.key, std::move(*recorded), trees_of(call));
    made.for_types = true;
    record_all(made.dependencies);
    return made;
}

/// The types of a call's result, which are the common types of all returns. Empty if these types cannot be determined.
std::optional<Value> Specialiser::returned_types(const KeyedCall& call) {
    const StagedFunction& made = for_types(call, false).function;
    if (!made.block) return {};
    std::vector<Value> results;
    for (const NumericType& t : made.results) results.emplace_back(Array::abstract(t.type.dtype, t.type.shape), t.weak);
    return Staging(s_).rebuild(made, results);
}

} // namespace pm::stage
