#include "tests/lang/runner/execute.hpp"

#include "tests/lang/runner/documents.hpp"
#include "tests/lang/runner/expectations.hpp"
#include "tests/lang/runner/process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace pm::lang {
namespace {

namespace fs = std::filesystem;

/// The folder of one run. Links give access to the source tree under its usual names.
struct Scratch : TemporaryFolder {
    Scratch() {
        for (const char* folder : {"examples", "stdlib", "tests"})
            fs::create_directory_symlink(fs::current_path() / folder, path() + "/" + folder);
    }
};

/// The number of processes on so many devices.
int processes_of(const Config& config, int devices) {
    return config.processes == 0 ? std::max(1, devices) : config.processes;
}

/// Whether the configuration runs the program on so many devices.
bool is_for(const Config& config, const Expectations& e, int devices) {
    if (config.processes == 1) return true;
    const int processes = processes_of(config, devices);
    return e.command == "run" && !e.session && processes > 1 && devices > 0 && devices % processes == 0;
}

std::vector<std::string> command_for(const Runs& runs, const Config& config, const Expectations& e, int devices) {
    std::vector<std::string> command{runs.pm, e.session ? "repl" : e.command};
    for (const auto* options : {&config.switches, &config.options, &e.options})
        command.insert(command.end(), options->begin(), options->end());
    const int processes = processes_of(config, devices);
    if (processes > 1) command.push_back(fmt::format("--processes={}", processes));
    if (devices > 0 || config.devices != "cpu")
        command.push_back(fmt::format("--devices={}:{}", config.devices, std::max(1, devices) / processes));
    const bool style_given = std::any_of(e.options.begin(), e.options.end(),
                                         [](const std::string& option) { return option.starts_with("--errors"); });
    if (!style_given) command.emplace_back("--errors=long");
    if (!e.session) {
        command.push_back(e.program);
        command.insert(command.end(), e.arguments.begin(), e.arguments.end());
    }
    return command;
}

Finished run(const Runs& runs, const Config& config, const Expectations& e, int devices, const Scratch& scratch) {
    const std::string input = e.session ? fs::absolute(e.program).string() : "/dev/null";
    return run_process(command_for(runs, config, e, devices), input, scratch.path(), e.seconds);
}

int first_devices(const Expectations& e) { return e.devices.empty() ? 0 : e.devices.front(); }

void report(Runs& runs, const std::string& subject, const std::string& wrong) {
    ++(wrong.empty() ? runs.passed : runs.failed);
    if (!wrong.empty() || runs.verbose) fmt::print("{} {}\n{}", wrong.empty() ? "ok  " : "FAIL", subject, wrong);
}

/// Whether only errors of the front end, and no output, are expected. Configurations of the back end then add nothing.
bool ends_in_front_end(const Expectations& e) {
    return !e.errors.empty() && e.lines.empty() &&
           std::all_of(e.errors.begin(), e.errors.end(),
                       [](const ExpectedError& error) { return error.code < "PM05"; });
}

/// The faults of a program's runs in one configuration. Empty if there are none.
std::string faults(const Runs& runs, const Config& config, const Expectations& e, int devices) {
    const Scratch scratch;
    const int times = ends_in_front_end(e) ? 1 : config.runs;
    std::string wrong;
    for (int i = 0; i < times && wrong.empty(); ++i) {
        const Finished f = run(runs, config, e, devices, scratch);
        if (f.late) return fmt::format("  still running after {} s\n", e.seconds);
        wrong = compare_output(e, devices, f.output) + compare_errors(e, f.errors);
        const int code = e.exit.value_or(e.errors.empty() ? 0 : 1);
        if (f.code != code) {
            if (f.code > 128) wrong += fmt::format("  ended by signal {}\n", f.code - 128);
            wrong += fmt::format("  exit code {}, expected {}\n", f.code, code);
        }
        if (!wrong.empty() && i > 0) wrong += "  all code came from the cache\n";
    }
    return wrong;
}

/// The switches that fail alone.
std::string blame(const Runs& runs, const Expectations& e, int devices) {
    if (!faults(runs, with_switch(runs.config, ""), e, devices).empty()) return "  without any of the switches too\n";
    std::string failing;
    for (const std::string& one : runs.config.switches)
        if (!faults(runs, with_switch(runs.config, one), e, devices).empty()) failing += " " + one;
    return failing.empty() ? "  with none of the switches alone\n" : "  alone:" + failing + "\n";
}

bool is_for(const Expectations& e, const Config& config) {
    for (const std::string& name : e.configs)
        if (std::none_of(configs().begin(), configs().end(),
                         [&](const Config& c) { return name == c.name || name == kind_of(c); }))
            throw std::runtime_error(fmt::format("{} names an unknown configuration: {}", e.program, name));
    if (!e.configs.empty())
        return std::any_of(e.configs.begin(), e.configs.end(),
                           [&](const std::string& c) { return c == config.name || c == kind_of(config); });
    return config.name == "compiled" || config.name == "gpu" || !ends_in_front_end(e);
}

/// Whether the program's slices cannot be divided among so many devices. It is then refused and has no output to
/// compare.
bool refused_by_devices(const Finished& f) { return f.errors.find("error[PM0310]") != std::string::npos; }

} // namespace

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "pm-lang-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a folder for a test");
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

void run_file(Runs& runs, const std::string& file) {
    const Expectations e = read_expectations(file);
    if (!is_for(e, runs.config) || runs.slow == (e.slow ? Slow::without : Slow::only)) return;
    for (const int devices : e.devices.empty() ? std::vector<int>{0} : e.devices) {
        if (!is_for(runs.config, e, devices)) continue;
        std::string wrong = faults(runs, runs.config, e, devices);
        if (!wrong.empty() && runs.config.switches.size() > 1) wrong += blame(runs, e, devices);
        report(runs, devices > 0 ? fmt::format("{} on {}", file, devices) : file, wrong);
    }
}

void run_on(Runs& runs, const std::string& file, const std::vector<int>& all) {
    const Expectations e = read_expectations(file);
    for (const int devices : all) {
        const Scratch scratch;
        std::string wrong, first;
        for (const char* workers : {"--workers=1", "--workers=2"}) {
            Config config = runs.config;
            config.options.emplace_back(workers);
            const Finished f = run(runs, config, e, devices, scratch);
            if (f.late) wrong += fmt::format("  {}: still running after {} s\n", workers, e.seconds);
            const bool refused = refused_by_devices(f);
            if (!refused) wrong += compare_output(e, devices, f.output) + compare_errors(e, f.errors);
            if (f.code != (refused ? 1 : e.exit.value_or(e.errors.empty() ? 0 : 1)))
                wrong += fmt::format("  {}: exit code {}\n{}", workers, f.code, f.errors);
            if (first.empty()) first = f.output + f.errors;
            if (first != f.output + f.errors) wrong += fmt::format("  other output for {}\n{}", workers, f.output);
        }
        report(runs, fmt::format("{} on {}", file, devices), wrong);
    }
}

void run_session(Runs& runs, const std::string& file) {
    Expectations e = read_expectations(file);
    if (e.session || e.command != "run") return;
    const Scratch scratch;
    const std::string entries = scratch.path() + "/entries";
    // Two empty lines end an unfinished statement of the program.
    std::ofstream(entries, std::ios::binary) << "mut keep = 41\n" << read_whole(e.program) << "\n\n\nprint(keep + 1)\n";
    e.session = true;
    e.program = entries;
    const Finished f = run(runs, runs.config, e, first_devices(e), scratch);
    std::string wrong;
    if (f.late) wrong = fmt::format("  still running after {} s\n", e.seconds);
    if (f.output != "42\n" && !f.output.ends_with("\n42\n"))
        wrong += fmt::format("  the session did not go on; its output was:\n{}", f.output);
    // An error of a file may be valid in a session, such as an unused last value. Warnings do not change the exit code.
    const int code = f.errors.find("error[") == std::string::npos ? 0 : 1;
    if (f.code != code) wrong += fmt::format("  exit code {}, expected {}\n", f.code, code);
    if (!wrong.empty()) wrong += fmt::format("  standard error was:\n{}", f.errors);
    report(runs, file + " in a session", wrong);
}

void run_document(Runs& runs, const std::string& file) {
    for (Example& example : read_document(file)) {
        const Scratch scratch;
        Expectations& e = example.expected;
        std::ofstream(scratch.path() + "/" + e.program) << example.text;
        const int devices = first_devices(e);
        if (!is_for(runs.config, e, devices)) continue;
        const Finished f = run(runs, runs.config, e, devices, scratch);
        std::string wrong;
        if (example.output_given) wrong += compare_output(e, devices, f.output);
        wrong += compare_errors(e, f.errors);
        if (f.code != e.exit.value_or(0)) wrong += fmt::format("  exit code {}\n", f.code);
        report(runs, fmt::format("{}:{}", file, example.line), wrong);
    }
}

void show(const Runs& runs, const std::string& file) {
    const Expectations e = read_expectations(file);
    const Scratch scratch;
    const Finished f = run(runs, runs.config, e, first_devices(e), scratch);
    fmt::print("{}{}", as_expectations(f.output, f.errors), f.code > 1 ? fmt::format("# exit: {}\n", f.code) : "");
}

} // namespace pm::lang
