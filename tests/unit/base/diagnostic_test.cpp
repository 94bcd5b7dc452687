#include "compiler/base/diagnostic.hpp"

#include <doctest/doctest.h>

using namespace pm;

TEST_CASE("a span is shown with its line, its column in characters and a caret under each character") {
    SourceMap sources;
    const std::uint32_t file = sources.add("a.pm", "let ß = 1\nlet é = x\n");
    const auto shown = [&](std::uint32_t begin, std::uint32_t end) {
        return render(diagnose(Diag::unknown_name, {file, begin, end}, "x"), sources);
    };
    // The second line begins at byte 11; é has two bytes.
    CHECK(shown(20, 21).find("--> a.pm:2:9\n2 | let é = x\n  |         ^\n") != std::string::npos);
    CHECK(shown(15, 21).find("--> a.pm:2:5\n2 | let é = x\n  |     ^^^^^\n") != std::string::npos);
    // If a span has several lines, the first line is marked up to its end.
    CHECK(shown(4, 21).find("--> a.pm:1:5\n1 | let ß = 1\n  |     ^^^^^\n") != std::string::npos);
    // An empty span is marked by one caret, also at the end of a line.
    CHECK(shown(20, 20).find("--> a.pm:2:9\n2 | let é = x\n  |         ^\n") != std::string::npos);
    CHECK(shown(21, 21).find("--> a.pm:2:10\n2 | let é = x\n  |          ^\n") != std::string::npos);
}
