#pragma once
#include <string_view>

#include <termios.h>

namespace pm::cli::editor {

/// The terminal on standard input and output.
class Terminal {
  public:
    /// True when it understands the sequences that the editor sends: both ends are terminals, and not dumb ones.
    static bool capable();

    Terminal();
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// Keys come one by one and unchanged, Ctrl-C too; pastes are marked.
    void edit();
    /// As it was found: lines, echo, Ctrl-C as a signal.
    void restore();
    struct Size {
        int columns;
        int rows;
    };
    Size size() const;
    void write(std::string_view text) const;
    /// Stops the process as Ctrl-Z does; returns when it goes on.
    void suspend();

  private:
    termios found_{};
    bool editing_ = false;
};

} // namespace pm::cli::editor
