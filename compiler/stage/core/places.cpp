// Places: the user's line that an error or an instruction belongs to.
#include "compiler/stage/core/stager.hpp"

#include <fmt/format.h>

namespace pm::stage {

void Stager::add_to_library(std::uint32_t source) {
    if (library_.size() <= source) library_.resize(source + 1, false);
    library_[source] = true;
}

bool Stager::in_library_text() const { return in_library({frame_->module->source()}); }

Span Stager::argument_place(Span span, std::size_t i) const {
    return call_site_.call == span && i < call_site_.positional.size() ? call_site_.positional[i] : span;
}

Span Stager::argument_place(Span span, const std::string& name) const {
    if (call_site_.call == span)
        for (const auto& [given, place] : call_site_.named)
            if (given == name) return place;
    return span;
}

std::vector<std::pair<std::string, Type>> Stager::visible_arrays() const {
    std::vector<std::pair<std::string, Type>> found;
    for (const Local& l : frame_->locals)
        if (l.cell.value.is_numeric() && numeric_type(l.cell.value).type.rank() > 0)
            found.emplace_back(l.name, numeric_type(l.cell.value).type);
    return found;
}

void Stager::blame(Diagnostic& d, Span span) const {
    if (!span || in_library(span)) return; // an outer call is the user's
    if (!d.span) {                         // an error that ends the program from outside has no place
        if (!ends_run(d)) d.span = span;
        return;
    }
    if (!in_library(d.span)) return;
    if (d.id != Diag::stopped_by_fail) { // a message in the library's own words needs no line of the library
        const Source& source = sources_[d.span.source];
        const std::uint32_t number = source.position(d.span.begin).line;
        std::string_view line = source.line(number);
        line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
        d.notes.push_back(fmt::format("in the library, {}:{}: {}{}", source.name(), number, line,
                                      d.caret.empty() ? "" : "   (" + d.caret + ")"));
    }
    d.caret.clear();
    d.span = span;
    std::erase_if(d.labels, [&](const Label& label) { return in_library(label.span); });
}

} // namespace pm::stage
