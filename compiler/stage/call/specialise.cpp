// Specialisation: a function is staged once for each combination of argument types.
#include "compiler/base/check.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/stage/call/cache.hpp"
#include "compiler/stage/call/donation.hpp"
#include "compiler/stage/call/staging.hpp"
#include "compiler/stage/core/note.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/known/computed.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

Specialiser::Specialiser(Stager& s) : s_(s), cache_(std::make_unique<Cache>()) {}
Specialiser::~Specialiser() = default;

// ---- keys

namespace {

/// Whether the value is a dtype of 64 bits, or a tuple or record with one.
bool has_wide_dtype(const Value& v) {
    if (const DType* d = v.dtype()) return is_wide(*d);
    if (const Tuple* t = v.tuple()) return std::ranges::any_of(t->items, has_wide_dtype);
    const Record* r = v.record();
    return r && std::ranges::any_of(r->fields, [](const auto& field) { return has_wide_dtype(field.second); });
}

/// If a dtype of 64 bits is among the arguments, as in logspace(0, 1, dtype=f64), the numbers without a dtype among the
/// arguments have 64 bits too. Otherwise they would be rounded to f32 before they are converted.
void widen_numbers(Call& call) {
    const auto of_named = [](const auto& argument) { return has_wide_dtype(argument.second); };
    if (std::ranges::none_of(call.arguments, has_wide_dtype) && std::ranges::none_of(call.named, of_named)) return;
    const auto widened = [](const Value& leaf) -> Value {
        if (!leaf.number() || !leaf.number()->weak()) return leaf;
        Number n = *leaf.number();
        n.i = n.data(); // a computed number of 32 bits has already wrapped around
        n.wide = true;
        return n;
    };
    for (Value& v : call.arguments) v = map_leaves(v, widened);
    for (auto& [name, v] : call.named) v = map_leaves(v, widened);
}

} // namespace

KeyedCall Specialiser::keyed(Call given) const {
    widen_numbers(given);
    KeyedCall made{std::move(given), {}, {}};
    const Call& call = made;
    Digester key;
    key.add(std::uint64_t{call.arguments.size()} << 32 | call.named.size());
    append_key(key, call.function, made.leaves);
    for (const Value& a : call.arguments) append_key(key, a, made.leaves);
    for (const auto& [name, a] : call.named) {
        key.add(name);
        append_key(key, a, made.leaves);
    }
    // The key includes the named axes, because collectives in the function refer to these axes by id.
    for (const NamedAxis& axis : s_.around().axes) {
        key.add(axis.id);
        key.add(axis.name);
        key.add(axis.size);
    }
    for (std::size_t i = 0; i < made.leaves.size(); ++i) {
        Value& leaf = made.leaves[i];
        const Number* n = leaf.number();
        if (n && n->kind == Number::Kind::boolean && n->computed && s_.as_compiled() && !known_in_code(s_, *n))
            leaf = n->array(DType::b1); // compiled code passes this bool as data
        else if (n && n->stays_known())
            append_leaf(key, i, *n);
        // With Bounds::known, the key includes whether a number can become known, because this determines which loops
        // get a known trip count.
        if (s_.around().bounds == Bounds::known && numeric_type(leaf).type.rank() == 0 && !known_to_callers(s_, leaf))
            key.add(std::uint64_t{i});
    }
    key.add(std::uint64_t{s_.around().axes.size()} << 32 | static_cast<std::uint32_t>(s_.host_.devices));
    const bool linear = s_.around().custom_rules.linear_calls && s_.around().derivatives.of_tangents;
    const int rules = s_.around().custom_rules.any ? s_.around().derivatives.count : 0;
    std::uint64_t modes =
        std::uint64_t{static_cast<std::uint32_t>(rules)} << 8 | static_cast<std::uint8_t>(s_.around().bounds);
    // These modes are in the key, because a session may switch the checks for NaN and overflow on or off at any time.
    for (const bool mode :
         {s_.host_.check_nans, s_.host_.check_overflow, linear, linear && s_.around().custom_rules.in_transpose,
          rules > 0 && s_.around().derivatives.of_tangents})
        modes = modes << 1 | std::uint64_t{mode};
    key.add(modes);
    made.key = key.end();
    return made;
}

// ---- calls

namespace {

/// If Host::explain is set, calls `text` and passes the returned string to Host::message as a note.
template <class Text>
void explain(Stager& s, Span at, const Text& text) {
    if (s.host().explain && s.host().message) give_note(s.host(), s.sources(), at, text());
}

/// The types of the arguments of a call: "(f32[3], i32, scale=f32)".
std::string argument_types(const Call& call) {
    std::string list;
    for (const Value& v : call.arguments) list += (list.empty() ? "" : ", ") + tree_text(v);
    for (const auto& [name, v] : call.named)
        list += fmt::format("{}{}={}", list.empty() ? "" : ", ", name, tree_text(v));
    return fmt::format("({})", list);
}

} // namespace

Value Specialiser::call(Call given) {
    Donation* const donation = s_.interpreting() ? s_.calls().take_donation() : nullptr;
    if (auto made = direct_call(given)) return *std::move(made);
    const KeyedCall call = keyed(std::move(given));
    if (const auto* refusal = Cache::finding(cache_->not_compiled, specialisation_key(call, {}).key)) {
        record_all(refusal->dependencies);
        if (is_refused(refusal->found)) throw HostWork(refusal->found);
        return interpreted(call, refusal->found.in_place);
    }
    if (const auto known = known_call(call)) return *known;
    const SpecialisationKey at = specialisation_key(call, {});
    if (const auto outer = cache_->in_progress.find(at.key); outer != cache_->in_progress.end())
        return recursive(call, outer->second);
    if (const Specialisation* found = cache_->find(at.key)) {
        record_all(found->dependencies);
        return apply(*found, call, donation);
    }
    std::optional<Recorded> recorded;
    const std::uint64_t begin = s_.steps_;
    try {
        recorded = stage_recorded(call, at, false);
    } catch (const HostWork& work) {
        cache_->not_compiled[specialisation_key(call, {}).key] = {work, cache_->take_abandoned().final_dependencies()};
        if (is_refused(work)) throw;
        explain(s_, s_.places().of(work.span ? work.span : call.span),
                [&] { return fmt::format("{} is interpreted: {}", describe(call.function), work.what); });
        return interpreted(call, work.in_place);
    } catch (const Error& e) {
        if (!end_failed_recursion(call, {}, e.diagnostic())) throw;
    }
    if (!recorded) return this->call(call); // the function is staged again with more numbers known
    const bool known_numbers =
        std::ranges::find(recorded->function.known_leaves, true) != recorded->function.known_leaves.end();
    if (!s_.places().in_library(call.span)) // calls in the library are not reported
        explain(s_, s_.places().of(call.span), [&] {
            return fmt::format("{} is compiled for {}{}", describe(call.function), argument_types(call),
                               known_numbers ? ", with numbers that decide how it is compiled" : "");
        });
    note_direct(call, recorded->function, s_.steps_ - begin);
    if (!recorded->function.is_known()) warn_if_often(call, recorded->function);
    const Digest key = recorded->call.key;
    const Specialisation& made = cache_->add(key, call.key, std::move(*recorded), trees_of(call));
    record_all(made.dependencies);
    return apply(made, call, donation);
}

/// Counts a compilation for a call in interpreted code, and warns if the call is compiled often. Calls that a native
/// such as `tree_map` makes are not counted. They have the position of the call of the native.
void Specialiser::warn_if_often(const KeyedCall& call, const StagedFunction& made) {
    if (!s_.interpreting() || s_.types_only() || s_.checking() || !call.span || s_.places().in_library(call.span) ||
        call.span == s_.work_span_)
        return;
    const std::optional<Diagnostic> warning = cache_->recompilations.count(call, made, call.span);
    if (warning && s_.host().warning) s_.host().warning(*warning, s_.sources());
}

void Specialiser::warn_once(Diag id, Span span, const std::function<Diagnostic()>& made) {
    constexpr std::size_t most = 4096;
    std::set<std::pair<Diag, SourcePlace>>& warned = cache_->warned;
    if (!s_.host().warning || s_.types_only() || s_.places().in_library(span) || warned.size() >= most) return;
    if (warned.emplace(id, SourcePlace(span.source, span.begin)).second) s_.host().warning(made(), s_.sources());
}

/// Whether the current code must not call a function that does the host work `work`. Interpreted code may call such a
/// function, because the function is then interpreted.
bool Specialiser::is_refused(const HostWork& work) const {
    return !s_.interpreting() && !s_.types_only() && !work.in_place;
}

/// If the arguments of the call are literals and compiled code knows the result, this result. Empty otherwise.
std::optional<Value> Specialiser::known_call(const KeyedCall& call) {
    if ((s_.interpreting() && !s_.interpreted_.as_compiled()) || call.leaves.empty() || !all_written(call.leaves))
        return {};
    constexpr StagedAs all_known{.all_known = true};
    const SpecialisationKey at = specialisation_key(call, all_known);
    if (cache_->in_progress.contains(at.key)) return {};
    if (const auto* not_known = Cache::finding(cache_->not_known, at.key)) {
        record_all(not_known->dependencies);
        return {};
    }
    if (const Specialisation* made = cache_->find(at.key)) {
        record_all(made->dependencies);
        return apply(*made, call);
    }
    std::optional<Recorded> recorded;
    try {
        recorded = stage_recorded(call, at, true);
    } catch (const HostWork& work) {
        if (is_refused(work)) throw; // a call with staged numbers would also be refused
        return {};                   // `interpreted` handles this call
    } catch (const Error& e) {       // if the error also occurs with staged numbers, it is raised again later
        if (ends_run(e.diagnostic()) || e.diagnostic().id == Diag::recursion_too_deep) throw;
    }
    if (!recorded || !recorded->function.is_known()) {
        std::vector<Dependency> read =
            recorded ? recorded->dependencies : cache_->take_abandoned().final_dependencies();
        cache_->not_known[specialisation_key(call, all_known).key] = {{}, std::move(read)};
        return {};
    }
    const Digest key = recorded->call.key;
    const Specialisation& made = cache_->add(key, call.key, std::move(*recorded), trees_of(call));
    record_all(made.dependencies);
    return apply(made, call);
}

// ---- staging

Recorded Specialiser::stage_recorded(const KeyedCall& call, SpecialisationKey at, bool all_known) {
    cache_->recorders.emplace_back().known = at.needs.globals;
    const auto [in_progress, fresh] = cache_->in_progress.emplace(at.key, s_.scopes().conditions.size());
    PM_CHECK(fresh);
    std::optional<StagedFunction> staged;
    const auto end = [&] {
        cache_->in_progress.erase(in_progress);
        Recorder ended = std::move(cache_->recorders.back());
        cache_->recorders.pop_back();
        return ended;
    };
    try {
        s_.on_deep_stack([&] { staged = stage_specialisation(call, at, all_known); });
    } catch (...) {
        cache_->abandoned = end();
        cache_->abandoned.let_go();
        for (const Dependency& d : cache_->abandoned.dependencies) record(d); // callers also depend on these globals
        throw;
    }
    Recorder ended = end();
    return {std::move(at), std::move(*staged), ended.final_dependencies(), std::move(ended.unrolled)};
}

/// Stages the function of the call. Adds the needs that are found during staging to `at`.
StagedFunction Specialiser::stage_specialisation(const KeyedCall& call, SpecialisationKey& at, bool all_known) {
    std::vector<Value> given = call.leaves;
    std::set<std::size_t> known;
    for (std::size_t i = 0; all_known && i < given.size(); ++i) known.insert(i);
    if (!all_known) known = know_leaves(call, at.needs.leaves, given);
    const Restore demands_scope(demands_, at.needs.demands);
    StagedFunction staged =
        Staging(s_).function(call.function, given, known,
                             [&](const std::vector<Value>& inner) {
                                 cache_->recorders.back().begin(s_.context_);
                                 return s_.calls().inside(with_leaves(call, inner));
                             },
                             call.span, {.on_needs = [&](const Needs& more) { learn(call, more, at); }});
    staged.block = ir::without_place(staged.block, s_.places().of(call.span)); // other calls will also use the block
    return staged;
}

Value Specialiser::apply(const Specialisation& made, const KeyedCall& call, Donation* donation) {
    const StagedFunction& f = made.function;
    if (f.failure && s_.context()) {
        Diagnostic failure = *f.failure;
        failure.called_at(call.span);
        s_.context()->fails(failure);
    }
    std::vector<Value> operands;
    operands.reserve(call.leaves.size());
    std::vector<std::size_t> leaf_of;
    for (std::size_t i = 0; i < call.leaves.size(); ++i) {
        if (f.known_leaves[i]) continue;
        operands.push_back(call.leaves[i]);
        if (donation) leaf_of.push_back(i);
    }
    std::vector<Value> captures = made.current_captures();
    for (std::size_t c = 0; c < captures.size(); ++c) {
        if (f.globals[c]) captures[c] = global_number(*f.globals[c], captures[c]);
        operands.push_back(std::move(captures[c]));
    }
    if (!donation) return Staging(s_).rebuild(f, Staging(s_).apply(f.block, operands, f.results, call.span));
    return Staging(s_).rebuild(f, Staging(s_).run(f.block, operands, f.results, call.span, donation, leaf_of));
}

} // namespace pm::stage
