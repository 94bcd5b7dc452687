// A recursive function can be staged if known values end the recursion. Of its arguments, only those become known on
// which the condition of the recursion depends.
#include "tests/unit/stage/harness.hpp"

using namespace pm;
using namespace pm::stage;

TEST_CASE("a recursion over numbers ends") {
    stage::test::Session s;
    s.run("fn fact(n) = if n <= 1 { 1 } else { n * fact(n - 1) }");
    CHECK(s.shown("fact(5), fact(10)") == "120 3628800");
    s.run("fn fib(n) = if n < 2 { n } else { fib(n - 1) + fib(n - 2) }"); // each value is staged once, otherwise this
                                                                          // would not end
    CHECK(s.shown("fib(30)") == "832040");
    s.run("fn even(n) = if n == 0 { true } else { odd(n - 1) }\nfn odd(n) = if n == 0 { false } else { even(n - 1) }");
    CHECK(s.shown("even(10), odd(7), even(7)") == "true true false");
    s.run("fn gcd(a, b) = if b == 0 { a } else { gcd(b, a % b) }");
    CHECK(s.shown("gcd(12, 18)") == "6");
    s.run("fn ack(m, n) = if m == 0 { n + 1 } else { if n == 0 { ack(m - 1, 1) } else { ack(m - 1, ack(m, n - 1)) } }");
    CHECK(s.shown("ack(2, 3)") == "9");
    s.run("fn halve(x, k) = if x < 1 { k } else { halve(x / 2, k + 1) }");
    CHECK(s.shown("halve(8.0, 0)") == "4");
    s.run("fn sums(n) { mut t = 1\n for i in 0..n { t += sums(i) }\n t }");
    CHECK(s.shown("sums(4)") == "16");
}

TEST_CASE("only values that end the recursion become known") {
    stage::test::Session s;
    s.run("fn pow_(x, n) = if n == 0 { 1.0 } else { x * pow_(x, n - 1) }\nlet cube = fn(x) = pow_(x, 3)");
    CHECK(s.shown("grad(cube)(2.0), grad(grad(cube))(2.0)") == "12.0 12.0");
    CHECK(s.shown("vmap(cube)(arange(4.0))") == "[0, 1, 8, 27]");
    s.run("fn tree(d, x) = if d == 0 { x } else { (tree(d - 1, x), tree(d - 1, x * 2)) }");
    CHECK(s.shown("tree(2, 1.0)") == "((1.0, 2.0), (2.0, 4.0))");
}

TEST_CASE("recursion that cannot end is refused") {
    stage::test::Session s;
    CHECK(s.error("fn bad(x) = if x[0] > 0 { bad(x - 1) } else { x }\nbad(ones(3))").id == Diag::staged_recursion);
    CHECK(s.error("fn deep(n) = deep(n + 1)\ndeep(1)").id == Diag::recursion_too_deep);
    CHECK(s.shown("1 + 1") == "2");
}
