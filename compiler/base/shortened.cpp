#include "compiler/base/shortened.hpp"

#include "runtime/utf8.hpp"

#include <algorithm>

namespace pm {
namespace {

/// The first `characters` characters of the text, or the whole text if the text is shorter. A text that is not UTF-8 is
/// cut after at most four bytes per character.
std::string_view beginning(std::string_view text, std::size_t characters) {
    return text.substr(0, std::min(runtime::utf8_prefix(text, characters), 4 * characters));
}

/// Cuts long quotations, such as a number of a hundred thousand digits.
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
        out += quoted.size() <= most ? quoted : beginning(quoted, kept);
        out += quoted.size() <= most ? "`" : "...`";
        text.remove_prefix(close + 1);
    }
    return out += text;
}

void shorten(std::string& text) {
    constexpr std::size_t most = 2000;
    constexpr std::size_t kept = 900; // characters that remain at each end
    text = with_short_quotations(text);
    const std::size_t count = text.size() <= most ? 0 : runtime::utf8_count(text);
    if (count <= most && text.size() <= 4 * most) return;
    const std::string_view all = text;
    const std::size_t end = std::max(runtime::utf8_prefix(all, count - std::min(count, kept)), all.size() - 4 * kept);
    text = fmt::format("{} ... {}", beginning(all, kept), all.substr(end));
}

} // namespace

Diagnostic shortened(Diagnostic d) {
    shorten(d.message);
    shorten(d.caret);
    for (Label& label : d.labels) shorten(label.text);
    for (std::string& note : d.notes) shorten(note);
    for (std::string& help : d.help) shorten(help);
    return d;
}

} // namespace pm
