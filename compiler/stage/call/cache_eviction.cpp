// Bounds of the cache of specialisations.
#include "compiler/stage/call/specialise.hpp"

#include <algorithm>
#include <set>

namespace pm::stage {

void collect_trees(const Value& v, Trees& trees) {
    if (const Tuple* t = v.tuple())
        for (const Value& item : t->items) collect_trees(item, trees);
    if (const Record* r = v.record())
        for (const auto& [name, value] : r->fields) collect_trees(value, trees);
    const Function* f = v.function();
    if (!f) return;
    if (f->module) trees.push_back(f->module);
    for (const auto& [name, value] : f->captured) collect_trees(value, trees);
    if (!f->transformed) return;
    for (const Value& value : f->transformed->values) collect_trees(value, trees);
    for (const auto& [name, value] : f->transformed->options) collect_trees(value, trees);
}

Trees trees_of(const Value& function, const std::vector<Value>& arguments,
               const std::vector<std::pair<std::string, Value>>& named) {
    Trees trees;
    collect_trees(function, trees);
    for (const Value& v : arguments) collect_trees(v, trees);
    for (const auto& [name, v] : named) collect_trees(v, trees);
    return trees;
}

void Stager::Cache::clear() {
    if (!in_progress.empty()) return;
    entries.clear();
    eager.clear();
    made.clear();
    knowns.clear();
}

void Stager::Cache::sweep() {
    const auto gone = [](const std::weak_ptr<const syntax::Module>& tree) { return tree.expired(); };
    std::erase_if(entries, [&](const auto& entry) {
        return std::any_of(entry.second->trees.begin(), entry.second->trees.end(), gone);
    });
    if (entries.size() > most) {
        std::vector<std::uint64_t> times;
        for (const auto& [key, entry] : entries) times.push_back(entry->used);
        const auto limit = times.end() - static_cast<std::ptrdiff_t>(most / 4 * 3);
        std::nth_element(times.begin(), limit, times.end());
        std::erase_if(entries, [&](const auto& entry) { return entry.second->used < *limit; });
    }
    std::set<const ir::Block*> blocks;
    for (const auto& [key, entry] : entries) blocks.insert(entry->function.block.get());
    std::erase_if(made, [&](const auto& block) { return blocks.count(block.first) == 0; });
    // Functions that are still called are learned again.
    if (knowns.size() > 4 * most) knowns.clear();
    sweep_at = std::clamp<std::size_t>(2 * entries.size(), 64, most + 1);
}

} // namespace pm::stage
