// Engines whose platform is a GPU. The tests run only if PM_TEST_GPU is set. They run on a real GPU, or with a
// replacement of NVIDIA's driver that interprets PTX. That driver defers queued work (PM_INTERPRETER_DEFER), so the
// host always runs ahead of the queued work.
#include "tests/unit/api/support.hpp"
#include "tests/unit/child.hpp"

#include <chrono>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

using namespace pm_test;
using namespace std::chrono_literals;

namespace {

const bool no_gpu = std::getenv("PM_TEST_GPU") == nullptr;

} // namespace

TEST_CASE("GPU: the host may overwrite its memory after a call" * doctest::skip(no_gpu)) {
    Host host({.platform = pm::Platform::gpu});
    const pm::Module m = host.load("fn twice(x) = 2 * x\nfn same(x) = x\nfn last(x) = x[5:8]");
    const auto call = [&](const char* name, std::vector<float>& memory) {
        return m.function(name).value().call(std::array{pm::Value(pm::View(memory))}).value();
    };
    std::vector<float> memory(8);
    std::iota(memory.begin(), memory.end(), 0.0F);
    const pm::Value doubled = call("twice", memory), same = call("same", memory), part = call("last", memory);
    memory.assign(8, -1);
    CHECK(doubled.elements<float>().value() == std::vector<float>{0, 2, 4, 6, 8, 10, 12, 14});
    CHECK(same.elements<float>().value() == std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(part.elements<float>().value() == std::vector<float>{5, 6, 7});
    CHECK(call("last", memory).elements<float>().value() == std::vector<float>{-1, -1, -1});
}

TEST_CASE("GPU: a deadline or cancel ends a program with queued work soon, and the queue is empty soon after" *
          doctest::skip(no_gpu)) {
    Host host({.platform = pm::Platform::gpu});
    pm::Module m = host.load("let step = jit(fn(x) = sin(x) * 0.5 + 1.0)\nlet sorted = jit(fn(x) {\n    mut y = x\n"
                             "    for i in 0..1000000 { y = sort(-y) }\n    y\n})\nmut x = ones(20000)");
    const auto ends_soon = [&](const char* endless, const pm::CallOptions& options, const char* code) {
        CAPTURE(endless);
        // The program takes half a second on an idle machine. It would take minutes if the host could run ahead without
        // limit.
        const auto start = std::chrono::steady_clock::now();
        CHECK(m.run(endless, options).problem().code == code);
        CHECK(m.run("x[0] > 0").value().to_text() == "true");
        CHECK(std::chrono::steady_clock::now() - start < 30s);
    };
    for (const char* endless : {"while true { x = step(x) }", "sorted(x[0:3000])"}) {
        ends_soon(endless, {.deadline = 300ms}, "PM0511");
        const std::jthread other([&] {
            std::this_thread::sleep_for(300ms);
            host.engine.cancel();
        });
        ends_soon(endless, {}, "PM0510");
    }
}

TEST_CASE("GPU: an engine in a fork of a process that uses a GPU fails at once" * doctest::skip(no_gpu)) {
    Host host({.platform = pm::Platform::gpu});
    pm::Module m = host.load("fn f(x) = x + arange(1000.0)\nfn s(x) = sum(f(x))");
    const pm::Value array = m.function("f").value()(1.0).value(), sum = m.function("s").value()(1.0).value();
    const ChildEnd end = in_child([&] {
        const auto made = pm::Engine::create({.platform = pm::Platform::gpu});
        if (made.problem().code != "PM0513" || made.problem().text.find("fork") == std::string::npos) return 1;
        if (m.run("1 + 1").problem().code != "PM0910") return 2;
        // The values are only in the memory of the GPU.
        if (array.view().data || array.elements<float>() || sum.number()) return 3;
        if (array.to_text().find("fork") == std::string::npos) return 4;
        return Host().load("let a = sum(arange(1000.0))").get("a").value().number().value() == 499500 ? 0 : 5;
    });
    CHECK(end.in_time);
    CHECK(end.code == 0);
    CHECK(end.errors == "");
    CHECK(sum.number().value() == 500500);
}
