// Reading and writing files. A function that does so is interpreted; the functions that it calls are compiled.
#include "compiler/stage/files/files.hpp"

#include "compiler/stage/core/failures.hpp"
#include "compiler/stage/known/known.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/folder.hpp"
#include "runtime/io/formats/csv.hpp"
#include "runtime/io/formats/idx.hpp"
#include "runtime/io/formats/npy.hpp"

#include <fmt/format.h>

namespace pm::stage::files {

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

namespace {

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

Value append_text(Stager& s, Arguments& a) {
    return with_files(s, a, "append_text", [&]() -> Value {
        const std::string& text = need_text(s, a[1], a.spans[1], "`append_text`");
        runtime::append_file(path_of(s, a), text, s.polling());
        return None{};
    });
}

Value make_folder(Stager& s, Arguments& a) {
    return with_files(s, a, "make_folder", [&]() -> Value {
        runtime::make_folder(path_of(s, a));
        return None{};
    });
}

Value list_folder(Stager& s, Arguments& a) {
    return with_files(s, a, "list_folder", [&]() -> Value {
        std::vector<Value> names;
        for (std::string& name : runtime::names_in_folder(path_of(s, a), s.polling()))
            names.emplace_back(std::move(name));
        return Value::tuple(std::move(names));
    });
}

Value remove_file(Stager& s, Arguments& a) {
    return with_files(s, a, "remove_file", [&]() -> Value {
        runtime::remove_file(path_of(s, a));
        return None{};
    });
}

using K = Native::Kind;
constexpr Native file_natives[] = {
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
    {"append_text", "path, text", K::host, append_text,
     "append_text(path, text): writes at the end of the file, which is made if there is none.", Native::gives_nothing},
    {"make_folder", "path", K::host, make_folder,
     "make_folder(path): makes the folder and those above it; a folder that exists stays.", Native::gives_nothing},
    {"list_folder", "path", K::host, list_folder,
     "list_folder(path): the sorted names in a folder, a tuple of strings; those of folders end in `/`."},
    {"remove_file", "path", K::host, remove_file, "remove_file(path): removes a file, or a folder without content.",
     Native::gives_nothing},
};

} // namespace

std::span<const Native> file_access() { return file_natives; }

} // namespace pm::stage::files
