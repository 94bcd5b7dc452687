// Early exits, conditions and loops in compiled functions.
#include "tests/unit/stage/harness.hpp"

using namespace pm;
using namespace pm::stage;

TEST_CASE("an early exit of an inner loop does not end the outer loop") {
    stage::test::Session s;
    s.run("fn f(n) {\n mut k = 0\n for i in 0..4 {\n for j in 0..4 { if j > i + n { break }\n k += 1 }\n }\n k\n}");
    CHECK(s.shown("f(0)") == "10");
    CHECK(s.shown("f(2)") == "15");
    s.run("fn g(n) {\n mut k = 0\n mut i = 0\n while i < 4 {\n i += 1\n mut j = 0\n while true { j += 1\n if j > n { "
          "break }\n if j == 2 { continue }\n k += j }\n }\n k\n}");
    CHECK(s.shown("g(3)") == "16");
    s.run("fn u(n) {\n mut k = 0\n for a in (1, 2, 3) {\n for b in (1, 2, 3) { if a * b > n { break }\n k += a * b }\n "
          "k += 100\n }\n k\n}");
    CHECK(s.shown("u(3)") == "311");
}

TEST_CASE("branches of an if statement whose value is unused may have different types") {
    stage::test::Session s;
    s.run("fn g(x) = (x, x)\nfn h(x) { print(\"h\")\n {a: x} }\n"
          "fn f(x) {\n if x > 0 { g(x) } else { h(x) }\n for i in 0..2 { if x > 10 { break }\n h(x) }\n x + 1 }");
    CHECK(s.printed("print(f(1.0))") == "h\nh\n2.0\n");
    CHECK(s.printed("print(f(-1.0))") == "h\nh\nh\n0.0\n");
}

TEST_CASE("the last statement of a function is its value when it is an if") {
    stage::test::Session s;
    s.run("fn f(x) {\n let y = x * 2\n if y > 0 { y } else { -y }\n}");
    CHECK(s.shown("f(1.5), f(-1.5)") == "3.0 3.0");
    s.run("fn g(x) {\n if x > 0 { return x }\n if x < -5 { 5.0 } else { 0.0 }\n}");
    CHECK(s.shown("g(2.0), g(-7.0), g(-1.0)") == "2.0 5.0 0.0");
}

TEST_CASE("all exits of a function must return values of the same type") {
    stage::test::Session s;
    const Diagnostic fell = s.error("fn find(x) { for i in 0..4 { if x[i] > 2 { return i } } }\nfind(arange(4))");
    CHECK(fell.id == Diag::types_differ);
    CHECK(fell.message == "`find` gives i32 on one side and none on the other");
    CHECK(s.error("fn f(x) { if x > 0 { return }\n x }\nf(1.0)").id == Diag::types_differ);
    CHECK(s.error("fn f(x) { if x[0] > 0 { return (x, x) }\n x }\nf(ones(1))").id == Diag::types_differ);
    CHECK(s.error("fn f(x) { mut b = none\n for i in 0..3 { if x[0] > 1 { b = i\n break } }\n b }\nf(ones(1))").id ==
          Diag::types_differ);
    s.run("fn found(x) { for i in 0..4 { if x[i] > 2 { return i } }\n return -1 }");
    CHECK(s.shown("found(arange(4)), found(zeros(4))") == "3 -1");
    s.run("fn first(x) { mut i = 0\n while true { if x[i] > 1 { return i }\n i += 1 } }");
    CHECK(s.shown("first(arange(4))") == "2");
    s.run("fn nothing(x) { for i in 0..3 { if x[i] > 0 { return } } }");
    CHECK(s.shown("nothing(arange(3))") == "none");
}

TEST_CASE("an exit inside an expression is refused") {
    stage::test::Session s;
    CHECK(s.error("fn f(x) { let y = if x > 0 { return 1.0 } else { x }\n y }").id == Diag::exit_in_expression);
    CHECK(s.error("for i in 0..3 { let y = 1 + (if i > 0 { break } else { i }) }").id == Diag::exit_in_expression);
    CHECK(s.shown("if true { for i in 0..3 { if i > 0 { break } }\n 1 } else { 2 }") == "1");
}

TEST_CASE("a for is unrolled if a name changes its type, or if the value of the loop variable is needed") {
    stage::test::Session s;
    s.run("fn powers(x, n) { mut out = ()\n for i in 0..n { out = out + (x ** i,) }\n out }");
    CHECK(s.shown("powers(2.0, 3)") == "(1.0, 2.0, 4.0)");
    s.run("fn total(t, n) { mut s = 0\n for i in 0..n { s += t[i] }\n s }");
    CHECK(s.shown("total((1, 2.5, 3), 2), total((1, 2.5, 3), 3)") == "3.5 6.5");
    s.run("fn last(x) { mut b = none\n for i in 0..3 { b = x[i] }\n b }");
    CHECK(s.shown("last(arange(3.0))") == "2.0");
    const Diagnostic many = s.error("fn grow(x) { mut out = ()\n for i in 0..300 { out += (x,) }\n out }\ngrow(1.0)");
    CHECK(many.id == Diag::unroll_limit);
    CHECK(s.error("fn grow(x) { mut t = (x,)\n while t[0] < 3 { t = t + (1,) }\n t }\ngrow(1.0)").id ==
          Diag::carried_type);
}

TEST_CASE("assignments in the condition of a while are kept after the loop") {
    stage::test::Session s;
    s.run(
        "fn f(n) {\n mut k = 0\n mut s = 0\n while (if k < n { k += 1\n true } else { false }) { s += k }\n (k, s)\n}");
    CHECK(s.shown("f(5), f(0)") == "(5, 15) (0, 0)");
    s.run("fn g(n) {\n mut k = 0\n while (if k < n { k += 1\n true } else { false }) { if k == 3 { break } }\n k\n}");
    CHECK(s.shown("g(5), g(2)") == "3 2");
}
