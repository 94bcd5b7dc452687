#include "compiler/cli/editor/terminal.hpp"

#include "compiler/cli/editor/input_bytes.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace pm::cli::editor {

bool Terminal::capable() {
    const char* term = std::getenv("TERM");
    return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0 && term && *term &&
           std::strcmp(term, "dumb") != 0;
}

Terminal::Terminal() {
    struct sigaction action{};
    action.sa_handler = [](int) { wake_for_resize(); };
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGWINCH, &action, nullptr);
}

Terminal::~Terminal() { restore(); }

void Terminal::edit() {
    if (editing_) return;
    // Reads the mode each time, so that changes by a program are restored later.
    ::tcgetattr(STDIN_FILENO, &found_);
    termios raw = found_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
    raw.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR | IXON | ISTRIP | BRKINT);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    write("\x1B[?2004h");
    editing_ = true;
}

void Terminal::restore() {
    if (!editing_) return;
    write("\x1B[?2004l");
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &found_);
    editing_ = false;
}

Terminal::Size Terminal::size() const {
    winsize window{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return {80, 24};
    return {window.ws_col, window.ws_row == 0 ? 24 : window.ws_row};
}

void Terminal::write(std::string_view text) const {
    while (!text.empty()) {
        const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

void Terminal::suspend() {
    restore();
    ::kill(0, SIGTSTP); // to the whole process group, as the terminal does for Ctrl-Z
    edit();
}

} // namespace pm::cli::editor
