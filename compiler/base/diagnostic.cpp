#include "compiler/base/diagnostic.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/shortened.hpp"
#include "runtime/utf8.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace pm {
namespace {

constexpr Severity error = Severity::error;
[[maybe_unused]] constexpr Severity warning = Severity::warning;

constexpr std::array census = {
#define DIAG(id, code, severity, text) DiagInfo{#id, code, severity, text},
#include "compiler/base/diagnostic.def"
#undef DIAG
};

struct Mark {
    Span span;
    std::string text;
    char character;
};

/// The text with a space for each tab and `?` for each other control character, since control characters must not reach
/// the terminal.
std::string printable(std::string_view text) {
    std::string shown(text);
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = c == '\t' ? ' ' : '?';
    return shown;
}

/// One source line with the underlined ranges that start in it, as
///   12 |     g = pmeen(grads, "i")
///      |         ^^^^^ text
void render_line(std::string& out, const Source& source, std::uint32_t line, std::vector<Mark> marks,
                 std::size_t width) {
    constexpr std::size_t most = 160; // longer lines are cut around the first mark
    std::string_view text = source.line(line);
    std::size_t cut = 0;
    const std::size_t first = source.position(marks.front().span.begin).column - 1;
    if (runtime::utf8_count(text) > most && first > most / 2) cut = first - most / 2;
    text.remove_prefix(runtime::utf8_prefix(text, cut));
    const std::string shown = printable(text.substr(0, runtime::utf8_prefix(text, most)));
    out += fmt::format("{:>{}} | {}\n", line, width, shown);
    std::stable_sort(marks.begin(), marks.end(),
                     [](const Mark& a, const Mark& b) { return a.span.begin < b.span.begin; });
    for (const Mark& mark : marks) {
        const std::size_t column = source.position(mark.span.begin).column - 1 -
                                   std::min<std::size_t>(cut, source.position(mark.span.begin).column - 1);
        const auto last = source.position(mark.span.end);
        const std::size_t shown_length = runtime::utf8_count(shown);
        std::size_t length = last.line == line ? last.column - source.position(mark.span.begin).column
                                               : shown_length - std::min(shown_length, column);
        length = std::max<std::size_t>(1, std::min(length, most));
        out += fmt::format("{:>{}} | {}{}{}{}\n", "", width, std::string(column, ' '),
                           std::string(length, mark.character), mark.text.empty() ? "" : " ", mark.text);
    }
}

} // namespace

const DiagInfo& info(Diag id) { return census[static_cast<std::size_t>(id)]; }
std::size_t diagnostic_count() { return census.size(); }

std::optional<Diag> diagnostic_named(std::string_view name) {
    const auto* const at =
        std::find_if(census.begin(), census.end(), [&](const DiagInfo& d) { return d.name == name; });
    if (at == census.end()) return {};
    return static_cast<Diag>(at - census.begin());
}

void Diagnostic::called_at(Span call) {
    const Span inner = last_call ? last_call : span;
    if (!call || contains(call, inner)) return;
    last_call = call;
    if (calls.size() < most_calls)
        calls.push_back(call);
    else
        ++more_calls;
}

void Diagnostic::forget_places() {
    span = last_call = {};
    labels.clear();
    calls.clear();
    more_calls = 0;
}

namespace {

/// The first line of the text at `span`, at most 80 characters of it.
std::string beginning_of(Span span, const Source& source) {
    constexpr std::size_t most = 80;
    const auto from = source.position(span.begin);
    const auto to = source.position(span.end);
    std::string_view line = source.line(from.line);
    line.remove_prefix(runtime::utf8_prefix(line, from.column - 1));
    const std::string_view all =
        to.line == from.line ? line.substr(0, runtime::utf8_prefix(line, to.column - from.column)) : line;
    const std::string_view kept = all.substr(0, runtime::utf8_prefix(all, most));
    return printable(kept) + (to.line > from.line || kept.size() < all.size() ? " ..." : "");
}

std::string place_text(Span span, const SourceMap& sources) {
    const Source& source = sources[span.source];
    const auto at = source.position(span.begin);
    return fmt::format("{}:{}:{}", source.name(), at.line, at.column);
}

std::string further_calls(std::size_t count) { return fmt::format("{} more call{}", count, count == 1 ? "" : "s"); }

/// " (called at model.pm:5:13, model.pm:10:1)"; empty if no call led to the place.
std::string calls_in_line(const Diagnostic& d, const SourceMap& sources) {
    std::string out;
    for (const Span call : d.calls) out += (out.empty() ? " (called at " : ", ") + place_text(call, sources);
    if (d.more_calls > 0) out += ", " + further_calls(d.more_calls);
    return out.empty() ? out : out + ")";
}

} // namespace

std::string render(const Diagnostic& diagnostic, const SourceMap& sources, ErrorStyle style) {
    const Diagnostic d = shortened(diagnostic);
    const DiagInfo& kind = info(d.id);
    const std::string_view severity = kind.severity == Severity::error ? "error" : "warning";
    if (style == ErrorStyle::short_form) {
        const std::string where = d.span ? place_text(d.span, sources) + ": " : "";
        return fmt::format("{}{}[{}]: {}{}\n", where, severity, kind.code, d.message, calls_in_line(d, sources));
    }
    std::string out = fmt::format("{}[{}]: {}\n", severity, kind.code, d.message);
    std::vector<Mark> marks;
    if (d.span) marks.push_back({d.span, d.caret, '^'});
    for (const Label& label : d.labels)
        if (label.span) marks.push_back({label.span, label.text, '-'});
    std::size_t width = 1;
    for (const Mark& mark : marks)
        width = std::max(width, fmt::format("{}", sources[mark.span.source].position(mark.span.begin).line).size());
    // Marks of one line are shown together. The line of the caret is shown first.
    std::set<std::pair<std::uint32_t, std::uint32_t>> done;
    for (const Mark& mark : marks) {
        const Source& source = sources[mark.span.source];
        const auto at = source.position(mark.span.begin);
        if (!done.insert({mark.span.source, at.line}).second) continue;
        out += fmt::format("{:>{}}--> {}\n", "", width, place_text(mark.span, sources));
        std::vector<Mark> here;
        for (const Mark& other : marks)
            if (other.span.source == mark.span.source && source.position(other.span.begin).line == at.line)
                here.push_back(other);
        render_line(out, source, at.line, std::move(here), width);
    }
    for (const Span call : d.calls)
        out += fmt::format("{:>{}} = called at {}: {}\n", "", width, place_text(call, sources),
                           beginning_of(call, sources[call.source]));
    if (d.more_calls > 0) out += fmt::format("{:>{}} = and {}\n", "", width, further_calls(d.more_calls));
    for (const std::string& note : d.notes) out += fmt::format("{:>{}} = {}\n", "", width, note);
    for (const std::string& help : d.help) out += fmt::format("help: {}\n", help);
    return out;
}

namespace {

/// Cuts a long text at a character boundary.
void cut(std::string& text) {
    constexpr std::size_t most = std::size_t{1} << 16;
    if (text.size() <= most) return;
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text.resize(end);
    text.shrink_to_fit();
    text += " ...";
}

} // namespace

Error::Error(Diagnostic diagnostic) : diagnostic_(std::move(diagnostic)) {
    cut(diagnostic_.message);
    cut(diagnostic_.caret);
    for (Label& label : diagnostic_.labels) cut(label.text);
    for (std::string& note : diagnostic_.notes) cut(note);
    for (std::string& help : diagnostic_.help) cut(help);
}

} // namespace pm
