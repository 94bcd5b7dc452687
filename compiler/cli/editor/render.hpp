#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm::cli::editor {

enum class Style : std::uint8_t { plain, keyword, number, text, comment, command, wrong, faint };

/// What is to be seen.
struct View {
    std::string first_prompt; ///< in front of the first line; plain text
    std::string other_prompt; ///< in front of the others
    std::string_view text;
    std::size_t cursor = 0;
    std::vector<Style> styles = {}; ///< per byte of the text, or empty: all plain
    int columns = 80;
    int rows = 24;
};

/// The rows of the terminal that show it, with escape sequences for colours only, and the place of the cursor. No row
/// is wider than the terminal. When there are more rows than the terminal has, those around the cursor.
struct Picture {
    std::vector<std::string> rows;
    std::vector<int> widths; ///< of each row, in columns
    std::size_t cursor_row = 0;
    int cursor_column = 0;
};
Picture lay_out(const View& view);

/// Knows what it has painted, and so where the cursor stands.
class Painter {
  public:
    /// What to send to the terminal to see `picture` in place of what was painted before.
    std::string paint(Picture picture, int columns);
    /// To the line below what is painted; the next picture begins anew where the cursor is then.
    std::string leave();
    /// The next picture begins where the cursor is.
    void forget() { painted_ = {}; }
    /// Anew at the top of an empty screen.
    std::string clear_screen();

  private:
    Picture painted_;
};

/// Names in columns, filled downwards, for a list below the line.
std::string in_columns(const std::vector<std::string>& names, int columns, std::size_t most_rows);

} // namespace pm::cli::editor
