#include "support.hpp"

#include <doctest/doctest.h>

using namespace pm::syntax;

TEST_CASE("newlines and semicolons end statements") {
    CHECK(tree("a\nb") == "a\nb");
    CHECK(tree("a; b;; c;") == "a\nb\nc");
    CHECK(tree("\n\n  a  # comment\n\n# comment\n b\n\n") == "a\nb");
    CHECK(tree("a\r\nb\r\n") == "a\nb");
    CHECK(tree("\xEF\xBB\xBF"
               "a") == "a");
    CHECK(tree("") == "");
    CHECK(tree("# only a comment") == "");
    CHECK(tree("\tlet x = 1\n\tx") == "let x = 1\nx");
}

TEST_CASE("the innermost bracket decides whether a newline ends a statement") {
    CHECK(tree("f(\n  a,\n  b\n)\nc") == "(call f a b)\nc");
    CHECK(tree("[\n1,\n2,\n]") == "(array 1 2)");
    CHECK(tree("{\n  a: 1,\n  b\n}") == "(record a:1 b:b)");
    CHECK(tree("f(fn(x) {\n  let y = x\n  y\n}, 2)") == "(call f (fn (x) {let y = x; y}) 2)");
    CHECK(tree("(a\n+ b\n- c)") == "(- (+ a b) c)");
    CHECK(tree("(f\n(x))") == "(call f x)");
    CHECK(tree("f\n(x)") == "f\nx");
    CHECK(tree("x\n[0]") == "x\n(array 0)");
    CHECK(tree("fn f(x) {\n  g(\n    x\n  )\n  x\n}") == "fn f(x)\n  (call g x)\n  x");
}

TEST_CASE("a statement continues after an operator and before a point") {
    CHECK(tree("let x = a +\n  b") == "let x = (+ a b)");
    CHECK(tree("let x =\n  a") == "let x = a");
    CHECK(tree("let x = # why\n\n  a") == "let x = a");
    CHECK(tree("let x = not\n a") == "let x = (not a)");
    CHECK(tree("let x = a and\n b or\n c") == "let x = (or (and a b) c)");
    CHECK(tree("x +=\n 1") == "x += 1");
    CHECK(tree("fn f(x) ->\n f32 = x") == "fn f(x) -> f32\n  x");
    CHECK(tree("for x in\n xs { f(x) }") == "for x in xs\n  (call f x)");
    CHECK(tree("let y = x\n  .f(1)\n  .g") == "let y = (. (method f x 1) g)");
    CHECK(tree("let y = x\n  .0") == "let y = (. x 0)");
    CHECK(tree("let y = x.in\nz") == "let y = (. x in)\nz");
    CHECK(tree("if c { a }\nelse if d { b }\nelse { e }") == "(if c {a} d {b} else {e})");
}

TEST_CASE("a line that starts with a binary operator is refused") {
    CHECK(errors("let x = a\n  + b") == "PM0013 [+]");
    CHECK(errors("let x = a\n  and b\nlet y = 2") == "PM0013 [and]");
    CHECK(errors("let x = a\n  not in b") == "PM0013 [not]");
    CHECK(errors("let x = a\n  == b") == "PM0013 [==]");
    CHECK(errors("let x\n  = b") == "PM0013 [=]");
    CHECK(tree("a\n-b") == "a\n(- b)");
    CHECK(tree("fn f() {\n  a\n  -b\n}") == "fn f()\n  a\n  (- b)");
    CHECK(errors("let x = a\n  - b") == "PM0014 [-]");
    CHECK(errors("fn f() {\n  a\n    -b\n}") == "PM0014 [-]");
    CHECK(tree("a\n~b") == "a\n(~ b)");
    CHECK(tree("a\nnot b") == "a\n(not b)");
    CHECK(tree("fn f() {\n  -b\n}") == "fn f()\n  (- b)");
}

TEST_CASE("braces are a block only where a body is expected") {
    CHECK(tree("fn f() = {}") == "fn f()\n  (record)");
    CHECK(tree("fn f() = {a: 1}") == "fn f()\n  (record a:1)");
    CHECK(tree("fn f() { {a: 1} }") == "fn f()\n  (record a:1)");
    CHECK(tree("fn f() { return {a} }") == "fn f()\n  return (record a:a)");
    CHECK(tree("let x = {a: 1}") == "let x = (record a:1)");
    CHECK(tree("for x in {a} { x }") == "for x in (record a:a)\n  x");
    CHECK(tree("while x[0] { }") == "while (index x 0)");
    CHECK(tree("if x.if { 1 }") == "(if (. x if) {1})");
    CHECK(tree("test \"t\" { 1 }") == "test \"t\"\n  1");
    CHECK(tree("{}") == "(record)");
    CHECK(errors("{ let x = 1 }") == "PM0001 [let]");
    CHECK(errors("fn f()\n{ 1 }") == "PM0001 [\n]");
    CHECK(help("fn f()\n{ 1 }") == "a body begins on the same line, with `=` or `{`");
    CHECK(errors("if c\n{ 1 }") == "PM0001 [\n]");
    CHECK(help("if c\n{ 1 }") == "a body begins on the same line: put `{` at its end");
}

TEST_CASE("a lone carriage return ends a line, and positions are those in the file") {
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        pm::SourceMap sources;
        const std::uint32_t source = sources.add("test.pm", "let a = 1 # one" + end + end + "let b = 2" + end);
        const ParseResult parsed = parse(sources, source);
        REQUIRE(parsed.ok());
        const auto& statements = parsed.module->statements();
        REQUIRE(statements.size() == 2);
        const pm::Span span = (*parsed.module)[statements[1]].span;
        CHECK(sources.text(span) == "let b = 2");
        CHECK(sources[source].position(span.begin).line == 3);
        CHECK(sources[source].line(1) == "let a = 1 # one");
    }
}
