#include "support.hpp"

#include <doctest/doctest.h>

using namespace pm::syntax;

namespace {

std::string repeat(std::string_view part, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += part;
    return out;
}

/// The code of the first error of a text; empty if the text is valid. The parser must not overflow its stack.
std::string code(const std::string& text) {
    const Parsed p(text);
    return p.result.errors.empty() ? "" : std::string(pm::info(p.result.errors.front().id).code);
}

} // namespace

TEST_CASE("the deepest allowed nesting is parsed, deeper nesting is refused") {
    struct Case {
        const char* open;
        const char* middle;
        const char* close;
    };
    for (const Case& c : {Case{"(", "1", ")"}, Case{"[", "1", "]"}, Case{"f(", "1", ")"}, Case{"x[", "1", "]"},
                          Case{"{a: ", "1", "}"}, Case{"if c { ", "1", " }"}, Case{"fn(x) = ", "1", ""},
                          Case{"fn(x) { ", "1", " }"}, Case{"while c { ", "x", "}"}, Case{"f(fn(x) = [", "1", "])"},
                          Case{"\"{", "1", "}\""}, Case{"fn f() { ", "1", " }"}, Case{"(1 + -", "1", ")"},
                          Case{"f(a=", "1", ")"}, Case{"(x with [0] = ", "1", ")"}, Case{"(*", "1", ",)"}}) {
        for (const int depth : {20, 60})
            CHECK_MESSAGE(code(repeat(c.open, depth) + c.middle + repeat(c.close, depth)) == "", c.open << depth);
        for (const int depth : {60, 127, 128, 255, 256, 257, 2000}) {
            const std::string found = code(repeat(c.open, depth) + c.middle + repeat(c.close, depth));
            CHECK_MESSAGE((found == "" || found == "PM0003"), c.open << depth << found);
            if (depth > 256) CHECK_MESSAGE(found == "PM0003", c.open << depth);
            // Opening brackets alone are invalid at every depth.
            CHECK_MESSAGE(code(repeat(c.open, depth)) != "", c.open << depth);
        }
    }
    CHECK(code("let " + repeat("(", 1000) + "a" + repeat(",)", 1000) + " = 1") == "PM0003");
    CHECK(code("fn f(x: " + repeat("(", 1000) + "f32" + repeat(",)", 1000) + ") = 1") == "PM0003");
    CHECK(code(repeat(")", 5000)) == "PM0006");
}

TEST_CASE("the length of chains is bounded, by the height of the tree") {
    CHECK(code("1" + repeat(" + 1", 400)) == "");
    CHECK(code("1" + repeat(" or 1", 5000)) == "PM0003");
    CHECK(code("1" + repeat(" ** 1", 5000)) == "PM0003");
    CHECK(code(repeat("-", 5000) + "1") == "PM0003");
    CHECK(code(repeat("not ", 5000) + "1") == "PM0003");
    CHECK(code("x" + repeat(".f()", 5000)) == "PM0003");
    CHECK(code("x" + repeat("[0]", 5000)) == "PM0003");
    CHECK(code("x" + repeat("(0)", 5000)) == "PM0003");
    CHECK(code("x" + repeat(".0", 5000)) == "PM0003");
    CHECK(code("x" + repeat(" with [0] = 1", 5000)) == "PM0003");
}

TEST_CASE("long flat texts are not deep") {
    CHECK(code("1" + repeat(" + 1", 20000)) == "");
    CHECK(code("1" + repeat(" * 2 - 1", 20000) + " == 2") == "");
    CHECK(code("fn f(x: f32[n" + repeat(" + n", 20000) + "]) = n") == "");
    CHECK(code("fn f(x: f32[n" + repeat(" + n", 20000) + " / 2]) = n") == "PM0030");
    CHECK(code("if c { 1 }" + repeat(" else if c { 1 }", 2000)) == "");
    CHECK(code("[" + repeat("1,", 3000) + "]") == "");
    CHECK(code("f(" + repeat("x,", 3000) + ")") == "");
    CHECK(code(repeat("let x = 1\n", 3000)) == "");
    CHECK(code("\"" + repeat("{x} ", 3000) + "\"") == "");
}

TEST_CASE("large texts are parsed") {
    const std::string line = "let value = f(x[i], y + 1.5) * {a: 1, b: \"text {z:.2f}\"}.a\n";
    std::string text;
    while (text.size() < 150000) text += line;
    CHECK(code(text) == "");
    CHECK(code(std::string(max_source_bytes + 1, ' ')) == "PM0004");
    CHECK(code(std::string(300000, '(')) == "PM0003");
    CHECK(code(std::string(300000, ' ')) == "");
    CHECK(code(std::string(300000, '\n')) == "");
}

TEST_CASE("invalid UTF-8 is refused") {
    CHECK(errors("let x = \"\xC3(\"") == "PM0002 [\xC3]");
    CHECK(errors("\xC0\x80") == "PM0002 [\xC0]");         // overlong
    CHECK(errors("\xED\xA0\x80") == "PM0002 [\xED]");     // a UTF-16 surrogate
    CHECK(errors("\xF4\x90\x80\x80") == "PM0002 [\xF4]"); // above U+10FFFF
    CHECK(errors("\"\xE2\x82") == "PM0002 [\xE2]");       // a character that is cut off
    CHECK(errors("\x80") == "PM0002 [\x80]");
    CHECK(errors(std::string("a\0b", 3)).substr(0, 6) == "PM0007");
}

TEST_CASE("the parser terminates for any text") {
    // Every text of three tokens, and random longer texts from a fixed seed.
    const char* const words[] = {"(",    ")",   "[",  "]",   "{",  "}",    "fn", "f",   "=",     ",",   "if",
                                 "else", "for", "in", "let", "\n", "with", ".",  "1",   "\"",    "\"{", ":",
                                 "-",    "not", "..", "*",   ";",  "test", "->", "min", "import"};
    constexpr std::size_t count = std::size(words);
    for (std::size_t i = 0; i < count * count * count; ++i) {
        const std::string text =
            std::string(words[i % count]) + " " + words[i / count % count] + " " + words[i / count / count];
        const Parsed p(text);
        if (p.result.ok()) print(*p.result.module);
    }
    std::uint64_t state = 12345;
    for (int round = 0; round < 2000; ++round) {
        std::string text;
        for (int k = 0; k < 40; ++k) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            text += words[(state >> 33U) % count];
            text += ' ';
        }
        const Parsed p(text);
        if (p.result.ok()) print(*p.result.module);
        for (const pm::Diagnostic& d : p.result.errors) CHECK(d.span.end <= text.size());
    }
}
