// If the arguments of a native function are known numbers, its result is known. Compiled code can therefore use the
// result as a size, condition or index.
#include "tests/unit/stage/harness.hpp"

using namespace pm;
using namespace pm::stage;

namespace {

/// Checks the value of an expression, at top level and in a compiled function.
void both(stage::test::Session& s, const std::string& expression, const std::string& expected) {
    INFO(expression);
    CHECK(s.shown(expression) == expected);
    CHECK(s.shown("jit(fn() = " + expression + ")()") == expected);
}

} // namespace

TEST_CASE("functions of known numbers are known") {
    stage::test::Session s;
    both(s, "zeros(int(sqrt(9.0))).shape", "(3,)");
    both(s, "zeros(int(floor(2.7)) + 1).shape", "(3,)");
    both(s, "zeros(maximum(2, 3)).shape", "(3,)");
    both(s, "zeros(minimum(abs(-2), 5)).shape", "(2,)");
    both(s, "zeros(int(round(2.5)), f32).shape", "(2,)");
    both(s, "zeros(int(log2(8))).shape", "(3,)");
    both(s, "zeros(int(exp2(3))).shape", "(8,)");
    both(s, "zeros(prod(zeros((3, 4, 5)).shape)).shape", "(60,)");
    both(s, "zeros(sum((1, 2, 3))).shape", "(6,)");
    both(s, "zeros(max((1, 5, 3))).shape", "(5,)");
    both(s, "zeros(sum(range(4))).shape", "(6,)");
    both(s, "zeros(where(all((true, 1)), 4, 5)).shape", "(4,)");
    both(s, "zeros(clamp(2, 7, 4)).shape", "(4,)");
    both(s, "zeros(left_shift(1, 3)).shape", "(8,)");
    both(s, "if isfinite(1.0) and not isnan(0.5) { 1 } else { \"text\" }", "1");
}

TEST_CASE("functions of weak numbers are computed in double and have weak results") {
    stage::test::Session s;
    CHECK(s.shown("sqrt(2.0)") == "1.4142135623730951");
    CHECK(s.shown("exp(1)") == "2.718281828459045");
    CHECK(s.shown("sqrt(2f32)") == "1.4142135");
    both(s, "(sqrt(2.0) * ones(1, dtype=f16)).dtype", "f16");
    both(s, "(maximum(1, 2) * ones(1, dtype=i8)).dtype", "i8");
    both(s, "(sign(-3) * ones(1, dtype=i8)).dtype", "i8");
    both(s, "sum(()) + prod(())", "1");
    both(s, "max(3, initial=7)", "7");
}

TEST_CASE("functions of numbers with a dtype have results that are rounded to this dtype") {
    stage::test::Session s;
    both(s, "sqrt(2f16).dtype", "f16");
    both(s, "sqrt(4i64).dtype", "f64");
    both(s, "abs(-3i8).dtype", "i8");
    both(s, "maximum(3i8, 2.5).dtype", "f32");
    both(s, "arctan2(1i32, 1i32).dtype", "f32");
}

TEST_CASE("at top level, a size that depends on values is computed") {
    stage::test::Session s;
    CHECK(s.shown("nonzero(array((0, 3, 0, 5)))") == "([1, 3],)");
    CHECK(s.shown("where(array((0, 3, 0, 5)) > 0)") == "([1, 3],)");
    CHECK(s.shown("unique(array((3, 1, 3)))") == "[1, 3]");
    CHECK(s.shown("unique(zeros(0)).shape") == "(0,)");
    CHECK(s.shown("segment_sum(array((1.0, 2.0)), array((1, 1)))") == "[0, 3]");
    CHECK(s.shown("bincount(array((1, 1)))") == "[0, 2]");
}

TEST_CASE("a loop is unrolled if its index must be known") {
    stage::test::Session s;
    both(s, "fori_loop(1, 4, fn(i, c) = c + ones((i, 2)).sum(), 0.0)", "12.0");
    both(s, "scan(fn(c, x) = (c + 1, c), 0, none, length=3)", "(3, [0, 1, 2])");
}

TEST_CASE("loops that carry records, tuples and numbers, and loops that print") {
    stage::test::Session s;
    // Fields of carried records are matched by name, in any order.
    both(s, "scan(fn(c, x) = ({b: c.b * x, a: c.a + x}, none), {a: 0.0, b: 1.0}, array((1.0, 2.0, 3.0)))[0]",
         "{a: 6.0, b: 6.0}");
    both(s, "fori_loop(0, 3, fn(i, c) = {n: c.n + i, t: (c.t[1], c.t[0])}, {n: 0, t: (1.0, 2.0)})",
         "{n: 3, t: (2.0, 1.0)}");
    // A weak initial value gets the dtype of the result of an iteration.
    both(s, "scan(fn(c, x) = (c + x, none), 0, array((1.5, 2.5)))[0]", "4.0");
    both(s, "while_loop(fn(c) = c[0] < 3, fn(c) = (c[0] + 1, c[1] * 2.5), (0, 1))[1]", "15.625");
    CHECK(s.printed("fori_loop(0, 3, fn(i, c) { print(\"turn {i}\")\n c }, 0)") == "turn 0\nturn 1\nturn 2\n");
    // Inner loops carry separate values.
    both(s, "fori_loop(0, 3, fn(i, c) = fori_loop(0, 2, fn(j, d) = d + i * j, c), 0)", "3");
    both(s, "map(fn(r) = scan(fn(c, x) = (c + x, c), 0.0, r)[1], array(((1.0, 2.0), (3.0, 4.0))))", "[[0, 1], [0, 3]]");
}

TEST_CASE("a loop over a function with host work runs iteration by iteration") {
    stage::test::Session s;
    s.run("fn late(x) = if time() > 0.0 { x + 1 } else { x }");
    CHECK(s.shown("fori_loop(0, 3, fn(i, c) = late(c) + i, 0)") == "6");
    CHECK(s.shown("scan(fn(c, x) = (late(c), c + x), 0.0, array((1.0, 2.0)))") == "(2.0, [1, 3])");
    CHECK(s.shown("map(fn(x) = late(x), array((1.0, 2.0)))") == "[2, 3]");
    CHECK(s.shown("while_loop(fn(c) = c < 4, fn(c) = late(c), 0)") == "4");
    CHECK(s.shown("cond(true, late, fn(x) = x, 1)") == "2");
}
