#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace pm::runtime {

/// One line of a plot. An empty `x` means 0, 1, 2 ...; otherwise `x` is as long as `y`. The line is interrupted at a
/// point if one of its coordinates is not finite, or is not positive on a logarithmic axis.
struct PlotSeries {
    std::string label; ///< for the legend; empty: no entry in the legend
    std::vector<double> x;
    std::vector<double> y;
};

struct PlotOptions {
    std::string title{};
    std::string x_label{};
    std::string y_label{};
    bool log_x = false;
    bool log_y = false;
    int width = 720; ///< of the SVG, in pixels
    int height = 440;
    int columns = 72; ///< of the terminal plot, in characters, including its frame
    int rows = 20;
    std::function<void()> poll{}; ///< called regularly; an exception from `poll` ends the work
};

/// The range of an axis, its ticks and their labels.
struct PlotAxis {
    double low = 0;
    double high = 1;
    bool logarithmic = false;
    std::vector<double> ticks;
    std::vector<std::string> labels;

    /// The relative position of a value: 0 at low, 1 at high.
    double place(double value) const;
};

/// An axis that contains low..high, with about `want` ticks. The ticks are at multiples of a step, which is 1, 2 or 5
/// times a power of ten. On a logarithmic axis the ticks are at powers of ten. If the range is empty or has only one
/// value, it is widened.
PlotAxis plot_axis(double low, double high, bool logarithmic, int want);

/// A plot as SVG. Throws Failure(bad_argument) if `x` and `y` of a series differ in length. If no point can be drawn,
/// the plot is an empty frame.
std::string plot_svg(std::span<const PlotSeries> series, const PlotOptions& options = {});
/// A plot for a terminal. It consists of braille characters, which have eight dots each.
std::string plot_text(std::span<const PlotSeries> series, const PlotOptions& options = {});

} // namespace pm::runtime
