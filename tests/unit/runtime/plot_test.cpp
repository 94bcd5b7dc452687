#include "runtime/io/plot/plot.hpp"
#include "runtime/io/progress.hpp"
#include "tests/unit/runtime/fails.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

using namespace pm::runtime;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
    return found;
}

using Labels = std::vector<std::string>;

} // namespace

TEST_CASE("axes have round ticks within their range") {
    CHECK(plot_axis(0, 50, false, 5).labels == Labels{"0", "10", "20", "30", "40", "50"});
    CHECK(plot_axis(0, 1, false, 5).labels == Labels{"0", "0.2", "0.4", "0.6", "0.8", "1"});
    CHECK(plot_axis(-1, 1, false, 4).labels == Labels{"-1", "-0.5", "0", "0.5", "1"});
    CHECK(plot_axis(1000.5, 1001.5, false, 5).labels == Labels{"1000.6", "1000.8", "1001", "1001.2", "1001.4"});
    CHECK(plot_axis(0, 130, false, 5).labels == Labels{"0", "50", "100"});
    CHECK(plot_axis(-2500, 2500, false, 6).labels == Labels{"-2000", "-1000", "0", "1000", "2000"});
    CHECK(plot_axis(0, 3e6, false, 3).labels == Labels{"0", "1000000", "2000000", "3000000"});
    CHECK(plot_axis(0, 4.5e7, false, 5).labels == Labels{"0", "1e7", "2e7", "3e7", "4e7"});
    CHECK(plot_axis(1.1e9, 1.5e9, false, 5).labels == Labels{"1.1e9", "1.2e9", "1.3e9", "1.4e9", "1.5e9"});
    CHECK(plot_axis(0, 0.0004, false, 4).labels == Labels{"0", "0.0001", "0.0002", "0.0003", "0.0004"});
    CHECK(plot_axis(0, 4e-9, false, 4).labels == Labels{"0", "1e-9", "2e-9", "3e-9", "4e-9"});
    CHECK(plot_axis(100000.01, 100000.05, false, 4).labels ==
          Labels{"100000.01", "100000.02", "100000.03", "100000.04", "100000.05"});
    CHECK(plot_axis(0.01, 1000, true, 10).labels == Labels{"0.01", "0.1", "1", "10", "100", "1000"});
    CHECK(plot_axis(1e-8, 1e-6, true, 10).labels == Labels{"1e-8", "1e-7", "1e-6"});
    CHECK(plot_axis(0, 1, false, 5).place(0.25) == doctest::Approx(0.25));
    CHECK(plot_axis(1, 100, true, 5).place(10) == doctest::Approx(0.5));
}

TEST_CASE("axes of odd ranges have ticks, increasing and finite") {
    const double inf = std::numeric_limits<double>::infinity();
    const double most = std::numeric_limits<double>::max();
    for (const bool logarithmic : {false, true})
        for (const auto& [low, high] : {std::pair{3.0, 3.0},
                                        {0.0, 0.0},
                                        {inf, -inf},
                                        {-most, most},
                                        {1e-300, 1e-299},
                                        {5.0, 5.0 + 1e-15},
                                        {1e300, most},
                                        {-7.0, -7.0}}) {
            if (logarithmic && low <= 0) continue;
            CAPTURE(low);
            const PlotAxis axis = plot_axis(low, high, logarithmic, 6);
            CHECK(axis.low < axis.high);
            CHECK_FALSE(axis.ticks.empty());
            CHECK(axis.ticks.size() == axis.labels.size());
            CHECK(std::is_sorted(axis.ticks.begin(), axis.ticks.end()));
            for (const double tick : axis.ticks) {
                CHECK(std::isfinite(tick));
                CHECK(axis.place(tick) >= -1e-6);
                CHECK(axis.place(tick) <= 1 + 1e-6);
            }
        }
}

TEST_CASE("an SVG has the lines and labels of the plot, and no markup from texts") {
    const std::vector<PlotSeries> series{
        {"a < b & c", {}, {1, 2, NAN, 4, 5}}, {"second", {0, 4}, {2, 3}}, {"", {1}, {1}}};
    const std::string svg = plot_svg(series, {.title = "T<i>", .x_label = "epoch", .y_label = "loss"});
    CHECK(svg.starts_with("<svg "));
    CHECK(svg.ends_with("</svg>\n"));
    CHECK(count(svg, "a &lt; b &amp; c") == 1);
    CHECK(count(svg, "T&lt;i&gt;") == 1);
    CHECK(count(svg, "epoch") == 1);
    CHECK(count(svg, "class=\"line\"") == 2 + 2); // two lines in the plot, and two entries in the legend
    CHECK(count(svg, "<circle") == 1);            // a single point is a dot
    CHECK(count(svg, "M") > count(svg, "class=\"line\""));
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
    CHECK(fails(FailureKind::bad_argument, [] { plot_svg(std::vector<PlotSeries>{{"", {1, 2}, {1}}}); }));
}

TEST_CASE("plots without drawable points are empty frames") {
    const double inf = std::numeric_limits<double>::infinity();
    for (const std::vector<PlotSeries>& series : {std::vector<PlotSeries>{}, {{"", {}, {}}}, {{"", {}, {NAN, inf}}}}) {
        CHECK(plot_svg(series).find("class=\"line\"") == std::string::npos);
        CHECK_FALSE(plot_text(series).empty());
    }
    const std::vector<PlotSeries> negative{{"", {}, {-1, -2}}};
    CHECK(plot_svg(negative, {.log_y = true}).find("class=\"line\"") == std::string::npos);
    const std::vector<PlotSeries> extreme{
        {"", {}, {std::numeric_limits<double>::max(), -std::numeric_limits<double>::max(), 0}}};
    CHECK(plot_svg(extreme).find("nan") == std::string::npos);
    CHECK(plot_text(extreme, {.columns = 1, .rows = -5}).size() > 10);
}

TEST_CASE("a terminal plot draws dots at the points") {
    const std::vector<PlotSeries> rising{{"up", {}, {0, 1, 2, 3}}};
    const std::string text = plot_text(rising, {.title = "Title", .columns = 40, .rows = 8});
    CHECK(count(text, "Title") == 1);
    CHECK(count(text, "up") == 1);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    // Line 0 is the title; 8 rows follow. The curve rises: the dots of the top row are to the right of the dots of the
    // bottom row.
    const auto first_dot = [](const std::string& line) {
        return line.find('\xE2',
                         line.find("\u2502") != std::string::npos ? line.find("\u2502") + 3 : line.find("\u2524") + 3);
    };
    REQUIRE(lines.size() >= 11);
    CHECK(first_dot(lines[1]) != std::string::npos);
    CHECK(first_dot(lines[1]) > first_dot(lines[8]));
}

TEST_CASE("a progress bar prints nothing, or is drawn rarely and ends full") {
    {
        Progress quiet(10, "x", {});
        for (int i = 0; i < 10; ++i) quiet.advance();
    }
    std::string out;
    {
        Progress bar(200000, "epoch", [&](std::string_view text) { out += text; });
        for (int i = 0; i < 200000; ++i) bar.advance();
    }
    CHECK(count(out, "\r") < 1000);
    CHECK(count(out, "\n") == 1);
    CHECK(out.find("epoch 100%|####################| 200000/200000") != std::string::npos);
    out.clear();
    {
        Progress unknown(-1, "", [&](std::string_view text) { out += text; });
        unknown.advance(5);
        unknown.finish();
        unknown.finish();
    }
    CHECK(count(out, "\n") == 1);
    CHECK(out.find("5 [") != std::string::npos);
    Progress(0, "none", [&](std::string_view text) { out += text; });
    CHECK(out.find("none 100%") != std::string::npos);
}
