#include "compiler/cli/editor/input_bytes.hpp"

#include "compiler/cli/editor/keys.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace pm::cli::editor {
namespace {

// The two ends of a pipe. The waiting thread polls the read end. A signal handler uses only the write end.
int wake_read = -1;
int wake_write = -1;

void wake(char what) {
    const int kept = errno;
    if (wake_write >= 0) {
        const ssize_t written = ::write(wake_write, &what, 1);
        static_cast<void>(written); // the write may fail: if the pipe is full, the waiting thread wakes too
    }
    errno = kept;
}

} // namespace

void wake_for_interrupt() { wake('i'); }
void wake_for_resize() { wake('r'); }

Bytes::Bytes() {
    if (int ends[2]; wake_write < 0 && ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
        wake_read = ends[0];
        wake_write = ends[1];
    }
}

void Bytes::forget_signals() {
    char rest[64];
    while (::read(wake_read, rest, sizeof rest) > 0) {
    }
}

int Bytes::next(int milliseconds) {
    if (begin_ < end_) return static_cast<unsigned char>(bytes_[begin_++]);
    pollfd waiting[2] = {{STDIN_FILENO, POLLIN, 0}, {wake_read, POLLIN, 0}};
    for (;;) {
        const int ready = ::poll(waiting, 2, milliseconds);
        if (ready < 0 && errno == EINTR) continue;
        if (ready < 0) return Input::closed;
        if (ready == 0) return Input::nothing;
        if ((waiting[1].revents & POLLIN) != 0) {
            char why = 0;
            if (::read(wake_read, &why, 1) == 1) return why == 'r' ? Input::resized : Input::interrupted;
        }
        if (waiting[0].revents == 0) continue;
        const ssize_t n = ::read(STDIN_FILENO, bytes_, sizeof bytes_);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n <= 0) return Input::closed;
        begin_ = 1;
        end_ = static_cast<std::size_t>(n);
        return static_cast<unsigned char>(bytes_[0]);
    }
}

bool Bytes::more() const {
    if (begin_ < end_) return true;
    pollfd waiting{STDIN_FILENO, POLLIN, 0};
    return ::poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0;
}

} // namespace pm::cli::editor
