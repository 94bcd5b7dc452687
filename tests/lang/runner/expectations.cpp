#include "tests/lang/runner/expectations.hpp"

#include "compiler/base/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace pm::lang {
namespace {

std::vector<std::string> words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> all;
    for (std::string word; in >> word;) all.push_back(word);
    return all;
}

std::string unquoted(const std::string& text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
    throw std::runtime_error(fmt::format("{} is not in double quotes", text));
}

ExpectedError read_error(const std::string& text) {
    ExpectedError e;
    const std::size_t blank = text.find(' ');
    e.code = text.substr(0, blank);
    if (blank != std::string::npos) e.caret.place = unquoted(text.substr(blank + 1));
    return e;
}

/// `"a + b" f32[3]`: the place may contain quotes; the text beside it may not.
Underlined read_second(const std::string& text) {
    const std::size_t quote = text.rfind('"');
    if (quote == std::string::npos || quote + 2 >= text.size()) return {unquoted(text), {}};
    return {unquoted(text.substr(0, quote + 1)), text.substr(quote + 2)};
}

ExpectedError& last_error(Expectations& e) {
    if (e.errors.empty()) throw std::runtime_error("there is no `error` before it");
    return e.errors.back();
}

/// Raises if the word before the `:` of an ordinary comment is nearly a key.
void refuse_misspelt(const std::string& key) {
    static const NearNames keys({"expect", "error", "stderr", "message", "second", "caret", "help", "note", "calls",
                                 "devices", "args", "options", "configs", "program", "command", "session", "exit",
                                 "seconds", "slow"});
    if (const std::string meant = nearest(key, {&keys}); !meant.empty())
        throw std::runtime_error(fmt::format("`{}` is no key; did you mean `{}`?", key, meant));
}

int number_of(const std::string& text) {
    const bool digits = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
    if (!digits) throw std::runtime_error(fmt::format("`{}` is not a number", text));
    return std::stoi(text);
}

/// False if `key` is unknown: the line is an ordinary comment.
bool take(Expectations& e, const std::string& key, const std::string& value) {
    if (key == "expect")
        e.lines.push_back({{}, value});
    else if (key.rfind("expect@", 0) == 0)
        e.lines.push_back({number_of(key.substr(7)), value});
    else if (key == "error")
        e.errors.push_back(read_error(value));
    else if (key == "stderr")
        e.standard_error.push_back(value);
    else if (key == "message")
        last_error(e).message = value;
    else if (key == "second")
        last_error(e).second.push_back(read_second(value));
    else if (key == "caret")
        last_error(e).caret.label = value;
    else if (key == "help")
        last_error(e).help.push_back(value);
    else if (key == "note")
        last_error(e).notes.push_back(value);
    else if (key == "calls")
        last_error(e).calls = words(value);
    else if (key == "devices")
        for (const std::string& n : words(value)) e.devices.push_back(number_of(n));
    else if (key == "args")
        e.arguments = words(value);
    else if (key == "options")
        e.options = words(value);
    else if (key == "configs")
        e.configs = words(value);
    else if (key == "program")
        e.program = value;
    else if (key == "command")
        e.command = value;
    else if (key == "session")
        e.session = value == "yes";
    else if (key == "exit")
        e.exit = number_of(value);
    else if (key == "seconds")
        e.seconds = number_of(value);
    else if (key == "slow")
        e.slow = value == "yes" || value == "on processors";
    else
        return false;
    return true;
}

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// `{*}` in the pattern matches any text.
bool matches(const std::string& pattern, const std::string& text) {
    std::vector<std::string> pieces;
    std::size_t from = 0;
    for (std::size_t star; (star = pattern.find("{*}", from)) != std::string::npos; from = star + 3)
        pieces.push_back(pattern.substr(from, star - from));
    pieces.push_back(pattern.substr(from));
    if (pieces.size() == 1) return pattern == text;
    const std::string& last = pieces.back();
    if (text.size() < pieces.front().size() + last.size() || text.rfind(pieces.front(), 0) != 0) return false;
    std::size_t at = pieces.front().size();
    for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
        at = text.find(pieces[i], at);
        if (at == std::string::npos) return false;
        at += pieces[i].size();
    }
    return text.size() >= at + last.size() && text.compare(text.size() - last.size(), last.size(), last) == 0;
}

std::string compare_lines(std::string_view what, const std::vector<std::string>& want,
                          const std::vector<std::string>& got) {
    for (std::size_t i = 0; i < std::max(want.size(), got.size()); ++i) {
        if (i < want.size() && i < got.size() && matches(want[i], got[i])) continue;
        return fmt::format("  line {} of {} is   {}\n  expected           {}\n", i + 1, what,
                           i < got.size() ? got[i] : "(nothing)", i < want.size() ? want[i] : "(nothing)");
    }
    return {};
}

/// A diagnostic of `--errors=long` output.
struct GivenError {
    std::string code;
    std::string message;
    Underlined caret;
    std::vector<Underlined> second;
    std::vector<std::string> help, notes, calls;
};

/// Code points first .. first + count of `text`.
std::string cut(const std::string& text, std::size_t first, std::size_t count) {
    std::string out;
    std::size_t seen = 0;
    for (const char c : text) {
        if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++seen;
        if (seen > first && seen <= first + count) out += c;
    }
    return out;
}

void take_mark(GivenError& e, const std::string& source, const std::string& marks) {
    const std::size_t first = marks.find_first_not_of(' ');
    if (first == std::string::npos || (marks[first] != '^' && marks[first] != '-')) return;
    const std::size_t end = std::min(marks.find_first_not_of(marks[first], first), marks.size());
    const Underlined marked{cut(source, first, end - first), end + 1 < marks.size() ? marks.substr(end + 1) : ""};
    if (marks[first] == '^')
        e.caret = marked;
    else
        e.second.push_back(marked);
}

constexpr std::string_view called = "= called at ";

/// `5:13` of `model.pm:5:13: layer(p.a, x)`.
std::string position_of_call(const std::string& text) {
    const std::size_t end = text.find(": ");
    const std::size_t column = text.rfind(':', end - 1);
    const std::size_t line = text.rfind(':', column - 1);
    return text.substr(line + 1, end - line - 1);
}

std::vector<GivenError> read_given(const std::vector<std::string>& lines) {
    std::vector<GivenError> all;
    std::string source; // the last source line shown
    for (const std::string& line : lines) {
        const bool is_diagnostic = line.rfind("error[", 0) == 0 || line.rfind("warning[", 0) == 0;
        if (is_diagnostic && line.find("]: ") != std::string::npos) {
            const std::size_t open = line.find('[') + 1;
            const std::size_t close = line.find("]: ");
            all.push_back({line.substr(open, close - open), line.substr(close + 3), {}, {}, {}, {}, {}});
            continue;
        }
        if (all.empty()) continue;
        GivenError& e = all.back();
        const std::size_t text = line.find_first_not_of(" 0123456789");
        if (line.rfind("help: ", 0) == 0)
            e.help.push_back(line.substr(6));
        else if (text == std::string::npos)
            continue;
        else if (line.compare(text, called.size(), called) == 0)
            e.calls.push_back(position_of_call(line.substr(text + called.size())));
        else if (line.compare(text, 2, "= ") == 0)
            e.notes.push_back(line.substr(text + 2));
        else if (line.compare(text, 1, "|") == 0) {
            const std::string shown = line.size() > text + 2 ? line.substr(text + 2) : "";
            if (line.find_first_of("0123456789") < text)
                source = shown;
            else
                take_mark(e, source, shown);
        }
    }
    return all;
}

bool any_holds(const std::vector<std::string>& lines, const std::string& part) {
    for (const std::string& line : lines)
        if (line.find(part) != std::string::npos) return true;
    return false;
}

bool any_is(const std::vector<Underlined>& places, const Underlined& want) {
    for (const Underlined& place : places)
        if (place.place.find(want.place) != std::string::npos &&
            (want.label.empty() || matches(want.label, place.label)))
            return true;
    return false;
}

std::string differences(const ExpectedError& want, const GivenError& got) {
    if (want.code != got.code) return fmt::format("  expected {}, got {}: {}\n", want.code, got.code, got.message);
    std::string out;
    if (!want.caret.place.empty() && want.caret.place != got.caret.place)
        out += fmt::format("  {} underlines `{}`, not `{}`\n", got.code, got.caret.place, want.caret.place);
    const bool shown = !want.caret.place.empty() || !want.caret.label.empty();
    if (shown && !matches(want.caret.label, got.caret.label))
        out += fmt::format("  {} has `{}` beside its carets, not `{}`\n", got.code, got.caret.label, want.caret.label);
    if (!want.message.empty() && !matches(want.message, got.message))
        out += fmt::format("  {} says   {}\n  expected      {}\n", got.code, got.message, want.message);
    for (const Underlined& second : want.second)
        if (!any_is(got.second, second))
            out += fmt::format("  {} does not show `{}` as a second place{}{}\n", got.code, second.place,
                               second.label.empty() ? "" : " with ", second.label);
    for (const std::string& help : want.help)
        if (!any_holds(got.help, help)) out += fmt::format("  {} has no help with `{}`\n", got.code, help);
    for (const std::string& note : want.notes)
        if (!any_holds(got.notes, note)) out += fmt::format("  {} has no note with `{}`\n", got.code, note);
    const std::vector<std::string> calls = got.calls.empty() ? std::vector<std::string>{"none"} : got.calls;
    if (!want.calls.empty() && want.calls != calls)
        out +=
            fmt::format("  {} is called at {}, not {}\n", got.code, fmt::join(calls, " "), fmt::join(want.calls, " "));
    return out;
}

} // namespace

Expectations read_expectations(const std::string& path) {
    Expectations e;
    e.program = path;
    std::ifstream in(path);
    if (!in) throw std::runtime_error(fmt::format("cannot read {}", path));
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.rfind("# ", 0) != 0) continue;
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        const std::string value = line.size() > colon + 2 ? line.substr(colon + 2) : "";
        try {
            const std::string key = line.substr(2, colon - 2);
            if (!take(e, key, value)) refuse_misspelt(key);
        } catch (const std::exception& x) {
            throw std::runtime_error(fmt::format("{}:{}: {}", path, number, x.what()));
        }
    }
    return e;
}

std::string compare_output(const Expectations& expected, int devices, const std::string& output) {
    std::vector<std::string> want;
    for (const ExpectedLine& line : expected.lines)
        if (!line.devices || *line.devices == devices) want.push_back(line.text);
    return compare_lines("the output", want, split_lines(output));
}

std::string compare_errors(const Expectations& expected, const std::string& errors) {
    const std::vector<std::string> lines = split_lines(errors);
    if (!expected.standard_error.empty()) return compare_lines("standard error", expected.standard_error, lines);
    if (expected.errors.empty())
        return errors.empty() ? "" : fmt::format("  unexpected on standard error:\n{}", errors);
    const std::vector<GivenError> got = read_given(lines);
    std::string out;
    for (std::size_t i = 0; i < std::max(expected.errors.size(), got.size()); ++i) {
        if (i >= got.size())
            out += fmt::format("  expected {}, got nothing more\n", expected.errors[i].code);
        else if (i >= expected.errors.size())
            out += fmt::format("  unexpected {}: {}\n", got[i].code, got[i].message);
        else
            out += differences(expected.errors[i], got[i]);
    }
    return out.empty() ? out : out + fmt::format("  standard error was:\n{}", errors);
}

std::string as_expectations(const std::string& output, const std::string& errors) {
    std::string out;
    for (const std::string& line : split_lines(output)) out += fmt::format("# expect: {}\n", line);
    for (const GivenError& e : read_given(split_lines(errors))) {
        out +=
            fmt::format("# error: {}{}\n", e.code, e.caret.place.empty() ? "" : fmt::format(" \"{}\"", e.caret.place));
        out += fmt::format("# message: {}\n", e.message);
        if (!e.caret.label.empty()) out += fmt::format("# caret: {}\n", e.caret.label);
        for (const Underlined& second : e.second)
            out += fmt::format("# second: \"{}\"{}{}\n", second.place, second.label.empty() ? "" : " ", second.label);
        if (!e.calls.empty()) out += fmt::format("# calls: {}\n", fmt::join(e.calls, " "));
        for (const std::string& note : e.notes) out += fmt::format("# note: {}\n", note);
        for (const std::string& help : e.help) out += fmt::format("# help: {}\n", help);
    }
    return out;
}

} // namespace pm::lang
