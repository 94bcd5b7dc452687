#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm::cli::editor {

enum class Style : std::uint8_t { plain, keyword, number, text, comment, command, wrong, faint };

/// The text to show, its prompts and cursor, and the size of the terminal.
struct View {
    std::string first_prompt; ///< before the first line; plain text
    std::string other_prompt; ///< before the other lines
    std::string_view text;
    std::size_t cursor = 0;
    std::vector<Style> styles = {}; ///< one style for each byte of the text; empty: all bytes are plain
    int columns = 80;
    int rows = 24;
};

/// The rows of the terminal that show a View, and the place of the cursor. Rows contain no escape sequences except
/// those of colours. No row is wider than the terminal. If the text needs more rows than the terminal has, the picture
/// contains only the rows around the cursor.
struct Picture {
    std::vector<std::string> rows;
    std::vector<int> widths; ///< the width of each row, in columns
    std::size_t cursor_row = 0;
    int cursor_column = 0;
};
Picture lay_out(const View& view);

/// Paints pictures. The object stores the last picture, and thus the place of the cursor.
class Painter {
  public:
    /// Returns the text for the terminal that replaces the last picture by `picture`.
    std::string paint(Picture picture, int columns);
    /// Returns the text that moves the cursor to the line below the last picture. The next picture begins there.
    std::string leave();
    /// Forgets the last picture. The next picture begins at the cursor.
    void forget() { painted_ = {}; }
    /// Returns the text that clears the screen. The next picture begins at the top of the screen.
    std::string clear_screen();

  private:
    Picture painted_;
};

/// A list of names below the line, in columns that are filled downwards.
std::string in_columns(const std::vector<std::string>& names, int columns, std::size_t most_rows);

} // namespace pm::cli::editor
