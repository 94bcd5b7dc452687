#pragma once
#include <functional>
#include <optional>
#include <string>

namespace pm::cli::editor {

enum class Key {
    character, ///< `text`: one code point
    paste,     ///< `text`: everything between the marks of a bracketed paste
    control,   ///< `text`: the lower-case letter, or `\`, `]`, `^`, `_`, `@`
    alt,       ///< `text`: the character
    enter,
    alt_enter,
    tab,
    back_tab,
    backspace,
    remove,
    left,
    right,
    up,
    down,
    word_left,
    word_right,
    home,
    end,
    page_up,
    page_down,
    escape,
    resized,   ///< the size of the terminal has changed
    interrupt, ///< Ctrl-C was received as a signal
    closed,    ///< the end of the input
    unknown,   ///< a sequence that the editor does not use
};

struct KeyPress {
    Key key = Key::unknown;
    std::string text = {};
};

/// The source of bytes.
struct Input {
    enum Event : int { closed = -1, nothing = -2, resized = -3, interrupted = -4 };
    /// Returns the next byte, or an Event: `nothing` if no byte arrived within `milliseconds`. Waits for ever if
    /// `milliseconds` is negative.
    std::function<int(int milliseconds)> next;
};

/// Converts the bytes of a terminal to keys.
class Keys {
  public:
    explicit Keys(Input input) : input_(std::move(input)) {}
    KeyPress read();

  private:
    KeyPress escape_sequence();
    KeyPress control_sequence();
    KeyPress pasted();
    KeyPress character(int first);
    int soon();

    Input input_;
    std::optional<int> pushed_; ///< a byte that was read after a sequence but is not a part of it
};

} // namespace pm::cli::editor
