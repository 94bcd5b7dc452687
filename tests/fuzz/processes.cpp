#include "tests/fuzz/processes.hpp"

#include "compiler/api/job.hpp"
#include "tests/fuzz/generator.hpp"
#include "tests/fuzz/laws.hpp"
#include "tests/fuzz/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

namespace pm::fuzz {
namespace {

/// The value of the program and two of its laws.
std::string text_of(const Program& program, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Law> all = laws_of(program);
    std::vector<Law> chosen;
    for (const Law& law : all)
        if (law.name == "value") chosen.push_back(law);
    for (int i = 0; i < 2; ++i) chosen.push_back(all[random() % all.size()]);
    return law_program(program, chosen, {program.narrow, program.weak, 0});
}

std::string shown(const Finished& f) { return fmt::format("{}{} {}", f.output, f.code, f.message); }

} // namespace

int run_in_processes(const ProcessPrograms& what) {
    api::Job job(what.engine, {.patience = std::chrono::seconds(120)});
    const int processes = job.processes().count();
    const Form form{.name = "processes", .plain = true};
    constexpr int seconds = 60;
    const auto begin = std::chrono::steady_clock::now();
    const auto is_time_left = [&] {
        const auto spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        // All processes must end with the same program.
        return job.processes().from_first({.text = "the time"}, spent < what.seconds ? "go on" : "end") == "go on";
    };
    int programs = 0, differences = 0;
    for (long long i = 0; i < what.count && is_time_left(); ++i) {
        const std::uint64_t seed = what.seed + static_cast<std::uint64_t>(i);
        const Program program = generate(seed, Draw::collectives);
        if (program.devices % processes != 0) continue;
        const Task task{form, text_of(program, seed)};
        const Finished alone = run_here(task, program.devices, seconds);
        const Finished together = run_here(task, program.devices / processes, seconds, &job.processes());
        ++programs;
        if (alone.ending == together.ending && shown(alone) == shown(together)) continue;
        ++differences;
        fmt::print("FAULT of seed {} in process {} of {}:\n{}\nin one process: {}\ntogether: {}\n{}\n", seed,
                   job.processes().index(), processes, task.text, shown(alone), shown(together), together.text);
        std::fflush(stdout);
        if (job.processes().failure()) return differences;
    }
    if (job.is_first()) fmt::print("{} programs in {} processes, {} differences\n", programs, processes, differences);
    job.end({});
    return differences;
}

} // namespace pm::fuzz
