// Errors in calls of native functions: the code of the error, the numbers in the message, and the suggested repair.
#include "tests/unit/stage/harness.hpp"

#include "compiler/base/diagnostic.hpp"

using namespace pm;
using namespace pm::stage;

namespace {

bool holds(const std::vector<std::string>& lines, const std::string& part) {
    for (const std::string& line : lines)
        if (line.find(part) != std::string::npos) return true;
    return false;
}

} // namespace

TEST_CASE("the message of matmul has both types, and proposes a transpose only if it fits") {
    stage::test::Session s;
    s.run("let x = zeros((32, 784))\nlet w = zeros((128, 784))\nlet z = zeros((5, 7))");
    const Diagnostic fits = s.error("x @ w");
    CHECK(fits.id == Diag::matmul_sizes);
    CHECK(fits.message == "`@` needs equal inner sizes, got 784 and 128");
    CHECK(holds(fits.notes, "f32[32, 784]"));
    CHECK(holds(fits.notes, "f32[128, 784]"));
    REQUIRE(fits.help.size() == 1);
    CHECK(fits.help[0] == "`a @ b.T` would fit: f32[32, 784] @ f32[784, 128]");
    CHECK(s.error("x @ z").help.empty());
    CHECK(s.error("x.T @ w").help.empty());
    CHECK(s.error("w.T @ x.T").help[0] == "`a.T @ b` would fit: f32[128, 784] @ f32[784, 32]");
    const Diagnostic called = s.error("matmul(x, w)");
    CHECK(called.message == "`matmul` needs equal inner sizes, got 784 and 128");
    REQUIRE(called.labels.size() == 2);
    CHECK(called.labels[0].text == "f32[32, 784], inner size 784");
    CHECK(s.sources().text(called.labels[1].span) == "w");
    CHECK(s.error("fn f(a, b) = a @ b\nf(x, w)").id == Diag::matmul_sizes);
    CHECK(s.error("x @ 2.0").id == Diag::wrong_kind);
    CHECK(s.error("zeros((2, 3, 4)) @ zeros((3, 4, 5))").id == Diag::shapes_do_not_broadcast);
}

TEST_CASE("if an error is within the library, its caret text is not shown at the call") {
    stage::test::Session s;
    s.run("import linalg\nlet m = stack((eye(2), eye(2)))\nlet b = ones((3, 2))");
    const Diagnostic own = s.error("vmap(fn(m, b) = m @ b)(m, b)");
    CHECK(own.caret == "size 3");
    const Diagnostic inside = s.error("linalg.lu_solve((m, zeros((2, 2), i32)), b)");
    CHECK(inside.id == own.id);
    CHECK(s.sources().text(inside.span) == "linalg.lu_solve((m, zeros((2, 2), i32)), b)");
    CHECK(inside.caret.empty());
}

TEST_CASE("einsum reports operands and labels that do not fit each other") {
    stage::test::Session s;
    s.run("let x = zeros((2, 3))\nlet v = zeros(4)");
    const auto message = [&](const std::string& text) { return s.error(text).message; };
    CHECK(message("einsum(\"ij,j->i\", x, v)") == "einsum \"ij,j->i\": `j` is 3 in operand 0 and 4 in operand 1");
    CHECK(message("einsum(\"ijk->i\", x)") == "einsum \"ijk->i\": operand 0 has shape (2, 3), but 3 axes are named");
    CHECK(message("einsum(\"ij->ik\", x)") == "einsum \"ij->ik\": the output's `k` is in no operand");
    CHECK(message("einsum(\"ij->ii\", x)") == "einsum \"ij->ii\": the output has `i` twice");
    CHECK(message("einsum(\"ij,j\", x)") == "einsum \"ij,j\": it names 2 operands, but 1 is given");
    CHECK(message("einsum(\"i1\", x)") ==
          "einsum \"i1\": `1` is no label; labels are letters from a to z and from A to Z");
    CHECK(message("einsum(\"é\", x)") ==
          "einsum \"é\": `é` is no label; labels are letters from a to z and from A to Z");
    CHECK(message("einsum(\"ii\", x)") == "einsum \"ii\": `i` is 2 in operand 0 and 3 in operand 0");
    CHECK(message("einsum(\"...j->j\", x)") ==
          "einsum \"...j->j\": the output needs `...` too: an operand has axes under it");
}

TEST_CASE("reductions over empty axes are refused if they have no value") {
    stage::test::Session s;
    const Diagnostic d = s.error("max(zeros((3, 0)), axis=1)");
    CHECK(d.id == Diag::empty_reduction);
    CHECK(d.message == "`max` of f32[3, 0] has no value: its axis 1 is empty");
    CHECK(s.shown("max(zeros((3, 0)), axis=1, initial=2.0)") == "[2, 2, 2]");
    CHECK(s.shown("max(zeros((0, 3)), axis=1).shape") == "(0,)");
    CHECK(s.error("argmin(zeros(0))").id == Diag::empty_reduction);
    CHECK(s.error("max(())").id == Diag::empty_reduction);
    CHECK(s.error("max(ones(3), where=array((true, false, true)))").id == Diag::missing_argument);
    CHECK(s.error("sum(ones(3), axis=1)").id == Diag::axis_out_of_range);
    CHECK(s.error("sum(\"text\")").id == Diag::wrong_kind);
}

TEST_CASE("in compiled code a size that depends on values is refused") {
    stage::test::Session s;
    const Diagnostic d = s.error("jit(fn(x) = nonzero(x))(array((0, 1)))");
    CHECK(d.id == Diag::size_not_known);
    CHECK(holds(d.help, "nonzero(..., size=n)"));
    CHECK(s.error("jit(fn(x) = unique(x))(array((0, 1)))").id == Diag::size_not_known);
    CHECK(holds(s.error("jit(fn(x) = segment_sum(x, x))(array((0, 1)))").help, "num_segments=n"));
}

TEST_CASE("indices out of range are errors unless a mode says otherwise") {
    stage::test::Session s;
    CHECK(s.error("take(arange(3), array((0, 3)))").id == Diag::index_out_of_range);
    CHECK(s.error("jit(fn(i) = take(arange(3), i))(array((0, -4)))").id == Diag::index_out_of_range);
    CHECK(s.shown("take(arange(3), array((0, -1)))") == "[0, 2]");
    CHECK(s.error("take_along_axis(arange(3), array((5, 1)), 0)").id == Diag::index_out_of_range);
    CHECK(s.error("take(arange(3), 1.5)").id == Diag::bad_index);
    CHECK(s.error("take(arange(3), 1, mode=\"near\")").id == Diag::wrong_kind);
    CHECK(s.error("top_k(arange(3), 4)").id == Diag::wrong_kind);
}

TEST_CASE("control flow functions report arguments that do not fit") {
    stage::test::Session s;
    const Diagnostic pair = s.error("scan(fn(c, x) = c + x, 0.0, ones(3))");
    CHECK(pair.id == Diag::wrong_kind);
    CHECK(holds(pair.help, "(carry, none)"));
    CHECK(s.error("scan(fn(c, x) = (c, x), 0.0)").id == Diag::missing_argument);
    CHECK(s.error("scan(fn(c, x) = (c, x), 0.0, ones(3), length=4)").id == Diag::shapes_disagree);
    const Diagnostic carry = s.error("scan(fn(c, x) = (concatenate((c, c)), x), ones(2), ones(3))");
    CHECK(carry.id == Diag::carried_type);
    CHECK(carry.message.find("`carry`") != std::string::npos);
    CHECK(s.error("jit(fn(c) = cond(c[0] > 0, fn() = 1.0, fn() = ones(2)))(ones(1))").id == Diag::types_differ);
    CHECK(s.error("cond(1, fn() = 1, fn() = 2)").id == Diag::condition_kind);
    CHECK(s.error("switch(1.5, (fn() = 1,))").id == Diag::wrong_kind);
    CHECK(s.error("map(2, ones(3))").id == Diag::wrong_kind);
    CHECK(s.error("associative_scan(fn(a, b) = sum(a) + sum(b), ones(4))").id == Diag::result_type);
}

TEST_CASE("random keys are not numbers") {
    stage::test::Session s;
    s.run("import random\nlet k = random.key(0)");
    CHECK(s.error("sum(k)").id == Diag::wrong_kind);
    CHECK(s.error("sqrt(k)").id == Diag::wrong_kind);
    CHECK(s.error("random.bits(3)").id == Diag::wrong_kind);
    const Diagnostic several = s.error("random.bits(random.split(k))");
    CHECK(several.id == Diag::wrong_kind);
    CHECK(holds(several.help, "vmap"));
    CHECK(s.error("random.key(0.5)").id == Diag::wrong_kind);
    CHECK(s.error("random.bits(k, (3,), i32)").id == Diag::wrong_kind);
}

TEST_CASE("division of integers by zero") {
    stage::test::Session s;
    CHECK(s.error("fmod(array((1, 2)), 0)").id == Diag::division_by_zero);
    CHECK(s.error("fmod(1, 0)").id == Diag::division_by_zero);
    CHECK(s.error("mod(array((1, 2)), array((1, 0)))").id == Diag::division_by_zero);
}
