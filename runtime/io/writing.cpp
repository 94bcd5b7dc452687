#include "runtime/io/writing.hpp"

#include "runtime/io/descriptor.hpp"
#include "runtime/io/waiting.hpp"

#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>

namespace pm::runtime {
namespace {

/// Suppresses SIGPIPE from writes of this thread for the life of the object. A SIGPIPE that was already pending stays
/// pending.
class WithoutPipeSignal {
  public:
    WithoutPipeSignal() {
        sigset_t waiting;
        ::sigpending(&waiting);
        if (::sigismember(&waiting, SIGPIPE) != 0) return;
        ::sigemptyset(&pipe_);
        ::sigaddset(&pipe_, SIGPIPE);
        blocked_ = ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_) == 0;
    }
    ~WithoutPipeSignal() {
        if (!blocked_) return;
        const int reason = errno;
        const timespec at_once{};
        while (reason == EPIPE && ::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
        }
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = reason;
    }
    WithoutPipeSignal(const WithoutPipeSignal&) = delete;
    WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

  private:
    sigset_t pipe_{};
    sigset_t before_{};
    bool blocked_ = false;
};

/// As write_all(), but in parts of at most `most` bytes. `put` writes one part and returns the number of written bytes.
template <class Put>
bool write_parts(int file, std::string_view bytes, std::size_t most, const std::function<void()>& poll,
                 const Put& put) {
    while (!bytes.empty()) {
        if (poll) poll();
        const std::string_view part = bytes.substr(0, most);
        const ssize_t done = [&] {
            const WithoutPipeSignal quiet;
            errno = 0;
            return put(part);
        }();
        if (done < 0 && errno == EINTR) continue;
        if (done < 0 && errno == EAGAIN) { // a full pipe
            wait_for(file, POLLOUT, poll);
            continue;
        }
        if (done < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    return true;
}

} // namespace

bool write_all(int file, std::string_view bytes, const std::function<void()>& poll) {
    constexpr std::size_t largest_part = 8 << 20;
    return write_parts(file, bytes, largest_part, poll,
                       [&](std::string_view part) { return ::write(file, part.data(), part.size()); });
}

bool synced(int file) {
    int failed = 0;
    do failed = ::fsync(file);
    while (failed != 0 && errno == EINTR);
    return failed == 0 || errno == EINVAL;
}

int descriptor_named_by(const std::string& path) {
    const std::filesystem::path link(path);
    std::error_code unknown;
    const std::string folder = std::filesystem::canonical(link.parent_path(), unknown);
    // The folder of a thread is /proc/PID/task/TID/fd.
    if (!folder.starts_with("/proc/" + std::to_string(::getpid()) + "/") || !folder.ends_with("/fd")) return -1;
    const std::string name = link.filename();
    int number = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    return error == std::errc() && end == name.data() + name.size() ? number : -1;
}

bool write_printed(const std::function<void()>& poll) {
    // A pipe that is ready accepts PIPE_BUF bytes at once. The buffer of stdout for a pipe is not larger, unless a
    // program has enlarged it. So the write below does not block.
    if (const int file = ::fileno(stdout); file >= 0 && __fpending(stdout) > 0) wait_for(file, POLLOUT, poll);
    const WithoutPipeSignal quiet;
    return std::fflush(stdout) == 0;
}

bool write_to_open_file(int file, const std::string& path, std::string_view bytes, const std::function<void()>& poll) {
    // Printed text is written first, because `file` and stdout may be the same file.
    if (!write_printed(poll) && file == STDOUT_FILENO) return false;
    struct stat status{};
    if (::fstat(file, &status) != 0) return false;
    if (S_ISREG(status.st_mode)) return write_all(file, bytes, poll) && synced(file);
    // A pipe or a device may block a writer. Writing to a new, non-blocking descriptor does not block. Other users of
    // the file are not affected.
    if (const Descriptor again(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)); again)
        return write_all(again.number(), bytes, poll);
    if (S_ISSOCK(status.st_mode))
        return write_parts(file, bytes, INT_MAX, poll,
                           [&](std::string_view part) { return ::send(file, part.data(), part.size(), MSG_DONTWAIT); });
    // The file cannot be opened again; for example, it is a terminal of another user. Waits until the file accepts
    // bytes.
    return write_parts(file, bytes, PIPE_BUF, poll, [&](std::string_view part) {
        wait_for(file, POLLOUT, poll);
        return ::write(file, part.data(), part.size());
    });
}

} // namespace pm::runtime
