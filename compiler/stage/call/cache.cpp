// The cache of specialisations. A specialisation becomes invalid if a global that it has read changes. The size of the
// cache is bounded.
#include "compiler/stage/call/cache.hpp"

#include "compiler/ir/block_key.hpp"
#include "compiler/stage/values/tree.hpp"

#include <algorithm>
#include <set>

namespace pm::stage {

// ---- globals that a specialisation has read

const Cell* Dependency::cell() const {
    const auto at = scope->names.find(name);
    return at == scope->names.end() ? nullptr : &at->second;
}

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

/// The arrays of the globals that a specialisation has read. A capture of the specialisation that is an array is
/// normally one of these arrays.
class GlobalArrays {
  public:
    using Source =
        std::pair<std::int64_t, std::int64_t>; ///< the index of a dependency, and the index of a leaf of this
                                               ///< dependency's value; both are -1 if the array has no source

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
    /// The source of this array, and whether the array has several sources. If it has several sources, the returned
    /// source is the last of them in the order of the pairs.
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

Specialisation* Cache::find(const Digest& key) {
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

Specialisation& Cache::add(const Digest& key, const Digest& type_key, Recorded recorded, Trees trees) {
    if (in_progress.empty() && entries.size() >= sweep_at) sweep();
    auto made = std::make_unique<Specialisation>();
    made->function = std::move(recorded.function);
    // The leaves of `result` only represent results of the block. They refer to the context in which the block was
    // built, and would keep this context in memory. So they are replaced by leaves without a context.
    made->function.result = map_leaves(made->function.result, [](const Value& leaf) {
        const Staged* const s = leaf.staged();
        return s ? Value::staged({}, s->value, s->type, s->weak) : leaf;
    });
    made->dependencies = std::move(recorded.dependencies);
    made->unrolled = std::move(recorded.unrolled);
    made->needs = std::move(recorded.call.needs);
    made->trees = std::move(trees);
    made->used = ++clock;
    for (const Dependency& d : made->dependencies)
        if (const Cell* cell = d.cell()) collect_trees(cell->value, made->trees);
    // A captured array may be in no global, or in several globals that may later have different values. In both cases
    // the code is valid only for the current values of the globals.
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
    if (made->function.block) {
        Made origin{type_key, {}, made->function.globals};
        for (std::size_t i = 0; i < made->function.known_leaves.size(); ++i)
            if (!made->function.known_leaves[i]) origin.leaves.push_back(static_cast<std::int64_t>(i));
        this->made[made->function.block.get()] = std::move(origin);
    }
    std::unique_ptr<Specialisation>& entry = entries[key];
    if (entry) this->made.erase(entry->function.block.get());
    return *(entry = std::move(made));
}

ir::BlockPtr Cache::eager_block(const ir::BlockPtr& fresh) {
    if (eager.size() > 4096) eager.clear(); // a block that is still used is added again when it is used next
    return eager.try_emplace(ir::block_key(*fresh), fresh).first->second;
}

// ---- bounds

void collect_trees(const Value& v, Trees& trees) {
    if (const Tuple* t = v.tuple())
        for (const Value& item : t->items) collect_trees(item, trees);
    if (const Record* r = v.record())
        for (const auto& [name, value] : r->fields) collect_trees(value, trees);
    const Function* f = v.function();
    if (!f) return;
    if (const Closure* closure = f->closure()) {
        trees.push_back(closure->module);
        for (const auto& [name, value] : closure->captured) collect_trees(value, trees);
    }
    if (const Transformed* t = f->transformed()) {
        for (const Value& value : t->functions) collect_trees(value, trees);
        for (const auto& [name, value] : t->options) collect_trees(value, trees);
    }
}

Trees trees_of(const Call& call) {
    Trees trees;
    collect_trees(call.function, trees);
    for (const Value& v : call.arguments) collect_trees(v, trees);
    for (const auto& [name, v] : call.named) collect_trees(v, trees);
    return trees;
}

void Cache::clear() {
    if (!in_progress.empty()) return;
    entries.clear();
    eager.clear();
    made.clear();
    each_findings([](auto& findings) { findings.clear(); });
    abandoned = {};
}

/// Bounds the number of entries with this value of `for_types`. If the cache has more than `bound` such entries, drops
/// the least recently used entries, so that 3/4 * `bound` of them remain.
void Cache::drop_oldest(std::size_t bound, bool for_types) {
    std::vector<std::uint64_t> times;
    for (const auto& [key, entry] : entries)
        if (entry->for_types == for_types) times.push_back(entry->used);
    if (times.size() <= bound) return;
    const auto limit = times.end() - static_cast<std::ptrdiff_t>(bound / 4 * 3);
    std::nth_element(times.begin(), limit, times.end());
    std::erase_if(entries, [&](const auto& entry) {
        return entry.second->for_types == for_types && entry.second->used < *limit;
    });
}

void Cache::sweep() {
    const auto gone = [](const std::weak_ptr<const syntax::Module>& tree) { return tree.expired(); };
    std::erase_if(entries, [&](const auto& entry) {
        return std::any_of(entry.second->trees.begin(), entry.second->trees.end(), gone);
    });
    drop_oldest(most_types, true);
    drop_oldest(most, false);
    std::set<const ir::Block*> blocks;
    for (const auto& [key, entry] : entries) blocks.insert(entry->function.block.get());
    std::erase_if(made, [&](const auto& block) { return blocks.count(block.first) == 0; });
    // If a dropped finding is needed, staging finds it again.
    each_findings([](auto& findings) {
        if (findings.size() > 4 * most) findings.clear();
    });
    sweep_at = std::clamp<std::size_t>(2 * entries.size(), 64, most + 1);
}

ir::BlockPtr Specialiser::eager_block(const ir::BlockPtr& fresh) { return cache_->eager_block(fresh); }

void Specialiser::clear() { cache_->clear(); }

} // namespace pm::stage
