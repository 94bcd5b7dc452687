#include "compiler/stage/core/source_places.hpp"

#include <fmt/format.h>

namespace pm::stage {

void Places::add_to_library(std::uint32_t source) {
    if (library_.size() <= source) library_.resize(source + 1, false);
    library_[source] = true;
}

Span Places::argument(Span call, std::size_t i) const {
    return site_.call == call && i < site_.positional.size() ? site_.positional[i] : call;
}

Span Places::argument(Span call, const std::string& name) const {
    if (site_.call == call)
        for (const auto& [given, place] : site_.named)
            if (given == name) return place;
    return call;
}

void Places::blame(Diagnostic& d, Span span) const {
    if (!span || in_library(span)) return; // if the call at `span` is in the library, the user's call is an outer call
    if (!d.span) { // an error with a cause outside of the program (a stop, a deadline) gets no position
        if (!ends_run(d)) d.span = span;
        return;
    }
    if (!in_library(d.span)) return;
    if (d.id != Diag::stopped_by_fail) { // the message of a `fail` in the library does not show a line of the library
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
