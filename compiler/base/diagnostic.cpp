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
    std::string shown(text.substr(0, runtime::utf8_prefix(text, most)));
    // Control characters in a source must not reach the terminal. A tab takes one column.
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = c == '\t' ? ' ' : '?';
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

std::string render(const Diagnostic& diagnostic, const SourceMap& sources, ErrorStyle style) {
    const Diagnostic d = shortened(diagnostic);
    const DiagInfo& kind = info(d.id);
    const std::string_view severity = kind.severity == Severity::error ? "error" : "warning";
    if (style == ErrorStyle::short_form) {
        std::string where;
        if (d.span) {
            const auto at = sources[d.span.source].position(d.span.begin);
            where = fmt::format("{}:{}:{}: ", sources[d.span.source].name(), at.line, at.column);
        }
        return fmt::format("{}{}[{}]: {}\n", where, severity, kind.code, d.message);
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
        out += fmt::format("{:>{}}--> {}:{}:{}\n", "", width, source.name(), at.line, at.column);
        std::vector<Mark> here;
        for (const Mark& other : marks)
            if (other.span.source == mark.span.source && source.position(other.span.begin).line == at.line)
                here.push_back(other);
        render_line(out, source, at.line, std::move(here), width);
    }
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
