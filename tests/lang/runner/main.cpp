// Runs .pm programs and compares their output with the expectations in their comments (see expectations.hpp), in one of
// the configurations of configs.cpp: run_programs --pm=PROGRAM [--config=NAME] [OPTIONS] FILE-OR-FOLDER...
//   --shard=I/N   only the I-th of N equal parts of the files
//   --slow=no     no slow programs; --slow=only: only slow programs
//   --devices-named only files that name the numbers of devices they run on
//   --on=1,2,3    each file on these numbers of devices of the configuration
//   --sessions    each file piped into a session, which must continue after it
//   --show        print the present output as expectations
//   --verbose     name the passing files too
// The programs in .md files are run too (see documents.hpp).
#include "tests/lang/runner/execute.hpp"
#include "tests/lang/runner/expectations.hpp"

#include <fmt/format.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>
#include <stdexcept>

namespace {

namespace fs = std::filesystem;
using namespace pm::lang;

/// The part of the files that a call runs: part `index`, counted from 1, of `count`.
struct Shard {
    std::size_t index = 1;
    std::size_t count = 1;
};

struct Arguments {
    Runs runs;
    std::string config = "compiled";
    bool only_show = false;
    bool sessions = false;
    bool devices_named = false;
    std::vector<int> on;
    Shard shard;
    std::vector<std::string> places;
};

std::vector<int> read_numbers(const std::string& text, char separator) {
    std::vector<int> numbers;
    std::istringstream in(text);
    for (std::string number; std::getline(in, number, separator);) numbers.push_back(std::stoi(number));
    return numbers;
}

Shard read_shard(const std::string& text) {
    const std::vector<int> numbers = read_numbers(text, '/');
    if (numbers.size() != 2 || numbers[0] < 1 || numbers[0] > numbers[1])
        throw std::runtime_error("--shard=I/N: I from 1 to N");
    return {std::size_t(numbers[0]), std::size_t(numbers[1])};
}

constexpr const char* usage =
    "usage: run_programs --pm=PROGRAM [--config=NAME] [OPTIONS] FILE-OR-FOLDER...\n"
    "options: --shard=I/N --slow=no|only --devices-named --on=1,2,3 --sessions --show --verbose";

Arguments read_arguments(const std::vector<std::string>& words) {
    Arguments a;
    for (const std::string& word : words) {
        if (word == "--help") throw std::runtime_error(usage);
        if (word.starts_with("--pm="))
            a.runs.pm = fs::absolute(word.substr(5)).string();
        else if (word.starts_with("--config="))
            a.config = word.substr(9);
        else if (word.starts_with("--on="))
            a.on = read_numbers(word.substr(5), ',');
        else if (word.starts_with("--shard="))
            a.shard = read_shard(word.substr(8));
        else if (word == "--slow=no")
            a.runs.slow = Slow::without;
        else if (word == "--slow=only")
            a.runs.slow = Slow::only;
        else if (word == "--verbose")
            a.runs.verbose = true;
        else if (word == "--show")
            a.only_show = true;
        else if (word == "--devices-named")
            a.devices_named = true;
        else if (word == "--sessions")
            a.sessions = true;
        else if (word.starts_with("--"))
            throw std::runtime_error("unknown option " + word);
        else
            a.places.push_back(word);
    }
    const Config* config = find_config(a.config);
    if (config == nullptr) throw std::runtime_error("unknown configuration " + a.config);
    if (a.runs.pm.empty() || a.places.empty()) throw std::runtime_error(usage);
    if (!fs::exists(a.runs.pm)) throw std::runtime_error("there is no program " + a.runs.pm);
    a.runs.config = *config;
    return a;
}

std::vector<std::string> files_in(const Arguments& a) {
    std::vector<std::string> files;
    for (const std::string& place : a.places) {
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
    if (a.devices_named)
        std::erase_if(files, [](const std::string& file) { return read_expectations(file).devices.empty(); });
    std::sort(files.begin(), files.end());
    std::vector<std::string> mine;
    for (std::size_t i = a.shard.index - 1; i < files.size(); i += a.shard.count) mine.push_back(files[i]);
    return mine;
}

void run(Arguments& a, const std::string& file) {
    if (file.ends_with(".md"))
        run_document(a.runs, file);
    else if (a.only_show)
        show(a.runs, file);
    else if (a.sessions)
        run_session(a.runs, file);
    else if (!a.on.empty())
        run_on(a.runs, file, a.on);
    else
        run_file(a.runs, file);
}

/// Runs `work` in a child whose temporary files are all in `folder`. Ctrl-C ends the child alone, so that the caller
/// can remove the folder. Returns the exit code.
int in_child(const std::string& folder, const std::function<int()>& work) {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) {
        setenv("TMPDIR", folder.c_str(), 1);
        setenv("PM_CACHE", (folder + "/cache").c_str(), 1); // shared by all runs: the same code is compiled once
        const int code = work();
        std::fflush(nullptr);
        _exit(code);
    }
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_all(Arguments& a) {
    try {
        for (const std::string& file : files_in(a)) run(a, file);
    } catch (const std::exception& e) {
        fmt::print("{}\n", e.what());
        ++a.runs.failed;
    }
    if (a.only_show) return 0;
    fmt::print("{} passed, {} failed\n", a.runs.passed, a.runs.failed);
    return a.runs.failed == 0 && a.runs.passed > 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    Arguments a;
    try {
        a = read_arguments({argv + 1, argv + argc});
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 2;
    }
    try {
        const TemporaryFolder folder;
        return in_child(folder.path(), [&] { return run_all(a); });
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 1;
    }
}
