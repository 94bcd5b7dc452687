// fuzz --hostile FOLDER [--seed N] [--count N] [--seconds T]: existing programs with random changes.
// fuzz --only numbers [--seed N] [--count N] [--seconds T] [--show]: functions with and without a line of host work.
// fuzz --processes ENGINE [--seed N] [--count N] [--seconds T]: programs of collectives, as each process of a job.
// fuzz [--only collectives] [--seed N] [--count N] [--seconds T] [--kernels] [--thorough] [--show]: random programs,
// checked by the laws.
#include "tests/fuzz/generator.hpp"
#include "tests/fuzz/judge.hpp"
#include "tests/fuzz/mutations.hpp"
#include "tests/fuzz/numbers.hpp"
#include "tests/fuzz/processes.hpp"
#include "tests/fuzz/shrink.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

namespace pm::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    std::uint64_t seed = std::random_device{}();
    bool seed_given = false;
    long long count = std::numeric_limits<long long>::max();
    double seconds = 1e9;
    double shrink_seconds = 120;
    bool show = false;
    Draw draw = Draw::everything;
    bool numbers = false; ///< functions with and without a line of host work
    std::string engine;   ///< the library that connects the processes of this job
    int most_faults = 20;
    JudgeOptions judge_options;
    std::vector<std::string> hostile; ///< folders of the programs to change

    /// The options that select a program beside the seed, as on the command line.
    std::string drawn() const {
        std::string text = draw == Draw::collectives ? "--only collectives " : "";
        if (!judge_options.compile) text += "--evaluate-only ";
        if (judge_options.kernels) text += judge_options.gpu == codegen::Target::gpu ? "--gpu " : "--kernels ";
        if (judge_options.thorough) text += "--thorough ";
        for (const std::string& law : judge_options.off) text += fmt::format("--without \"{}\" ", law);
        return text;
    }
};

/// The options of `pm run` for this form.
std::string flags_of(const Form& form, int devices) {
    if (form.evaluate) return fmt::format("--devices=cpu:{} --evaluate", devices);
    if (form.target == codegen::Target::cpu)
        return fmt::format("--devices=cpu:{} --workers={}{}", devices, form.workers, form.plain ? plain_flags() : "");
    return fmt::format("--devices={}:{} --deterministic --precision=highest",
                       form.target == codegen::Target::gpu ? "gpu" : "gpu-emulated", devices);
}

struct Tally {
    long long programs = 0;
    long long checks = 0;
    long long unsure = 0;
    std::map<std::string, int> faults;
};

std::string commented(const std::string& text) {
    std::string out = "# ";
    for (const char c : text) out += c == '\n' ? std::string("\n# ") : std::string(1, c);
    while (out.ends_with("# ") || out.ends_with("\n")) out.resize(out.size() - (out.ends_with("\n") ? 1 : 2));
    return out + "\n";
}

std::string file_text(const Program& program, const Fault& fault, std::uint64_t seed, const Options& options) {
    std::vector<Law> laws;
    for (const Law& law : laws_of(program))
        for (const std::string& name : fault.laws)
            if (law.name == name) laws.push_back(law);
    std::string text =
        commented(fmt::format("{}\nfuzz {}--seed {} --count 1; pm run {}\n{}", fault.what, options.drawn(), seed,
                              flags_of(fault.forms.back(), program.devices), fault.details));
    return text + "\n" + law_program(program, laws, {program.narrow, program.weak, 0});
}

void report(const Program& program, const Fault& fault, std::uint64_t seed, const Options& options) {
    fmt::print("FAULT of seed {}: {}\n{}\n", seed, fault.what, fault.details);
    std::fflush(stdout);
    const std::string name = fmt::format("fuzz-{}.pm", seed);
    std::ofstream(name) << file_text(program, fault, seed, options);
    JudgeOptions judge_options = options.judge_options;
    if (fault.what.ends_with("late")) judge_options.seconds = std::max(5, judge_options.seconds / 2);
    const Program small =
        shrink(program, [&](const Program& p) { return has_fault(p, fault, judge_options); }, options.shrink_seconds);
    std::ofstream(name) << file_text(small, fault, seed, options);
    fmt::print("the smallest program found is {}; again: fuzz {}--seed {} --count 1\n", name, options.drawn(), seed);
    std::fflush(stdout);
}

void run_one(std::uint64_t seed, const Options& options, Tally& tally) {
    const Program program = generate(seed, options.draw);
    if (options.show) fmt::print("{}", law_program(program, laws_of(program), {program.narrow, program.weak, 0}));
    const Judged judged = judge(program, seed, options.judge_options);
    ++tally.programs;
    tally.checks += judged.checks;
    tally.unsure += judged.unsure;
    bool first = true;
    for (const Fault& fault : judged.faults) {
        if (tally.faults[fault.what]++ == 0 && first) report(program, fault, seed, options);
        first = false;
    }
}

int run_hostile(const Options& options) {
    Mutations what{options.hostile, options.seed, options.count, options.seconds};
    fmt::print("fuzz --hostile {} --seed {}\n", fmt::join(options.hostile, " --hostile "), options.seed);
    return run_mutations(what) == 0 ? 0 : 1;
}

int run_only_numbers(const Options& options) {
    Numbers what{options.seed, options.count, options.seconds};
    what.show = options.show;
    fmt::print("fuzz --only numbers --seed {}\n", options.seed);
    return run_numbers(what) == 0 ? 0 : 1;
}

int run(const Options& options) {
    if (!options.hostile.empty()) return run_hostile(options);
    if (options.numbers) return run_only_numbers(options);
    if (!options.engine.empty())
        return run_in_processes({options.engine, options.seed, options.count, options.seconds}) == 0 ? 0 : 1;
    fmt::print("fuzz {}--seed {}\n", options.drawn(), options.seed);
    Tally tally;
    const auto end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
    for (long long i = 0; i < options.count && Clock::now() < end; ++i) {
        run_one(options.seed + static_cast<std::uint64_t>(i), options, tally);
        if (static_cast<int>(tally.faults.size()) >= options.most_faults) break;
    }
    fmt::print("{} programs, {} comparisons, {} left open near kinks or by condition, {} faults\n", tally.programs,
               tally.checks, tally.unsure, tally.faults.size());
    for (const auto& [what, count] : tally.faults) fmt::print("  {} times: {}\n", count, what);
    // With too many undecided comparisons the laws would find no faults.
    const bool open = tally.programs >= 20 && tally.unsure * 20 > tally.checks;
    if (open) fmt::print("too many comparisons are left open\n");
    return tally.faults.empty() && !open ? 0 : 1;
}

/// Reads the value of `--only`. False if it is unknown.
bool read_only(const std::string& word, Options& o) {
    if (word == "collectives")
        o.draw = Draw::collectives;
    else if (word == "numbers")
        o.numbers = true;
    else
        return false;
    return true;
}

bool read_options(int argc, char** argv, Options& o) {
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&]() -> std::string {
            if (i + 1 >= argc) throw std::invalid_argument(word);
            return argv[++i];
        };
        if (word == "--seed")
            o.seed = std::stoull(value());
        else if (word == "--count")
            o.count = std::stoll(value());
        else if (word == "--seconds")
            o.seconds = std::stod(value());
        else if (word == "--shrink-seconds")
            o.shrink_seconds = std::stod(value());
        else if (word == "--faults")
            o.most_faults = std::stoi(value());
        else if (word == "--without")
            o.judge_options.off.push_back(value());
        else if (word == "--limit")
            o.judge_options.seconds = std::stoi(value());
        else if (word == "--only") {
            if (!read_only(value(), o)) return false;
        } else if (word == "--processes")
            o.engine = value();
        else if (word == "--hostile")
            o.hostile.push_back(value());
        else if (word == "--evaluate-only")
            o.judge_options.compile = false;
        else if (word == "--kernels")
            o.judge_options.kernels = true;
        else if (word == "--gpu") {
            o.judge_options.kernels = true;
            o.judge_options.gpu = codegen::Target::gpu;
        } else if (word == "--thorough")
            o.judge_options.thorough = true;
        else if (word == "--show")
            o.show = true;
        else
            return false;
    }
    return true;
}

} // namespace
} // namespace pm::fuzz

int main(int argc, char** argv) {
    pm::fuzz::Options options;
    try {
        if (pm::fuzz::read_options(argc, argv, options)) return pm::fuzz::run(options);
    } catch (const std::logic_error&) { // an option without a value, or an invalid number
    }
    fmt::print(
        stderr,
        "usage: fuzz [--hostile FOLDER] [--only collectives|numbers] [--seed N] [--count N] [--seconds T] "
        "[--limit SECONDS] [--shrink-seconds T] [--faults N] [--without LAW] [--evaluate-only] [--kernels] [--gpu] "
        "[--thorough] [--show]\n");
    return 2;
}
