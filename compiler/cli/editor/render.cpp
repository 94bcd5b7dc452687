#include "compiler/cli/editor/render.hpp"

#include "compiler/cli/editor/characters.hpp"

#include <algorithm>

namespace pm::cli::editor {
namespace {

std::string_view escape(Style style) {
    switch (style) {
    case Style::plain: return "\x1B[0m";
    case Style::keyword: return "\x1B[0;1;34m";
    case Style::number: return "\x1B[0;36m";
    case Style::text: return "\x1B[0;32m";
    case Style::comment: return "\x1B[0;90m";
    case Style::command: return "\x1B[0;35m";
    case Style::wrong: return "\x1B[0;31m";
    case Style::faint: return "\x1B[0;90m";
    }
    return {};
}

/// Writes characters into rows of a given width.
class Writer {
  public:
    explicit Writer(int columns) : columns_(std::max(columns, 1)) { next_row(); }

    void put(std::string_view text, int width, Style style) {
        if (picture.widths.back() + width > columns_) next_row();
        if (style != style_) picture.rows.back() += escape(style);
        style_ = style;
        picture.rows.back() += text;
        picture.widths.back() += width;
    }
    void put_all(std::string_view text, Style style) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = after_character(text, at);
            const Drawn d = drawn(text.substr(at, end - at));
            put(d.text, d.columns, style);
            at = end;
        }
    }
    /// Ends each row in the plain style, so that any subset of the rows can be shown.
    void next_row() {
        end_row();
        picture.rows.emplace_back();
        picture.widths.push_back(0);
    }
    void end_row() {
        if (style_ != Style::plain) picture.rows.back() += escape(Style::plain);
        style_ = Style::plain;
    }
    void cursor_here() {
        // A cursor after the last column is in the next row.
        if (picture.widths.back() >= columns_) next_row();
        picture.cursor_row = picture.rows.size() - 1;
        picture.cursor_column = picture.widths.back();
    }

    Picture picture;

  private:
    int columns_;
    Style style_ = Style::plain;
};

std::string move_to_column(int column) { return column == 0 ? "\r" : "\r\x1B[" + std::to_string(column) + "C"; }

} // namespace

Picture lay_out(const View& view) {
    Writer out(view.columns);
    out.put_all(view.first_prompt, Style::faint);
    for (std::size_t at = 0; at < view.text.size();) {
        const std::size_t end = after_character(view.text, at);
        if (view.text[at] == '\n') {
            if (at == view.cursor) out.cursor_here();
            out.next_row();
            out.put_all(view.other_prompt, Style::faint);
            ++at;
            continue;
        }
        const Drawn d = drawn(view.text.substr(at, end - at));
        out.put(d.text, d.columns, at < view.styles.size() ? view.styles[at] : Style::plain);
        if (at == view.cursor) {
            out.picture.cursor_row = out.picture.rows.size() - 1;
            out.picture.cursor_column = out.picture.widths.back() - d.columns;
        }
        at = end;
    }
    if (view.cursor >= view.text.size()) out.cursor_here();
    out.end_row();
    Picture made = std::move(out.picture);
    const auto most = static_cast<std::size_t>(std::max(view.rows, 1));
    if (made.rows.size() <= most) return made;
    // The row of the cursor is in the middle, unless empty rows at the end would be the result.
    const std::size_t first = std::min(made.cursor_row - std::min(made.cursor_row, most / 2), made.rows.size() - most);
    const auto cut = [&](auto& list) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(first + most), list.end());
        list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(first));
    };
    cut(made.rows);
    cut(made.widths);
    made.cursor_row -= first;
    return made;
}

std::string Painter::paint(Picture picture, int columns) {
    std::string out = "\x1B[?25l";
    // If the terminal has become narrower, the terminal has wrapped the rows above the cursor.
    std::size_t above = 0;
    const auto broken = [&](int width) {
        return static_cast<std::size_t>(width > columns ? (width - 1) / std::max(columns, 1) : 0);
    };
    for (std::size_t i = 0; i < painted_.cursor_row && i < painted_.widths.size(); ++i)
        above += 1 + broken(painted_.widths[i]);
    if (!painted_.rows.empty()) above += static_cast<std::size_t>(painted_.cursor_column / std::max(columns, 1));
    if (above > 0) out += "\x1B[" + std::to_string(above) + "A";
    out += "\r\x1B[J";
    for (std::size_t i = 0; i < picture.rows.size(); ++i) {
        if (i) out += "\r\n";
        out += picture.rows[i];
    }
    const std::size_t back = picture.rows.size() - 1 - picture.cursor_row;
    if (back > 0) out += "\x1B[" + std::to_string(back) + "A";
    out += move_to_column(picture.cursor_column) + "\x1B[?25h";
    painted_ = std::move(picture);
    return out;
}

std::string Painter::leave() {
    std::string out;
    const std::size_t below = painted_.rows.empty() ? 0 : painted_.rows.size() - 1 - painted_.cursor_row;
    if (below > 0) out += "\x1B[" + std::to_string(below) + "B";
    painted_ = {};
    return out + "\r\n";
}

std::string Painter::clear_screen() {
    painted_ = {};
    return "\x1B[H\x1B[2J";
}

std::string in_columns(const std::vector<std::string>& names, int columns, std::size_t most_rows) {
    if (names.empty()) return {};
    int widest = 0;
    for (const std::string& name : names) widest = std::max(widest, columns_of(name));
    const auto across = static_cast<std::size_t>(std::max(1, columns / (widest + 2)));
    const std::size_t rows = (names.size() + across - 1) / across;
    std::string out;
    for (std::size_t row = 0; row < std::min(rows, most_rows); ++row) {
        for (std::size_t i = row; i < names.size(); i += rows) {
            out += names[i];
            if (i + rows < names.size()) out.append(static_cast<std::size_t>(widest + 2 - columns_of(names[i])), ' ');
        }
        out += "\r\n";
    }
    if (rows > most_rows) out += "... " + std::to_string(names.size()) + " in all\r\n";
    return out;
}

} // namespace pm::cli::editor
