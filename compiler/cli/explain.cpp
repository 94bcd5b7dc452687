#include "compiler/cli/explain.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/cli/options.hpp"
#include "compiler/cli/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>

namespace pm::cli {
namespace {

constexpr std::string_view fence = "```";

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

/// The number of a code: 204 for "PM0204", "pm204" and "204". Empty for other texts.
std::optional<int> code_number(std::string_view text) {
    if (text.size() > 2 && (text[0] == 'P' || text[0] == 'p') && (text[1] == 'M' || text[1] == 'm'))
        text.remove_prefix(2);
    int number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return number;
}

} // namespace

std::vector<Page> pages() {
    std::vector<Page> all;
    for (const std::string_view name : page_names()) {
        std::string_view text = *page_source(name);
        std::string_view first = take_line(text);
        first.remove_prefix(std::min(first.size(), first.find(": ") + 2));
        all.push_back({name, first, text});
    }
    return all;
}

std::vector<Example> examples(const Page& page) {
    std::vector<Example> all;
    std::string_view rest = page.body;
    while (!rest.empty()) {
        std::istringstream words{std::string(take_line(rest))};
        std::string word, kind;
        if (!(words >> word >> kind) || word != "```pm") continue;
        Example e{kind == "fails", {}, {}};
        while (words >> word) e.options.push_back(word);
        for (std::string_view line = take_line(rest); line != fence && !rest.empty(); line = take_line(rest))
            e.text += std::string(line) + "\n";
        all.push_back(std::move(e));
    }
    return all;
}

std::optional<Page> page_for(std::string_view code) {
    const std::optional<int> number = code_number(code);
    std::string wanted = number ? fmt::format("PM{:04}", *number) : std::string(code);
    for (std::size_t i = 0; i < diagnostic_count(); ++i)
        if (info(static_cast<Diag>(i)).name == code) wanted = info(static_cast<Diag>(i)).code;
    for (const Page& page : pages())
        if (page.code == wanted) return page;
    return std::nullopt;
}

std::string page_text(const Page& page) {
    std::string out = fmt::format("{}: {}\n", page.code, page.title);
    std::string_view rest = page.body;
    bool code = false;
    while (!rest.empty()) {
        const std::string_view line = take_line(rest);
        if (line.substr(0, fence.size()) != fence) {
            out += code && !line.empty() ? fmt::format("    {}\n", line) : fmt::format("{}\n", line);
            continue;
        }
        code = !code;
        const std::size_t option = line.find(" --");
        if (option != std::string_view::npos) out += fmt::format("    # pm run{}\n", line.substr(option));
    }
    return out;
}

std::string page_list() {
    std::string out;
    for (const Page& page : pages()) out += fmt::format("{}  {}\n", page.code, page.title);
    return out;
}

int explain(Options& options) {
    const std::string& code = options.code;
    if (code.empty()) {
        fmt::print("{}\n`pm explain CODE` tells more about one.\n", page_list());
        return exit_done;
    }
    if (const auto page = page_for(code)) {
        fmt::print("{}", page_text(*page));
        return exit_done;
    }
    no_page(code);
}

void no_page(const std::string& code) {
    Diagnostic d = diagnose(Diag::bad_option, {}, fmt::format("there is no diagnostic `{}`", code));
    const std::vector<Page> all = pages();
    const std::optional<int> number = code_number(code);
    const auto distance = [&](const Page& page) { return std::abs(code_number(page.code).value_or(0) - *number); };
    if (number) {
        const auto near = std::min_element(all.begin(), all.end(),
                                           [&](const Page& a, const Page& b) { return distance(a) < distance(b); });
        d.help.push_back(fmt::format("the nearest is {}: {}", near->code, near->title));
    } else {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < diagnostic_count(); ++i) names.emplace_back(info(static_cast<Diag>(i)).name);
        if (const std::string near = nearest(code, names); !near.empty())
            d.help.push_back(fmt::format("the nearest is {}", near));
    }
    raise(std::move(d).fix("`pm explain` lists all"));
}

} // namespace pm::cli
