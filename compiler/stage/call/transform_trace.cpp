// Adds notes to errors. The notes name the transformations of the code at the error's position.
#include "compiler/stage/call/transform_trace.hpp"

#include "compiler/stage/call/library_call.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

constexpr std::string_view note_begin = "through `";
/// A placeholder for notes about transformations within the library. LibraryCall replaces it by a note that names the
/// call of the library.
constexpr std::string_view note_of_library = "through the library";

} // namespace

std::string chain_text(const Stager& s, const Value& f) {
    const Function* function = f.function();
    if (!function) return name_of(f);
    if (const auto& t = function->transformed())
        return fmt::format("{}({})", name(t->kind), chain_text(s, t->function()));
    const Closure* closure = function->closure();
    if (closure && closure->local && function->name.empty() && s.places().of_library(*function)) // e.g. `hessian(f)`
        for (const auto& [name, value] : closure->captured)
            if (value.function()) return fmt::format("{}({})", library_name(*function), chain_text(s, value));
    return name_of(f);
}

void note_transformation(const Stager& s, Diagnostic& d, const std::string& chain, Span call) {
    if (s.places().in_library(call)) {
        if (d.notes.empty() || d.notes.back() != note_of_library) d.notes.emplace_back(note_of_library);
        return;
    }
    if (!d.notes.empty() && d.notes.back().starts_with(note_begin)) {
        const std::string& last = d.notes.back();
        if (last.find(chain) != std::string::npos) return; // the note already contains this chain
        const std::string inner = last.substr(note_begin.size(), last.size() - note_begin.size() - 1);
        if (chain.find(inner) != std::string::npos) d.notes.pop_back();
    }
    d.notes.push_back(fmt::format("{}{}`", note_begin, chain));
}

bool forget_library(Diagnostic& d) { return std::erase(d.notes, note_of_library) > 0; }

bool at_option(const Value& function, Span place) {
    const Function* f = function.function();
    if (!f || !f->transformed()) return false;
    const Transformed& t = *f->transformed();
    return std::find(t.option_spans.begin(), t.option_spans.end(), place) != t.option_spans.end() ||
           std::any_of(t.functions.begin(), t.functions.end(), [&](const Value& v) { return at_option(v, place); });
}

} // namespace pm::stage
