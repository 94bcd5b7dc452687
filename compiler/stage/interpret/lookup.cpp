// The names of a frame, its module and the library: Stager::find, lookup, unknown_target.
#include "compiler/base/nearest.hpp"
#include "compiler/stage/call/donation.hpp"
#include "compiler/stage/check/check.hpp"
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

Cell* Stager::find(const std::string& name) {
    for (std::size_t i = frame_->locals.size(); i-- > 0;)
        if (frame_->locals[i].name == name) return known(frame_->locals[i].cell);
    if (const auto at = frame_->globals->names.find(name); at != frame_->globals->names.end()) {
        known(at->second);
        if (!interpreting()) specialiser_->record_dependency(name);
        return specialiser_->global_cell(name, at->second);
    }
    if (!interpreting()) specialiser_->record_dependency(name); // a later definition in the module hides the prelude's
    auto& library = modules_.prelude()->names;
    const auto at = library.find(name);
    return at == library.end() ? nullptr : known(at->second);
}

namespace {

/// The names of a frame and its module, in an order that does not depend on addresses.
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

const Value& Stager::lookup(const std::string& name, Span span) {
    if (const Cell* cell = find(name)) return value_of(name, *cell, span);
    // A module of the standard library needs no import: it is loaded at the first use of its name.
    if (embedded_module(name)) return modules_.of_library(name, span);
    if (host_.told && host_.told(Diag::unknown_name, span)) raise(diagnose(Diag::unknown_name, span, name));
    const NearNames own = own_names(*frame_);
    std::vector<std::string> global;
    for (const auto& [known_name, cell] : modules_.prelude()->names)
        if (!cell.value.module()) global.push_back(known_name); // LibraryNames adds the offered modules itself
    const LibraryNames library(std::move(global));
    const auto is_value = [this](std::string_view module) {
        const Cell* cell = cell_of(std::string(module));
        return cell && !cell->value.module();
    };
    raise(unknown_name(name, span, {{&own}, library.seen_by(name), is_value}, path_at(sources_, span)));
}

Diagnostic Stager::unknown_target(const std::string& name, Span span) const {
    if (host_.told && host_.told(Diag::unknown_name, span)) return diagnose(Diag::unknown_name, span, name);
    const NearNames own = own_names(*frame_); // the names that can be assigned, without those of the library
    return unknown_assigned(name, span, {&own}, sources_);
}

} // namespace pm::stage
