#include "compiler/stage/core/call_effects.hpp"

#include "compiler/stage/names/names.hpp"

#include <algorithm>

namespace pm::stage {

bool Effects::of(const Value& v) {
    if (const Tuple* t = v.tuple())
        return std::any_of(t->items.begin(), t->items.end(), [&](const Value& item) { return of(item); });
    if (const Record* r = v.record())
        return std::any_of(r->fields.begin(), r->fields.end(), [&](const auto& field) { return of(field.second); });
    const Function* f = v.function();
    if (!f || !seen_.insert(f).second) return false;
    if (f->native()) return acts(*f->native());
    if (f->transformed())
        return std::any_of(f->transformed()->functions.begin(), f->transformed()->functions.end(),
                           [&](const Value& inner) { return of(inner); });
    if (f->linear()) return false;
    return !s_.places().of_library(*f) && of_program(*f->closure());
}

bool Effects::of_program(const Closure& f) {
    const bool captured =
        std::any_of(f.captured.begin(), f.captured.end(), [&](const auto& c) { return of(c.second); });
    return captured || of_names(mentioned_names(*f.module, f.id), *f.globals);
}

bool Effects::of_names(const std::set<std::string>& names, const ModuleScope& globals) {
    const auto named = [&](const ModuleScope& scope, const std::string& name) {
        const auto at = scope.names.find(name);
        return at != scope.names.end() && of(at->second.value);
    };
    for (const std::string& name : names) {
        if (named(globals, name) || named(*s_.modules().prelude(), name)) return true;
        // In `m.f(x)`, the name `f` may belong to any module in `names`.
        const auto module = globals.names.find(name);
        if (module == globals.names.end() || !module->second.value.module()) continue;
        for (const std::string& member : names)
            if (named(*module->second.value.module()->scope, member)) return true;
    }
    return false;
}

bool Effects::of(const syntax::Module& tree, syntax::ExprId id) {
    const std::set<std::string> names = mentioned_names(tree, id);
    for (const std::string& name : names)
        if (const Cell* cell = s_.scopes().cell_of(name); cell && of(cell->value)) return true;
    return of_names(names, *s_.frame().globals);
}

} // namespace pm::stage
