// Tests of the generator, the laws and the shrinker: a fault that is added to a program is found and shrunk.
#include "tests/fuzz/generator.hpp"
#include "tests/fuzz/judge.hpp"
#include "tests/fuzz/number_programs.hpp"
#include "tests/fuzz/numbers.hpp"
#include "tests/fuzz/shrink.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

using namespace pm::fuzz;

namespace {

std::string text_of(const Program& program) {
    return law_program(program, laws_of(program), {program.narrow, program.weak, 0});
}

Node node(Role role, const std::string& text, std::vector<Node> kids = {}) {
    Node n;
    n.role = role;
    n.text = text;
    n.kids = std::move(kids);
    return n;
}

/// A generated program with a call of `wrong` added to its value. `definition` defines `wrong`.
Program with_fault(std::uint64_t seed, const std::string& definition) {
    Program p = generate(seed);
    while (p.single() || p.stopped || p.reverse_only || p.result.tree() || count_nodes(p.body) > 60)
        p = generate(++seed);
    p.functions.push_back(node(Role::statement, definition));
    Node& value = p.body.kids.back();
    Node added = node(Role::expression, "$0 + wrong(sum($0))", {value});
    added.type = p.result;
    value = added;
    return p;
}

const Fault* fault_in(const Judged& judged, const std::string& part) {
    const auto at = std::find_if(judged.faults.begin(), judged.faults.end(),
                                 [&](const Fault& f) { return f.what.find(part) != std::string::npos; });
    return at == judged.faults.end() ? nullptr : &*at;
}

/// Most programs show a fault that is added to their value. Others return before it, or have no elements. Shrinks the
/// first program that shows the fault, and returns the number of its lines.
long found_and_shrunk(std::uint64_t seed, const std::string& definition, const std::string& part) {
    JudgeOptions options;
    options.compile = false;
    int found = 0;
    long lines = -1;
    for (int i = 0; i < 5; ++i, seed += 10) {
        const Program program = with_fault(seed, definition);
        const Judged judged = judge(program, 1, options);
        const Fault* fault = fault_in(judged, part);
        if (fault == nullptr || ++found > 1) continue;
        const Program small = shrink(program, [&](const Program& p) { return has_fault(p, *fault, options); }, 900);
        CHECK(has_fault(small, *fault, options));
        const std::string left = write_functions(small, {}) + write_main(small, {});
        CAPTURE(left);
        CHECK(left.find("wrong") != std::string::npos);
        lines = std::count(left.begin(), left.end(), '\n');
    }
    CHECK(found >= 2);
    return lines;
}

} // namespace

TEST_CASE("the same seed generates the same program") {
    for (std::uint64_t seed = 1; seed < 50; ++seed) CHECK(text_of(generate(seed)) == text_of(generate(seed)));
    CHECK(text_of(generate(1)) != text_of(generate(2)));
}

TEST_CASE("an index after a power is written in brackets") {
    JudgeOptions options;
    options.compile = false;
    for (const Fault& fault : judge(generate(900073), 1, options).faults) {
        CAPTURE(fault.details);
        CHECK_FALSE(true);
    }
}

TEST_CASE("the law of differences finds a wrong derivative, and the program is shrunk") {
    const long lines = found_and_shrunk(
        10, "let wrong = custom_jvp(fn(a) = sin(a), fn(p, t) = (sin(p.0), 0.5 * cos(p.0) * t.0))", "law `differences`");
    CHECK(lines > 0);
    CHECK(lines <= 6);
}

TEST_CASE("a rule that is not linear in its tangent is found without differences") {
    // Reverse mode must reject the rule or disagree with forward mode.
    const long lines =
        found_and_shrunk(10, "let wrong = custom_jvp(sin, fn(p, t) = (sin(p.0), sin(t.0)))", "evaluated");
    CHECK(lines > 0);
    CHECK(lines <= 6);
}

TEST_CASE("ill-conditioned values are undecided, not faults") {
    const Program p = with_fault(31, "fn wrong(a) = sum(sin(1e17 * (a + arange(1, 4) / 7)))");
    JudgeOptions options;
    options.thorough = true;
    const Judged judged = judge(p, 1, options);
    CHECK(judged.unsure > 0);
    for (const Fault& fault : judged.faults) {
        CAPTURE(fault.what);
        CAPTURE(fault.details);
        CHECK_FALSE(true);
    }
}

TEST_CASE("an invalid program is a fault") {
    const long lines = found_and_shrunk(10, "fn wrong(a) = a + undefined_name", "PM0101");
    CHECK(lines > 0);
    CHECK(lines <= 6);
}

TEST_CASE("a process that crashes, hangs or ends in an error has a result") {
    const auto one = [](const std::function<Finished(const Task&)>& work) {
        return run_isolated({{{}, ""}, {{}, ""}}, 1, work);
    };
    const auto crashed = one([](const Task&) -> Finished {
        kill(getpid(), SIGKILL); // doctest handles the other signals
        return {};
    });
    REQUIRE(crashed.size() == 1);
    CHECK(crashed[0].ending == Ending::crash);
    CHECK(crashed[0].message == "signal 9");
    const auto waits = one([](const Task&) -> Finished {
        for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
    });
    REQUIRE(waits.size() == 1);
    CHECK(waits[0].ending == Ending::late);
    const auto endless = run_tasks({{{"evaluated", true, false, 1}, "while true { }\n"}}, 1, 1);
    REQUIRE(endless.size() == 1);
    CHECK(endless[0].ending == Ending::late);
    const auto refused = run_tasks(
        {{{"evaluated", true, false, 1}, "print(1 +)\n"}, {{"compiled", false, false, 1}, "print(1 + 1)\n"}}, 1, 20);
    REQUIRE(refused.size() == 2);
    CHECK(refused[0].ending == Ending::diagnostic);
    CHECK(refused[1].output == "2\n");
}

TEST_CASE("comparison of printed values and of derivatives") {
    CHECK(alike("{a: [1, 2.5], b: nan}", "{a: [1,\n 2.5000000001], b: nan}", 1e-8));
    CHECK_FALSE(alike("[1, 2]", "[1, 2.001]", 1e-6));
    CHECK_FALSE(alike("[1, 2]", "([1, 2],)", 1));
    CHECK_FALSE(alike("1", "nan", 1));
    CHECK_FALSE(alike("1", "inf", 1));
    CHECK_FALSE(alike("[]", "[1]", 1));
    CHECK(compare_differences("1.0", "1.0000004", "1.0000001") == Verdict::holds);
    CHECK(compare_differences("1.1", "1.0000004", "1.0000001") == Verdict::fails);
    CHECK(compare_differences("1.1", "500", "1000") == Verdict::unsure);
    CHECK(compare_differences("nan", "1", "1") == Verdict::fails);
}

TEST_CASE("sizes stay consistent when one changes") {
    Sizes sizes({3, 4});
    const Dim sum = sizes.sum(sizes.free(0), sizes.free(1)), product = sizes.product(sum, sizes.free(0));
    CHECK(sizes.of(sum) == 7);
    CHECK(sizes.sum(sizes.free(0), sizes.free(1)) == sum);
    sizes.set_free(0, 1);
    CHECK(sizes.of(sum) == 5);
    CHECK(sizes.of(product) == 5);
}

TEST_CASE("the same seed generates the same functions of numbers") {
    for (std::uint64_t seed = 1; seed < 50; ++seed) {
        const NumberProgram once = generate_numbers(seed), again = generate_numbers(seed);
        CHECK(definitions_text(once) == definitions_text(again));
        CHECK(once.calls == again.calls);
        const auto place =
            std::find_if(once.lines.begin(), once.lines.end(), [](const NumberLine& l) { return l.place; });
        REQUIRE(place != once.lines.end());
        const auto before = static_cast<std::size_t>(place - once.lines.begin());
        CHECK(definitions_text(once, before).find("write_text") != std::string::npos);
    }
    CHECK(definitions_text(generate_numbers(1)) != definitions_text(generate_numbers(2)));
}

TEST_CASE("same_meaning detects a changed value, dtype, weakness or error") {
    const Outcome weak{"(2, [0.5])\n((i32, i8, f16), (f32, f32, f32))\n", ""};
    CHECK(same_meaning(weak, weak));
    CHECK(same_meaning({"0.30000001\n", ""}, {"0.3\n", ""}));
    CHECK_FALSE(same_meaning(weak, {"(2, [0.5])\n((i64, i8, f16), (f32, f32, f32))\n", ""}));
    CHECK_FALSE(same_meaning(weak, {"(2, [0.5])\n((i32, i32, f16), (f32, f32, f32))\n", ""}));
    CHECK_FALSE(same_meaning(weak, {"(2, [0.5001])\n((i32, i8, f16), (f32, f32, f32))\n", ""}));
    CHECK_FALSE(same_meaning({"2000000000\n(f32, f32, f16)\n", ""}, {"2000000000\n(f64, f64, f16)\n", ""}));
    CHECK_FALSE(same_meaning(weak, {"", "PM0274"}));
    CHECK(same_meaning({"", "PM0274"}, weak));
    CHECK_FALSE(same_meaning({"", "PM0101"}, weak));
    CHECK_FALSE(same_meaning({"", "PM0101"}, {"", "PM0102"}));
}

TEST_CASE("generated functions of numbers satisfy the laws") {
    Numbers what;
    what.seed = 1;
    what.count = 10;
    what.seconds = 600;
    CHECK(run_numbers(what) == 0);
}
