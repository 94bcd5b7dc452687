#include "compiler/stage/core/scopes.hpp"

namespace pm::stage {

Cell* Scopes::cell_of(const std::string& name) {
    for (std::size_t i = frame->locals.size(); i-- > 0;)
        if (frame->locals[i].name == name) return &frame->locals[i].cell;
    const auto at = frame->globals->names.find(name);
    return at == frame->globals->names.end() ? nullptr : &at->second;
}

void Scopes::define(const std::string& name, const Value& value, bool mut, Span span) {
    if (frame->top)
        frame->globals->names[name] = {value, mut, span};
    else
        add_local(name, {value, mut, span});
}

void Scopes::add_local(std::string name, Cell cell, bool size) {
    frame->locals.push_back({std::move(name), std::move(cell), open_regions, size});
}

Frame Scopes::activation(const Function& f) const {
    const Closure& closure = *f.closure();
    Frame made;
    made.module = closure.module;
    made.globals = closure.globals;
    made.function = &closure.text();
    made.caller = frame;
    made.conditions = conditions.size();
    for (const auto& [captured, value] : closure.captured)
        made.locals.push_back({captured, {value, false, {}}, open_regions});
    if (closure.local && !f.name.empty())
        made.locals.push_back({f.name, {Value(std::make_shared<const Function>(f)), false, {}}, open_regions});
    return made;
}

void Scopes::mark_dirty(std::size_t local) {
    for (Dirty* d : dirty)
        if (d->frame == frame && local < d->count) d->indices.insert(local);
}

} // namespace pm::stage
