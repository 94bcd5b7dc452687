// Determines the numbers that must be known for a call, and the key of the call.
#include "compiler/stage/call/cache.hpp"
#include "compiler/stage/call/staging.hpp"
#include "compiler/stage/values/tree.hpp"

#include <algorithm>

namespace pm::stage {
namespace {

void add_new(std::vector<Context::Global>& to, const std::vector<Context::Global>& more) {
    for (const Context::Global& g : more)
        if (std::ranges::find(to, g) == to.end()) to.push_back(g);
}

/// Appends to a key the current values of the numbers `globals`.
void append_globals(Digester& key, const std::vector<Context::Global>& globals) {
    for (const Context::Global& g : globals) {
        const auto cell = g.scope->names.find(g.name);
        if (cell == g.scope->names.end()) continue;
        const std::vector<Value> leaves = all_leaves(cell->second.value);
        if (g.leaf < leaves.size() && leaves[g.leaf].number()) append_leaf(key, g.leaf, *leaves[g.leaf].number());
    }
}

void append_demands(Digester& key, const Demands& demands) {
    for (const auto& [call, demand] : demands) {
        key.add(call);
        key.add(std::uint64_t{demand.leaves.size()} << 32 | demand.globals.size());
        for (const auto& [leaf, reason] : demand.leaves) key.add(leaf);
        for (const Context::Global& g : demand.globals) { // the key has the address of the module; the cache entry with
                                                          // this key keeps the module alive
            key.add(std::uint64_t{reinterpret_cast<std::uintptr_t>(g.scope.get())});
            key.add(g.name);
            key.add(std::uint64_t{g.leaf});
        }
    }
}

/// The key of a call for which no need has been found yet.
Digest first_key(const KeyedCall& call, StagedAs how) {
    if (!how.all_known && !how.types) return call.key;
    Digester key;
    key.add(how.types ? "types" : "code");
    key.add(call.key);
    if (how.all_known)
        for (const Value& leaf : call.leaves) append_number(key, *leaf.number());
    return key.end();
}

} // namespace

void add_demands(Demands& to, const Demands& more) {
    for (const auto& [call, demand] : more) {
        Demand& all = to[call];
        all.leaves.insert(demand.leaves.begin(), demand.leaves.end());
        add_new(all.globals, demand.globals);
    }
}

void Needs::add(const Needs& more) {
    leaves.insert(more.leaves.begin(), more.leaves.end());
    add_new(globals, more.globals);
    add_demands(demands, more.demands);
}

/// The key of a call with all needs that have been found so far. If the caller must know a number that the call
/// returns, the needs of the call include all demands of the caller. The reason is that the called function may itself
/// get the number from a call.
SpecialisationKey Specialiser::specialisation_key(const KeyedCall& call, StagedAs how) {
    SpecialisationKey made{first_key(call, how), {}};
    if (const auto demanded = demands_.find(call.key); demanded != demands_.end()) {
        const Needs needs{demanded->second.leaves, demanded->second.globals, demands_};
        Digester key;
        key.add(made.key);
        append_demands(key, demands_);
        made.key = key.end();
        add_needs(call, needs, made);
    }
    while (const auto* more = Cache::finding(cache_->needs, made.key)) {
        record_all(more->dependencies);
        add_needs(call, more->found, made);
    }
    return made;
}

void Specialiser::add_needs(const KeyedCall& call, const Needs& more, SpecialisationKey& at) {
    Digester key;
    key.add(at.key);
    for (const auto& [leaf, reason] : more.leaves) {
        const auto i = static_cast<std::size_t>(leaf);
        append_leaf(key, i, Staging(s_).number_or(reason, call.leaves[i], call.span));
    }
    append_globals(key, more.globals);
    for (const auto& [callee, demand] : more.demands) append_globals(key, demand.globals);
    at.key = key.end();
    at.needs.add(more);
}

/// Records that the function also has the needs `more` if it is staged with the needs in `at`. Then adds `more` to
/// `at`.
void Specialiser::learn(const KeyedCall& call, const Needs& more, SpecialisationKey& at) {
    Recorder& recorder = cache_->recorders.back();
    cache_->needs.insert_or_assign(at.key, Finding<Needs>{more, recorder.final_dependencies()});
    add_new(recorder.known, more.globals);
    add_needs(call, more, at);
}

/// Replaces each leaf in `needed` by its known number. Returns the indices of these leaves.
std::set<std::size_t> Specialiser::know_leaves(const KeyedCall& call, const Reasons& needed,
                                               std::vector<Value>& leaves) {
    const Widths widths = widths_of(leaves);
    std::set<std::size_t> known;
    for (const auto& [leaf, reason] : needed) {
        const auto i = static_cast<std::size_t>(leaf);
        leaves[i] = Staging(s_).needed_number(call.function, reason, leaves[i], widths, call.span);
        known.insert(i);
    }
    return known;
}

Demands Specialiser::demands_of(const std::vector<Context::Callee>& calls) const {
    Demands found;
    for (const Context::Callee& call : calls) {
        const auto at = cache_->made.find(call.block);
        if (at == cache_->made.end()) continue;
        const Cache::Made& made = at->second;
        const auto held = demands_.find(made.key);
        const Demand* const old = held == demands_.end() ? nullptr : &held->second;
        Demand demand;
        for (const std::size_t p : call.params) {
            if (p < made.leaves.size()) {
                const std::int64_t leaf = made.leaves[p];
                if (!old || !old->leaves.contains(leaf)) demand.leaves.try_emplace(leaf);
            } else if (const auto& global = made.globals[p - made.leaves.size()];
                       global && (!old || std::ranges::find(old->globals, *global) == old->globals.end())) {
                add_new(demand.globals, {*global});
            }
        }
        if (!demand.leaves.empty() || !demand.globals.empty()) add_demands(found, {{made.key, demand}});
    }
    return found;
}

} // namespace pm::stage
