#include "runtime/io/plot/plot_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pm::runtime {
namespace {

// Eight colours that colour-blind readers can distinguish (Okabe and Ito), black last.
constexpr std::array<const char*, 8> colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                "#56B4E9", "#E69F00", "#8C7A00", "#222222"};

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        // XML cannot contain control characters, so they become blanks.
        default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return out;
}

struct Area {
    double left, top, right, bottom;
    double x(double place) const { return left + place * (right - left); }
    double y(double place) const { return bottom - place * (bottom - top); }
};

void draw_axes(std::string& out, const PlotFrame& frame, const Area& area) {
    for (std::size_t i = 0; i < frame.x.ticks.size(); ++i) {
        const double at = area.x(frame.x.place(frame.x.ticks[i]));
        out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", at, area.top, area.bottom);
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", at, area.bottom + 18,
                           frame.x.labels[i]);
    }
    for (std::size_t i = 0; i < frame.y.ticks.size(); ++i) {
        const double at = area.y(frame.y.place(frame.y.ticks[i]));
        out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", area.left, at, area.right);
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", area.left - 8, at + 4,
                           frame.y.labels[i]);
    }
    out += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>\n", area.left, area.top, area.bottom,
                       area.right);
}

void draw_line(std::string& out, const std::vector<std::optional<PlotFrame::Point>>& line, const Area& area,
               const char* colour, const PlotOptions& options) {
    std::string path;
    for (std::size_t i = 0; i < line.size(); ++i) {
        poll_per_points(options, i);
        if (!line[i]) continue;
        const double x = area.x(line[i]->x);
        const double y = area.y(line[i]->y);
        const bool joined = i > 0 && line[i - 1];
        const bool isolated = !joined && (i + 1 == line.size() || !line[i + 1]);
        if (isolated)
            out += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"2.5\" fill=\"{}\"/>\n", x, y, colour);
        else
            path += fmt::format("{}{:.2f} {:.2f}", joined ? "L" : "M", x, y);
    }
    if (!path.empty()) out += fmt::format("<path class=\"line\" stroke=\"{}\" d=\"{}\"/>\n", colour, path);
}

void draw_legend(std::string& out, std::span<const PlotSeries> series, const Area& area) {
    std::size_t longest = 0;
    int count = 0;
    for (const PlotSeries& one : series)
        if (!one.label.empty()) {
            longest = std::max(longest, one.label.size());
            ++count;
        }
    if (count == 0) return;
    const double width = 40 + 7.0 * static_cast<double>(std::min<std::size_t>(longest, 40));
    const double left = area.right - width - 6;
    double y = area.top + 6;
    out += fmt::format("<rect class=\"legend\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", left,
                       y, width, 18.0 * count + 6);
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (series[i].label.empty()) continue;
        y += 18;
        out += fmt::format("<path class=\"line\" stroke=\"{}\" d=\"M{:.1f} {:.1f}h20\"/>\n",
                           colours[i % colours.size()], left + 6, y - 5);
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left + 32, y - 1, escaped(series[i].label));
    }
}

} // namespace

std::string plot_svg(std::span<const PlotSeries> series, const PlotOptions& options) {
    const double width = std::clamp(options.width, 120, 10000);
    const double height = std::clamp(options.height, 90, 10000);
    const PlotFrame frame = plot_frame(series, options, static_cast<int>(width / 90), static_cast<int>(height / 60));
    std::size_t widest = 0;
    for (const std::string& label : frame.y.labels) widest = std::max(widest, label.size());
    const Area area{20 + 7.5 * static_cast<double>(widest) + (options.y_label.empty() ? 0 : 22),
                    options.title.empty() ? 16.0 : 38.0, width - 20, height - (options.x_label.empty() ? 32 : 52)};
    std::string out =
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n",
                    width, height);
    out += "<style>text{font:12px sans-serif;fill:#333}.grid{stroke:#e4e4e4;fill:none}.axis{stroke:#666;fill:none}"
           ".line{fill:none;stroke-width:1.8;stroke-linejoin:round}.legend{fill:#fff;fill-opacity:.85;stroke:#ccc}"
           ".title{font-size:15px;font-weight:bold}</style>\n";
    out += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>\n", width, height);
    draw_axes(out, frame, area);
    for (std::size_t i = 0; i < frame.lines.size(); ++i)
        draw_line(out, frame.lines[i], area, colours[i % colours.size()], options);
    draw_legend(out, series, area);
    const double middle_x = (area.left + area.right) / 2;
    const double middle_y = (area.top + area.bottom) / 2;
    if (!options.title.empty())
        out += fmt::format("<text class=\"title\" x=\"{:.1f}\" y=\"24\" text-anchor=\"middle\">{}</text>\n", middle_x,
                           escaped(options.title));
    if (!options.x_label.empty())
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", middle_x, height - 12,
                           escaped(options.x_label));
    if (!options.y_label.empty())
        out += fmt::format("<text x=\"16\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 "
                           "{0:.1f})\">{1}</text>\n",
                           middle_y, escaped(options.y_label));
    return out + "</svg>\n";
}

} // namespace pm::runtime
