#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pm::cli::editor {

/// The text that is edited: any number of lines, and a cursor between two characters of the text. A movement returns
/// whether the cursor has moved.
class Buffer {
  public:
    const std::string& text() const { return text_; }
    std::size_t cursor() const { return cursor_; }
    bool empty() const { return text_.empty(); }
    /// Sets another text, with the cursor at the end of the text. There are then no steps to undo.
    void set(std::string text);

    void insert(std::string_view text);
    /// Replaces the bytes from `begin` to the cursor by `text`.
    void replace_before(std::size_t begin, std::string_view text);

    bool left();
    bool right();
    /// Moves to the same column of the previous or next line. If that line is shorter, moves to the end of the line.
    bool up();
    bool down();
    bool word_left();
    bool word_right();
    void line_start() { cursor_ = start_of_line(cursor_); }
    void line_end() { cursor_ = end_of_line(cursor_); }
    void text_start() { cursor_ = 0; }
    void text_end() { cursor_ = text_.size(); }

    /// Erases the character before the cursor. In the indentation of a line, erases up to four spaces.
    void erase_left();
    void erase_right();
    // `yank` inserts the text that these functions have cut
    void cut_line_end();
    void cut_line_start();
    void cut_word_left();
    void cut_word_right();
    void yank();
    void swap_characters();
    void undo();

    /// The line of the cursor, up to the cursor.
    std::string_view before_cursor() const;
    bool in_first_line() const { return start_of_line(cursor_) == 0; }
    bool in_last_line() const { return end_of_line(cursor_) == text_.size(); }

  private:
    std::size_t start_of_line(std::size_t at) const;
    std::size_t end_of_line(std::size_t at) const;
    void to_column(std::size_t line, int column);
    std::size_t word_begin() const;
    std::size_t word_end() const;
    void cut(std::size_t begin, std::size_t end);
    void change(std::size_t begin, std::size_t end, std::string_view text, bool typed = false);

    struct State {
        std::string text;
        std::size_t cursor;
    };
    std::string text_;
    std::size_t cursor_ = 0;
    std::string cut_;
    std::vector<State> undo_;
    /// true if the last change was a typed character; the next typed character then joins its undo step
    bool typing_ = false;
};

} // namespace pm::cli::editor
