// Looks up names in a frame, its module and the library: Scopes::find, lookup, unknown_target.
#include "compiler/base/nearest.hpp"
#include "compiler/stage/call/donation.hpp"
#include "compiler/stage/check/module_check.hpp"
#include "compiler/stage/core/specialiser.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/embedded.hpp"
#include "compiler/stage/names/names.hpp"

#include <algorithm>

namespace pm::stage {

namespace {

Cell* known(Cell& cell) {
    if (cell.unknown) throw runtime::AbstractRead{};
    return &cell;
}

} // namespace

Cell* Scopes::find(const std::string& name) {
    for (std::size_t i = frame->locals.size(); i-- > 0;)
        if (frame->locals[i].name == name) return known(frame->locals[i].cell);
    if (const auto at = frame->globals->names.find(name); at != frame->globals->names.end()) {
        known(at->second);
        if (!s_.interpreting()) s_.specialiser().record_dependency(name);
        return s_.specialiser().global_cell(name, at->second);
    }
    if (!s_.interpreting())
        s_.specialiser().record_dependency(name); // a later statement may define this name in the module
    auto& library = s_.modules().prelude()->names;
    const auto at = library.find(name);
    return at == library.end() ? nullptr : known(at->second);
}

namespace {

/// The names of a frame and its module. Their order does not depend on addresses.
NearNames own_names(const Frame& frame) {
    NearNames own;
    for (std::size_t i = frame.locals.size(); i-- > 0 && !own.full();) own.add(frame.locals[i].name);
    std::vector<std::string> globals;
    for (const auto& [name, cell] : frame.globals->names) globals.push_back(name);
    std::sort(globals.begin(), globals.end());
    for (std::string& name : globals) own.add(std::move(name));
    return own;
}

} // namespace

const Value& Scopes::lookup(const std::string& name, Span span) {
    if (const Cell* cell = find(name)) return value_of(name, *cell, span);
    // A module of the standard library needs no import. It is loaded when a program first uses its name.
    if (embedded_module(name)) return s_.modules().of_library(name, span);
    if (s_.host().already_reported && s_.host().already_reported(Diag::unknown_name, span))
        raise(diagnose(Diag::unknown_name, span, name));
    const NearNames own = own_names(*frame);
    std::vector<std::string> global;
    for (const auto& [known_name, cell] : s_.modules().prelude()->names)
        if (!cell.value.module()) global.push_back(known_name); // LibraryNames itself adds the modules that it offers
    const LibraryNames library(std::move(global));
    const auto is_value = [this](std::string_view module) {
        const Cell* cell = cell_of(std::string(module));
        return cell && !cell->value.module();
    };
    auto d = unknown_name(name, span, {{&own}, library.seen_by(name), is_value}, path_at(s_.sources(), span));
    for (const syntax::StmtId id : s_.tree().statements())
        if (const auto* f = std::get_if<syntax::FunctionStmt>(&s_.tree()[id].node))
            if (const syntax::Name& defined = s_.tree()[f->function].name; defined.text == name) {
                d.caret.clear();
                d.label(defined.span, "it is defined here, after this use");
            }
    raise(std::move(d));
}

Diagnostic Scopes::unknown_target(const std::string& name, Span span) const {
    if (s_.host().already_reported && s_.host().already_reported(Diag::unknown_name, span))
        return diagnose(Diag::unknown_name, span, name);
    const NearNames own = own_names(*frame); // names of the library are left out, because programs cannot assign them
    return unknown_assigned(name, span, {&own}, s_.sources());
}

} // namespace pm::stage
