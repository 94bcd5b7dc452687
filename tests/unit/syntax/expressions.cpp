#include "support.hpp"

#include <doctest/doctest.h>

using namespace pm::syntax;

TEST_CASE("literals of numbers") {
    CHECK(tree("1") == "1");
    CHECK(tree("1_000") == "1000");
    CHECK(tree("0xFF") == "255");
    CHECK(tree("0xFFu8") == "255u8");
    CHECK(tree("0b101") == "5");
    CHECK(tree("0o17") == "15");
    CHECK(tree("0bf16") == "0.0bf16");
    CHECK(tree("1.5") == "1.5");
    CHECK(tree("1.") == "1.0");
    CHECK(tree("1. + 2") == "(+ 1.0 2)");
    CHECK(tree("1e-3") == "0.001");
    CHECK(tree("1.5e+2") == "150.0");
    CHECK(tree("2f64") == "2.0f64");
    CHECK(tree("7i64") == "7i64");
    CHECK(tree("1.5bf16") == "1.5bf16");
    CHECK(tree("2j") == "2j");
    CHECK(tree("1.5j") == "1.5j");
    CHECK(tree("18446744073709551615") == "18446744073709551615");
    CHECK(tree("-128i8") == "(- 128i8)");
    CHECK(tree("0.1 + 1e300") == "(+ 0.1 1e+300)");
}

TEST_CASE("a point after the digits of a number") {
    CHECK(tree("0..50") == "(.. 0 50)");
    CHECK(tree("1.real") == "(. 1 real)");
    CHECK(tree("1.e5") == "(. 1 e5)");
    CHECK(tree("t.0") == "(. t 0)");
    CHECK(tree("t.0.1") == "(. (. t 0) 1)");
    CHECK(tree("t.0.1.w.2") == "(. (. (. (. t 0) 1) w) 2)");
    CHECK(tree("x[0].1") == "(. (index x 0) 1)");
}

TEST_CASE("invalid literals of numbers") {
    CHECK(errors("1x") == "PM0011 [1x]");
    CHECK(errors("2 * 3abc + 1") == "PM0011 [3abc]");
    CHECK(errors("1.5i32") == "PM0011 [1.5i32]");
    CHECK(errors("18446744073709551616") == "PM0012 [18446744073709551616]");
    CHECK(errors("300u8") == "PM0012 [300u8]");
    CHECK(errors("129i8") == "PM0012 [129i8]");
    CHECK(errors("1e999") == "PM0012 [1e999]");
    CHECK(tree("1e-999") == "0.0");
    CHECK(errors("1__0") == "PM0011 [1__0]");
}

TEST_CASE("literals and names") {
    CHECK(tree("true") == "true");
    CHECK(tree("false") == "false");
    CHECK(tree("none") == "none");
    CHECK(tree("true_w") == "true_w");
    CHECK(tree("\u03b8_1") == "\u03b8_1");
    CHECK(tree("x\u2081") == "x\u2081");
    CHECK(tree("grad") == "<grad>");
    CHECK(tree("gradient") == "gradient");
    CHECK(tree("test") == "test");
    CHECK(tree("as") == "as");
    CHECK(tree("min") == "min");
    CHECK(tree("_") == "_");
}

TEST_CASE("literals of text") {
    CHECK(tree(R"("")") == R"("")");
    CHECK(tree(R"("a b")") == R"("a b")");
    CHECK(tree(R"("a\n\t\"\\")") == R"("a\n\t\"\\")");
    CHECK(tree(R"("\u{3b1}\u{1F600}")") == "\"\u03b1\U0001F600\"");
    CHECK(tree(R"("{{x}}")") == R"("{x}")");
    CHECK(tree(R"("a {x} b")") == R"((text "a " {x} " b"))");
    CHECK(tree(R"("{x}{y}")") == R"((text {x} {y}))");
    CHECK(tree(R"("{loss:.4f}")") == R"((text {loss:.4f}))");
    CHECK(tree(R"("{x:>10}|")") == R"((text {x:>10} "|"))");
    CHECK(tree(R"("epoch {epoch + 1}/50")") == R"((text "epoch " {(+ epoch 1)} "/50"))");
    CHECK(tree(R"("{x[1:3]}")") == R"((text {(index x (: 1 3 _))}))");
    CHECK(tree(R"("{x[1:3]:.2f}")") == R"((text {(index x (: 1 3 _)):.2f}))");
    CHECK(tree(R"("{r["w"]}")") == R"((text {(index r "w")}))");
    CHECK(tree(R"("{"a {b}"}")") == R"((text {(text "a " {b})}))");
    CHECK(tree(R"("{ {a: 1}.a }")") == R"((text {(. (record a:1) a)}))");
    CHECK(tree(R"("{if c { 1 } else { 2 }}")") == R"((text {(if c {1} else {2})}))");
    CHECK(tree(R"("{x}}}")") == R"((text {x} "}"))");
}

TEST_CASE("raw texts") {
    CHECK(tree(R"__(r"")__") == R"("")");
    CHECK(tree(R"__(r"\d{2} {x} }#")__") == R"("\\d{2} {x} }#")");
    CHECK(tree(R"__("{r"a}"}")__") == R"((text {"a}"}))");
    CHECK(tree(R"__({r"a b": 1})__") == R"((record "a b":1))");
    CHECK(tree(R"__(r + xr)__") == "(+ r xr)");
    CHECK(errors("f(r\"abc)\nlet y = 1") == "PM0008 [r\"abc)]");
    CHECK(help("r\"abc") == "close it with `\"`; a text with a quote or a line break is written without the `r`");
    CHECK(errors("\"{r\"abc}\nlet y = 1") == "PM0008 [{r\"abc}]");
    CHECK(errors("xr\"a\"") == "PM0001 [\"]");
}

TEST_CASE("invalid literals of text") {
    CHECK(errors("\"abc") == "PM0008 [\"abc]");
    CHECK(errors("print(\"abc)\nlet x = 1") == "PM0008 [\"abc)]");
    CHECK(errors("\"a\\q\"") == "PM0009 [\\q]");
    CHECK(errors("\"\\u{110000}\"") == "PM0009 [\\u{110000}]");
    CHECK(errors("\"\\u{D800}\"") == "PM0009 [\\u{D800}]"); // one half of a UTF-16 surrogate pair
    CHECK(errors("\"\\u{dfff}\"") == "PM0009 [\\u{dfff}]");
    CHECK(errors("\"a } b\"") == "PM0010 [}]");
    CHECK(errors("\"{x\"\nlet y = 1") == "PM0008 [{x\"]");
    CHECK(errors("\"{}\"") == "PM0001 [}]");
    CHECK(help("\"{}\"") == "write a value in the braces: \"x = {x}\"; `{{` and `}}` are braces themselves");
    CHECK(errors("'abc'") == "PM0033 ['abc']");
    CHECK(errors("\"{x:.2f\"\nlet y = 1") == "PM0008 [{x:.2f]");
    CHECK(errors("\"a {\"b\"} c") == "PM0008 [\"a {\"b\"} c]");
    CHECK(help("let x = .5") == "a number has a digit before its point: 0.5");
    CHECK(errors("\"{x y}\"") == "PM0001 [y]");
}

TEST_CASE("tuples, arrays and parentheses") {
    CHECK(tree("()") == "(tuple)");
    CHECK(tree("(a)") == "a");
    CHECK(tree("(a,)") == "(tuple a)");
    CHECK(tree("(a, b)") == "(tuple a b)");
    CHECK(tree("(a, b,)") == "(tuple a b)");
    CHECK(tree("(a, *b)") == "(tuple a *b)");
    CHECK(tree("(*b)") == "(tuple *b)");
    CHECK(tree("[]") == "(array)");
    CHECK(tree("[[1, 2], [3, x],]") == "(array (array 1 2) (array 3 x))");
    CHECK(tree("[f(x) for x in xs]") == "(array-for x xs (call f x))");
    CHECK(tree("[f(x) for x in xs if x > 0]") == "(array-for x xs (if (> x 0)) (call f x))");
    CHECK(tree("(a + b for (a, b) in zip(x, y))") == "(tuple-for (tuple a b) (call zip x y) (+ a b))");
    CHECK(tree("[i for i in 0..3]") == "(array-for i (.. 0 3) i)");
}

TEST_CASE("records") {
    CHECK(tree("{}") == "(record)");
    CHECK(tree("{w: a, b: c}") == "(record w:a b:c)");
    CHECK(tree("{w, b}") == "(record w:w b:b)");
    CHECK(tree("{..r, f: v,}") == "(record ..r f:v)");
    CHECK(tree("{\"any text\": v}") == "(record \"any text\":v)");
    CHECK(tree("{none: 1, in: 2, grad: 3}") == "(record none:1 in:2 grad:3)");
    CHECK(tree("{a: {b: 1}}") == "(record a:(record b:1))");
    CHECK(errors("{a: 1, a: 2}") == "PM0019 [a]");
    CHECK(errors("{\"a{x}\": 1}") == "PM0034 [{x}]");
}

TEST_CASE("precedence of operators") {
    CHECK(tree("a + b * c") == "(+ a (* b c))");
    CHECK(tree("a * b + c") == "(+ (* a b) c)");
    CHECK(tree("a - b - c") == "(- (- a b) c)");
    CHECK(tree("a @ b * c") == "(* (@ a b) c)");
    CHECK(tree("a ** b ** c") == "(** a (** b c))");
    CHECK(tree("-a ** 2") == "(- (** a 2))");
    CHECK(tree("a ** -b ** c") == "(** a (- (** b c)))");
    CHECK(tree("a ** -b * c") == "(* (** a (- b)) c)");
    CHECK(tree("-a * b") == "(* (- a) b)");
    CHECK(tree("a * -b") == "(* a (- b))");
    CHECK(tree("a - -b") == "(- a (- b))");
    CHECK(tree("~a & b") == "(& (~ a) b)");
    CHECK(tree("a | b ^ c & d << e + f") == "(| a (^ b (& c (<< d (+ e f)))))");
    CHECK(tree("a + b .. c + d") == "(.. (+ a b) (+ c d))");
    CHECK(tree("a | b .. c") == "(.. (| a b) c)");
    CHECK(tree("x in 0..5") == "(in x (.. 0 5))");
    CHECK(tree("a < b + 1") == "(< a (+ b 1))");
    CHECK(tree("x not in y") == "(not in x y)");
    CHECK(tree("not a == b") == "(not (== a b))");
    CHECK(tree("not a and not b or c") == "(or (and (not a) (not b)) c)");
    CHECK(tree("not not a") == "(not (not a))");
    CHECK(tree("a and b or c and d") == "(or (and a b) (and c d))");
    CHECK(tree("(a < b) < c") == "(< (< a b) c)");
    CHECK(tree("(a + b) * c") == "(* (+ a b) c)");
    CHECK(tree("a // b % c / d") == "(/ (% (// a b) c) d)");
    CHECK(tree("-x.f(1)") == "(- (method f x 1))");
    CHECK(tree("a == b and c != d") == "(and (== a b) (!= c d))");
}

TEST_CASE("operators that must not be mixed without parentheses") {
    CHECK(errors("a < b < c") == "PM0015 [<]");
    CHECK(help("a < b <= c") == "write a < b and b <= c");
    CHECK(errors("a == b in c") == "PM0015 [in]");
    CHECK(errors("1..2..3") == "PM0032 [..]");
    CHECK(errors("a == not b") == "PM0032 [not]");
    CHECK(errors("a && b") == "PM0033 [&&]");
    CHECK(help("a && b") == "write `and`");
    CHECK(help("a || b") == "write `or`");
    CHECK(help("!a") == "write `not`");
    CHECK(errors("a + * b") == "PM0001 [*]");
    CHECK(errors("+a") == "PM0001 [+]");
    CHECK(help("+a") == "there is no unary `+`");
}

TEST_CASE("calls and members") {
    CHECK(tree("f()") == "(call f)");
    CHECK(tree("f(1, *args, key=2)") == "(call f 1 *args key=2)");
    CHECK(tree("f(a=1, in=2, grad=3,)") == "(call f a=1 in=2 grad=3)");
    CHECK(tree("f(x == y)") == "(call f (== x y))");
    CHECK(tree("f(min=1, test=2)") == "(call f min=1 test=2)");
    CHECK(tree("f(1)(2)") == "(call (call f 1) 2)");
    CHECK(tree("x.f(a)") == "(method f x a)");
    CHECK(tree("x.f") == "(. x f)");
    CHECK(tree("x.f(a).g[0]") == "(index (. (method f x a) g) 0)");
    CHECK(tree("x.in.grad") == "(. (. x in) grad)");
    CHECK(tree("x.vmap(1)") == "(method vmap x 1)");
    CHECK(tree("pmap(f, axis_name=\"i\")") == "(pmap f axis_name=\"i\")");
    CHECK(tree("value_and_grad(mse)(p, x)") == "(call (value_and_grad mse) p x)");
    CHECK(tree("grad(grad(f))(x)") == "(call (grad (grad f)) x)");
    CHECK(tree("pmean(g, \"i\")") == "(pmean g \"i\")");
    CHECK(tree("map(vmap, fs)") == "(call map <vmap> fs)");
    CHECK(errors("f(a=1, 2)") == "PM0020 [2]");
    CHECK(errors("f(a=1, a=2)") == "PM0021 [a]");
    CHECK(errors("x.+") == "PM0001 [+]");
}

TEST_CASE("indices") {
    CHECK(tree("x[i]") == "(index x i)");
    CHECK(tree("x[-1]") == "(index x (- 1))");
    CHECK(tree("x[1:3, :, ::2]") == "(index x (: 1 3 _) (: _ _ _) (: _ _ 2))");
    CHECK(tree("x[:3]") == "(index x (: _ 3 _))");
    CHECK(tree("x[1:]") == "(index x (: 1 _ _))");
    CHECK(tree("x[a:b:c]") == "(index x (: a b c))");
    CHECK(tree("x[::]") == "(index x (: _ _ _))");
    CHECK(tree("x[..., 0]") == "(index x ... 0)");
    CHECK(tree("x[none]") == "(index x none)");
    CHECK(tree("x[s:+k]") == "(index x (:+ s k))");
    CHECK(tree("x[s:+k, 0]") == "(index x (:+ s k) 0)");
    CHECK(tree("x[i + 1:+2 * k]") == "(index x (:+ (+ i 1) (* 2 k)))");
    CHECK(tree("x[i,]") == "(index x i)");
    CHECK(tree("x[mask]") == "(index x mask)");
    CHECK(errors("x[]") == "PM0001 []]");
    CHECK(errors("x[..., ...]") == "PM0025 [...]");
}

TEST_CASE("updates by with") {
    CHECK(tree("e with [i, :] = v") == "(with e (at i (: _ _ _)) = v)");
    CHECK(tree("e with .w = v") == "(with e .w = v)");
    CHECK(tree("e with .w.0[1] += v") == "(with e .w .0 (at 1) += v)");
    CHECK(tree("e with [i] min= v") == "(with e (at i) min= v)");
    CHECK(tree("e with [i] max= v") == "(with e (at i) max= v)");
    CHECK(tree("a + b with [0] = c or d with [1] *= 2") == "(with (with (+ a b) (at 0) = (or c d)) (at 1) *= 2)");
    CHECK(tree("let y = x with\n [0] = 1") == "let y = (with x (at 0) = 1)");
    CHECK(tree("let y = x\n  with [0] = 1\n  with [1] = 2") == "let y = (with (with x (at 0) = 1) (at 1) = 2)");
    CHECK(tree("f(x with .a = 1, 2)") == "(call f (with x .a = 1) 2)");
    CHECK(errors("e with [i] //= v") == "PM0031 [//=]");
    CHECK(errors("e with w = v") == "PM0001 [w]");
}

TEST_CASE("if") {
    CHECK(tree("if c { a } else { b }") == "(if c {a} else {b})");
    CHECK(tree("if a { 1 } else if b { 2 } else { 3 }") == "(if a {1} b {2} else {3})");
    CHECK(tree("let x = if c { a } else { b } + 1") == "let x = (+ (if c {a} else {b}) 1)");
    CHECK(tree("if r == {a: 1} { 2 }") == "(if (== r (record a:1)) {2})");
    CHECK(tree("if f({}) { }") == "(if (call f (record)) {})");
    CHECK(tree("if c {\n a\n}\nelse {\n b\n}") == "(if c {a} else {b})");
}

TEST_CASE("functions") {
    CHECK(tree("fn(x) = x + 1") == "(fn (x) {(+ x 1)})");
    CHECK(tree("fn(x) { let y = x; y }") == "(fn (x) {let y = x; y})");
    CHECK(tree("fn() = fn(y) = y") == "(fn () {(fn (y) {y})})");
    CHECK(tree("tree_map(fn(p, g) = p - lr * g, params, grads)") ==
          "(call tree_map (fn (p g) {(- p (* lr g))}) params grads)");
    CHECK(tree("vmap(fn(item) = tanh(item) * 2)(batch)") == "(call (vmap (fn (item) {(* (call tanh item) 2)})) batch)");
    CHECK(tree("(fn(x) = x)(3)") == "(call (fn (x) {x}) 3)");
    CHECK(tree("fn((w, b), {c, d: e}, _) = w") == "(fn ((tuple w b) (record c:c d:e) _) {w})");
}
