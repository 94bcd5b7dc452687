// Runs .pm programs and compares what they print with the expectations in their comments (see expectations.hpp), in one
// of the configurations below: run_programs --pm=PROGRAM --config=NAME [--verbose] [--show] FILE-OR-FOLDER...
// The programs in .md files are run too (see documents.hpp).
// With --on=1,2,3 each file runs on so many devices of the configuration instead, by one worker and by two, which must
// print the same.
// With --sessions each file is piped into a session instead, which must live on after it.
#include "tests/lang/runner/documents.hpp"
#include "tests/lang/runner/expectations.hpp"
#include "tests/lang/runner/process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

namespace fs = std::filesystem;
using namespace pm::lang;

struct Config {
    const char* name;
    std::vector<std::string> options;
    int runs = 1;                ///< with one cache folder
    const char* devices = "cpu"; ///< what they are
};

/// The same programs with one thing off: all must print the same.
const std::vector<Config>& configs() {
    static const std::vector<Config> all = {
        {"compiled", {}},
        {"evaluate", {"--evaluate"}},
        {"no-fuse", {"--no-fuse"}},
        {"no-simplify", {"--skip=simplify"}},
        {"one-worker", {"--workers=1"}},
        {"narrow", {"--vector-bits=128"}},
        {"cut", {"--function-size=40"}},
        {"verified", {"--verify"}},
        {"cached", {}, 2},
        {"gpu-emulated", {"--deterministic", "--precision=highest"}, 1, "gpu-emulated"},
        {"gpu", {"--deterministic", "--precision=highest"}, 1, "gpu"},
        {"gpu-emulated-any-order", {"--precision=highest"}, 1, "gpu-emulated"},
        {"gpu-any-order", {"--precision=highest"}, 1, "gpu"},
    };
    return all;
}

/// A folder of its own for one run, from which the tree can be read under its usual names; removed at the end.
class Scratch {
  public:
    explicit Scratch(const fs::path& root) {
        std::string pattern = (fs::temp_directory_path() / "pm-lang-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a folder for a test");
        path_ = pattern;
        for (const char* folder : {"examples", "stdlib", "tests"})
            fs::create_directory_symlink(root / folder, path_ / folder);
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    std::string path() const { return path_.string(); }

  private:
    fs::path path_;
};

std::vector<std::string> command_for(const std::string& pm, const Config& config, const Expectations& e, int devices) {
    std::vector<std::string> command{pm, e.session ? "repl" : e.command};
    command.insert(command.end(), config.options.begin(), config.options.end());
    command.insert(command.end(), e.options.begin(), e.options.end());
    if (devices > 0 || std::string_view(config.devices) != "cpu")
        command.push_back(fmt::format("--devices={}:{}", config.devices, std::max(1, devices)));
    const bool style_given = std::any_of(e.options.begin(), e.options.end(),
                                         [](const std::string& option) { return option.starts_with("--errors"); });
    if (!style_given) command.emplace_back("--errors=long");
    if (!e.session) {
        command.push_back(e.program);
        command.insert(command.end(), e.arguments.begin(), e.arguments.end());
    }
    return command;
}

/// What is wrong with one run, or nothing.
std::string run_once(const std::string& pm, const Config& config, const Expectations& e, int devices,
                     const Scratch& scratch) {
    const std::string input = e.session ? fs::absolute(e.program).string() : "/dev/null";
    const Finished f = run_process(command_for(pm, config, e, devices), input, scratch.path(), e.seconds);
    if (f.late) return fmt::format("  still running after {} s\n", e.seconds);
    std::string wrong = compare_output(e, devices, f.output) + compare_errors(e, f.errors);
    const int code = e.exit.value_or(e.errors.empty() ? 0 : 1);
    if (f.code != code) wrong += fmt::format("  exit code {}, expected {}\n", f.code, code);
    return wrong;
}

std::vector<std::string> files_in(const std::vector<std::string>& places) {
    std::vector<std::string> files;
    for (const std::string& place : places) {
        if (!fs::is_directory(place)) {
            files.push_back(place);
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(place)) {
            const std::string extension = entry.path().extension().string();
            const bool part = entry.path().filename().string().starts_with("_"); // imported by others
            if ((extension == ".pm" || extension == ".expect") && !part) files.push_back(entry.path().string());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// Prints what each file would have to expect.
void show(const std::string& pm, const Config& config, const std::string& file) {
    const Expectations e = read_expectations(file);
    const int devices = e.devices.empty() ? 0 : e.devices.front();
    const Scratch scratch(fs::current_path());
    setenv("PM_CACHE", "", 1);
    const std::string input = e.session ? fs::absolute(e.program).string() : "/dev/null";
    const Finished f = run_process(command_for(pm, config, e, devices), input, scratch.path(), e.seconds);
    fmt::print("{}{}", as_expectations(f.output, f.errors), f.code > 1 ? fmt::format("# exit: {}\n", f.code) : "");
}

struct Count {
    int passed = 0;
    int failed = 0;
};

void run_file(const std::string& pm, const Config& config, const std::string& file, bool verbose, Count& count) {
    const Expectations e = read_expectations(file);
    if (!e.configs.empty() && std::find(e.configs.begin(), e.configs.end(), config.name) == e.configs.end()) return;
    for (const int devices : e.devices.empty() ? std::vector<int>{0} : e.devices) {
        const Scratch scratch(fs::current_path());
        setenv("PM_CACHE", config.runs > 1 ? (scratch.path() + "/cache").c_str() : "", 1);
        std::string wrong;
        for (int run = 0; run < config.runs && wrong.empty(); ++run) wrong = run_once(pm, config, e, devices, scratch);
        ++(wrong.empty() ? count.passed : count.failed);
        if (!wrong.empty() || verbose)
            fmt::print("{} {}{}\n{}", wrong.empty() ? "ok  " : "FAIL", file,
                       devices > 0 ? fmt::format(" on {}", devices) : "", wrong);
    }
}

/// Whether the program's slices cannot be shared out by so many devices: then it is refused, and has no output to
/// compare.
bool refused_by_devices(const Finished& f) { return f.errors.find("error[PM0310]") != std::string::npos; }

/// Runs a program on each of these numbers of devices, by one worker and by two: it ends, prints what it should and
/// prints the same for both, bit by bit.
void run_on(const std::string& pm, const Config& given, const std::string& file, const std::vector<int>& all,
            bool verbose, Count& count) {
    const Expectations e = read_expectations(file);
    setenv("PM_CACHE", "", 1);
    for (const int devices : all) {
        const Scratch scratch(fs::current_path());
        std::string wrong, first;
        for (const char* workers : {"--workers=1", "--workers=2"}) {
            Config config = given;
            config.options.emplace_back(workers);
            const Finished f = run_process(command_for(pm, config, e, devices), "/dev/null", scratch.path(), e.seconds);
            if (f.late) wrong += fmt::format("  {}: still running after {} s\n", workers, e.seconds);
            const bool refused = refused_by_devices(f);
            if (!refused) wrong += compare_output(e, devices, f.output) + compare_errors(e, f.errors);
            if (f.code != (refused ? 1 : e.exit.value_or(e.errors.empty() ? 0 : 1)))
                wrong += fmt::format("  {}: exit code {}\n{}", workers, f.code, f.errors);
            if (first.empty()) first = f.output + f.errors;
            if (first != f.output + f.errors) wrong += fmt::format("  other output for {}\n{}", workers, f.output);
        }
        ++(wrong.empty() ? count.passed : count.failed);
        if (!wrong.empty() || verbose)
            fmt::print("{} {} on {}\n{}", wrong.empty() ? "ok  " : "FAIL", file, devices, wrong);
    }
}

std::vector<int> read_numbers(const std::string& text) {
    std::vector<int> numbers;
    std::istringstream in(text);
    for (std::string number; std::getline(in, number, ',');) numbers.push_back(std::stoi(number));
    return numbers;
}

/// Pipes a program into a session that holds a name before it and uses the name behind it. The program's errors end
/// its entries and nothing else; only they decide the exit code. Two empty lines end what the program leaves open.
void run_session(const std::string& pm, const std::string& file, bool verbose, Count& count) {
    Expectations e = read_expectations(file);
    if (e.session || e.command != "run") return;
    const Scratch scratch(fs::current_path());
    setenv("PM_CACHE", "", 1);
    const std::string input = scratch.path() + "/entries";
    std::ofstream(input, std::ios::binary) << "mut keep = 41\n" << read_whole(e.program) << "\n\n\nprint(keep + 1)\n";
    e.session = true;
    const int devices = e.devices.empty() ? 0 : e.devices.front();
    const Finished f = run_process(command_for(pm, configs().front(), e, devices), input, scratch.path(), e.seconds);
    std::string wrong;
    if (f.late) wrong = fmt::format("  still running after {} s\n", e.seconds);
    if (f.output != "42\n" && !f.output.ends_with("\n42\n"))
        wrong += fmt::format("  the session did not go on; its output was:\n{}", f.output);
    const int code = f.errors.empty() ? 0 : 1; // what a file refuses may be an entry: a last value is shown, not lost
    if (f.code != code) wrong += fmt::format("  exit code {}, expected {}\n", f.code, code);
    if (!wrong.empty()) wrong += fmt::format("  standard error was:\n{}", f.errors);
    ++(wrong.empty() ? count.passed : count.failed);
    if (!wrong.empty() || verbose) fmt::print("{} {} in a session\n{}", wrong.empty() ? "ok  " : "FAIL", file, wrong);
}

void run_document(const std::string& pm, const Config& config, const std::string& file, bool verbose, Count& count) {
    for (Example& example : read_document(file)) {
        const Scratch scratch(fs::current_path());
        setenv("PM_CACHE", "", 1);
        Expectations& e = example.expected;
        std::ofstream(scratch.path() + "/" + e.program) << example.text;
        const int devices = e.devices.empty() ? 0 : e.devices.front();
        const Finished f = run_process(command_for(pm, config, e, devices), "/dev/null", scratch.path(), e.seconds);
        std::string wrong;
        if (example.output_given) wrong += compare_output(e, devices, f.output);
        wrong += compare_errors(e, f.errors);
        if (f.code != e.exit.value_or(0)) wrong += fmt::format("  exit code {}\n", f.code);
        ++(wrong.empty() ? count.passed : count.failed);
        if (!wrong.empty() || verbose)
            fmt::print("{} {}:{}\n{}", wrong.empty() ? "ok  " : "FAIL", file, example.line, wrong);
    }
}

} // namespace

int main(int argc, char** argv) {
    std::string pm;
    std::string name = "compiled";
    bool verbose = false;
    bool only_show = false;
    bool sessions = false;
    std::vector<int> on;
    std::vector<std::string> places;
    for (const std::string& argument : std::vector<std::string>(argv + 1, argv + argc)) {
        if (argument.starts_with("--pm="))
            pm = fs::absolute(argument.substr(5)).string();
        else if (argument.starts_with("--config="))
            name = argument.substr(9);
        else if (argument.starts_with("--on="))
            on = read_numbers(argument.substr(5));
        else if (argument == "--verbose")
            verbose = true;
        else if (argument == "--show")
            only_show = true;
        else if (argument == "--sessions")
            sessions = true;
        else
            places.push_back(argument);
    }
    const auto config =
        std::find_if(configs().begin(), configs().end(), [&](const Config& c) { return name == c.name; });
    if (pm.empty() || config == configs().end() || places.empty()) {
        fmt::print(stderr, "usage: run_programs --pm=PROGRAM --config=NAME FILE-OR-FOLDER...\n");
        return 2;
    }
    Count count;
    try {
        for (const std::string& file : files_in(places)) {
            if (file.ends_with(".md"))
                run_document(pm, *config, file, verbose, count);
            else if (only_show)
                show(pm, *config, file);
            else if (sessions)
                run_session(pm, file, verbose, count);
            else if (!on.empty())
                run_on(pm, *config, file, on, verbose, count);
            else
                run_file(pm, *config, file, verbose, count);
        }
    } catch (const std::exception& e) {
        fmt::print("{}\n", e.what());
        ++count.failed;
    }
    if (only_show) return 0;
    fmt::print("{} passed, {} failed\n", count.passed, count.failed);
    return count.failed == 0 && count.passed > 0 ? 0 : 1;
}
