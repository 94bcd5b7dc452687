#include "support.hpp"

#include <doctest/doctest.h>

using namespace pm::syntax;

TEST_CASE("let and mut") {
    CHECK(tree("let x = 1") == "let x = 1");
    CHECK(tree("mut x = 1") == "mut x = 1");
    CHECK(tree("let (a, _, *rest) = t") == "let (tuple a _ *rest) = t");
    CHECK(tree("let (a,) = t") == "let (tuple a) = t");
    CHECK(tree("let () = t") == "let (tuple) = t");
    CHECK(tree("let {w, b: (bias, _)} = p") == "let (record w:w b:(tuple bias _)) = p");
    CHECK(tree("let (loss, (dw, db)) = f(x)") == "let (tuple loss (tuple dw db)) = (call f x)");
    CHECK(tree("mut (params, n) = (1, 2)") == "mut (tuple params n) = (tuple 1 2)");
    CHECK(tree("let x: f32[3] = y") == "let x:f32[3] = y");
    CHECK(errors("let (a, a) = t") == "PM0018 [a]");
    CHECK(errors("let (*a, *b) = t") == "PM0024 [b]");
}

TEST_CASE("assignments") {
    CHECK(tree("x = 1") == "x = 1");
    CHECK(tree("x += 1") == "x += 1");
    CHECK(tree("x **= 2") == "x **= 2");
    CHECK(tree("x min= 2") == "x min= 2");
    CHECK(tree("name.f[i].g += e") == "(place name .f (at i) .g) += e");
    CHECK(tree("t.0.1 = e") == "(place t .0 .1) = e");
    CHECK(tree("(a, b[t]) = e") == "(tuple a (place b (at t))) = e");
    CHECK(tree("(a, *rest, _) = e") == "(tuple a *rest _) = e");
    CHECK(tree("{w, b: bias} = e") == "(record w:w b:bias) = e");
    CHECK(tree("x[1:3, ...] = e") == "(place x (at (: 1 3 _) ...)) = e");
    CHECK(errors("f(x) = 1") == "PM0017 [f(x)]");
    CHECK(errors("1 = x") == "PM0017 [1]");
    CHECK(errors("a + b = x") == "PM0017 [a + b]");
    CHECK(errors("grad = 1") == "PM0017 [grad]");
    CHECK(errors("(a, b) += 1") == "PM0036 [+=]");
    CHECK(errors("f(x).y = 1") == "PM0017 [f(x).y]");
    CHECK(errors("[a, b] = x") == "PM0017 [[a, b]]");
}

TEST_CASE("function declarations") {
    CHECK(tree("fn f(x, y=1) = x") == "fn f(x y=1)\n  x");
    CHECK(tree("fn f(x: f32[n, d], w: f32[d]) -> f32[n] { x @ w }") ==
          "fn f(x:f32[n, d] w:f32[d]) -> f32[n]\n  (@ x w)");
    CHECK(tree("fn serial(*layers) = layers") == "fn serial(*layers)\n  layers");
    CHECK(tree("fn f((w, b), x,) {\n  let y = 1\n  y\n}") == "fn f((tuple w b) x)\n  let y = 1\n  y");
    CHECK(tree("## Doubles.\n## Twice.\nfn f(x) = 2 * x") == "fn f(x) ## \"Doubles.\\nTwice.\"\n  (* 2 x)");
    CHECK(tree("## For x.\nlet x = 1\nfn f(x) = x") == "let x = 1\nfn f(x)\n  x");
    CHECK(tree("# no documentation\nfn f(x) = x") == "fn f(x)\n  x");
    CHECK(tree("fn f() { }") == "fn f()");
    CHECK(tree("fn f(x: f32 = 1) = x") == "fn f(x:f32=1)\n  x");
    CHECK(errors("fn f(x=1, y) = x") == "PM0022 [y]");
    CHECK(errors("fn f(*r, y) = x") == "PM0023 [*r]");
    CHECK(errors("fn f(x, x) = x") == "PM0018 [x]");
}

TEST_CASE("annotations of types") {
    const auto type = [](const std::string& text) { return tree("fn f(x: " + text + ") = x"); };
    CHECK(type("f32") == "fn f(x:f32)\n  x");
    CHECK(type("f32[2 * n + 1]") == "fn f(x:f32[(+ (* 2 n) 1)])\n  x");
    CHECK(type("f32[..., d]") == "fn f(x:f32[..., d])\n  x");
    CHECK(type("f32[_, d]") == "fn f(x:f32[_, d])\n  x");
    CHECK(type("_") == "fn f(x:any)\n  x");
    CHECK(type("key[n]") == "fn f(x:key[n])\n  x");
    CHECK(type("(f32, {w: f32[n], b: str}, fn, any)") == "fn f(x:(tuple f32 (record w:f32[n] b:str) fn any))\n  x");
    CHECK(type("(f32)") == "fn f(x:f32)\n  x");
    CHECK(type("(f32,)") == "fn f(x:(tuple f32))\n  x");
    CHECK(tree("fn f() -> {w: f32} { r }") == "fn f() -> (record w:f32)\n  r");
    CHECK(tree("fn f() -> fn { r }") == "fn f() -> fn\n  r");
    CHECK(errors("fn f(x: float) = x") == "PM0029 [float]");
    CHECK(errors("fn f(x: str[n]) = x") == "PM0029 [str[n]]");
    CHECK(errors("fn f(x: f32[n ** 2]) = x") == "PM0030 [n ** 2]");
    CHECK(errors("fn f(x: f32[f(n)]) = x") == "PM0030 [f(n)]");
    CHECK(errors("fn f(x: f32[]) = x") == "PM0001 []]");
}

TEST_CASE("loops and jumps") {
    CHECK(tree("for i in 0..50 { f(i) }") == "for i in (.. 0 50)\n  (call f i)");
    CHECK(tree("for (name, v) in {a: 1} { f(v) }") == "for (tuple name v) in (record a:1)\n  (call f v)");
    CHECK(tree("while x > 0 { x -= 1; if x == 3 { break } else { continue } }") ==
          "while (> x 0)\n  x -= 1\n  (if (== x 3) {break} else {continue})");
    CHECK(tree("fn f(x) { return x + 1 }") == "fn f(x)\n  return (+ x 1)");
    CHECK(tree("fn f(x) { return }") == "fn f(x)\n  return");
    CHECK(tree("fn f(x) {\n  if x > 1 { return }\n  x\n}") == "fn f(x)\n  (if (> x 1) {return})\n  x");
    CHECK(errors("break") == "PM0026 [break]");
    CHECK(errors("if c { continue }") == "PM0026 [continue]");
    CHECK(errors("return 1") == "PM0027 [return 1]");
    CHECK(errors("while c { f(fn() { break }) }") == "PM0026 [break]");
    CHECK(errors("for x in xs") == "PM0001 []");
}

TEST_CASE("imports and tests") {
    CHECK(tree("import nn") == "import nn as nn");
    CHECK(tree("import nn as n") == "import nn as n");
    CHECK(tree("import \"model.pm\" as model") == "import \"model.pm\" as model");
    CHECK(tree("import \"lib/model.pm\"") == "import \"lib/model.pm\" as model");
    CHECK(tree("test \"adds\" { assert(1 + 1 == 2) }") == "test \"adds\"\n  (call assert (== (+ 1 1) 2))");
    CHECK(tree("let test = 1\ntest + 1") == "let test = 1\n(+ test 1)");
    CHECK(errors("import \"my-model.pm\"") == "PM0035 [\"my-model.pm\"]");
    CHECK(errors("fn f() { import nn }") == "PM0028 [nn]");
    CHECK(errors("if c { test \"x\" { 1 } }") == "PM0028 [test \"x\" { 1 }]");
}

TEST_CASE("keywords cannot be bound") {
    for (const char* text : {"let grad = 1", "mut if = 1", "fn pmap(x) = x", "fn f(in) = 1", "let (a, for) = t",
                             "for while in xs { }", "import nn as with", "let {w: none} = r", "fn(*vmap) = 1"})
        CHECK_MESSAGE(errors(text).substr(0, 6) == "PM0016", text << ": " << errors(text));
    CHECK(message("let grad = 1") == "`grad` is a keyword and cannot be used as a name");
}

TEST_CASE("the spans of statements and expressions") {
    const Parsed p("let x = (a + b) * f(c).d\nfn g(y) = y");
    REQUIRE(p.result.ok());
    const Module& m = *p.result.module;
    const Stmt& first = m[m.statements()[0]];
    CHECK(p.sources.text(first.span) == "let x = (a + b) * f(c).d");
    const Expr& product = m[std::get<Let>(first.node).value];
    CHECK(p.sources.text(product.span) == "(a + b) * f(c).d");
    const auto& binary = std::get<Binary>(product.node);
    CHECK(p.sources.text(binary.op_span) == "*");
    CHECK(p.sources.text(m[binary.left].span) == "(a + b)");
    CHECK(p.sources.text(m[binary.right].span) == "f(c).d");
    const Stmt& second = m[m.statements()[1]];
    CHECK(p.sources.text(second.span) == "fn g(y) = y");
    const Function& g = m[std::get<FunctionStmt>(second.node).function];
    CHECK(p.sources.text(g.span) == "fn g(y) = y");
    CHECK(p.sources.text(g.signature) == "fn g(y)");
    CHECK(p.sources.text(g.name.span) == "g");
    CHECK(p.sources.text(m[g.parameters[0].pattern].span) == "y");
}
