#include "compiler/base/shortened.hpp"

#include "runtime/utf8.hpp"

namespace pm {
namespace {

/// A number of a hundred thousand digits tells nothing more than its first ones.
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

void shorten(std::string& text) {
    constexpr std::size_t most = 2000;
    constexpr std::size_t kept = 900; // at each end
    text = with_short_quotations(text);
    const std::size_t count = text.size() <= most ? 0 : runtime::utf8_count(text);
    if (count <= most) return;
    const std::string_view all = text;
    text = fmt::format("{} ... {}", all.substr(0, runtime::utf8_prefix(all, kept)),
                       all.substr(runtime::utf8_prefix(all, count - kept)));
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
