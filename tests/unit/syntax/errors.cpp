#include "support.hpp"

#include <doctest/doctest.h>

using namespace pm::syntax;

TEST_CASE("several errors in one text are reported, each at its location") {
    CHECK(errors("let x = \nlet y = 2 +* 3\nlet z = 4\nfn f(x = x\nlet w = )\n") ==
          "PM0001 [ ]\nPM0001 [*]\nPM0005 [\n]\nPM0006 [)]");
    CHECK(errors("fn f(x) {\n  let = 1\n  g(x\n}\nlet y 3\n") == "PM0001 [=]\nPM0005 [\n]\nPM0001 [3]");
    const Parsed p("let a = 1\nlet b = = 2\nlet c = 3\n");
    CHECK(p.errors() == "PM0001 [=]");
    CHECK(print(*p.result.module) == "let a = 1\nlet c = 3\n");
    CHECK(print(*Parsed("print x\nlet a = 1").result.module) == "let a = 1\n");
}

TEST_CASE("after many errors the parse ends") {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "let x = )\n";
    CHECK(Parsed(text).result.errors.size() == max_errors);
    CHECK(Parsed(std::string(1000, '\x01')).result.errors.size() <= max_errors);
}

TEST_CASE("the error for an unclosed bracket has a label at the bracket") {
    const Parsed p("let y = f(1,\n  g(2)\nlet z = 1\nlet w = [3\n");
    CHECK(p.errors() == "PM0005 [\n]\nPM0005 [\n]");
    REQUIRE(!p.result.errors.empty());
    CHECK(p.message() == "missing `)`");
    REQUIRE(p.result.errors[0].labels.size() == 1);
    CHECK(p.result.errors[0].labels[0].span.begin == 9);
    CHECK(p.result.errors[0].labels[0].text == "this `(` is not closed");
    CHECK(errors("fn f() { g(x }\nlet y = 1") == "PM0005 [ ]");
    CHECK(errors("(a]") == "PM0006 []]");
    CHECK(errors("f(x))") == "PM0006 [)]");
    CHECK(errors("}") == "PM0006 [}]");
    CHECK(errors("(1 + ) * 2") == "PM0001 [)]");
    CHECK(message("(1 + )") == "expected an expression, found `)`");
}

TEST_CASE("the errors for usual mistakes have a repair") {
    CHECK(help("if a = b { 1 }") == "`==` compares, `=` gives a name a value");
    CHECK(help("if a: b") == "write a body in braces: { ... }");
    CHECK(help("for x in xs: f(x)") == "write a body in braces: { ... }");
    CHECK(help("def f(x) { x }") == "functions are declared with `fn`: fn f(x) = x + 1");
    CHECK(help("if a { 1 }\nelif b { 2 }") == "write `else if`");
    CHECK(help("f(lambda x: x)") == "an anonymous function is fn(x) = x + 1");
    CHECK(help("x := 1") == "`let x = ...` makes a name, `x = ...` gives a `mut` name a new value");
    CHECK(help("var x = 1") == "names are made with `let x = ...`, or `mut x = ...` for one that changes");
    CHECK(help("x = True") == "write `true`");
    CHECK(help("f(None)") == "write `none`");
    CHECK(help("print x") == "write arguments in parentheses: print(...)");
    CHECK(help("let x") == "a name is given its value at once: let x = ...");
    CHECK(help("let x == 1") == "write `=`");
    CHECK(help("x++") == "write `x += 1`, or `+` once");
    CHECK(help("sum(x for x in xs)") == "a comprehension has brackets of its own: f([... for x in xs])");
    CHECK(help("[x for x in xs if x > 0 if x < 9]") ==
          "a `for` of a comprehension has one `if`; join two conditions: `a and b`");
    CHECK(help("let x = for i in xs { i }") == "`for` is a statement and has no value; [f(x) for x in xs] has one");
    CHECK(help("else { 1 }") == "`else` belongs to the `if` right before it");
    CHECK(help("let f = fn g(x) = x") == "a function within an expression has no name: fn(x) = x + 1");
    CHECK(help("let x = { let y = 1 }") == "this `{` begins a record; a block only follows a function, "
                                           "`if`, `else`, `for`, `while` or `test`");
    CHECK(help("let m = {w = 3}") == "a field is given its value by `:`");
    CHECK(help("fn f(x) = { x + 1 }") ==
          "after `=` this `{` begins a record; a body in braces has no `=`: fn f(x) { ... }");
    for (const char* text : {"let x, y = f()", "for i, j in p { }", "a, b = b, a", "fn f(x) { return x, x }"})
        CHECK_MESSAGE(help(text) == "write several values in parentheses: (a, b)", std::string(text));
    CHECK(help("let x = 1 let y = 2") == "two statements on one line need `;` between them");
    CHECK(help("let a = \u201Cx\u201D") == "write text in straight double quotes: \"...\"");
    CHECK(errors("a \u2212 b") == "PM0007 [\u2212]");
    CHECK(help("from nn import dense") == "the library needs no import: nn.relu(x); a file is imported whole: "
                                          "import \"model.pm\", then model.name");
}

TEST_CASE("messages name the expected and the found token") {
    CHECK(message("f(1 2)") == "expected `,` or `)`, found `2`");
    CHECK(message("f(1, +)") == "expected an expression or `)`, found `+`");
    CHECK(message("[1 2]") == "expected `,` or `]`, found `2`");
    CHECK(message("{a 1}") == "expected `,` or `}`, found `1`");
    CHECK(message("let 3 = 1") == "expected a name or a pattern, found `3`");
    CHECK(message("for x xs { }") == "expected `in`, found `xs`");
    CHECK(message("a b") == "expected the end of the statement, found `b`");
    CHECK(message("fn f x = 1") == "expected `(`, found `x`");
    CHECK(message("{\"t\" 1}") == "expected `:`, found `1`");
    CHECK(message("x[*i]") == "expected an index, found `*`");
    CHECK(message("x.") == "expected the name of a field or an index, found the end of the text");
    CHECK(message("let x = 1 +\n") == "expected an expression, found the end of the text");
    CHECK(message("import 3") == "expected the name of a module or the path of a file, found `3`");
    CHECK(message("while { }") == "expected `{`, found the end of the text");
}

TEST_CASE("an incomplete text is reported as incomplete, so the REPL reads more lines") {
    for (const char* text : {"f(", "f(1,", "let x =", "let x = 1 +\n", "fn f(x) {", "fn f(x) {\n  let y = 1\n",
                             "[1,\n 2", "if c {\n a\n} else {", "{a: 1,", "x with", "for x in", "fn f(x) ->", "a and",
                             "x.", "fn f(x) =", "f(fn(x) {\n let y = 2\n", "let t = (1,\n", "x +="})
        CHECK_MESSAGE(Parsed(text).result.incomplete, std::string(text));
    for (const char* text : {"", "f(1)", "f(1))", "let x", "\"abc", "let x = 1 2", "f(1 2", "fn f(x)", "f(]",
                             "let y = )\nf(", "if c { a }", "let grad = ("})
        CHECK_MESSAGE(!Parsed(text).result.incomplete, std::string(text));
}

TEST_CASE("a rendered message") {
    CHECK(Parsed("let y = f(1, 2\nlet z = 3\n").rendered() == "error[PM0005]: missing `)`\n"
                                                              " --> test.pm:1:15\n"
                                                              "1 | let y = f(1, 2\n"
                                                              "  |          - this `(` is not closed\n"
                                                              "  |               ^\n"
                                                              "help: add `)`\n");
}

TEST_CASE("no message contains a type of C++") {
    // Inserts a wrong token at every second position of a program.
    const std::string program = "fn f((a, b), {c, d: e}, x: (f32[n, 2], {k: key}) = [1, 2.5], *r) -> f32 {\n"
                                "let y = if a < b { x[0, 1:2, s:+k] } else if c { -x ** 2 } else { none }\n"
                                "for i in 0..3 { m.w[i] += pmap(f, axis_name=\"i\")(*y, k=\"a {y + 1:.2f}\") }\n"
                                "while not c { break }\nreturn {..r, w, \"t\": (y with [0] min= 1 with .w = 2)}\n}\n"
                                "import nn as n\ntest \"t\" { (q, w) = [fn(z) = z for z in xs] }\n";
    REQUIRE_MESSAGE(Parsed(program).result.ok(), Parsed(program).rendered());
    for (std::size_t i = 0; i < program.size(); i += 2)
        for (const char* wrong :
             {"+ ", ") ", " fn ", ", ", "= ", " 1 ", "{ ", " in ", "\n", ": ", ". ", "* ", " else "}) {
            const Parsed parsed(program.substr(0, i) + wrong + program.substr(i));
            for (const pm::Diagnostic& d : parsed.result.errors)
                CHECK_MESSAGE(d.message.find("boost") == std::string::npos, std::string(wrong)
                                                                                << " at " << i << ": " << d.message);
        }
}
