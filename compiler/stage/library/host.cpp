// Host work: files, time, the terminal. A function that does host work is interpreted; the functions that it calls are
// compiled.
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/library/library.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/stage/core/failures.hpp"
#include "compiler/stage/values/tree.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/formats/csv.hpp"
#include "runtime/io/formats/idx.hpp"
#include "runtime/io/formats/npy.hpp"
#include "runtime/io/plot/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace pm::stage::library {
namespace {

/// Runs work that accesses files, if the host permits access to files. A failure is raised at the position of the call.
Value with_files(Stager& s, const Arguments& a, std::string_view what, const std::function<Value()>& work) {
    if (!s.host().files) raise(diagnose(Diag::files_not_granted, a.span, what));
    try {
        return work();
    } catch (const runtime::Failure& f) {
        raise(failure_diagnostic(f, a.span));
    }
}

const std::string& path_of(Stager& s, const Arguments& a) {
    return need_text(s, a[0], a.spans[0], "the path of a file");
}

/// Converts a value at top level to an array. A number becomes an array without axes.
Array array_of(const Value& v, Span span, std::string_view what) {
    if (const Array* array = v.array()) return *array;
    const Number* n = v.number();
    if (!n) raise(diagnose(Diag::wrong_kind, span, what, "a number or an array", describe(v)));
    const DType dtype = n->default_dtype();
    return n->array(dtype);
}

// ---- reading and writing files

char delimiter(Stager& s, const Arguments& a, std::size_t at) {
    const std::string& text = need_text(s, a[at], a.spans[at], "`delim`");
    if (text.size() != 1)
        raise(diagnose(Diag::wrong_kind, a.spans[at], "`delim`", "one character", "\"" + text + "\""));
    return text[0];
}

Value read_csv(Stager& s, Arguments& a) {
    return with_files(s, a, "read_csv", [&]() -> Value {
        const std::string& path = path_of(s, a);
        const char delim = delimiter(s, a, 2);
        const auto poll = s.polling();
        if (!need_bool(s, a[1], a.spans[1], "header"))
            return runtime::read_csv_matrix(path, delim, s.host().allocator, poll);
        std::vector<std::pair<std::string, Value>> fields;
        const runtime::CsvOptions options{
            .header = true, .delimiter = delim, .delimiter_named = a.given[2], .poll = poll, .text_columns = true};
        for (runtime::CsvColumn& column : runtime::read_csv(path, options, s.host().allocator)) {
            if (column.values) {
                fields.emplace_back(column.name, Value(std::move(column.values)));
                continue;
            }
            std::vector<Value> texts;
            texts.reserve(column.texts.size());
            for (std::string& text : column.texts) texts.emplace_back(std::move(text));
            fields.emplace_back(column.name, Value::tuple(std::move(texts)));
        }
        return Value::record(std::move(fields));
    });
}

/// The number of array elements plus the number of bytes of text in a tree.
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

/// Copies of the texts of a column, with the charge for their memory.
struct TextColumn {
    std::vector<std::string> texts;
    runtime::Charge paid;
};
TextColumn text_column(Stager& s, const Tuple& column, Span span) {
    std::size_t bytes = 0;
    for (const Value& text : column.items)
        bytes += sizeof(std::string) + need_text(s, text, span, "a column of text").size();
    TextColumn made{{}, charged(bytes)};
    made.texts.reserve(column.items.size());
    for (const Value& text : column.items) made.texts.push_back(*text.text());
    return made;
}

Value write_csv(Stager& s, Arguments& a) {
    return with_files(s, a, "write_csv", [&]() -> Value {
        const char delim = delimiter(s, a, 2);
        const auto poll = s.polling();
        const auto& account = s.host().allocator;
        const auto write = [&](const std::string& text) {
            const runtime::Charge file(account, text.capacity());
            runtime::write_file(path_of(s, a), text, poll, account);
            return None{};
        };
        const Record* record = a[1].record();
        if (!record) {
            const Array array = array_of(a[1], a.spans[1], "`write_csv`");
            return write(runtime::format_csv_matrix(array, delim, poll, account));
        }
        std::vector<runtime::CsvColumn> columns;
        std::vector<runtime::Charge> paid;
        for (const auto& [name, value] : record->fields) {
            runtime::CsvColumn column;
            column.name = name;
            if (const Tuple* t = value.tuple(); t && !t->items.empty() && t->items[0].text()) {
                TextColumn texts = text_column(s, *t, a.spans[1]);
                column.texts = std::move(texts.texts);
                paid.push_back(std::move(texts.paid));
            } else {
                column.values = array_of(value, a.spans[1], "a column of `write_csv`");
            }
            columns.push_back(std::move(column));
        }
        return write(runtime::format_csv(columns, delim, poll, account));
    });
}

Value load_npy(Stager& s, Arguments& a) {
    return with_files(s, a, "load_npy", [&]() -> Value {
        const std::string path = path_of(s, a);
        return runtime::load_npy(path, s.host().allocator, s.polling());
    });
}

Value save_npy(Stager& s, Arguments& a) {
    return with_files(s, a, "save_npy", [&]() -> Value {
        const Array x = array_of(a[1], a.spans[1], "`save_npy`");
        runtime::save_npy(path_of(s, a), x, s.polling(), s.host().allocator);
        return None{};
    });
}

Value load_npz(Stager& s, Arguments& a) {
    return with_files(s, a, "load_npz", [&]() -> Value {
        std::vector<std::pair<std::string, Value>> fields;
        const std::string path = path_of(s, a);
        for (auto& [name, array] : runtime::load_npz(path, s.host().allocator, s.polling()))
            fields.emplace_back(name, std::move(array));
        return Value::record(std::move(fields));
    });
}

/// Converts a field of an archive to an array. An archive has named arrays, but no nested records.
Array field_of(const std::string& name, const Value& value, Span span) {
    if (!value.array() && !value.number())
        raise(diagnose(Diag::wrong_kind, span, fmt::format("the field `{}` of `save_npz`", name),
                       "a number or an array", describe(value))
                  .fix(fmt::format("save what it holds under names of their own: save_npz(path, {{\"{}.w\": ...}})",
                                   name)));
    return array_of(value, span, "a field of `save_npz`");
}

Value save_npz(Stager& s, Arguments& a) {
    return with_files(s, a, "save_npz", [&]() -> Value {
        const Record* record = a[1].record();
        if (!record)
            raise(diagnose(Diag::wrong_kind, a.spans[1], "`save_npz`", "a record of arrays", describe(a[1]))
                      .fix("save_npz(path, {x: x, y: y})"));
        runtime::NamedArrays arrays;
        for (const auto& [name, value] : record->fields) arrays.emplace_back(name, field_of(name, value, a.spans[1]));
        const bool compress = need_bool(s, a[2], a.spans[2], "compress");
        runtime::save_npz(path_of(s, a), arrays, compress, s.polling(), s.host().allocator);
        return None{};
    });
}

Value load_idx(Stager& s, Arguments& a) {
    return with_files(s, a, "load_idx",
                      [&]() -> Value { return runtime::load_idx(path_of(s, a), s.host().allocator, s.polling()); });
}

Value read_text(Stager& s, Arguments& a) {
    return with_files(s, a, "read_text",
                      [&]() -> Value { return runtime::read_text(path_of(s, a), s.polling(), s.host().allocator); });
}

Value write_text(Stager& s, Arguments& a) {
    return with_files(s, a, "write_text", [&]() -> Value {
        const std::string& text = need_text(s, a[1], a.spans[1], "`write_text`");
        runtime::write_file(path_of(s, a), text, s.polling(), s.host().allocator);
        return None{};
    });
}

Value file_exists(Stager& s, Arguments& a) {
    return with_files(s, a, "file_exists",
                      [&]() -> Value { return Value::boolean(runtime::file_exists(path_of(s, a))); });
}

// ---- time, the command line, progress

Value time(Stager&, Arguments&) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    Number n = Number::of(std::chrono::duration<double>(now).count());
    n.dtype = DType::f64;
    return n;
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

/// The numbers of one plotted line, from a 1-d array or a tuple of numbers. nullopt for other values.
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

/// The plotted lines of a value: one line, or one per row of a 2-d array.
std::vector<std::vector<double>> lines_of(Stager& s, const Value& v, Span span) {
    for_each_leaf(v, [&](const Value& leaf) { require_complex(numeric_type(leaf).type.dtype, DType::f64, span); });
    if (auto one = numbers_of(s, v)) return {std::move(*one)};
    const Array* array = v.array();
    if (!array || array->rank() != 2)
        raise(
            diagnose(Diag::wrong_kind, span, "`plot`",
                     "arrays with one axis (or two: a line for each row), tuples of numbers, or pairs (x, y) of these",
                     describe(v)));
    std::vector<std::vector<double>> rows;
    for (std::int64_t i = 0; i < array->size(0); ++i) rows.push_back(*numbers_of(s, Value(array->at(i))));
    return rows;
}

/// The lines of a call plot(y), plot(x, y, ...) or plot((x1, y1), (x2, y2), ...).
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
    constexpr std::size_t bytes_of_point = 90; // numbers, position in the picture, and the text of the position
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
    try {
        if (a[1].is_none()) {
            if (s.host().output) s.host().output(runtime::plot_text(series, options));
            return None{};
        }
        if (!s.host().files) raise(diagnose(Diag::files_not_granted, a.span, "plot"));
        const std::string& path = need_text(s, a[1], a.spans[1], "file");
        const bool text = path.ends_with(".txt");
        if (!text && !path.ends_with(".svg"))
            raise(diagnose(Diag::wrong_kind, a.spans[1], "`file`", "a name that ends in .svg or .txt",
                           "\"" + path + "\""));
        runtime::write_file(path, text ? runtime::plot_text(series, options) : runtime::plot_svg(series, options),
                            options.poll);
    } catch (const runtime::Failure& f) {
        raise(failure_diagnostic(f, a.span));
    }
    return None{};
}

using K = Native::Kind;
constexpr Native host_natives[] = {
    {"read_csv", "path, header=true, delim=\",\"", K::host, read_csv,
     "read_csv(path): the columns of a CSV file, a record by the names of its first line; whole numbers as i32, others "
     "as f32, text as a tuple of strings. With header=false one f32 array (rows, columns). gzip too."},
    {"write_csv", "path, columns, delim=\",\"", K::host, write_csv,
     "write_csv(path, columns): a record of 1-d arrays with a first line of names, or an array without. The file is "
     "replaced whole or not at all.",
     Native::gives_nothing},
    {"load_npy", "path", K::host, load_npy, "load_npy(path): the array of a NumPy file."},
    {"save_npy", "path, x", K::host, save_npy,
     "save_npy(path, x): x as a NumPy file, which is replaced whole or not at all.", Native::gives_nothing},
    {"load_npz", "path", K::host, load_npz, "load_npz(path): the arrays of a NumPy archive, a record by their names."},
    {"save_npz", "path, arrays, compress=false", K::host, save_npz,
     "save_npz(path, {w: w, b: b}): a record of arrays as a NumPy archive, which is replaced whole or not at all.",
     Native::gives_nothing},
    {"load_idx", "path", K::host, load_idx,
     "load_idx(path): the array of an IDX file, as the MNIST family has them; gzip too."},
    {"read_text", "path", K::host, read_text, "read_text(path): the text of a file, UTF-8; gzip too."},
    {"write_text", "path, text", K::host, write_text, "write_text(path, text): replaces the file, whole or not at all.",
     Native::gives_nothing},
    {"file_exists", "path", K::host, file_exists, "file_exists(path): whether there is a file of that name.",
     Native::only_looks},
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
