// Records the globals that a function reads during staging.
#include "compiler/stage/call/cache.hpp"
#include "compiler/stage/known/computed.hpp"
#include "compiler/stage/values/tree.hpp"

#include <algorithm>

namespace pm::stage {

void Specialiser::record_dependency(const std::string& name) {
    if (!cache_->records()) return;
    Dependency d;
    d.scope = s_.frame().globals;
    d.name = name;
    Recorder& recorder = cache_->recorders.back();
    for (const Context::Global& g : recorder.known)
        if (g.scope == d.scope && g.name == name) d.known.insert(g.leaf);
    // To compute the key of a large value takes long. So the key is computed only once and not at each read of the
    // name.
    if (const Dependency* old = recorder.find(d.scope.get(), name); old && std::ranges::includes(old->known, d.known))
        return;
    d.key = dependency_key(d.cell(), d.known);
    record(std::move(d));
}

void Specialiser::record(Dependency dependency) {
    if (!cache_->records()) return;
    Recorder& recorder = cache_->recorders.back();
    Dependency* const d = recorder.find(dependency.scope.get(), dependency.name);
    if (!d) {
        recorder.place[{dependency.scope.get(), dependency.name}] = recorder.dependencies.size();
        recorder.dependencies.push_back(std::move(dependency));
        return;
    }
    if (dependency.exact && !d->exact) d->make_exact();
    if (std::ranges::includes(d->known, dependency.known)) return;
    d->known.insert(dependency.known.begin(), dependency.known.end());
    d->key = dependency_key(d->cell(), d->known);
}

void Specialiser::record_all(const std::vector<Dependency>& dependencies) {
    for (const Dependency& d : dependencies) record(d);
}

// ---- numbers of `mut` globals

Cell* Specialiser::global_cell(const std::string& name, Cell& cell) {
    const bool staged = !s_.interpreting() && !cache_->recorders.empty() && cache_->recorders.back().context;
    if (!staged && (s_.interpreting() || s_.types_only())) {
        if (!cell.mut || !s_.interpreted_.as_compiled()) return &cell;
        std::shared_ptr<Cell>& seen = s_.interpreted_.globals[{s_.frame().globals.get(), name}];
        if (!seen) seen = std::make_shared<Cell>(interpreted_global(name, cell.value), cell.mut, cell.span);
        return seen.get();
    }
    if (!cell.mut || !staged) return &cell;
    auto& views = cache_->recorders.back().views;
    if (const auto known = views.find({s_.frame().globals.get(), name}); known != views.end()) return &known->second;
    const std::vector<Value> leaves = all_leaves(cell.value);
    if (std::none_of(leaves.begin(), leaves.end(), [](const Value& v) { return v.number() != nullptr; })) return &cell;
    std::vector<Value> seen;
    for (std::size_t i = 0; i < leaves.size(); ++i)
        seen.push_back(leaves[i].number() ? global_number({s_.frame().globals, name, i}, leaves[i]) : leaves[i]);
    std::size_t next = 0;
    Cell& view = views[{s_.frame().globals.get(), name}];
    view = {replace_leaves(cell.value, seen, next), cell.mut, cell.span};
    return &view;
}

/// The value that an interpreted function reads from a global. The numbers in `known_globals` become computed numbers
/// that compiled code knows. The other numbers are converted like the numbers of arguments.
Value Specialiser::interpreted_global(const std::string& name, const Value& value) const {
    std::vector<Value> leaves = all_leaves(value);
    const std::vector<Context::Global>& known = s_.interpreted_.known_globals;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const bool is_known = std::ranges::find(known, Context::Global{s_.frame().globals, name, i}) != known.end();
        leaves[i] = is_known ? known_computed(s_, leaves[i]) : s_.interpreted_.argument(leaves[i]);
    }
    std::size_t next = 0;
    return replace_leaves(value, leaves, next);
}

Value Specialiser::global_number(const Context::Global& which, const Value& now) {
    if (s_.interpreting() || cache_->recorders.empty()) return now;
    const Recorder& recorder = cache_->recorders.back();
    if (!recorder.context || now.number()->stays_known()) return now;
    if (recorder.must_know(which)) {
        const Number known = now.number()->as_computed(recorder.context->widths().wide);
        return known.specialised_if(s_.types_only());
    }
    return recorder.context->global(which, now);
}

void Specialiser::note_unrolled(Span loop) {
    if (!cache_->recorders.empty()) cache_->recorders.back().unrolled.insert({loop.source, loop.begin});
}

void Specialiser::note_value_read() {
    if (!cache_->recorders.empty()) cache_->recorders.back().values_read = true;
}

} // namespace pm::stage
