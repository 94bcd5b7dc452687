// Ctrl-C soon stops running code, and the session continues. The code of redefined functions is freed.
#include "tests/repl/session.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace pm::test;

namespace {

/// Runs a long entry, presses Ctrl-C after a while, and returns the milliseconds until the next prompt. `held` stops
/// the entry's thread before Ctrl-C.
double stopped(Session& s, const std::string& entry, double after_seconds = 0.4, std::optional<Held>* held = nullptr) {
    s.send(entry + "\r");
    s.running();
    std::this_thread::sleep_for(std::chrono::duration<double>(after_seconds));
    if (held) held->emplace(s.busiest_thread());
    s.send("\x03");
    const std::string printed = s.prompt();
    INFO(entry, ": ", printed.substr(0, 400));
    CHECK(printed.find("PM0510") != std::string::npos);
    return s.seconds() * 1e3;
}

constexpr std::string_view waiting = "waiting for the end of what was stopped before; Ctrl-C gives up, :quit leaves";

/// The output of the entry after a stopped entry. On a loaded machine the stopped entry may still be in LLVM, which
/// cannot be stopped; the session then writes a notice first.
std::string after_stop(Session& s, const std::string& entry) {
    std::string printed = s.enter(entry);
    const std::string notice = std::string(waiting) + "\n";
    if (printed.starts_with(notice)) printed.erase(0, notice.size());
    return printed;
}

void check_stops(const std::string& setup, const std::string& entry, std::vector<std::string> arguments = {}) {
    const Folder folder;
    Session s(folder, {.arguments = std::move(arguments)});
    s.prompt();
    s.enter("let kept = 11");
    if (!setup.empty()) s.enter(setup);
    double milliseconds = stopped(s, entry);
    MESSAGE(entry, " is answered after ", milliseconds, " ms");
    CHECK(after_stop(s, "kept") == "11\n");
    milliseconds += s.seconds() * 1e3;
    // 100 ms on an idle machine. The bound shows that the entry does not run to its end.
    CHECK(milliseconds < 3000);
    CHECK(s.enter("sum(arange(10))") == "45\n");
}

} // namespace

TEST_CASE("Ctrl-C while typing clears all lines of the entry") {
    const Folder folder;
    Session s(folder);
    s.prompt();
    s.send("fn f(x) {\rlet y = (");
    s.see("...     let y = (");
    s.send("\x03");
    s.prompt();
    CHECK(s.enter("5") == "5\n");
    s.send("abc");
    s.send("\x03");
    s.prompt();
    for (int i = 0; i < 5; ++i) {
        s.send("\x03");
        s.prompt();
    }
    CHECK(s.enter("6") == "6\n");
    s.send("\x04");
    CHECK(s.ended() == 0);
}

TEST_CASE("Ctrl-C stops interpreted loops, and staging") {
    check_stops("", "while true { }");
    check_stops("", "for i in 0..1000000000 { let t = time() }");
    check_stops("", "for i in 0..1000000 { let a = zeros((i + 1,)) * 2.0 }");
    check_stops("mut a = (1, 2); mut b = (1, 2); for i in 0..27 { a = (a, a); b = (b, b) }", "a == b");
    check_stops("mut deep = (); for i in 0..50 { deep = (deep, deep) }", "tree_leaves(deep)");
}

TEST_CASE("Ctrl-C stops compiled loops") {
    check_stops("fn spin(x) { mut y = x\nwhile y > 0.0 { y = y + 1.0 }\ny }", "spin(1.0)");
    check_stops("fn work(x) { mut y = x\nfor i in 0..100000000 { y = sin(y) }\ny }", "work(ones(1000))");
}

TEST_CASE("Ctrl-C stops loops on devices") {
    for (const char* devices : {"--devices=cpu:2", "--devices=cpu:8", "--devices=cpu:64"}) {
        check_stops("let meet = pmap(fn(a) { mut t = a\nwhile psum(abs(t), \"i\") >= 0.0 { t = sin(t) + pmean(t, "
                    "\"i\") }\nt }, axis_name=\"i\")",
                    "meet(ones(64))", {devices});
        check_stops("let alone = pmap(fn(a) { mut t = a\nfor k in 0..2000000000 { t = sin(t) }\npsum(t, \"i\") }, "
                    "axis_name=\"i\")",
                    "alone(ones(64))", {devices});
    }
}

TEST_CASE("the error of a failing lane names its device, and the session continues") {
    const Folder folder;
    Session s(folder, {.arguments = {"--devices=cpu:8"}});
    s.prompt();
    s.enter("let kept = 11");
    s.enter("let look = pmap(fn(table, i) { let v = table[i]\npsum(v, \"i\") }, axis_name=\"i\", in_axes=(none, 0))");
    const std::string failed = s.enter("look(arange(4.0), [0, 1, 2, 3, 9, 1, 2, 3])");
    CHECK(failed.find("PM0501") != std::string::npos);
    CHECK(failed.find("index 9") != std::string::npos);
    CHECK(failed.find("on device 4") != std::string::npos);
    CHECK(s.enter("look(arange(4.0), [0, 1, 2, 3, 0, 1, 2, 3])[0]") == "12.0\n");
    CHECK(s.enter("kept") == "11\n");
}

TEST_CASE("Ctrl-C stops long kernels") {
    check_stops("let big = cos(arange(30000000) * 1.7)", "for i in 0..100 { let s = sort(big) }");
    check_stops("let m = ones((3000, 3000))", "for i in 0..100 { let p = m @ m }");
}

TEST_CASE("Ctrl-C stops printing and reading files") {
    const Folder folder;
    std::string csv = "a,b,c\n";
    for (int i = 0; i < 2000000; ++i) csv += "1.5,2.5,3.25\n";
    folder.write("large.csv", csv);
    Session s(folder);
    s.prompt();
    MESSAGE("printing stops after ", stopped(s, "for i in 0..1000000000 { print(i) }", 0.3), " ms");
    CHECK(s.enter("1") == "1\n");
    MESSAGE("reading stops after ", stopped(s, "for i in 0..100 { let d = read_csv(\"large.csv\") }", 0.3), " ms");
    CHECK(s.enter("2") == "2\n");
}

TEST_CASE("an entry that cannot be stopped runs on, and the next entry waits for its end") {
    const Folder folder;
    Session s(folder);
    s.prompt();
    s.enter("let kept = 11");
    std::optional<Held> held;
    constexpr const char* entry = R"(let fresh = 1; while true { }; print("unheard"); write_text("late.txt", "x"))";
    const double milliseconds = stopped(s, entry, 0.2, &held);
    MESSAGE("answered after ", milliseconds, " ms");
    s.send("kept\r");
    s.see(waiting);
    s.send("\x03");
    s.prompt();
    SUBCASE("the stopped entry ends and changes nothing") {
        held->release();
        s.send("kept\r");
        CHECK(s.prompt().find("11\n") != std::string::npos);
        CHECK_FALSE(std::filesystem::exists(folder.path() + "/late.txt"));
        CHECK(s.enter("fresh").find("PM0101") != std::string::npos);
        CHECK(s.received().find("unheard\n") == std::string::npos);
    }
    SUBCASE("Ctrl-D ends the session") {
        s.send("\x04");
        held->ended();
        CHECK(s.ended() == 0);
    }
    SUBCASE(":q ends the session") {
        s.send(":q\r");
        held->ended();
        CHECK(s.ended() == 0);
    }
}

TEST_CASE("an entry that runs on after Ctrl-C does not draw its progress bar") {
    const Folder folder;
    Session s(folder);
    s.prompt();
    std::optional<Held> held;
    stopped(s, "for i in progress(0..3, label=\"slow\") { while true { } }", 0.2, &held);
    const std::size_t before = s.received().size();
    held->release();
    s.send("40 + 2\r");
    CHECK(s.prompt().find("42\n") != std::string::npos);
    CHECK(s.received().find("slow", before) == std::string::npos);
}

TEST_CASE("the rest of a long text is not printed after Ctrl-C") {
    const Folder folder;
    Session s(folder);
    s.prompt();
    s.send("print(\"abc\\n\" * 4000000)\r"); // 16 MB
    s.running();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    s.send("\x03");
    s.prompt();
    MESSAGE("printing one text stops after ", s.seconds() * 1e3, " ms");
    CHECK(s.received().size() < 15'000'000);
    CHECK(s.enter("7") == "7\n");
}

TEST_CASE("a plain terminal shows one prompt after Ctrl-C") {
    const Folder folder;
    Session s(folder, {.term = "dumb"});
    s.see(">");
    s.send("while true { }\n");
    s.see("true { }");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    s.send("\x03");
    s.see("PM0510");
    s.see("\n>");
    s.send("8\n");
    s.see("8\n>");
    std::string all = s.received();
    CHECK(all.find("<entry 1>:1:7") != std::string::npos); // the position of the loop
    std::erase(all, '\r');
    int prompts = 0;
    for (std::size_t i = 0; i < all.size(); ++i) prompts += all[i] == '>' && (i == 0 || all[i - 1] == '\n') ? 1 : 0;
    CHECK(prompts == 3); // at the beginning, after each entry
}

TEST_CASE("Ctrl-C restores the names of the session") {
    const Folder folder;
    Session s(folder);
    s.prompt();
    s.enter("mut a = [1, 2, 3]");
    stopped(s, "a[0] = 100; let fresh = 1; while true { }", 0.2);
    CHECK(s.enter("a") == "[1, 2, 3]\n");
    CHECK(s.enter("fresh").find("PM0101") != std::string::npos);
}

TEST_CASE("redefining a compiled function frees its code") {
    const Folder folder;
    Session s(folder);
    s.prompt();
    const auto redefine = [&](int from, int to) {
        // The code of a replaced function must not be used for the new function.
        for (int i = from; i < to; ++i)
            REQUIRE(s.enter("fn f(x) = sum(x * " + std::to_string(i) + ") + 0.5; f(ones(10))") ==
                    std::to_string(10 * i) + ".5\n");
    };
    redefine(0, 200);
    const long before = s.resident();
    redefine(200, 600);
    const long more = s.resident() - before;
    MESSAGE("400 redefinitions: ", more, " kB more");
    CHECK(more < 6000); // 30 kB each if they were kept
}
