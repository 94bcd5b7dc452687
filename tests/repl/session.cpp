#include "tests/repl/session.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace pm::test {
namespace {

constexpr double patience = 30; // seconds, enough for a busy machine
constexpr std::string_view prompt_mark = "\x1B[?2004h";
constexpr std::string_view run_mark = "\x1B[?2004l";

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// In the child, between fork and exec.
[[noreturn]] void become(const Folder& folder, const std::vector<std::string>& arguments, const std::string& term) {
    if (::chdir(folder.path().c_str()) != 0) ::_exit(127);
    ::setenv("HOME", folder.path().c_str(), 1);
    ::setenv("XDG_STATE_HOME", (folder.path() + "/state").c_str(), 1);
    ::setenv("TERM", term.c_str(), 1);
    ::setenv("PM_CACHE", "", 1);
    ::unsetenv("NO_COLOR");
    std::vector<char*> words{const_cast<char*>(PM_PROGRAM), const_cast<char*>("repl")};
    for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
    words.push_back(nullptr);
    ::execv(PM_PROGRAM, words.data());
    ::_exit(127);
}

std::string without_returns(std::string text) {
    std::erase(text, '\r');
    return text;
}

} // namespace

Folder::Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "pm-repl-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
}

Folder::~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

void Folder::write(const std::string& name, std::string_view text) const { std::ofstream(path_ / name) << text; }

std::string Folder::read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path_ / name).rdbuf();
    return text.str();
}

Session::Session(const Folder& folder, const Options& options) : screen_(options.columns, options.rows) {
    winsize size{};
    size.ws_col = static_cast<unsigned short>(options.columns);
    size.ws_row = static_cast<unsigned short>(options.rows);
    sent_ = now();
    child_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    REQUIRE(child_ >= 0);
    if (child_ == 0) become(folder, options.arguments, options.term);
}

Session::~Session() {
    if (terminal_ >= 0) ::close(terminal_);
    if (child_ > 0) {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }
}

double Session::seconds() const { return now() - sent_; }

void Session::send(std::string_view keys) {
    sent_ = now();
    while (!keys.empty()) {
        // Reads the output meanwhile. Otherwise both processes could wait for each other.
        pump(0);
        const ssize_t n = ::write(terminal_, keys.data(), std::min<std::size_t>(keys.size(), 512));
        REQUIRE(n > 0);
        keys.remove_prefix(static_cast<std::size_t>(n));
    }
}

bool Session::pump(int milliseconds) {
    pollfd waiting{terminal_, POLLIN, 0};
    if (closed_ || ::poll(&waiting, 1, milliseconds) <= 0) return false;
    char bytes[65536];
    const ssize_t n = ::read(terminal_, bytes, sizeof bytes);
    if (n <= 0) {
        closed_ = true;
        return false;
    }
    received_.append(bytes, static_cast<std::size_t>(n));
    screen_.write({bytes, static_cast<std::size_t>(n)});
    return true;
}

template <class Done>
void Session::wait(Done done, std::string_view what) {
    const double start = now();
    while (!done()) {
        pump(20);
        if (now() - start < patience && !(closed_ && !done())) continue;
        INFO("the screen:\n", screen_.text());
        FAIL("waited in vain for ", std::string(what));
    }
}

std::string Session::prompt() {
    std::size_t at = 0;
    wait([&] { return (at = received_.find(prompt_mark, prompts_)) != std::string::npos; }, "the prompt");
    const std::size_t begin = received_.rfind(run_mark, at);
    std::string printed;
    if (begin != std::string::npos && begin >= prompts_)
        printed = received_.substr(begin + run_mark.size(), at - begin - run_mark.size());
    prompts_ = at + prompt_mark.size();
    return without_returns(std::move(printed));
}

std::string Session::enter(std::string_view entry) {
    send(std::string(entry) + "\r");
    return prompt();
}

void Session::running() {
    wait([&] { return received_.find(run_mark, prompts_) != std::string::npos; }, "the entry to run");
}

void Session::see(std::string_view text) {
    wait([&] { return screen_.text().find(text) != std::string::npos; }, text);
}

void Session::resize(int columns, int rows) {
    pump(0);
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = static_cast<unsigned short>(rows);
    screen_.resize(columns, rows);
    REQUIRE(::ioctl(terminal_, TIOCSWINSZ, &size) == 0);
}

int Session::ended() {
    const double start = now();
    int status = 0;
    while (::waitpid(child_, &status, WNOHANG) == 0) {
        pump(20);
        REQUIRE(now() - start < patience);
    }
    child_ = -1;
    while (pump(20)) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

long Session::resident() const {
    std::ifstream in("/proc/" + std::to_string(child_) + "/statm");
    long size = 0, resident = 0;
    in >> size >> resident;
    return resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

pid_t Session::busiest_thread() const {
    pid_t found = 0;
    long most = -1;
    for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", child_))) {
        std::ifstream in(entry.path() / "stat");
        const std::string stat{std::istreambuf_iterator<char>(in), {}};
        std::istringstream fields(stat.substr(stat.rfind(')') + 1)); // the name may have spaces
        std::string other;
        long ticks = 0;
        for (int i = 0; i < 11; ++i) fields >> other; // skips the state to the number of major faults of children
        fields >> ticks;
        if (ticks <= most) continue;
        most = ticks;
        found = std::stoi(entry.path().filename());
    }
    REQUIRE(found != 0);
    return found;
}

Held::Held(pid_t thread) : thread_(thread) {
    REQUIRE(::ptrace(PTRACE_SEIZE, thread_, nullptr, nullptr) == 0);
    REQUIRE(::ptrace(PTRACE_INTERRUPT, thread_, nullptr, nullptr) == 0);
    REQUIRE(::waitpid(thread_, nullptr, __WALL) == thread_);
}

void Held::release() {
    if (thread_ > 0) ::ptrace(PTRACE_DETACH, thread_, nullptr, nullptr);
    thread_ = -1;
}

void Held::ended() {
    int status = 0;
    CHECK(::waitpid(thread_, &status, __WALL) == thread_);
    CHECK_FALSE(WIFSTOPPED(status));
    thread_ = -1;
}

Piped run_piped(const Folder& folder, std::string_view input) {
    folder.write("input.txt", input);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const int in = ::open((folder.path() + "/input.txt").c_str(), O_RDONLY);
        const int out = ::open((folder.path() + "/output.txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int errors = ::open((folder.path() + "/errors.txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(in, 0);
        ::dup2(out, 1);
        ::dup2(errors, 2);
        become(folder, {}, "xterm-256color");
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), folder.read("output.txt"),
            folder.read("errors.txt")};
}

} // namespace pm::test
