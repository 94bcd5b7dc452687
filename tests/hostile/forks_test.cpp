// Forks of a process that has engines. A test would hang if the child waited for threads of its parent.
#include "tests/unit/api/support.hpp"
#include "tests/unit/child.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

using namespace pm_test;
using namespace std::chrono_literals;

namespace {

const char* const program = "fn f(x) = sum(sin(arange(200000.0) * x))\nlet v = arange(5.0)";

std::vector<float> sums(pm::Module& m) {
    std::vector<float> list;
    for (const double x : {0.5, 1.5}) {
        const auto made = m.function("f").value()(x).value();
        list.push_back(static_cast<float>(made.number().value()));
    }
    return list;
}

/// The sums of a new engine.
std::vector<float> sums_here(int workers = 4) {
    Host host({.workers = workers});
    pm::Module m = host.load(program);
    return sums(m);
}

bool refused(const pm::Problem& problem) {
    return problem.code == "PM0910" && problem.message.find("fork") != std::string::npos;
}

void check_good(const ChildEnd& end) {
    CHECK(end.in_time);
    CHECK(end.signal == 0);
    CHECK(end.code == 0);
    CHECK(end.errors == "");
}

/// The number of parts that are false.
int count_false(std::initializer_list<bool> parts) {
    int failed = 0;
    for (const bool part : parts) failed += part ? 0 : 1;
    return failed;
}

} // namespace

TEST_CASE("a call of the parent's engine fails at once in a fork") {
    for (const bool interpret : both) {
        Host host({.workers = 4, .interpret = interpret});
        pm::Module m = host.load(program);
        const auto f = m.function("f").value();
        CHECK(f(1.0));
        check_good(in_child([&] {
            const std::array<pm::Value, 1> one{1.0};
            return count_false({refused(f(1.0).problem()), refused(f.call(one, {.deadline = 50ms}).problem()),
                                refused(host.engine.load_text("let a = 1").problem()),
                                refused(host.engine.load_file("none.pm").problem()),
                                refused(m.run("1 + 1", {.deadline = 50ms}).problem()), refused(m.get("v").problem()),
                                refused(m.function("f").problem()),
                                refused(host.engine.function(pm::Value(1)).problem()), m.names().empty(),
                                host.engine.memory_in_use() == 0});
        }));
        CHECK(f(1.0)); // the parent can still use the engine
    }
}

TEST_CASE("a fork can read its parent's values, and destroy the parent's engines and values") {
    auto host = std::make_unique<Host>(pm::Config{.workers = 4});
    auto m = std::make_unique<pm::Module>(host->load(program));
    auto v = std::make_unique<pm::Value>(m->get("v").value());
    CHECK(m->function("f").value()(1.0));
    check_good(in_child([&] {
        const bool same = v->elements<float>().value() == std::vector<float>{0, 1, 2, 3, 4} &&
                          v->to_text() == "[0, 1, 2, 3, 4]" && pm::Value::copy_of(v->view()).size() == 0;
        v.reset();
        m.reset();
        host.reset();
        return same ? 0 : 1;
    }));
}

TEST_CASE("a fork can create engines") {
    const std::vector<float> expected = sums_here();
    Host idle({.workers = 3}); // alive while the process forks
    CHECK(idle.load("let a = sum(arange(100000.0))").get("a"));
    const auto child = [&] { return sums_here() == expected && sums_here(1) == expected ? 0 : 1; };
    check_good(in_child(child));
    check_good(in_child([&] { // a fork of the fork does the same
        if (child() != 0) return 1;
        const ChildEnd end = in_child(child);
        return end.in_time && end.code == 0 ? 0 : 2;
    }));
    CHECK(sums_here() == expected);
}

TEST_CASE("a fork during a call of another thread reports that the engine is the parent's") {
    Host host({.workers = 2});
    pm::Module m = host.load("fn loop(x) {\n mut s = x\n while s < 1e30 { s = s + sin(s) }\n s\n}");
    const auto loop = m.function("loop").value();
    std::thread busy([&] { CHECK(loop(1.0).problem().code == "PM0510"); });
    std::this_thread::sleep_for(30ms);
    check_good(in_child([&] { return refused(loop(1.0).problem()) && m.names().empty() ? 0 : 1; }));
    host.engine.cancel();
    busy.join();
}

TEST_CASE("a fork that returns from a host function is aborted with a message") {
    for (const bool throws : {false, true}) {
        const ChildEnd end = in_child([throws] {
            int status = 0;
            Host host({.output = [&](std::string_view) {
                const pid_t process = ::fork();
                if (process != 0)
                    ::waitpid(process, &status, 0);
                else if (throws)
                    throw std::runtime_error("of the fork");
            }});
            host.load("print(1)");
            return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? 0 : 1;
        });
        CHECK(end.in_time);
        CHECK(end.code == 0);
        CHECK(end.errors.find("a fork has returned from the host's output function") != std::string::npos);
    }
    // A fork may exit within the function.
    Host host({.output = [](std::string_view) { check_good(in_child([] { return 0; })); }});
    CHECK(host.engine.load_text("print(1)"));
}
