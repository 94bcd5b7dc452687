// Messages of assertions, and `test` blocks.
#include "harness.hpp"

using namespace pm;
using pm::stage::test::Session;

TEST_CASE("an assertion shows the values that it compares") {
    struct Row {
        const char* program;
        const char* message;
    };
    const Row rows[] = {
        {"assert(1 + 1 == 3)", "the assertion does not hold: 2 == 3"},
        {"assert(1 > 2, \"order\")", "order (1 > 2)"},
        {"let x = 3\nassert(x > 1 and x > 5)", "the assertion does not hold: 3 > 5"},
        {"assert(1 > 2 and [1][7] == 0)", "the assertion does not hold: 1 > 2"},
        {"assert([true, true] and [1, 2] == [1, 3])", "the assertion does not hold"},
        {"assert(\"a\" == \"b\")", "the assertion does not hold: \"a\" == \"b\""},
        {"assert((1, (2, 3)) == (1, (2, 4)))", "the assertion does not hold: (1, (2, 3)) == (1, (2, 4))"},
        {"assert(4 in (1, 2))", "the assertion does not hold: 4 in (1, 2)"},
        {"assert(not true)", "the assertion does not hold"},
        {"assert(all([1, 2] == [1, 3]))", "the assertion does not hold: [1, 2] == [1, 3]"},
        {"assert(all([1, 2] == [1, 3], axis=0))", "the assertion does not hold: all([true, false], axis=0)"},
        {"assert(arange(30).reshape(2, 15) < arange(15))", "the assertion does not hold: at [0, 0]: 0 < 0"},
        {"assert(arange(30).reshape(2, 15) < 20)", "the assertion does not hold: at [1, 5]: 20 < 20"},
        {"assert(allclose([1.0], [2.0], atol=0.5))", "the assertion does not hold: allclose([1], [2], atol=0.5)"},
        {"assert(array_equal(zeros(50), *(ones(50),)))", "the assertion does not hold: array_equal(f32[50], f32[50])"},
        {"fn odd(f, n) = f(n)\nassert(odd(fn(n) = n % 2 == 1, 4))",
         "the assertion does not hold: odd(fn(n) = n % 2 == 1, 4)"},
        // The same assertions in compiled functions.
        {"fn f(x) { assert(x + 1 == 3) }\nf(1.0)", "the assertion does not hold: 2.0 == 3"},
        {"fn f(x) { assert(x == [1.0, 2.0]) }\nf([1.0, 3.0])", "the assertion does not hold: [1, 3] == [1, 2]"},
        {"fn f(x) { assert(x > 0 and x < 2, \"small\") }\nvmap(f)([1.0, 5.0])", "small (5.0 < 2)"},
        {"fn f(x) { assert(x.reshape(5, 10) != x[33]) }\nf(arange(50))",
         "the assertion does not hold: at [3, 3]: 33 != 33"},
        {"fn f(x) { assert(all(x > 0), \"{x} {sum(x)} {x[0]} {x[1]} {x + 1}\") }\nf([0.0, 1.0])",
         "[0, 1] 1.0 0.0 1.0 [1, 2] ([0, 1] > 0)"},
        {"fn f(x) { assert(allclose(x, 0)) }\nf([1.0, 2.0])", "the assertion does not hold: allclose([1, 2], 0)"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.program));
        Session s;
        const Diagnostic d = s.error(row.program);
        CHECK(d.id == Diag::assertion_failed);
        CHECK(d.message == row.message);
    }
}

TEST_CASE("an assertion that holds evaluates its operands once, and prints nothing") {
    Session s;
    CHECK(s.printed("fn loud(x) { print(\"once\")\nx }\nassert(loud(1) == 1 and loud(2) > 1, \"text\")") ==
          "once\nonce\n");
    CHECK(s.error("assert([1, 2])").id == Diag::condition_kind);
    CHECK(s.error("assert(1, \"text\")").id == Diag::condition_kind);
    CHECK(s.error("assert(1 and true)").id == Diag::condition_kind);
}

TEST_CASE("a test uses the module as it is after its run, and does not change it") {
    Session s;
    SourceMap& sources = s.sources();
    const auto parsed =
        syntax::parse(sources, sources.add("t.pm", "mut n = 1\nmut x = [1, 2]\nfn twice() = 2 * n\n"
                                                   "test \"a\" { n = 5\nx[0] = 9\nlet n2 = 1\nassert(twice() == 10) }\n"
                                                   "test \"b\" { assert(n == 1 and x[0] == 1 and twice() == 2) }\n"
                                                   "test \"c\" { assert(n2 == 1) }\n"));
    REQUIRE(parsed.ok());
    stage::Stager& stager = s.stager();
    const auto scope = stager.modules().add("t", "");
    stager.run(parsed.module, scope);
    std::vector<const syntax::Test*> tests;
    for (const auto id : parsed.module->statements())
        if (const auto* test = std::get_if<syntax::Test>(&(*parsed.module)[id].node)) tests.push_back(test);
    REQUIRE(tests.size() == 3);
    CHECK_NOTHROW(stager.run_test(parsed.module, scope, *tests[0]));
    CHECK_NOTHROW(stager.run_test(parsed.module, scope, *tests[1]));
    CHECK_THROWS_AS(stager.run_test(parsed.module, scope, *tests[2]), Error); // names of another test are not visible
}
