#include "compiler/base/diagnostic.hpp"

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

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

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
    // What is in a source does not command the terminal; a tab takes one column.
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

/// A quotation of the source, `...`, that is very long is cut: a number of a hundred thousand digits tells nothing
/// more.
std::string with_short_quotations(std::string_view text) {
    constexpr std::size_t most = 200;
    constexpr std::size_t kept = 40;
    std::string out;
    while (!text.empty()) {
        const std::size_t open = text.find('`');
        const std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
        if (close == std::string_view::npos) break;
        const std::string_view quoted = text.substr(open + 1, close - open - 1);
        out += text.substr(0, open + 1);
        out += quoted.size() <= most ? quoted : quoted.substr(0, runtime::utf8_prefix(quoted, kept));
        out += quoted.size() <= most ? "`" : "...`";
        text.remove_prefix(close + 1);
    }
    return out += text;
}

} // namespace

const DiagInfo& info(Diag id) { return census[static_cast<std::size_t>(id)]; }
std::size_t diagnostic_count() { return census.size(); }

std::string render(const Diagnostic& d, const SourceMap& sources, ErrorStyle style) {
    const DiagInfo& kind = info(d.id);
    const std::string_view severity = kind.severity == Severity::error ? "error" : "warning";
    if (style == ErrorStyle::short_form) {
        std::string where;
        if (d.span) {
            const auto at = sources[d.span.source].position(d.span.begin);
            where = fmt::format("{}:{}:{}: ", sources[d.span.source].name(), at.line, at.column);
        }
        return fmt::format("{}{}[{}]: {}\n", where, severity, kind.code, with_short_quotations(d.message));
    }
    std::string out = fmt::format("{}[{}]: {}\n", severity, kind.code, with_short_quotations(d.message));
    std::vector<Mark> marks;
    if (d.span) marks.push_back({d.span, d.caret, '^'});
    for (const Label& label : d.labels)
        if (label.span) marks.push_back({label.span, label.text, '-'});
    std::size_t width = 1;
    for (const Mark& mark : marks)
        width = std::max(width, fmt::format("{}", sources[mark.span.source].position(mark.span.begin).line).size());
    // Marks of one line are shown together; the caret's line comes first.
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
    for (const std::string& note : d.notes) out += fmt::format("{:>{}} = {}\n", "", width, with_short_quotations(note));
    for (const std::string& help : d.help) out += fmt::format("help: {}\n", with_short_quotations(help));
    return out;
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
    const auto letters = [](std::string_view word) {
        std::string sorted(word);
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    };
    std::string best;
    std::size_t best_distance = 3;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > name.size() + 2 || name.size() > candidate.size() + 2) continue;
        std::size_t distance = edit_distance(name, candidate);
        if (distance > 2 && letters(name) == letters(candidate)) distance = 2;
        // A short name is near only to names that share most of it, or have its letters.
        // One letter is near to nothing.
        const bool shares_most =
            2 * distance <= std::max(name.size(), candidate.size()) && std::min(name.size(), candidate.size()) > 1;
        if (distance > 0 && !shares_most && letters(name) != letters(candidate)) continue;
        if (distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

namespace {

/// Cut between characters.
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
