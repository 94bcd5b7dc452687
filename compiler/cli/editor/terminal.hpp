#pragma once
#include <string_view>

#include <termios.h>

namespace pm::cli::editor {

/// The terminal on standard input and output.
class Terminal {
  public:
    /// True if the terminal understands the sequences of the editor: input and output are terminals, and TERM is not
    /// "dumb".
    static bool capable();

    Terminal();
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// Switches to the mode of the editor: each key, even Ctrl-C, is read at once and unchanged, and pastes are marked.
    void edit();
    /// Restores the earlier mode: whole lines, echo, Ctrl-C as a signal.
    void restore();
    struct Size {
        int columns;
        int rows;
    };
    Size size() const;
    void write(std::string_view text) const;
    /// Stops the process as Ctrl-Z does. Returns when the process continues.
    void suspend();

  private:
    termios found_{};
    bool editing_ = false;
};

} // namespace pm::cli::editor
