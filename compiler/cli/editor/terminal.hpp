#pragma once
#include <string_view>

#include <termios.h>

namespace pm::cli::editor {

/// The terminal on standard input and output.
class Terminal {
  public:
    /// True if the terminal understands the sequences of the editor: input and output are terminals, and not dumb ones.
    static bool capable();

    Terminal();
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// Switches to single, unchanged keys, Ctrl-C too, and marked pastes.
    void edit();
    /// Restores the earlier mode: lines, echo, Ctrl-C as a signal.
    void restore();
    struct Size {
        int columns;
        int rows;
    };
    Size size() const;
    void write(std::string_view text) const;
    /// Stops the process as Ctrl-Z does. Returns when it continues.
    void suspend();

  private:
    termios found_{};
    bool editing_ = false;
};

} // namespace pm::cli::editor
