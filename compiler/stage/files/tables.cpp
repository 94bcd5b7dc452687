// Tables: records of columns. A column is an array, a tuple of texts, or a category {codes, names}.
#include "compiler/stage/files/files.hpp"

#include "compiler/stage/known/known.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/formats/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace pm::stage::files {
namespace {

constexpr std::string_view codes_name = "codes";
constexpr std::string_view names_name = "names";
constexpr std::size_t rows_between_polls = 4096;

// ---- options

char one_character(Stager& s, const Arguments& a, std::size_t at, std::string_view what) {
    const std::string& text = need_text(s, a[at], a.spans[at], what);
    if (text.size() != 1)
        raise(diagnose(Diag::wrong_kind, a.spans[at], what, "one character", quoted_json(text, a.spans[at])));
    return text[0];
}

std::vector<std::string> texts_of(Stager& s, const Value& v, Span span, std::string_view what) {
    if (v.text()) return {*v.text()};
    if (!v.tuple()) raise(diagnose(Diag::wrong_kind, span, what, "a tuple of texts", describe(v)));
    std::vector<std::string> texts;
    for (const Value& item : v.tuple()->items) texts.push_back(need_text(s, item, span, what));
    return texts;
}

runtime::CsvType type_of(Stager& s, const Value& v, Span span) {
    using runtime::CsvKind;
    constexpr std::string_view kinds = "a dtype, \"text\", \"category\" or \"date\"";
    if (const DType* dtype = v.dtype()) {
        if (runtime::is_complex(*dtype) || *dtype == DType::key)
            raise(diagnose(Diag::wrong_kind, span, "a type of a column", kinds, describe(v)));
        return {CsvKind::number, *dtype};
    }
    if (!v.text()) raise(diagnose(Diag::wrong_kind, span, "a type of a column", kinds, describe(v)));
    const std::string& name = need_text(s, v, span, "a type of a column");
    if (name == "text") return {CsvKind::text};
    if (name == "category") return {CsvKind::category};
    if (name == "date") return {CsvKind::date};
    raise(diagnose(Diag::wrong_kind, span, "a type of a column", kinds, quoted_json(name, span)));
}

std::map<std::string, runtime::CsvType> types_of(Stager& s, const Value& v, Span span) {
    std::map<std::string, runtime::CsvType> types;
    if (v.is_none()) return types;
    if (!v.record()) raise(diagnose(Diag::wrong_kind, span, "`types`", "a record from columns to types", describe(v)));
    for (const auto& [name, type] : v.record()->fields) types[name] = type_of(s, type, span);
    return types;
}

std::int64_t count_of(Stager& s, const Arguments& a, std::size_t at, std::string_view what) {
    const std::int64_t count = need_integer(s, a[at], a.spans[at], what);
    if (count < 0)
        raise(diagnose(Diag::wrong_kind, a.spans[at], what, "an integer of at least 0", std::to_string(count)));
    return count;
}

enum ReadOption : std::size_t { path, header, delim, na, skip, comment, columns, types, first, rows };

runtime::CsvOptions read_options(Stager& s, const Arguments& a) {
    runtime::CsvOptions made;
    made.header = need_bool(s, a[header], a.spans[header], "header");
    made.delimiter = one_character(s, a, delim, "`delim`");
    made.delimiter_named = a.given[delim];
    made.poll = s.polling();
    made.text_columns = true;
    made.missing = a[na].is_none() ? std::vector<std::string>{"", "NA"} : texts_of(s, a[na], a.spans[na], "`na`");
    made.skip = count_of(s, a, skip, "`skip`");
    if (!a[comment].is_none()) made.comment = one_character(s, a, comment, "`comment`");
    if (!a[columns].is_none()) made.columns = texts_of(s, a[columns], a.spans[columns], "`columns`");
    made.types = types_of(s, a[types], a.spans[types]);
    made.first = count_of(s, a, first, "`first`");
    if (!a[rows].is_none()) made.rows = count_of(s, a, rows, "`rows`");
    return made;
}

// ---- columns

Value texts_value(std::vector<std::string> texts) {
    std::vector<Value> items;
    items.reserve(texts.size());
    for (std::string& text : texts) items.emplace_back(std::move(text));
    return Value::tuple(std::move(items));
}

Value category(Array codes, Value names) {
    return Value::record(
        {{std::string(codes_name), Value(std::move(codes))}, {std::string(names_name), std::move(names)}});
}

Value column_value(runtime::CsvColumn column) {
    if (column.kind == runtime::CsvKind::text) return texts_value(std::move(column.texts));
    if (column.kind == runtime::CsvKind::category)
        return category(std::move(column.values), texts_value(std::move(column.texts)));
    return std::move(column.values);
}

Value read_csv(Stager& s, Arguments& a) {
    return with_files(s, a, "read_csv", [&]() -> Value {
        const std::string& file = path_of(s, a);
        const runtime::CsvOptions options = read_options(s, a);
        if (!options.header && options.columns.empty() && options.types.empty())
            return runtime::read_csv_matrix(file, options, s.host().allocator);
        std::vector<std::pair<std::string, Value>> fields;
        for (runtime::CsvColumn& column : runtime::read_csv(file, options, s.host().allocator)) {
            std::string name = column.name;
            fields.emplace_back(std::move(name), column_value(std::move(column)));
        }
        return Value::record(std::move(fields));
    });
}

/// Copies of texts, with the charge for their memory.
struct PaidTexts {
    std::vector<std::string> texts;
    runtime::Charge paid;
};
PaidTexts copied(Stager& s, const Tuple& column, Span span) {
    std::size_t bytes = 0;
    for (const Value& text : column.items)
        bytes += sizeof(std::string) + need_text(s, text, span, "a column of text").size();
    PaidTexts made{{}, charged(bytes)};
    made.texts.reserve(column.items.size());
    for (const Value& text : column.items) made.texts.push_back(*text.text());
    return made;
}

const Tuple* names_in(const Value& column) {
    const Record* const r = column.record();
    const Value* const names = r ? r->find(std::string(names_name)) : nullptr;
    return names && r->find(std::string(codes_name)) ? names->tuple() : nullptr;
}

Value write_csv(Stager& s, Arguments& a) {
    return with_files(s, a, "write_csv", [&]() -> Value {
        const char delimiter = one_character(s, a, 2, "`delim`");
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
            return write(runtime::format_csv_matrix(array, delimiter, poll, account));
        }
        const auto kinds = types_of(s, a[3], a.spans[3]);
        std::vector<runtime::CsvColumn> columns;
        std::vector<runtime::Charge> paid;
        for (const auto& [name, value] : record->fields) {
            runtime::CsvColumn column;
            column.name = name;
            if (const auto kind = kinds.find(name); kind != kinds.end()) column.kind = kind->second.kind;
            const Tuple* const names = names_in(value);
            const Tuple* const texts = names ? names : value.tuple();
            if (texts && (names || (!texts->items.empty() && texts->items[0].text()))) {
                PaidTexts own = copied(s, *texts, a.spans[1]);
                column.texts = std::move(own.texts);
                paid.push_back(std::move(own.paid));
            }
            column.kind = names ? runtime::CsvKind::category : column.kind;
            if (names)
                column.values = array_of(*value.record()->find(std::string(codes_name)), a.spans[1], "the codes");
            else if (column.texts.empty())
                column.values = array_of(value, a.spans[1], "a column of `write_csv`");
            columns.push_back(std::move(column));
        }
        return write(runtime::format_csv(columns, delimiter, poll, account));
    });
}

// ---- work on columns, for the module `table`

/// Raises in compiled code: the number or the texts of the rows depend on values.
void at_top_only(Stager& s, Span span) { s.host_work("the rows of a table depend on values", span); }

const std::vector<Value>& texts_in(Stager& s, const Value& v, Span span) {
    if (!v.tuple()) raise(diagnose(Diag::wrong_kind, span, "this column", "a tuple of texts", describe(v)));
    for (const Value& text : v.tuple()->items) need_text(s, text, span, "a column of text");
    return v.tuple()->items;
}

Array indices_in(const Value& v, Span span) {
    Array indices = array_of(v, span, "the rows");
    if (indices.rank() != 1 || !runtime::is_integer(indices.dtype()))
        raise(diagnose(Diag::wrong_kind, span, "the rows", "a vector of integers", describe(v)));
    return indices.convert(DType::i64);
}

Value text_codes(Stager& s, Arguments& a) {
    const std::vector<Value>& texts = texts_in(s, a[0], a.spans[0]);
    const auto poll = s.polling();
    std::unordered_map<std::string_view, std::int32_t> codes;
    std::vector<Value> names;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i % rows_between_polls == 0) poll();
        if (codes.try_emplace(*texts[i].text(), 0).second) names.push_back(texts[i]);
    }
    std::ranges::sort(names, {}, [](const Value& v) -> const std::string& { return *v.text(); });
    for (std::size_t i = 0; i < names.size(); ++i) codes[*names[i].text()] = static_cast<std::int32_t>(i);
    Array made = Array::empty(DType::i32, {static_cast<std::int64_t>(texts.size())}, s.host().allocator);
    auto* const to = static_cast<std::int32_t*>(made.mutable_data());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i % rows_between_polls == 0) poll();
        to[i] = codes.at(*texts[i].text());
    }
    return category(std::move(made), Value::tuple(std::move(names)));
}

Value texts_at(Stager& s, Arguments& a) {
    at_top_only(s, a.span);
    const std::vector<Value>& texts = texts_in(s, a[0], a.spans[0]);
    const Array rows = indices_in(a[1], a.spans[1]);
    const auto count = static_cast<std::int64_t>(texts.size());
    std::vector<Value> found;
    found.reserve(static_cast<std::size_t>(rows.elements()));
    for (std::int64_t i = 0; i < rows.elements(); ++i) {
        if (static_cast<std::size_t>(i) % rows_between_polls == 0) s.poll(a.span);
        const std::int64_t row = rows.as_i64(i);
        if (row < -count || row >= count)
            raise(diagnose(Diag::index_out_of_range, a.spans[1],
                           fmt::format("row {} is out of range for a table of {} rows", row, count)));
        found.push_back(texts[static_cast<std::size_t>(row < 0 ? row + count : row)]);
    }
    return Value::tuple(std::move(found));
}

/// The pairs of rows with equal codes, in the order of the left rows and then of the right rows. With `outer`, a left
/// row without a right row is paired with -1.
Value join_rows(Stager& s, Arguments& a) {
    at_top_only(s, a.span);
    const Array left = indices_in(a[0], a.spans[0]);
    const Array right = indices_in(a[1], a.spans[1]);
    const bool outer = need_bool(s, a[2], a.spans[2], "outer");
    std::unordered_map<std::int64_t, std::vector<std::int32_t>> rows;
    for (std::int64_t i = 0; i < right.elements(); ++i) {
        if (static_cast<std::size_t>(i) % rows_between_polls == 0) s.poll(a.span);
        rows[right.as_i64(i)].push_back(static_cast<std::int32_t>(i));
    }
    std::vector<std::int32_t> of_left;
    std::vector<std::int32_t> of_right;
    runtime::Charge paid = charged(0);
    for (std::int64_t i = 0; i < left.elements(); ++i) {
        if (static_cast<std::size_t>(i) % rows_between_polls == 0) s.poll(a.span);
        const auto found = rows.find(left.as_i64(i));
        if (found == rows.end() && !outer) continue;
        const std::vector<std::int32_t> none{-1};
        for (const std::int32_t row : found == rows.end() ? none : found->second) {
            of_left.push_back(static_cast<std::int32_t>(i));
            of_right.push_back(row);
        }
        paid.cover(2 * sizeof(std::int32_t) * (of_left.capacity() + of_right.capacity()));
    }
    const auto array = [&](const std::vector<std::int32_t>& values) {
        return Value(
            Array::from_values(DType::i32, {static_cast<std::int64_t>(values.size())}, values, s.host().allocator));
    };
    return Value::tuple({array(of_left), array(of_right)});
}

using K = Native::Kind;
constexpr Native table_natives[] = {
    {"read_csv",
     "path, header=true, delim=\",\", na=none, skip=0, comment=none, columns=none, types=none, first=0, rows=none",
     K::host, read_csv,
     "read_csv(path): the columns of a CSV file, a record by the names of its first line; whole numbers as i32, others "
     "as f32, text as a tuple of strings. An empty field or NA is NaN in a column of numbers; na=(\"\", \"-\") names "
     "other "
     "texts. skip: lines before the first that is read; comment=\"#\": lines that begin with it are not read; "
     "columns=(\"a\", \"b\"): these alone; types={a: f64, b: \"category\", c: \"date\", d: \"text\"}: the types that "
     "are not "
     "guessed. A category is {codes, names}, a date the days since 1970. first and rows: a part of the rows. With "
     "header=false one f32 array (rows, columns). gzip too."},
    {"write_csv", "path, columns, delim=\",\", types=none", K::host, write_csv,
     "write_csv(path, columns): a record of 1-d arrays, tuples of texts and categories with a first line of names, or "
     "an "
     "array without. types={d: \"date\"} writes days as dates. The file is replaced whole or not at all.",
     Native::gives_nothing},
    {"_text_codes", "texts", K::known, text_codes,
     "_text_codes(texts): the record {codes, names} of the sorted different texts, and of the place of each text "
     "there."},
    {"_texts_at", "texts, rows", K::known, texts_at, "_texts_at(texts, rows): the texts at indices, a tuple."},
    {"_join_rows", "left, right, outer", K::known, join_rows,
     "_join_rows(left, right, outer): the pairs of indices of equal codes."},
};

} // namespace

std::span<const Native> tables() { return table_natives; }

} // namespace pm::stage::files
