// Dependencies of specialisations: globals they have read, numbers of globals that may change, the cache.
#include "compiler/base/check.hpp"
#include "compiler/ir/block_key.hpp"
#include "compiler/stage/call/specialise.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

// ---- globals that a specialisation has read

const Cell* Dependency::cell() const {
    const auto at = scope->names.find(name);
    return at == scope->names.end() ? nullptr : &at->second;
}

namespace {

/// The parts of a global that the code depends on. Arrays, and numbers that may change, are parameters unless they must
/// be known. Other numbers are constants in the code.
Digest dependency_key(const Cell* cell, const std::set<std::size_t>& known) {
    if (!cell) return {};
    Digester key;
    key.add(std::uint64_t{cell->mut} | std::uint64_t{static_cast<bool>(cell->donated)} << 1);
    std::vector<Value> leaves;
    append_key(key, cell->value, leaves);
    for (std::size_t i = 0; i < leaves.size(); ++i)
        if (const Number* n = leaves[i].number(); n && (!cell->mut || n->stays_known() || known.count(i) != 0))
            append_leaf(key, i, *n);
    return key.end();
}

} // namespace

bool Dependency::still_holds() const {
    const Cell* now = cell();
    if (dependency_key(now, known) != key) return false;
    if (!exact || !now) return true;
    const std::vector<Value> before = all_leaves(seen);
    const std::vector<Value> after = all_leaves(now->value);
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i].array() && !same_source(before[i], after.at(i))) return false;
    return true;
}

void Dependency::make_exact() {
    exact = true;
    if (const Cell* now = cell()) seen = now->value;
}

bool Recorder::must_know(const Context::Global& which) const {
    return std::find(known.begin(), known.end(), which) != known.end();
}

Dependency* Recorder::find(const ModuleScope* scope, const std::string& name) {
    const auto at = place.find({scope, name});
    return at == place.end() ? nullptr : &dependencies[at->second];
}

std::vector<Value> Specialisation::current_captures() const {
    std::vector<Value> found;
    std::map<std::int64_t, std::vector<Value>> leaves; // all leaves of each captured global
    for (std::size_t c = 0; c < sources.size(); ++c) {
        const auto& [dependency, leaf] = sources[c];
        if (dependency < 0) {
            found.push_back(function.captures[c]);
            continue;
        }
        const auto [at, fresh] = leaves.try_emplace(dependency);
        if (fresh) at->second = all_leaves(dependencies[static_cast<std::size_t>(dependency)].cell()->value);
        found.push_back(at->second.at(static_cast<std::size_t>(leaf)));
    }
    return found;
}

namespace {

/// The arrays of the globals that a specialisation has read. They are the sources of its captures.
class GlobalArrays {
  public:
    using Source = std::pair<std::int64_t, std::int64_t>; ///< a dependency and its leaf, or -1

    explicit GlobalArrays(const Specialisation& s) {
        for (std::size_t d = 0; d < s.dependencies.size(); ++d) {
            const Dependency& read = s.dependencies[d];
            place_[{read.scope.get(), read.name}] = static_cast<std::int64_t>(d);
            const Cell* cell = read.cell();
            if (!cell) continue;
            const std::vector<Value> leaves = all_leaves(cell->value);
            for (std::size_t l = 0; l < leaves.size(); ++l)
                if (leaves[l].array())
                    arrays_.emplace(source_hash(leaves[l]), std::pair{leaves[l], Source{static_cast<std::int64_t>(d),
                                                                                        static_cast<std::int64_t>(l)}});
        }
    }

    Source number(const Context::Global& global) const {
        return {place_.at({global.scope.get(), global.name}), static_cast<std::int64_t>(global.leaf)};
    }
    /// The last source of this array, and whether there are several.
    std::pair<Source, bool> source(const Value& array) const {
        Source found{-1, -1};
        int count = 0;
        const auto [first, last] = arrays_.equal_range(source_hash(array));
        for (auto at = first; at != last; ++at) {
            if (!same_source(at->second.first, array)) continue;
            found = std::max(found, at->second.second);
            ++count;
        }
        return {found, count > 1};
    }

  private:
    std::map<std::pair<const ModuleScope*, std::string>, std::int64_t> place_;
    std::unordered_multimap<std::size_t, std::pair<Value, Source>> arrays_;
};

} // namespace

Specialisation* Stager::Cache::find(const Digest& key) {
    const auto at = entries.find(key);
    if (at == entries.end()) return nullptr;
    for (const Dependency& d : at->second->dependencies)
        if (!d.still_holds()) {
            made.erase(at->second->function.block.get());
            entries.erase(at);
            return nullptr;
        }
    at->second->used = ++clock;
    return at->second.get();
}

Specialisation& Stager::Cache::add(const Digest& key, const Digest& type_key, Recorded recorded, Trees trees) {
    if (in_progress.empty() && entries.size() >= sweep_at) sweep();
    auto made = std::make_unique<Specialisation>();
    made->function = std::move(recorded.function);
    // Leaves only stand for results of the block; keeping them would keep the context in which it was built.
    made->function.result = map_leaves(made->function.result, [](const Value& leaf) {
        const Staged* const s = leaf.staged();
        return s ? Value::staged({}, s->value, s->type, s->weak) : leaf;
    });
    made->dependencies = std::move(recorded.dependencies);
    made->trees = std::move(trees);
    made->used = ++clock;
    for (const Dependency& d : made->dependencies)
        if (const Cell* cell = d.cell()) collect_trees(cell->value, made->trees);
    // If an array came from no global, or from several that may later differ, the code is valid for their current
    // values only.
    const GlobalArrays arrays(*made);
    bool exact = false;
    for (std::size_t c = 0; c < made->function.captures.size(); ++c) {
        const Value& capture = made->function.captures[c];
        if (const auto& global = made->function.globals[c]) {
            made->sources.push_back(arrays.number(*global));
            continue;
        }
        const auto [source, several] = arrays.source(capture);
        exact = exact || several || (source.first < 0 && capture.array());
        made->sources.push_back(source);
    }
    if (exact)
        for (Dependency& d : made->dependencies) d.make_exact();
    Made origin{type_key, {}, made->function.globals};
    for (std::size_t i = 0; i < made->function.known_leaves.size(); ++i)
        if (!made->function.known_leaves[i]) origin.leaves.push_back(static_cast<std::int64_t>(i));
    this->made[made->function.block.get()] = std::move(origin);
    return *(entries[key] = std::move(made));
}

void Stager::Cache::forget(const ir::Block* block) {
    for (auto at = entries.begin(); at != entries.end();)
        at = at->second->function.block.get() == block ? entries.erase(at) : std::next(at);
    made.erase(block);
}

ir::BlockPtr Stager::Cache::eager_block(const ir::BlockPtr& fresh) {
    if (eager.size() > 4096) eager.clear(); // a bound; blocks in use are added again at once
    return eager.try_emplace(ir::block_key(*fresh), fresh).first->second;
}

void Stager::record_dependency(const std::string& name) {
    if (cache_->recorders.empty()) return;
    Dependency d;
    d.scope = frame_->globals;
    d.name = name;
    Recorder& recorder = cache_->recorders.back();
    for (const Context::Global& g : recorder.known)
        if (g.scope == d.scope && g.name == name) d.known.insert(g.leaf);
    // Computing the key of a large value takes long, so it is done once, not at each read of the name.
    if (const Dependency* old = recorder.find(d.scope.get(), name); old && std::ranges::includes(old->known, d.known))
        return;
    d.key = dependency_key(d.cell(), d.known);
    record(std::move(d));
}

void Stager::record(Dependency dependency) {
    if (cache_->recorders.empty()) return;
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

void Stager::note_dependencies(const Specialisation& s) {
    for (const Dependency& d : s.dependencies) record(d);
}

// ---- numbers of globals that may change

/// The global as seen by the code being staged.
Cell* Stager::global_cell(const std::string& name, Cell& cell) {
    const bool staged = !interpreting() && !cache_->recorders.empty() && cache_->recorders.back().context;
    if (!staged && (interpreting() || types_only())) {
        if (!cell.mut || !interpreted_.as_compiled()) return &cell;
        std::shared_ptr<Cell>& seen = interpreted_.globals[{frame_->globals.get(), name}];
        if (!seen) seen = std::make_shared<Cell>(interpreted_global(name, cell.value), cell.mut, cell.span);
        return seen.get();
    }
    if (!cell.mut || !staged) return &cell;
    auto& views = cache_->recorders.back().views;
    if (const auto known = views.find({frame_->globals.get(), name}); known != views.end()) return &known->second;
    const std::vector<Value> leaves = all_leaves(cell.value);
    if (std::none_of(leaves.begin(), leaves.end(), [](const Value& v) { return v.number() != nullptr; })) return &cell;
    std::vector<Value> seen;
    for (std::size_t i = 0; i < leaves.size(); ++i)
        seen.push_back(leaves[i].number() ? global_number({frame_->globals, name, i}, leaves[i]) : leaves[i]);
    std::size_t next = 0;
    Cell& view = views[{frame_->globals.get(), name}];
    view = {replace_leaves(cell.value, seen, next), cell.mut, cell.span};
    return &view;
}

/// The value of a global as an interpreted function has it.
Value Stager::interpreted_global(const std::string& name, const Value& value) const {
    std::vector<Value> leaves = all_leaves(value);
    const std::vector<Context::Global>& known = interpreted_.known_globals;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const bool is_known = std::ranges::find(known, Context::Global{frame_->globals, name, i}) != known.end();
        leaves[i] = is_known ? known_computed(leaves[i]) : interpreted_.argument(leaves[i]);
    }
    std::size_t next = 0;
    return replace_leaves(value, leaves, next);
}

Value Stager::global_number(const Context::Global& which, const Value& now) {
    if (interpreting() || cache_->recorders.empty()) return now;
    const Recorder& recorder = cache_->recorders.back();
    if (!recorder.context || now.number()->stays_known()) return now;
    if (recorder.must_know(which)) {
        Number known = now.number()->as_computed(recorder.context->widths().wide);
        known.specialised = known.computed && types_only();
        return known;
    }
    return recorder.context->global(which, now);
}

void Stager::note_unrolled(Span loop) {
    if (!cache_->recorders.empty()) cache_->recorders.back().unrolled.insert({loop.source, loop.begin});
}

void Stager::know_global(const Context::Global& which) { cache_->recorders.back().known.push_back(which); }

/// The callees return a number that must be known: marks the arguments that it depends on as to be known. False if they
/// all are already. Changes nothing unless `keep`.
bool Stager::learn(const std::vector<Context::Callee>& calls, bool keep) {
    bool news = false;
    for (const Context::Callee& call : calls) {
        const auto at = cache_->made.find(call.block);
        if (at == cache_->made.end()) continue;
        const Cache::Made& made = at->second;
        Cache::Knowns& knowns = cache_->knowns[made.key];
        bool again = false;
        for (const std::size_t p : call.params) {
            if (p < made.leaves.size()) {
                news = news || knowns.leaves.count(made.leaves[p]) == 0;
                if (keep) knowns.leaves.try_emplace(made.leaves[p]);
                continue;
            }
            const auto& global = made.globals[p - made.leaves.size()];
            std::vector<Context::Global>& known = knowns.globals;
            if (!global || std::find(known.begin(), known.end(), *global) != known.end()) continue;
            news = true;
            if (keep) known.push_back(*global);
            again = true;
        }
        // The key does not tell code with the number as a parameter from code without.
        if (keep && again) cache_->forget(call.block);
    }
    return news;
}

void Stager::note_value_read() {
    if (!cache_->recorders.empty()) cache_->recorders.back().values_read = true;
}

} // namespace pm::stage
