#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pm::test {

/// The contents of a terminal that knows the sequences of the editor and of programs. As in current terminals, rows are
/// wrapped when the terminal becomes narrower.
class Screen {
  public:
    Screen(int columns, int rows) : columns_(columns), rows_(rows), cells_(static_cast<std::size_t>(rows)) {}

    void write(std::string_view text);
    void resize(int columns, int rows);
    /// A row without the spaces at its end.
    std::string row(int i) const;
    /// All rows without the empty ones at the end, joined by newlines.
    std::string text() const;
    int cursor_row() const { return row_; }
    int cursor_column() const { return column_; }

  private:
    using Row = std::vector<std::string>; ///< a string per cell; the second cell of a wide character is empty
    void put(std::string_view character);
    void escape();
    void sequence(char letter);
    void new_line();
    void erase_from_cursor();

    int columns_;
    int rows_;
    std::vector<Row> cells_;
    int row_ = 0;
    int column_ = 0;
    std::string pending_; ///< an incomplete escape sequence or character
};

} // namespace pm::test
