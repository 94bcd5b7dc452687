#include "tests/repl/screen.hpp"

#include "compiler/cli/editor/characters.hpp"

#include <algorithm>
#include <cstdlib>

namespace pm::test {

namespace editor = cli::editor;

void Screen::write(std::string_view text) {
    for (const char c : text) {
        pending_ += c;
        const auto first = static_cast<unsigned char>(pending_[0]);
        if (first == 0x1B) {
            escape();
            continue;
        }
        if (first < 0x20) {
            if (c == '\r') column_ = 0;
            if (c == '\n') new_line();
            if (c == '\b' && column_ > 0) --column_;
            pending_.clear();
            continue;
        }
        if (pending_.size() >= std::max<std::size_t>(1, editor::sequence_length(first))) {
            put(pending_);
            pending_.clear();
        }
    }
}

void Screen::escape() {
    if (pending_.size() == 1) return;
    if (pending_[1] != '[') return pending_.clear();
    const char last = pending_.back();
    if (pending_.size() == 2 || last < 0x40) return;
    sequence(last);
    pending_.clear();
}

void Screen::sequence(char letter) {
    if (pending_[2] == '?') return;
    const int number = std::atoi(pending_.c_str() + 2);
    const int count = std::max(1, number);
    switch (letter) {
    case 'A': row_ = std::max(0, row_ - count); break;
    case 'B': row_ = std::min(rows_ - 1, row_ + count); break;
    case 'C': column_ = std::min(columns_ - 1, column_ + count); break;
    case 'D': column_ = std::max(0, column_ - count); break;
    case 'H': row_ = column_ = 0; break;
    case 'J':
        if (number == 2)
            cells_.assign(static_cast<std::size_t>(rows_), {});
        else
            erase_from_cursor();
        break;
    default: break;
    }
}

void Screen::erase_from_cursor() {
    Row& row = cells_[static_cast<std::size_t>(row_)];
    if (row.size() > static_cast<std::size_t>(column_)) row.resize(static_cast<std::size_t>(column_));
    for (int r = row_ + 1; r < rows_; ++r) cells_[static_cast<std::size_t>(r)].clear();
}

void Screen::new_line() {
    if (row_ + 1 < rows_) {
        ++row_;
        return;
    }
    cells_.erase(cells_.begin());
    cells_.emplace_back();
}

void Screen::put(std::string_view character) {
    const int width = editor::columns_of(character);
    if (column_ + width > columns_) {
        column_ = 0;
        new_line();
    }
    Row& row = cells_[static_cast<std::size_t>(row_)];
    const auto at = static_cast<std::size_t>(column_);
    if (width == 0) {
        if (at > 0 && at <= row.size()) row[at - 1] += character;
        return;
    }
    if (row.size() < at + static_cast<std::size_t>(width)) row.resize(at + static_cast<std::size_t>(width), " ");
    row[at] = character;
    for (int i = 1; i < width; ++i) row[at + static_cast<std::size_t>(i)].clear();
    column_ += width;
}

void Screen::resize(int columns, int rows) {
    std::vector<Row> broken;
    int row = 0, column = 0;
    for (int r = 0; r < rows_; ++r) {
        Row& from = cells_[static_cast<std::size_t>(r)];
        const int parts = std::max(1, (static_cast<int>(from.size()) + columns - 1) / columns);
        if (r == row_) {
            row = static_cast<int>(broken.size()) + column_ / columns;
            column = column_ % columns;
        }
        for (int p = 0; p < parts; ++p) {
            const auto begin =
                from.begin() + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(from.size()), p * columns);
            const auto end =
                from.begin() + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(from.size()), (p + 1) * columns);
            broken.emplace_back(begin, end);
        }
    }
    while (static_cast<int>(broken.size()) > rows && row > 0 && !broken.back().empty()) {
        broken.erase(broken.begin());
        --row;
    }
    broken.resize(static_cast<std::size_t>(rows));
    cells_ = std::move(broken);
    columns_ = columns;
    rows_ = rows;
    row_ = std::min(row, rows - 1);
    column_ = column;
}

std::string Screen::row(int i) const {
    std::string text;
    for (const std::string& cell : cells_[static_cast<std::size_t>(i)]) text += cell;
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

std::string Screen::text() const {
    std::string all;
    for (int i = 0; i < rows_; ++i) all += row(i) + "\n";
    all.erase(all.find_last_not_of('\n') + 1);
    return all;
}

} // namespace pm::test
