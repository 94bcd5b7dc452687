#pragma once
#include "compiler/syntax/format.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

namespace pm::syntax {

/// The formatted text of `text`, or the rendered errors. Checks that the formatted text has the same tree as `text`.
/// Checks that a second formatting does not change the formatted text.
inline std::string formatted(const std::string& text) {
    const auto once = [](const std::string& given, std::string& out) {
        SourceMap sources;
        Formatted result = format_source(sources, sources.add("test.pm", given));
        out = std::move(result.text);
        for (const Diagnostic& d : result.errors) out += render(d, sources);
        return result.ok();
    };
    std::string first;
    std::string second;
    if (!once(text, first)) return first;
    CHECK_MESSAGE(once(first, second), first);
    CHECK(second == first);
    CHECK(tree(text) == tree(first));
    return first;
}

} // namespace pm::syntax
