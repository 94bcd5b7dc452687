// Control of a running engine by the host: cancel, deadline, memory limit, output, threads.
#include "support.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

using namespace pm_test;
using namespace std::chrono_literals;

namespace {

/// `loop` runs for minutes; the staging of a call of `grow` never ends.
const char* const slow =
    "fn loop(x) {\n mut s = x\n mut i = 0\n while i < 2000000000 { s = sin(s) + 1.0\n i += 1 }\n s\n}\n"
    "fn grow(n, m=0) = if n > 55 { len(zeros(m % 7 + 1)) } else { grow(n + 1, 2 * m) + grow(n + 1, 2 * m + 1) }\n";

} // namespace

TEST_CASE("a deadline ends compiled loops, interpreted loops and staging") {
    for (const bool interpret : both) {
        Host host({.interpret = interpret});
        pm::Module m = host.load(slow);
        const auto loop = m.function("loop").value();
        CHECK(loop.call(std::array<pm::Value, 1>{1.0}, {.deadline = 50ms}).problem().code == "PM0511");
        CHECK(m.run("mut i = 0\nwhile true { i += 1 }", {.deadline = 50ms}).problem().code == "PM0511");
        CHECK(m.function("grow").value().call(std::array<pm::Value, 1>{1}, {.deadline = 50ms}).problem().code ==
              "PM0511");
        CHECK(host.engine.load_text("while true { let x = 1 }", "endless.pm", {.deadline = 20ms}).problem().code ==
              "PM0511");
        // A tuple of 2^40 leaves that consists of 40 objects.
        CHECK(m.run("mut v = (1, 2)\nfor i in 0..40 { v = (v, v) }"));
        for (const char* text : {"let a = \"{v}\"", "v == v", "tree_map(fn(x) = x, v)", "let n = len(tree_leaves(v))"})
            CHECK(m.run(text, {.deadline = 50ms}).problem().code == "PM0511");
        CHECK(loop.call(std::array<pm::Value, 1>{1.0}, {.deadline = 0ns}).problem().code == "PM0511");
        CHECK(loop.call(std::array<pm::Value, 1>{1.0}, {.deadline = -1s}).problem().code == "PM0511");
        CHECK(m.run("1 + 1", {.deadline = std::chrono::nanoseconds::max()}).value().integer().value() == 2);
        CHECK(m.run("1 + 1").value().integer().value() == 2);
    }
}

TEST_CASE("a deadline ends a single long loop nest, also on one worker") {
    for (const int workers : {1, 2}) {
        Host host({.workers = workers});
        pm::Module m =
            host.load("fn rows(n) = sum(vmap(fn(i) = sum(sin(arange(100000.0) * i)))(arange(n)))\n"
                      "fn whole(n) = sum(sin(arange(100000.0)[none, :] * arange(1.0 * n)[:, none]))\n"
                      "fn sums(n) = sum(cumsum(sin(arange(1000.0)[none, :] * arange(1.0 * n)[:, none]), axis=0))");
        for (const char* name : {"rows", "whole", "sums"}) {
            const auto begin = std::chrono::steady_clock::now();
            const std::int64_t n = name == std::string("sums") ? 300000 : 1000000;
            CHECK(m.function(name).value().call(std::array<pm::Value, 1>{n}, {.deadline = 50ms}).problem().code ==
                  "PM0511");
            // Without polls the call would take minutes.
            CHECK(std::chrono::steady_clock::now() - begin < 20s);
        }
    }
}

TEST_CASE("a deadline or a cancel ends a wait for a FIFO") {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("pm_api_fifo." + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string fifo = (folder / "fifo.pm").string();
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    for (const bool interpret : both) {
        Host host({.files = true, .interpret = interpret});
        CHECK(host.engine.load_file(fifo, {.deadline = 30ms}).problem().code == "PM0511");
        for (const std::string statement :
             {"import \"P\" as p", "read_text(\"P\")", "read_csv(\"P\")", "load_npy(\"P\")", "load_npz(\"P\")",
              "load_idx(\"P\")", "write_text(\"P\", \"text\")", "save_npy(\"P\", arange(3))"}) {
            std::string text = statement;
            text.replace(text.find('P'), 1, fifo);
            CAPTURE(text);
            CHECK(host.engine.load_text(text, "f.pm", {.deadline = 30ms}).problem().code == "PM0511");
        }
        std::stop_source stop;
        std::thread later([&] {
            std::this_thread::sleep_for(10ms);
            stop.request_stop();
        });
        CHECK(host.engine.load_file(fifo, {.stop = stop.get_token()}).problem().code == "PM0510");
        later.join();
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("a deadline ends work on long texts and the printing of many numbers") {
    Host host({.files = true});
    pm::Module m = host.load("let s = \"a\" * 16000000\nlet long = s + s + s + s\nlet blanks = \" a\" * 8000000\n"
                             "let numbers = zeros((4,) * 12)");
    for (const char* work : {"text.replace(long, \"a\", \"b\")", "text.split(long, \"a\")",
                             "text.split(blanks + blanks)", "\"{numbers}\""}) {
        CAPTURE(work);
        const auto begin = std::chrono::steady_clock::now();
        CHECK(m.run(work, {.deadline = 30ms}).problem().code == "PM0511");
        // Without polls the call would take seconds.
        CHECK(std::chrono::steady_clock::now() - begin < 1s);
    }
    // The search takes linear time. A naive search would compare half of the text at each position.
    CHECK(m.run("text.find(long, s + \"b\")").value().integer().value() == -1);
    CHECK(m.run("(s + \"b\") in (long + \"b\")").value().boolean().value());
    // A repetition of an empty text or tuple takes no time.
    CHECK(m.run("len(\"\" * 10**15) + len(() * 10**15)", {.deadline = 10s}).value().integer().value() == 0);
}

TEST_CASE("cancel from another thread") {
    for (const bool interpret : both) {
        Host host({.interpret = interpret});
        pm::Module m = host.load(slow);
        const auto loop = m.function("loop").value();
        std::atomic<bool> done{false};
        std::thread other([&] {
            while (!done) {
                host.engine.cancel(); // does nothing until the call runs
                std::this_thread::sleep_for(1ms);
            }
        });
        CHECK(loop(1.0).problem().code == "PM0510");
        done = true;
        other.join();
        host.engine.cancel();
        CHECK(m.run("1 + 1").value().integer().value() == 2);

        std::stop_source stop;
        std::thread later([&] {
            std::this_thread::sleep_for(30ms);
            stop.request_stop();
        });
        CHECK(loop.call(std::array<pm::Value, 1>{1.0}, {.stop = stop.get_token()}).problem().code == "PM0510");
        later.join();
        CHECK(loop.call(std::array<pm::Value, 1>{1.0}, {.stop = stop.get_token()}).problem().code == "PM0510");
        CHECK(m.run("1 + 2").value().integer().value() == 3);
    }
}

TEST_CASE("the memory limit") {
    for (const bool interpret : both) {
        Host host({.memory_limit = 64 << 20, .interpret = interpret});
        pm::Module m = host.load("fn big(n) = zeros((n, n)) + 1.0\nfn small() = ones(3)");
        CHECK(m.function("big").value()(20000).problem().code == "PM0512");
        CHECK(m.function("small").value()().value().to_text() == "[1, 1, 1]");
        CHECK(host.engine.memory_in_use() < 64 << 20);
        CHECK(host.engine.memory_peak() <= 64 << 20);
        const auto none = pm::Engine::create({.memory_limit = 1 << 14, .interpret = interpret});
        CHECK(none.problem().code == "PM0512");
        CHECK(none.problem().line == 0);
    }
}

TEST_CASE("a module that failed to load occupies no memory") {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("pm_api_failed." + std::to_string(::getpid()) + ".pm");
    const std::string text = "fn f(x) = x\nlet kept = ones(1000000)\nnothing";
    std::ofstream(file) << text;
    for (const bool interpret : both) {
        Host host({.files = true, .interpret = interpret});
        CHECK(host.engine.load_text("sum(ones(10)) + nothing").problem().code == "PM0101");
        const std::size_t before = host.engine.memory_in_use();
        CHECK(host.engine.load_text(text).problem().code == "PM0101");
        CHECK(host.engine.load_text("fn g(x) = x\nimport \"" + file.string() + "\" as m").problem().code == "PM0101");
        CHECK(host.engine.memory_in_use() < before + 1000000);
    }
    std::filesystem::remove(file);
}

TEST_CASE("a module that the host releases is freed when none of its functions is in use") {
    constexpr std::size_t mega = 1 << 20;
    const char* const text =
        "let kept = ones(1000000)\nmut scale = 2.0\nmut names = ()\nlet inner = {g: fn(x) = x * scale}\n"
        "fn f(x) = sum(kept) * 0.0 + inner.g(x)\nfn add(g) = fn(x) = g(x) + 1.0\n"
        "fn loop(n) = if n == 0 { 0 } else { loop(n - 1) + len(names) }\n"
        "fn early(x) {\n let now = time()\n if x > 0 { return 7.0 }\n sum(kept) * x\n}\nf(1.0) + loop(3) + early(1.0)";
    const auto work = [](const Host& host) { CHECK(host.engine.load_text("1 + 1").ok()); };
    for (const bool interpret : both) {
        Host host({.interpret = interpret});
        work(host);
        const std::size_t before = host.engine.memory_in_use();
        const auto kept = [&] { return host.engine.memory_in_use() > before + 3 * mega; };
        for (int i = 0; i < 10; ++i) {
            const pm::Module m = host.load(text);
            CHECK(m.function("f").value()(3.0).value().number().value() == 6);
            const pm::Module copy = m;
        }
        work(host);
        CHECK(host.engine.memory_in_use() < before + mega);

        // The memory of the module is kept by a function of it, and then by another function that has captured this
        // function.
        std::optional<pm::Function> f = host.load(text).function("f").value();
        for (int i = 0; i < 10; ++i) CHECK((*f)(3.0).value().number().value() == 6);
        CHECK(kept());
        std::optional<pm::Module> other = host.load("fn add(g) = fn(x) = g(x) + 1.0");
        std::optional<pm::Value> sum =
            other->function("add").value().call(std::array<pm::Value, 1>{host.load(text).get("f").value()}).value();
        f.reset();
        other.reset();
        for (int i = 0; i < 20; ++i) work(host);
        CHECK(kept());
        CHECK(host.engine.function(*sum).value()(3.0).value().number().value() == 7);
        sum.reset();
        for (int i = 0; i < 100; ++i) work(host);
        CHECK(host.engine.memory_in_use() < before + mega);
    }
}

TEST_CASE("a checkpoint bounds the memory of a derivative") {
    const auto peak = [](const std::string& wrap, const char* function, const char* x) {
        Host host;
        pm::Module m = host.load(R"(
fn layer(x) = tanh(cumsum(exp(cumsum(sin(x)) * 1e-5)) * 1e-5)
fn net(x) {
    mut y = x
    for i in range(16) { y = )" + wrap +
                                 R"((layer)(y) }
    sum(y)
}
fn walk(x) {
    mut s = x
    while sum(s) > 0.1 { s = sin(s) - 1e-3 * cos(s) * x }
    sum(s)
}
fn chain(x) = grad(net)(x)
fn loop(x) = grad()" + wrap + R"((walk))(x)
)");
        CHECK(m.function(function).value()(m.run(x).value()).ok());
        return host.engine.memory_peak();
    };
    const std::string segments = "(fn(f) = checkpoint(f, loops=true))";
    // For the derivative of checkpointed layers, only the arguments of the layers are stored.
    CHECK(peak("checkpoint", "chain", "ones(100000)") < peak("jit", "chain", "ones(100000)") / 2);
    // With `loops`, the residuals of about sqrt(n) of n iterations are stored.
    CHECK(peak(segments, "loop", "ones(20000)") < peak("jit", "loop", "ones(20000)") / 4);
}

TEST_CASE("output goes to the host, and an exception of its output function becomes an error") {
    for (const bool interpret : both) {
        Host host({.interpret = interpret});
        pm::Module m = host.load("print(\"loaded\")\nfn f(x) { print(\"x is {x}\")\n x + 1 }");
        CHECK(m.function("f").value()(2).value().integer().value() == 3);
        CHECK(*host.printed == "loaded\nx is 2\n");

        Host throwing({.output = [](std::string_view) { throw std::runtime_error("full"); }, .interpret = interpret});
        const auto failed = throwing.engine.load_text("print(1)");
        CHECK(failed.problem().code == "PM0911");
        CHECK(failed.problem().message == "the host's output function threw: full");
        pm::Module g = throwing.load("fn f(x) { print(x)\n x + 1 }\nfn h(x) = x * 2");
        CHECK(g.function("f").value()(2).problem().code == "PM0911");
        CHECK(g.function("h").value()(2).value().integer().value() == 4);
    }
}

TEST_CASE("a callback that uses its own engine gets an error, not a deadlock") {
    pm::Engine* self = nullptr;
    std::string code;
    Host host({.output = [&](std::string_view) { code = self->load_text("let a = 1").problem().code; }});
    self = &host.engine;
    pm::Module m = host.load("print(1)\nfn f(x) { print(x)\n x }");
    CHECK(code == "PM0910");
    code.clear();
    CHECK(m.function("f").value()(2.0));
    CHECK(code == "PM0910");
}

TEST_CASE("a callback can read the names of a module") {
    std::optional<pm::Module> m;
    std::vector<std::string> names;
    Host host({.output = [&](std::string_view) { names = m->names(); }});
    m = host.load("fn f(x) { print(x)\n x }");
    CHECK(m->function("f").value()(2.0));
    CHECK(names == std::vector<std::string>{"f"});
}

TEST_CASE("a u64 above INT64_MAX does not convert to an integer of the host") {
    Host host;
    CHECK(host.load("9223372036854775807u64").value().integer().value() == INT64_MAX);
    CHECK_FALSE(host.load("18446744073709551615u64").value().integer());
}

TEST_CASE("several threads call one function at once") {
    Host host;
    pm::Module m = host.load("fn f(x, k) = sum(x * k)");
    const auto f = m.function("f").value();
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const std::vector<float> x(static_cast<std::size_t>(10 + t), 1.0F);
            for (int i = 0; i < 20; ++i)
                if (f(pm::View(x), i).value().number().value() != i * (10 + t)) ++wrong;
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
}
