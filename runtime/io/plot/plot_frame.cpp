#include "runtime/io/plot/plot_frame.hpp"

#include "runtime/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pm::runtime {
namespace {

/// The least number that is at least `step` and is 1, 2 or 5 times a power of ten.
double nice_step(double step) {
    const double power = std::pow(10.0, std::floor(std::log10(step)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (step <= factor * power * (1 + 1e-9)) return factor * power;
    return 10 * power;
}

/// Removes zeros at the end of a number with a point: "1.20" becomes "1.2", "3.0" becomes "3".
std::string without_zeros(std::string number) {
    if (number.find('.') == std::string::npos) return number;
    number.resize(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) number.pop_back();
    return number;
}

/// The label of a tick, with enough digits to differ from the labels of its neighbours. `largest` is the greatest
/// number of the axis. If `largest` is very large or the step is very small, all labels are written with an exponent.
std::string tick_label(double tick, double step, double largest) {
    if (tick == 0) return "0";
    const auto place = [](double x) { return static_cast<int>(std::floor(std::log10(x) + 1e-9)); };
    const int last = place(step);
    if (largest < 1e7 && last >= -5) return without_zeros(fmt::format("{:.{}f}", tick, std::max(0, -last)));
    const std::string text = fmt::format("{:.{}e}", tick, std::clamp(place(std::abs(tick)) - last, 0, 15));
    const std::size_t e = text.find('e');
    return fmt::format("{}e{}", without_zeros(text.substr(0, e)), std::stoi(text.substr(e + 1)));
}

void linear_ticks(PlotAxis& axis, int want) {
    const double step = nice_step((axis.high - axis.low) / std::max(1, want));
    const double first = std::ceil(axis.low / step - 1e-9);
    const double last = std::floor(axis.high / step + 1e-9);
    const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
    for (double i = first; i <= last && axis.ticks.size() < 100; ++i) {
        const double tick = i == 0 ? 0.0 : i * step; // never -0
        axis.ticks.push_back(tick);
        axis.labels.push_back(tick_label(tick, step, largest));
    }
}

void log_ticks(PlotAxis& axis, int want) {
    const double first = std::ceil(std::log10(axis.low) - 1e-9);
    const double last = std::floor(std::log10(axis.high) + 1e-9);
    const double step = std::max(1.0, std::ceil((last - first + 1) / std::max(1, want)));
    for (double power = first; power <= last; power += step) {
        axis.ticks.push_back(std::pow(10.0, power));
        axis.labels.push_back(power >= -3 && power <= 4 ? fmt::format("{:g}", std::pow(10.0, power))
                                                        : fmt::format("1e{:g}", power));
    }
}

bool usable(double value, bool logarithmic) { return std::isfinite(value) && (!logarithmic || value > 0); }

double x_of(const PlotSeries& series, std::size_t i) { return series.x.empty() ? static_cast<double>(i) : series.x[i]; }

} // namespace

double PlotAxis::place(double value) const {
    // All numbers are halved, so that the difference of two numbers near the limits of double does not overflow.
    if (!logarithmic) return (value / 2 - low / 2) / (high / 2 - low / 2);
    return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
}

PlotAxis plot_axis(double low, double high, bool logarithmic, int want) {
    constexpr double most = 1e300;
    PlotAxis axis;
    axis.logarithmic = logarithmic;
    if (!(low <= high)) low = high = logarithmic ? 1 : 0;
    low = std::clamp(low, logarithmic ? 1 / most : -most, most);
    high = std::clamp(high, logarithmic ? 1 / most : -most, most);
    if (logarithmic) {
        axis.low = low;
        axis.high = high;
        if (high / low < 10) { // a small range is widened to whole powers of ten
            axis.low = std::pow(10.0, std::floor(std::log10(low)));
            axis.high = std::pow(10.0, std::ceil(std::log10(high)));
            if (axis.high <= axis.low) axis.high = axis.low * 10;
        }
        log_ticks(axis, want);
        return axis;
    }
    if (high - low <= 1e-12 * std::max(std::abs(low), std::abs(high)) || low == high) {
        const double around = low == 0 ? 1 : std::abs(low) / 10;
        low -= around;
        high += around;
    }
    axis.low = low;
    axis.high = high;
    linear_ticks(axis, want);
    return axis;
}

void poll_per_points(const PlotOptions& options, std::size_t point) {
    if (options.poll && point % 1024 == 1023) options.poll();
}

PlotFrame plot_frame(std::span<const PlotSeries> series, const PlotOptions& options, int x_ticks, int y_ticks) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double range[4] = {infinity, -infinity, infinity, -infinity};
    for (const PlotSeries& one : series) {
        if (!one.x.empty() && one.x.size() != one.y.size())
            throw Failure(FailureKind::bad_argument,
                          fmt::format("a plot's line has {} x values and {} y values", one.x.size(), one.y.size()));
        for (std::size_t i = 0; i < one.y.size(); ++i) {
            poll_per_points(options, i);
            const double x = x_of(one, i);
            if (!usable(x, options.log_x) || !usable(one.y[i], options.log_y)) continue;
            range[0] = std::min(range[0], x);
            range[1] = std::max(range[1], x);
            range[2] = std::min(range[2], one.y[i]);
            range[3] = std::max(range[3], one.y[i]);
        }
    }
    if (!options.log_y && range[2] <= range[3]) { // a little room above and below
        const double room = (range[3] / 2 - range[2] / 2) * 0.08;
        range[2] -= room;
        range[3] += room;
    }
    PlotFrame frame{plot_axis(range[0], range[1], options.log_x, x_ticks),
                    plot_axis(range[2], range[3], options.log_y, y_ticks),
                    {}};
    for (const PlotSeries& one : series) {
        auto& line = frame.lines.emplace_back();
        for (std::size_t i = 0; i < one.y.size(); ++i) {
            poll_per_points(options, i);
            const double x = x_of(one, i);
            if (!usable(x, options.log_x) || !usable(one.y[i], options.log_y))
                line.emplace_back();
            else
                line.emplace_back(PlotFrame::Point{std::clamp(frame.x.place(x), 0.0, 1.0),
                                                   std::clamp(frame.y.place(one.y[i]), 0.0, 1.0)});
        }
    }
    return frame;
}

} // namespace pm::runtime
