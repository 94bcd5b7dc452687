// Host work: time, the terminal, errors as values. A function that does host work is interpreted. The functions that it
// calls are compiled.
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/library/library.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/stage/files/first_process.hpp"
#include "compiler/stage/values/tree.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/plot/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace pm::stage::library {
namespace {

/// The number of array elements in a tree, plus the number of bytes of the strings in the tree.
std::size_t count_parts(const Value& v) {
    poll_stop();
    if (const std::string* text = v.text()) return text->size();
    if (v.is_numeric()) return static_cast<std::size_t>(numeric_type(v).type.elements());
    std::size_t count = 0;
    if (const Tuple* t = v.tuple())
        for (const Value& item : t->items) count += count_parts(item);
    if (const Record* r = v.record())
        for (const auto& [name, value] : r->fields) count += count_parts(value);
    return count;
}

// ---- errors as values

/// The error `d` as a record that programs can read.
Value error_record(const Stager& s, const Diagnostic& d) {
    const auto texts = [](const std::vector<std::string>& list) {
        return Value::tuple(std::vector<Value>(list.begin(), list.end()));
    };
    Value file;
    Value line;
    if (d.span) {
        const Source& source = s.sources()[d.span.source];
        file = source.name();
        line = Value::integer(source.position(d.span.begin).line);
    }
    return Value::record({{"code", Value(std::string(info(d.id).code))},
                          {"message", Value(d.message)},
                          {"file", std::move(file)},
                          {"line", std::move(line)},
                          {"notes", texts(d.notes)},
                          {"help", texts(d.help)},
                          {"text", Value(render(d, s.sources()))}});
}

Value attempt(Stager& s, Arguments& a) {
    if (!a[0].function() && !a[0].dtype())
        raise(diagnose(Diag::wrong_kind, a.spans[0], "`attempt`", "a function", describe(a[0]))
                  .fix("put the work into a function: attempt(fn() = f(x))"));
    try {
        Value made = s.calls().call({a[0], a[1].tuple()->items, {}, a.span});
        return Value::record({{"ok", Value::boolean(true)}, {"value", std::move(made)}, {"error", Value()}});
    } catch (const Error& e) {
        if (ends_run(e.diagnostic())) throw;
        return Value::record(
            {{"ok", Value::boolean(false)}, {"value", Value()}, {"error", error_record(s, e.diagnostic())}});
    }
}

// ---- time, the command line, progress

Value time(Stager& s, Arguments& a) {
    return files::in_first_process(s, a, "time", [] {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        Number n = Number::of(std::chrono::duration<double>(now).count());
        n.dtype = DType::f64;
        return Value(n);
    });
}

Value program_arguments(Stager& s, Arguments&) {
    std::vector<Value> list(s.host().arguments.begin(), s.host().arguments.end());
    return Value::tuple(std::move(list));
}

Value progress(Stager&, Arguments& a) {
    Range r;
    r.kind = Range::Kind::progress;
    r.parts = {a[0], a[1]};
    return std::make_shared<const Range>(std::move(r));
}

// ---- plots

/// The numbers of one line of a plot, from an array with one axis or a tuple of numbers. nullopt for other values.
std::optional<std::vector<double>> numbers_of(Stager& s, const Value& v) {
    std::vector<double> out;
    if (const Array* array = v.array()) {
        if (array->rank() != 1) return {};
        out.reserve(static_cast<std::size_t>(array->elements()));
        for (std::int64_t i = 0; i < array->elements(); ++i) {
            s.poll();
            out.push_back(array->as_f64(i));
        }
        return out;
    }
    const Tuple* t = v.tuple();
    if (!t) return {};
    for (const Value& item : t->items) {
        s.poll();
        if (const Number* n = item.number())
            out.push_back(n->as_f64());
        else if (item.array() && item.array()->rank() == 0)
            out.push_back(item.array()->as_f64());
        else
            return {};
    }
    return out;
}

/// The lines of a plot for a value. An array with two axes has one line for each row. Other values have one line.
std::vector<std::vector<double>> lines_of(Stager& s, const Value& v, Span span) {
    for_each_leaf(v, [&](const Value& leaf) { require_complex(numeric_type(leaf).type.dtype, DType::f64, span); });
    if (auto one = numbers_of(s, v)) return {std::move(*one)};
    const Array* array = v.array();
    if (v.text())
        raise(diagnose(Diag::wrong_kind, span, "`plot`", "arrays", describe(v))
                  .fix("name the file: plot(x, y, file=\"plot.svg\")"));
    if (!array || array->rank() != 2)
        raise(
            diagnose(Diag::wrong_kind, span, "`plot`",
                     "arrays with one axis (or two: a line for each row), tuples of numbers, or pairs (x, y) of these",
                     describe(v)));
    std::vector<std::vector<double>> rows;
    for (std::int64_t i = 0; i < array->size(0); ++i) rows.push_back(*numbers_of(s, Value(array->at(i))));
    return rows;
}

/// The lines of the plot for a call plot(y), plot(x, y, ...) or plot((x1, y1), (x2, y2), ...).
std::vector<runtime::PlotSeries> series_of(Stager& s, const std::vector<Value>& given, Span span) {
    std::vector<runtime::PlotSeries> series;
    const auto pair = [&s](const Value& v) { return v.tuple() && v.tuple()->items.size() == 2 && !numbers_of(s, v); };
    if (!given.empty() && std::all_of(given.begin(), given.end(), pair)) {
        for (const Value& v : given) {
            const std::vector<double> x = lines_of(s, v.tuple()->items[0], span).at(0);
            for (auto& y : lines_of(s, v.tuple()->items[1], span)) series.push_back({{}, x, std::move(y)});
        }
        return series;
    }
    if (given.empty())
        raise(diagnose(Diag::wrong_argument_count, span, "plot", "at least 1 argument", 0)
                  .fix("give what is drawn: plot(y), or plot((x, y))"));
    if (given.size() == 1) {
        for (auto& y : lines_of(s, given[0], span)) series.push_back({{}, {}, std::move(y)});
        return series;
    }
    const auto x = numbers_of(s, given[0]);
    if (!x) raise(diagnose(Diag::wrong_kind, span, "`plot`", "an array with one axis as x", describe(given[0])));
    for (std::size_t i = 1; i < given.size(); ++i)
        for (auto& y : lines_of(s, given[i], span)) series.push_back({{}, *x, std::move(y)});
    return series;
}

Value plot(Stager& s, Arguments& a) {
    constexpr std::size_t bytes_of_point =
        90; // the numbers of a point, its position in the picture, and the text of this position
    const runtime::Charge drawn = charged(bytes_of_point * count_parts(a[0]));
    std::vector<runtime::PlotSeries> series = series_of(s, a[0].tuple()->items, a.span);
    if (series.empty())
        raise(diagnose(Diag::wrong_kind, a.span, "`plot`", "at least one line", describe(a[0].tuple()->items[0])));
    if (a[5].tuple()) {
        const auto& labels = a[5].tuple()->items;
        if (!labels.empty() && labels.size() != series.size())
            raise(diagnose(Diag::wrong_kind, a.spans[5], "`labels`",
                           fmt::format("a name for each of {:line|lines}", Count{series.size()}), describe(a[5])));
        for (std::size_t i = 0; i < labels.size(); ++i)
            series[i].label = need_text(s, labels[i], a.spans[5], "a label");
    } else {
        series[0].label = need_text(s, a[5], a.spans[5], "`labels`");
    }
    runtime::PlotOptions options;
    options.poll = s.polling();
    options.title = need_text(s, a[2], a.spans[2], "title");
    options.x_label = need_text(s, a[3], a.spans[3], "xlabel");
    options.y_label = need_text(s, a[4], a.spans[4], "ylabel");
    options.log_x = need_bool(s, a[6], a.spans[6], "logx");
    options.log_y = need_bool(s, a[7], a.spans[7], "logy");
    if (a[1].is_none()) {
        return files::with_failures(a.span, [&]() -> Value {
            if (s.host().output) s.host().output(runtime::plot_text(series, options));
            return None{};
        });
    }
    if (!s.host().files) raise(diagnose(Diag::files_not_granted, a.span, "plot"));
    const std::string& path = need_text(s, a[1], a.spans[1], "file");
    const bool text = path.ends_with(".txt");
    if (!text && !path.ends_with(".svg"))
        raise(diagnose(Diag::wrong_kind, a.spans[1], "`file`", "a name that ends in .svg or .txt", quoted_text(path)));
    return files::in_first_process(s, a, "plot", [&]() -> Value {
        runtime::write_file(path, text ? runtime::plot_text(series, options) : runtime::plot_svg(series, options),
                            options.poll);
        return None{};
    });
}

using K = Native::Kind;
constexpr Native host_natives[] = {
    {"attempt", "f, *args", K::host, attempt,
     "attempt(f, *args): {ok: true, value: f(*args), error: none}; if it fails {ok: false, value: none, error: {code, "
     "message, file, line, notes, help, text}}. For named arguments: attempt(fn() = f(x, axis=0)).",
     Native::acts},
    {"time", "", K::host, time,
     "time(): seconds of a clock that only runs forward, f64; differences of it are durations.", Native::only_looks},
    {"program_arguments", "", K::host, program_arguments,
     "program_arguments(): what was given to the program on the command line, a tuple of strings.", Native::only_looks},
    {"progress", "source, label=\"\"", K::host, progress,
     "progress(source): what source has, for a `for`; on a terminal a bar shows how far the loop is.",
     Native::only_looks},
    {"plot", "*series, file=none, title=\"\", xlabel=\"\", ylabel=\"\", labels=(), logx=false, logy=false", K::host,
     plot,
     "plot(y), plot(x, y, ...), plot((x1, y1), (x2, y2), ...): lines, drawn in the terminal, or written to a file that "
     "ends in .svg (.txt: the terminal's drawing). Each y has one axis, or two: a line for each row. `labels` names "
     "the lines.",
     Native::gives_nothing},
};

} // namespace

std::span<const Native> host() { return host_natives; }

} // namespace pm::stage::library
