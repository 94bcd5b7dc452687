#pragma once
#include "runtime/io/plot/plot.hpp"

#include <optional>

namespace pm::runtime {

/// The parts that the SVG and the terminal plot have in common: the axes, and the positions of the points of each line
/// in the unit square. The position is nullopt where a line is interrupted.
struct PlotFrame {
    struct Point {
        double x;
        double y;
    };
    PlotAxis x;
    PlotAxis y;
    std::vector<std::vector<std::optional<Point>>> lines;
};

/// Polls once per 1024 points; called in loops over points.
void poll_per_points(const PlotOptions& options, std::size_t point);

PlotFrame plot_frame(std::span<const PlotSeries> series, const PlotOptions& options, int x_ticks, int y_ticks);

} // namespace pm::runtime
