// The program that is shown in docs/embedding.md and in the head comment of pm.hpp. It is compiled and run here. The
// three texts of the program must be equal.
#include "support.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

#define main first_program
int main() {
    const auto fail = [](const pm::Problem& problem) { return std::fputs(problem.text.c_str(), stderr), 1; };
    const auto engine = pm::Engine::create({.devices = 2});
    if (!engine) return fail(engine.problem()); // errors are values
    const auto module = engine->load_text("fn loss(w, x, y) = mean((x @ w - y) ** 2)\n"
                                          "fn step(w, x, y) = value_and_grad(loss)(w, x, y)");
    if (!module) return fail(module.problem());
    const auto step = module->function("step"); // looked up once
    if (!step) return fail(step.problem());

    std::vector<float> w{1, 2}, x{1, 0, 0, 1, 1, 1}, y{0, 0, 0}, gradient(2);
    const auto result = (*step)(pm::View(w, {2}), pm::View(x, {3, 2}), pm::View(y, {3}));
    if (!result) return fail(result.problem());
    const auto loss = result->at(0).number();
    if (!loss) return fail(loss.problem());
    const auto copied = result->at(1).copy_to(pm::MutableView(gradient, {2}));
    if (!copied) return fail(copied.problem());
    std::printf("loss %.3f\n", *loss);
    return 0;
}
#undef main

namespace {

/// The lines from `int main` to the end of this function, without `prefix`; empty if the text has no such function.
std::string program_in(const std::string& path, const std::string& prefix) {
    std::ifstream in(std::string(PM_SOURCE_DIR) + "/" + path);
    std::string program;
    for (std::string line; std::getline(in, line);) {
        const std::size_t cut = std::min(prefix.size(), line.size());
        if (prefix.compare(0, cut, line, 0, cut) != 0) continue;
        line.erase(0, cut);
        if (program.empty() && line != "int main() {") continue;
        program += line + "\n";
        if (line == "}") return program;
    }
    return {};
}

} // namespace

TEST_CASE("the first program of a host compiles, runs, and checks every result") {
    const std::string here = program_in("tests/unit/api/snippet.cpp", "");
    REQUIRE_FALSE(here.empty());
    CHECK(program_in("docs/embedding.md", "") == here);
    CHECK(program_in("compiler/api/pm.hpp", "///     ") == here);
    CHECK(first_program() == 0);
}
