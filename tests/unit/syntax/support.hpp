#pragma once
#include "compiler/syntax/parse.hpp"
#include "compiler/syntax/print.hpp"

#include <string>
#include <string_view>

namespace pm::syntax {

struct Parsed {
    SourceMap sources;
    ParseResult result;

    explicit Parsed(std::string text) { result = parse(sources, sources.add("test.pm", std::move(text))); }

    /// The code and the underlined text of each error, as `PM0001 [+]`, one error on each line.
    std::string errors() const {
        std::string out;
        for (const Diagnostic& d : result.errors)
            out += fmt::format("{}{} [{}]", out.empty() ? "" : "\n", info(d.id).code, sources.text(d.span));
        return out;
    }
    std::string message() const { return result.errors.empty() ? "" : result.errors.front().message; }
    std::string help() const {
        return result.errors.empty() || result.errors.front().help.empty() ? "" : result.errors.front().help.front();
    }
    std::string rendered() const {
        std::string out;
        for (const Diagnostic& d : result.errors) out += render(d, sources);
        return out;
    }
};

/// The syntax tree of a program, or the rendered errors.
inline std::string tree(std::string text) {
    const Parsed parsed(std::move(text));
    if (!parsed.result.ok()) return parsed.rendered();
    std::string out = print(*parsed.result.module);
    if (!out.empty()) out.pop_back(); // removes the last newline
    return out;
}

inline std::string errors(std::string text) { return Parsed(std::move(text)).errors(); }
inline std::string help(std::string text) { return Parsed(std::move(text)).help(); }
inline std::string message(std::string text) { return Parsed(std::move(text)).message(); }

} // namespace pm::syntax
