// Specialisations that the cache drops. Later calls of their functions stage the functions again.
#include "tests/unit/stage/harness.hpp"

using namespace pm;
using namespace pm::stage;

TEST_CASE("the syntax tree of a redefined function is freed") {
    stage::test::Session s;
    s.run("fn f(x) = sum(x) * 2.0");
    const std::weak_ptr<const syntax::Module> tree = s.run("f").function()->closure()->module;
    CHECK(s.shown("f(ones(3)), grad(f)(ones(2)), vmap(f)(ones((2, 3)))") == "6.0 [2, 2] [6, 6]");
    CHECK_FALSE(tree.expired());
    s.run("fn f(x) = sum(x) * 3.0");
    CHECK(tree.expired());
    CHECK(s.shown("f(ones(3)), grad(f)(ones(2)), vmap(f)(ones((2, 3)))") == "9.0 [3, 3] [9, 9]");
}

TEST_CASE("a syntax tree at the address of a freed tree is another function") {
    stage::test::Session s;
    s.run("fn g(h, x) = h(x) + 1.0");
    // The function is an argument and a global. In both cases it is a part of the key.
    s.run("fn f(x) = x");
    s.run("fn over(x) = f(x)");
    for (int i = 0; i < 300; ++i) {
        s.run("fn f(x) = x * " + std::to_string(i) + ".0");
        REQUIRE(s.shown("g(f, 2.0f32), over(2.0f32)") ==
                std::to_string(2 * i + 1) + ".0 " + std::to_string(2 * i) + ".0");
    }
}

TEST_CASE("a function is interpreted as long as its callees do host work") {
    stage::test::Session s;
    s.stager().host().explain = true;
    s.run("fn f(x) {\n    write_text(\"/dev/null\", \"a\")\n    x * 2.0\n}\nfn g(x) = f(x) + 1.0");
    CHECK(s.shown("g(ones(2)), g(ones(2))") == "[3, 3] [3, 3]");
    CHECK(s.messages().find("the function `g` is interpreted") != std::string::npos);
    CHECK(s.messages().find("`g` is compiled") == std::string::npos);
    s.run("fn f(x) = x * 3.0");
    CHECK(s.shown("g(ones(2))") == "[4, 4]");
    CHECK(s.messages().find("`g` is compiled") != std::string::npos);
}

TEST_CASE("the least recently used specialisations are dropped when their number exceeds a bound") {
    stage::test::Session s;
    s.run("fn f(x) = sum(x) + 1.0\nfn often(x) = sum(x)");
    s.run("let kept = ones(7)");
    s.run("for n in 1..5000 {\n    assert(f(ones((n,))) == n + 1.0)\n    assert(often(kept) == 7.0)\n}");
    s.stager().host().explain = true;
    CHECK(s.printed("let a = f(ones(4999)); let b = often(kept)").empty());
    CHECK(s.messages().empty());
    CHECK(s.shown("f(ones(5))") == "6.0");
    CHECK(s.messages().find("`f` is compiled") != std::string::npos);
}

TEST_CASE("a failed call does not consume its donated argument") {
    stage::test::Session s;
    s.run("let step = pmap(fn(w, x) = w - x, donate_argnums=0)\nmut w = {a: ones((1, 3))}\nlet f = fn(w, x) = "
          "step(w.a, x)");
    s.run("mut v = ones((1, 3))");
    CHECK_THROWS(s.run("step(v, ones((1, 4)))"));
    CHECK(s.shown("v") == "[[1, 1, 1]]");
    s.run("v = step(v, v)");
    CHECK(s.shown("v") == "[[0, 0, 0]]");
    CHECK(s.shown("f(w, ones((1, 3))), w.a") == "[[0, 0, 0]] [[1, 1, 1]]");
}

TEST_CASE("a specialisation does not keep the array for which it was staged") {
    stage::test::Session s;
    s.stager().host().explain = true;
    s.run("let step = pmap(fn(w) = 2.0 * w, donate_argnums=0)\nmut w = ones((1, 3))\nw = step(w)\nw = step(w)");
    CHECK(s.shown("w") == "[[4, 4, 4]]");
    CHECK(s.messages().find("1 held elsewhere") == std::string::npos);
}

TEST_CASE("a function is staged again when the host requests checks for NaNs") {
    stage::test::Session s;
    s.run("let f = jit(fn(x) = x / x)\nlet zero = array(0.0)\nlet _ = f(zero)");
    s.stager().host().check_nans = true;
    CHECK(s.error("f(zero)").id == Diag::made_nan);
    s.stager().host().check_nans = false;
    CHECK(s.shown("f(zero)") == "nan");
}

TEST_CASE("a cancelled search for unused modules changes nothing") {
    stage::test::Session s;
    auto held = s.stager().modules().add("other", "");
    held->names["many"] = {Value::tuple(std::vector<Value>(100'000, Value::integer(1))), false, {}};
    std::vector<std::weak_ptr<ModuleScope>> dropped{held};
    CHECK(s.stager().release_modules(dropped) >= 100'000); // the search visits this number of values
    REQUIRE(dropped.size() == 1);
    std::atomic<bool> cancelled{true};
    s.stager().host().cancel = &cancelled;
    CHECK_THROWS_AS(s.stager().release_modules(dropped), Error);
    CHECK(dropped.size() == 1);
    CHECK(held->names.size() == 1);
    s.stager().host().cancel = nullptr;
    held.reset();
    s.stager().release_modules(dropped);
    CHECK(dropped.empty());
}
