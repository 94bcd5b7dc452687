#include "runtime/io/plot/plot_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pm::runtime {
namespace {

/// A grid of dots. A braille character has 2 columns and 4 rows of dots.
class Dots {
  public:
    Dots(int columns, int rows)
        : columns_(columns), rows_(rows),
          cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 0) {}
    int width() const { return columns_ * 2; }
    int height() const { return rows_ * 4; }

    void set(int x, int y) {
        // The bit of each dot of a cell, row by row, in Unicode's numbering.
        constexpr std::uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
        if (x < 0 || y < 0 || x >= width() || y >= height()) return;
        cells_[static_cast<std::size_t>(y / 4 * columns_ + x / 2)] |= bits[y % 4][x % 2];
    }

    void line(int x0, int y0, int x1, int y1) {
        const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
        for (int i = 0; i <= steps; ++i) {
            const double t = static_cast<double>(i) / steps;
            set(x0 + static_cast<int>(std::lround(t * (x1 - x0))), y0 + static_cast<int>(std::lround(t * (y1 - y0))));
        }
    }

    std::string row(int index) const {
        std::string out;
        for (int column = 0; column < columns_; ++column) {
            const std::uint8_t cell = cells_[static_cast<std::size_t>(index * columns_ + column)];
            if (cell == 0) {
                out += ' ';
                continue;
            }
            // U+2800 + cell in UTF-8.
            out += '\xE2';
            out += static_cast<char>(0xA0 | (cell >> 6));
            out += static_cast<char>(0x80 | (cell & 0x3F));
        }
        return out;
    }

  private:
    int columns_;
    int rows_;
    std::vector<std::uint8_t> cells_;
};

std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string without_controls(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    return text;
}

std::string centred(const std::string& text, std::size_t left, int columns) {
    const std::string clean = without_controls(text);
    const std::size_t length = characters(clean);
    const auto room = static_cast<std::size_t>(columns);
    return std::string(left + (length < room ? (room - length) / 2 : 0), ' ') + clean + "\n";
}

/// The line of labels under the frame, each label centred at its tick. A label that would touch the previous label is
/// left out.
std::string x_labels(const PlotAxis& axis, std::size_t left, int columns) {
    std::string out;
    for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
        const auto middle = static_cast<std::int64_t>(left) + std::lround(axis.place(axis.ticks[i]) * (columns - 1));
        const auto begin = std::max<std::int64_t>(0, middle - static_cast<std::int64_t>(axis.labels[i].size()) / 2);
        if (!out.empty() && begin < static_cast<std::int64_t>(out.size()) + 2) continue;
        out.resize(static_cast<std::size_t>(begin), ' ');
        out += axis.labels[i];
    }
    return out + "\n";
}

void draw(Dots& dots, const PlotFrame& frame, const PlotOptions& options) {
    const auto x_dot = [&](double place) { return static_cast<int>(std::lround(place * (dots.width() - 1))); };
    const auto y_dot = [&](double place) { return static_cast<int>(std::lround((1 - place) * (dots.height() - 1))); };
    for (const auto& line : frame.lines)
        for (std::size_t i = 0; i < line.size(); ++i) {
            poll_per_points(options, i);
            if (!line[i]) continue;
            const int x = x_dot(line[i]->x);
            const int y = y_dot(line[i]->y);
            if (i > 0 && line[i - 1])
                dots.line(x_dot(line[i - 1]->x), y_dot(line[i - 1]->y), x, y);
            else
                dots.set(x, y);
        }
}

} // namespace

std::string plot_text(std::span<const PlotSeries> series, const PlotOptions& options) {
    const int rows = std::clamp(options.rows, 4, 200);
    const int total = std::clamp(options.columns, 20, 400);
    const PlotFrame frame = plot_frame(series, options, total / 12, rows / 4);
    std::size_t widest = 0;
    for (const std::string& label : frame.y.labels) widest = std::max(widest, label.size());
    const int columns = std::max(8, total - static_cast<int>(widest) - 2);
    Dots dots(columns, rows);
    draw(dots, frame, options);

    std::vector<std::string> margins(static_cast<std::size_t>(rows));
    std::vector<bool> ticked(static_cast<std::size_t>(rows), false);
    for (std::size_t i = 0; i < frame.y.ticks.size(); ++i) {
        const double dot = (1 - std::clamp(frame.y.place(frame.y.ticks[i]), 0.0, 1.0)) * (dots.height() - 1);
        const auto row = static_cast<std::size_t>(std::lround(dot)) / 4;
        margins[row] = frame.y.labels[i];
        ticked[row] = true;
    }
    std::string out;
    if (!options.title.empty()) out += centred(options.title, widest + 2, columns);
    if (!options.y_label.empty()) out += without_controls(options.y_label) + "\n";
    for (int row = 0; row < rows; ++row) {
        const auto r = static_cast<std::size_t>(row);
        std::string text =
            fmt::format("{:>{}} {}{}", margins[r], widest, ticked[r] ? "\u2524" : "\u2502", dots.row(row));
        text.erase(text.find_last_not_of(' ') + 1);
        out += text + "\n";
    }
    out += std::string(widest + 1, ' ') + "\u2514";
    for (int i = 0; i < columns; ++i) out += "\u2500";
    out += '\n';
    out += x_labels(frame.x, widest + 2, columns);
    if (!options.x_label.empty()) out += centred(options.x_label, widest + 2, columns);
    std::string legend;
    for (const PlotSeries& one : series)
        if (!one.label.empty()) legend += (legend.empty() ? "" : ", ") + one.label;
    if (!legend.empty()) out += centred(legend, widest + 2, columns);
    return out;
}

} // namespace pm::runtime
