#include "compiler/cli/editor/buffer.hpp"

#include "compiler/cli/editor/characters.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace pm::cli::editor {
namespace {

constexpr std::size_t indent_width = 4;
constexpr std::size_t most_undo = 1000;

/// Whether a byte is part of a word. Bytes outside of ASCII count as letters.
bool in_word(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80U || std::isalnum(byte) != 0 || c == '_';
}

} // namespace

void Buffer::set(std::string text) {
    text_ = std::move(text);
    cursor_ = text_.size();
    undo_.clear();
    typing_ = false;
}

void Buffer::change(std::size_t begin, std::size_t end, std::string_view text, bool typed) {
    if (begin == end && text.empty()) return;
    if (!(typed && typing_)) {
        undo_.push_back({text_, cursor_});
        if (undo_.size() > most_undo) undo_.erase(undo_.begin());
    }
    typing_ = typed;
    text_.replace(begin, end - begin, text);
    cursor_ = begin + text.size();
}

void Buffer::undo() {
    typing_ = false;
    if (undo_.empty()) return;
    text_ = std::move(undo_.back().text);
    cursor_ = undo_.back().cursor;
    undo_.pop_back();
}

void Buffer::insert(std::string_view text) {
    const bool typed = text.size() <= 4 && text.find_first_of(" \n") == std::string_view::npos;
    change(cursor_, cursor_, text, typed);
}

void Buffer::replace_before(std::size_t begin, std::string_view text) { change(begin, cursor_, text); }

// ---- movements

std::size_t Buffer::start_of_line(std::size_t at) const {
    const std::size_t newline = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
    return newline == std::string::npos ? 0 : newline + 1;
}

std::size_t Buffer::end_of_line(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }

std::string_view Buffer::before_cursor() const {
    const std::size_t begin = start_of_line(cursor_);
    return std::string_view(text_).substr(begin, cursor_ - begin);
}

bool Buffer::left() {
    typing_ = false;
    if (cursor_ == 0) return false;
    cursor_ = before_character(text_, cursor_);
    return true;
}

bool Buffer::right() {
    typing_ = false;
    if (cursor_ == text_.size()) return false;
    cursor_ = after_character(text_, cursor_);
    return true;
}

void Buffer::to_column(std::size_t line, int column) {
    const std::size_t end = end_of_line(line);
    cursor_ = line;
    for (int at = 0; cursor_ < end;) {
        const std::size_t next = after_character(text_, cursor_);
        at += columns_of(std::string_view(text_).substr(cursor_, next - cursor_));
        if (at > column) break;
        cursor_ = next;
    }
}

bool Buffer::up() {
    typing_ = false;
    const std::size_t line = start_of_line(cursor_);
    if (line == 0) return false;
    to_column(start_of_line(line - 1), columns_of(before_cursor()));
    return true;
}

bool Buffer::down() {
    typing_ = false;
    const std::size_t end = end_of_line(cursor_);
    if (end == text_.size()) return false;
    to_column(end + 1, columns_of(before_cursor()));
    return true;
}

std::size_t Buffer::word_begin() const {
    std::size_t at = cursor_;
    while (at > 0 && !in_word(text_[at - 1])) --at;
    while (at > 0 && in_word(text_[at - 1])) --at;
    return at;
}

std::size_t Buffer::word_end() const {
    std::size_t at = cursor_;
    while (at < text_.size() && !in_word(text_[at])) ++at;
    while (at < text_.size() && in_word(text_[at])) ++at;
    return at;
}

bool Buffer::word_left() {
    typing_ = false;
    const std::size_t before = std::exchange(cursor_, word_begin());
    return cursor_ != before;
}

bool Buffer::word_right() {
    typing_ = false;
    const std::size_t before = std::exchange(cursor_, word_end());
    return cursor_ != before;
}

// ---- cutting

void Buffer::erase_left() {
    if (cursor_ == 0) return;
    const std::string_view line = before_cursor();
    std::size_t begin = before_character(text_, cursor_);
    if (!line.empty() && line.find_first_not_of(' ') == std::string_view::npos)
        begin = cursor_ - ((line.size() - 1) % indent_width + 1);
    change(begin, cursor_, {});
}

void Buffer::erase_right() {
    if (cursor_ < text_.size()) change(cursor_, after_character(text_, cursor_), {});
}

void Buffer::cut(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    cut_ = text_.substr(begin, end - begin);
    change(begin, end, {});
}

void Buffer::cut_line_end() {
    const std::size_t end = end_of_line(cursor_);
    // If the cursor is at the end of a line, the newline is cut, so that lines can be joined.
    cut(cursor_, end == cursor_ && end < text_.size() ? end + 1 : end);
}

void Buffer::cut_line_start() { cut(start_of_line(cursor_), cursor_); }
void Buffer::cut_word_left() { cut(word_begin(), cursor_); }
void Buffer::cut_word_right() {
    const std::size_t begin = cursor_;
    cut(begin, word_end());
}

void Buffer::yank() { change(cursor_, cursor_, cut_); }

void Buffer::swap_characters() {
    std::size_t middle = cursor_;
    if (middle == end_of_line(middle) && middle > 0) middle = before_character(text_, middle);
    if (middle == 0 || text_[middle - 1] == '\n' || middle == text_.size()) return;
    const std::size_t begin = before_character(text_, middle);
    const std::size_t end = after_character(text_, middle);
    change(begin, end, text_.substr(middle, end - middle) + text_.substr(begin, middle - begin));
}

} // namespace pm::cli::editor
