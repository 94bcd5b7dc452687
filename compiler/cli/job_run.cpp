// pm run in several processes.
#include "compiler/cli/job_run.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/diagnostic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace pm::cli {
namespace {

namespace fs = std::filesystem;

/// Set when the launcher ends the job.
std::atomic<bool> terminated{false};

/// A file in which a process of the job on this host tells the launcher that a process is lost. Then Open MPI may wait
/// without end: for other hosts when the network is out, or for a process that has been killed while it joined.
class LostFile {
  public:
    static constexpr const char* variable = "PM_LOST_FILE";

    LostFile() : path_((fs::temp_directory_path() / "pm-job-XXXXXX").string()) {
        const int file = mkstemp(path_.data());
        if (file < 0) return;
        close(file);
        setenv(variable, path_.c_str(), 1);
    }
    ~LostFile() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    LostFile(const LostFile&) = delete;
    LostFile& operator=(const LostFile&) = delete;

    /// Called by a process of the job.
    static void tell() {
        std::error_code error;
        if (const char* const path = std::getenv(variable); path != nullptr && fs::exists(path, error))
            std::ofstream(path, std::ios::app) << "lost\n";
    }
    bool is_told() const {
        std::error_code error;
        const std::uintmax_t size = fs::file_size(path_, error);
        return !error && size != 0;
    }

  private:
    std::string path_;
};

/// Whether `pm run` has started the launcher. It then shows the message of Ctrl-C: the engine may end this process
/// before it can.
bool launcher_is_ours() { return std::getenv(LostFile::variable) != nullptr; }

void on_terminate(int) {
    terminated = true;
    interrupt();
}

/// The path of this program. A launcher may search another one in PATH.
std::string own_path() {
    std::error_code error;
    const fs::path path = fs::read_symlink("/proc/self/exe", error);
    return error ? "pm" : path.string();
}

/// The library of the engine: beside this program in its build folder, or in the library folder of its installation.
std::string engine_library() {
    constexpr const char* name = "libpolymap_mpi.so";
    const fs::path folder = fs::path(own_path()).parent_path();
    for (const char* const place : {"runtime", PM_LIBRARY_FOLDER}) {
        std::error_code error;
        if (const fs::path file = folder / place / name; fs::exists(file, error)) return file.string();
    }
    return name;
}

/// The model and the features of the first processor.
std::string processor_kind() {
    std::ifstream list("/proc/cpuinfo");
    std::string kind;
    for (std::string line; std::getline(list, line) && !line.empty();)
        if (line.starts_with("model name") || line.starts_with("flags")) kind += line + "\n";
    return kind;
}

/// The command line that starts the processes.
std::vector<std::string> launcher_words(const Options& options) {
    std::vector<std::string> words = {"mpirun"};
    const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
    const int count = std::max(options.processes, static_cast<int>(options.hosts.size()));
    add({"-n", std::to_string(count), "--bind-to", "none"});
    if (options.hosts.empty()) {
        add({"--mca", "btl", "vader,self", "--oversubscribe"}); // no process listens on a port
        // Longer messages need system calls. With the default, 4096, and with this limit, a psum of 2 processes takes
        // 9 us and 4.5 (4 KB), 28 us and 19 (40 KB). The parameter has two names, in Open MPI 4 and 5.
        add({"--mca", "btl_vader_eager_limit", "65536", "--mca", "btl_sm_eager_limit", "65536"});
    } else {
        add({"-H", fmt::format("{}", fmt::join(options.hosts, ",")), "--map-by", "node"});
    }
    add({"-x", LostFile::variable});
    words.push_back(own_path());
    words.insert(words.end(), options.words.begin() + 1, options.words.end());
    return words;
}

/// The launcher that runs now; 0 if there is none.
std::atomic<pid_t> launcher{0};
/// The signal of Ctrl-C or of the end that this process got last; 0 if it got none.
std::atomic<int> signal_to_end{0};

/// mpirun passes SIGUSR1 on to all processes at once. SIGINT would end them a second later.
void forward(int signal) {
    signal_to_end = signal;
    if (launcher != 0) kill(launcher, signal == SIGINT ? SIGUSR1 : signal);
}

/// Waits until the launcher ends, and returns its status. If it does not end after a process is lost, kills it and
/// returns nullopt.
std::optional<int> status_at_end(pid_t child, const LostFile& lost) {
    constexpr std::chrono::seconds longest{3}; // from the loss on. Open MPI ends the others within 2 s
    constexpr int interval = 250;              // ms
    using Clock = std::chrono::steady_clock;
    std::optional<Clock::time_point> lost_since;
    pollfd end{static_cast<int>(syscall(SYS_pidfd_open, child, 0)), POLLIN, 0};
    bool killed = false;
    while (end.fd >= 0 && !killed && poll(&end, 1, interval) <= 0) {
        if (signal_to_end == SIGINT) forward(SIGINT); // it is lost if it comes before the processes
        if (!lost_since && lost.is_told()) lost_since = Clock::now();
        if (lost_since && Clock::now() - *lost_since > longest) killed = kill(child, SIGKILL) == 0;
    }
    if (end.fd >= 0) close(end.fd);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return killed ? std::nullopt : std::optional(status);
}

/// Runs a command that ends with this process; `lost` as for status_at_end(). Returns its exit code; 128 + the signal
/// that has ended it.
int run_to_end(std::vector<std::string> words, const LostFile& lost) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    constexpr int cannot_start = 127;
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0); // only this process's parent gets Ctrl-C of the terminal
        std::signal(SIGINT, SIG_DFL);
        std::signal(SIGTERM, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() == parent && signal_to_end == 0) execvp(arguments[0], arguments.data());
        _exit(signal_to_end == 0 ? cannot_start : static_cast<int>(exit_interrupted));
    }
    launcher = child;
    if (child > 0 && signal_to_end != 0) kill(child, SIGTERM); // it came before the launcher was there
    const std::optional<int> ended = child > 0 ? status_at_end(child, lost) : 0;
    launcher = 0;
    if (!ended) {
        write_error(fmt::format("{} did not end after a process was lost, and was killed\n", words[0]));
        return exit_lost;
    }
    const int status = *ended;
    if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == cannot_start))
        raise(diagnose(Diag::no_job, {}, fmt::format("`{}` cannot be started", words[0]))
                  .fix("install Open MPI: apt install openmpi-bin"));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Whether `own` is the first of the processes that the failure names, or the first of the others.
bool is_first_of_kind(const runtime::JobFailure& failure, int own) {
    const std::vector<int>& processes = failure.processes();
    const auto is_named = [&](int p) { return std::ranges::find(processes, p) != processes.end(); };
    for (int p = 0; p < own; ++p)
        if (is_named(p) == is_named(own)) return false;
    return true;
}

/// Ends this process after an error without the others. A thread of the engine may still wait for them.
[[noreturn]] void leave_job(int code) {
    if (code == exit_lost) LostFile::tell();
    leave(code);
}

/// Joins the job of the launcher.
std::unique_ptr<api::Job> joined_job(const Options& options, const runtime::ProcessesOptions& own) {
    const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
    const int number = rank == nullptr ? 0 : std::atoi(rank);
    const auto leave_with = [&](int code, bool shows) {
        if (shows) write_error(current_error(options, {}, {}).text);
        leave_job(code);
    };
    try {
        auto job = std::make_unique<api::Job>(options.engine.empty() ? engine_library() : options.engine, own);
        if (!job->is_first()) be_silent();
        return job;
    } catch (const runtime::JobFailure& failure) {
        // If it is not known which process has not come, it may be the first one.
        const bool shows = is_first_of_kind(failure, number) || (failure.processes().empty() && number == 1);
        if (failure.kind() == runtime::JobFailureKind::lost) leave_with(exit_lost, shows);
        if (number != 0) be_silent();
        throw;
    } catch (const Error&) { // Ctrl-C
        leave_with(exit_interrupted, number == 0 && !launcher_is_ours());
    }
    PM_UNREACHABLE();
}

} // namespace

std::unique_ptr<api::Job> join_job(Options& options) {
    if (options.engine == "none" || !api::in_job()) return nullptr;
    struct sigaction action{};
    action.sa_handler = on_terminate;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, nullptr);
    action.sa_handler = [](int) { interrupt(); }; // Ctrl-C, from the process that has started the launcher
    sigaction(SIGUSR1, &action, nullptr);
    runtime::ProcessesOptions own;
    own.patience = std::chrono::nanoseconds(static_cast<std::int64_t>(options.patience * 1e9));
    own.notice = [](std::string_view text) { write_error(fmt::format("{}\n", text)); };
    own.poll = [] {
        if (interrupted && !terminated) raise(diagnose(Diag::interrupted, {}));
    };
    own.ends = [] { return terminated.load(); };
    std::unique_ptr<api::Job> job = joined_job(options, own);
    if (options.file.empty() || options.file == "-")
        throw runtime::JobFailure(runtime::JobFailureKind::engine,
                                  "a program of several processes is a file, and not standard input", {});
    const std::vector<std::string> rest(options.words.begin() + 1, options.words.end());
    job->require_equal({{"the release of pm", PM_VERSION " " PM_LLVM_VERSION},
                        {"the command line", fmt::format("{}", fmt::join(rest, "\n"))},
                        {"the program", read_file(options.file)},
                        {"the kind of processor", processor_kind()}});
    options.session.processes = &job->processes();
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    if (options.session.workers == 0) options.session.workers = std::max(1, cores / api::processes_of_host());
    return job;
}

namespace {

/// The first line of an error and its place, for the other processes.
std::string short_text(const std::string& error) {
    const std::size_t end = error.find('\n');
    std::string text = error.substr(0, end);
    constexpr std::string_view arrow = "--> ";
    const std::size_t place = error.find(arrow, end);
    if (end == std::string::npos || place == std::string::npos || place > error.find('\n', end + 1)) return text;
    const std::size_t begin = place + arrow.size();
    return fmt::format("{} ({})", text, error.substr(begin, error.find('\n', begin) - begin));
}

/// Whether this process shows its error. An error that several processes have is shown by the first of them.
bool shows_error(const runtime::Processes& all, const std::vector<std::string>& errors) {
    if (const auto& failure = all.failure()) return is_first_of_kind(*failure, all.index());
    const auto own = static_cast<std::size_t>(all.index());
    return errors.size() <= own || std::ranges::find(errors, errors[own]) - errors.begin() == all.index();
}

} // namespace

int end_job(api::Job& job, Said said) {
    if (interrupted && !terminated) said = {"interrupted\n", exit_interrupted}; // in all processes
    std::vector<std::string> errors;
    const Said failed = error_of({}, nullptr, [&] {
        errors = job.end(short_text(said.text));
        return static_cast<int>(exit_done);
    });
    if (said.text.empty()) said = failed; // the others are elsewhere
    if (said.text.empty()) return said.code;
    std::fflush(stdout);
    const bool shows =
        said.code == exit_interrupted ? job.is_first() && !launcher_is_ours() : shows_error(job.processes(), errors);
    if (shows) write_error(said.text);
    const auto& failure = job.processes().failure();
    const int code = failure && failure->kind() == runtime::JobFailureKind::lost ? exit_lost : said.code;
    if (errors.size() < 2 || std::ranges::count(errors, std::string()) != 0) leave_job(code);
    return code;
}

bool starts_processes(const Options& options) {
    return std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr && (options.processes > 1 || !options.hosts.empty());
}

namespace {

int interrupted_job() {
    write_error("interrupted\n");
    return exit_interrupted;
}

} // namespace

int launch(const Options& options) {
    setenv("OMPI_MCA_orte_execute_quiet", "1", 0); // Open MPI 4 then leaves out its own report of errors
    if (geteuid() == 0)                            // without these, mpirun refuses root
        for (const char* const name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                       "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"})
            setenv(name, "1", 1);
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, forward);
    const std::vector<std::string> words = launcher_words(options);
    for (int restarts = 0;; ++restarts) {
        const int code = run_to_end(words, LostFile());
        if (signal_to_end == SIGINT && code != exit_done) return interrupted_job();
        if (signal_to_end == SIGTERM && code != exit_done) return 128 + SIGTERM;
        if (const int signal = code - 128; signal > 0 && signal < NSIG && code != exit_interrupted)
            write_error(fmt::format("a process was ended by signal {} ({})\n", signal, strsignal(signal)));
        const bool lost = code == exit_lost || (code > 128 && code != exit_interrupted);
        if (!lost || restarts == options.restarts) return lost ? exit_lost : code;
        const int seconds = 1 << std::min(restarts, 5);
        write_error(
            fmt::format("a process is lost: restart {} of {} in {} s\n", restarts + 1, options.restarts, seconds));
        for (int tenths = 10 * seconds; tenths > 0 && signal_to_end == 0; --tenths)
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        if (signal_to_end != 0) return signal_to_end == SIGINT ? interrupted_job() : 128 + SIGTERM;
    }
}

} // namespace pm::cli
