#pragma once
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pm_test {

/// How a child process ended.
struct ChildEnd {
    bool in_time = false; ///< false if the child was killed after the time limit
    int code = -1;        ///< the exit code; -1 if the child did not exit
    int signal = 0;       ///< the signal that ended the child; 0 if no signal did
    std::string errors;   ///< the child's output on the standard error stream
};

namespace child {

[[noreturn]] inline void run(const std::function<int()>& work, int errors) {
    ::dup2(errors, STDERR_FILENO);
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT}) std::signal(signal, SIG_DFL);
    const rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    std::exit(work()); // runs the exit handlers: no thread or memory of the library may keep the process from ending
}

/// Reads from a pipe until its other end is closed. Returns false if the reading takes longer than `most`.
inline bool read_to_end(int file, std::string& text, std::chrono::milliseconds most) {
    const auto end = std::chrono::steady_clock::now() + most;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) return false;
        pollfd waiting{file, POLLIN, 0};
        if (::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) continue;
        char part[4096];
        const ssize_t got = ::read(file, part, sizeof part);
        if (got <= 0) return true;
        text.append(part, static_cast<std::size_t>(got));
    }
}

} // namespace child

/// Runs `work` in a fork of this process. The child exits with the result of `work`. If the child runs longer than
/// `most`, it is killed.
inline ChildEnd in_child(const std::function<int()>& work, std::chrono::milliseconds most = std::chrono::seconds(30)) {
    int errors[2];
    REQUIRE(::pipe(errors) == 0);
    std::fflush(nullptr);
    const pid_t process = ::fork();
    REQUIRE(process >= 0);
    if (process == 0) child::run(work, errors[1]);
    ::close(errors[1]);
    ChildEnd end;
    end.in_time = child::read_to_end(errors[0], end.errors, most);
    ::close(errors[0]);
    if (!end.in_time) ::kill(process, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(process, &status, 0) == process);
    if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    return end;
}

} // namespace pm_test
