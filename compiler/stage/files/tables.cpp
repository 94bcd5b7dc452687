// Natives for tables. A table is a record of columns. A column is an array, a tuple of strings, or a category {codes,
// names}.
#include "compiler/stage/files/files.hpp"
#include "compiler/stage/files/own_rows.hpp"

#include "compiler/stage/index/stacking.hpp"
#include "compiler/stage/known/known.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/formats/csv.hpp"
#include "runtime/io/formats/csv_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
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

enum ReadOption : std::size_t { path, header, delim, na, skip, comment, columns, types, first, rows, decimal, part };

runtime::CsvOptions read_options(Stager& s, const Arguments& a) {
    runtime::CsvOptions made;
    made.header = need_bool(s, a[header], a.spans[header], "header");
    made.delimiter_named = a.given[delim] && !a[delim].is_none();
    if (made.delimiter_named) made.delimiter = one_character(s, a, delim, "`delim`");
    made.poll = s.polling();
    made.text_columns = true;
    made.missing = a[na].is_none() ? std::vector<std::string>{"", "NA"} : texts_of(s, a[na], a.spans[na], "`na`");
    made.skip = count_of(s, a, skip, "`skip`");
    if (!a[comment].is_none()) made.comment = one_character(s, a, comment, "`comment`");
    if (!a[columns].is_none()) {
        made.columns = texts_of(s, a[columns], a.spans[columns], "`columns`");
        if (made.columns.empty())
            raise(diagnose(Diag::wrong_kind, a.spans[columns], "`columns`", "names of columns, or none for all",
                           "an empty tuple"));
    }
    made.types = types_of(s, a[types], a.spans[types]);
    made.decimal = one_character(s, a, decimal, "`decimal`");
    if (made.decimal != '.' && (made.decimal != ',' || made.delimiter == ','))
        raise(diagnose(Diag::wrong_kind, a.spans[decimal], "`decimal`",
                       "\".\", or \",\" in a file with another delimiter",
                       made.decimal == ',' ? "\",\" in a file with delim=\",\"" : fmt::format("\"{}\"", made.decimal))
                  .fix("read_csv(path, delim=\";\", decimal=\",\")"));
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

Value table_of(std::vector<runtime::CsvColumn> columns) {
    std::vector<std::pair<std::string, Value>> fields;
    for (runtime::CsvColumn& column : columns) {
        std::string name = column.name;
        fields.emplace_back(std::move(name), column_value(std::move(column)));
    }
    return Value::record(std::move(fields));
}

Value read_csv(Stager& s, Arguments& a) {
    return with_files(s, a, "read_csv", FileAccess::each, [&]() -> Value {
        const std::string& file = path_of(s, a);
        const runtime::CsvOptions options = read_options(s, a);
        const bool is_matrix = !options.header && options.columns.empty() && options.types.empty();
        const Value read = is_matrix ? Value(runtime::read_csv_matrix(file, options, s.host().allocator))
                                     : table_of(runtime::read_csv(file, options, s.host().allocator));
        return need_bool(s, a[part], a.spans[part], "part") ? own_rows(s, read, a.span) : read;
    });
}

Value csv_parts(Stager& s, Arguments& a) {
    return with_files(s, a, "table.parts", FileAccess::each, [&]() -> Value {
        const runtime::CsvOptions options = read_options(s, a);
        std::vector<Value> parts;
        for (const runtime::CsvPart& one :
             runtime::csv_parts(path_of(s, a), options.rows.value_or(0), options, s.host().allocator)) {
            std::vector<Value> numbers;
            for (const std::uint64_t n : {one.header, one.begin, one.end, static_cast<std::uint64_t>(one.line)})
                numbers.push_back(Value::integer(static_cast<std::int64_t>(n)));
            parts.push_back(Value::tuple(std::move(numbers)));
        }
        return Value::tuple(std::move(parts));
    });
}

Value read_csv_part(Stager& s, Arguments& a) {
    return with_files(s, a, "table.parts", FileAccess::each, [&]() -> Value {
        if (!a[part].tuple() || a[part].tuple()->items.size() != 4)
            raise(diagnose(Diag::wrong_kind, a.spans[part], "a part of a file", "four integers", describe(a[part])));
        const auto number = [&](std::size_t i) {
            return need_integer(s, a[part].tuple()->items.at(i), a.spans[part], "a part of a file");
        };
        const auto place = [&](std::size_t i) { return static_cast<std::uint64_t>(number(i)); };
        const runtime::CsvPart one{place(0), place(1), place(2), number(3)};
        return table_of(runtime::read_csv_part(path_of(s, a), one, read_options(s, a), s.host().allocator));
    });
}

/// The codes and the names of a category. Null if the value is no category.
struct CategoryParts {
    const Value* codes = nullptr;
    const Tuple* names = nullptr;
};
CategoryParts category_parts(const Value& column) {
    const Record* const r = column.record();
    const Value* const codes = r ? r->find(std::string(codes_name)) : nullptr;
    const Value* const names = r ? r->find(std::string(names_name)) : nullptr;
    if (!codes || !names) return {};
    return {codes, names->tuple()};
}

/// Makes the columns that are written, with the charges for copies of texts.
class WrittenColumns {
  public:
    WrittenColumns(Stager& s, Span span) : s_(s), span_(span) {}

    /// `type`: the type of the column among the option `types`; nullopt if it has none.
    void add(const std::string& name, const Value& value, const std::optional<runtime::CsvType>& type) {
        runtime::CsvColumn column;
        column.name = name;
        const CategoryParts parts = category_parts(value);
        const bool is_text = value.tuple() && (value.tuple()->items.empty() || value.tuple()->items[0].text());
        if (parts.names) {
            column.kind = runtime::CsvKind::category;
            column.values = whole(*parts.codes, "the array of codes");
            column.texts = copied(*parts.names);
        } else if (is_text) {
            column.kind = runtime::CsvKind::text;
            column.texts = copied(*value.tuple());
        } else if (const Tuple* t = value.tuple(); t && t->items[0].is_numeric()) {
            column.values = array_of(stack_values(s_, t->items, span_), span_, "a column of `write_csv`");
        } else {
            column.values = array_of(value, span_, "a column of `write_csv`");
        }
        if (type) require_type(column, *type, value);
        columns_.push_back(std::move(column));
    }
    const std::vector<runtime::CsvColumn>& columns() const { return columns_; }

  private:
    Array whole(const Value& v, std::string_view what) const {
        Array values = array_of(v, span_, std::string(what));
        if (!runtime::is_integer(values.dtype()))
            raise(diagnose(Diag::wrong_kind, span_, what, "integers", describe(v)));
        return values;
    }

    std::vector<std::string> copied(const Tuple& column) {
        std::size_t bytes = 0;
        for (const Value& text : column.items)
            bytes += sizeof(std::string) + need_text(s_, text, span_, "a column of text").size();
        paid_.push_back(charged(bytes));
        std::vector<std::string> texts;
        texts.reserve(column.items.size());
        for (const Value& text : column.items) texts.push_back(*text.text());
        return texts;
    }

    /// Raises if the column cannot be written as this kind. A column of days becomes one of dates.
    void require_type(runtime::CsvColumn& column, const runtime::CsvType& type, const Value& value) const {
        using runtime::CsvKind;
        const CsvKind kind = type.kind;
        const auto refuse = [&](std::string_view needed) {
            raise(diagnose(Diag::wrong_kind, span_, fmt::format("the type of the column `{}`", column.name), needed,
                           describe(value)));
        };
        const bool is_text = column.kind == CsvKind::text || column.kind == CsvKind::category;
        if (kind == CsvKind::date) {
            if (is_text || !runtime::is_integer(column.values.dtype())) refuse("days, an array of integers");
            column.kind = CsvKind::date;
        }
        if ((kind == CsvKind::text || kind == CsvKind::category) && !is_text) refuse("texts or a category");
        if (kind != CsvKind::number) return;
        if (is_text) refuse("an array of numbers");
        if (runtime::is_integer(type.dtype) && !runtime::is_integer(column.values.dtype())) refuse("integers");
    }

    Stager& s_;
    Span span_;
    std::vector<runtime::CsvColumn> columns_;
    std::vector<runtime::Charge> paid_;
};

Value write_csv(Stager& s, Arguments& a) {
    return with_files(s, a, "write_csv", FileAccess::first, [&]() -> Value {
        const char delimiter = one_character(s, a, 2, "`delim`");
        const auto poll = s.polling();
        const auto& account = s.host().allocator;
        const auto write = [&](const std::string& text) {
            const runtime::Charge file(account, text.capacity());
            runtime::write_file(path_of(s, a), text, poll, account);
            return None{};
        };
        const auto types = types_of(s, a[3], a.spans[3]);
        const Record* record = a[1].record();
        for (const auto& [name, type] : types)
            if (!record || !record->find(name))
                raise(diagnose(Diag::wrong_kind, a.spans[3], "`types`", "names of columns",
                               quoted_json(name, a.spans[3])));
        if (!record) {
            const Array array = array_of(a[1], a.spans[1], "`write_csv`");
            return write(runtime::format_csv_matrix(array, delimiter, poll, account));
        }
        WrittenColumns columns(s, a.spans[1]);
        for (const auto& [name, value] : record->fields) {
            const auto type = types.find(name);
            columns.add(name, value, type == types.end() ? std::nullopt : std::optional(type->second));
        }
        return write(runtime::format_csv(columns.columns(), delimiter, poll, account));
    });
}

// ---- work on columns, for the module `table`

/// Called by functions whose result has a number of rows, or strings, that depend on values. In compiled code such
/// functions are host work.
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
    constexpr std::size_t bytes_of_entry = 64; // an estimate
    runtime::Charge paid = charged(0);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i % rows_between_polls == 0) {
            poll();
            paid.cover(codes.size() * bytes_of_entry);
        }
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

Value text_indices(Stager& s, Arguments& a) {
    const std::vector<Value>& texts = texts_in(s, a[0], a.spans[0]);
    const std::vector<Value>& names = texts_in(s, a[1], a.spans[1]);
    const auto poll = s.polling();
    constexpr std::size_t bytes_of_entry = 64; // an estimate
    const runtime::Charge paid = charged(names.size() * bytes_of_entry);
    std::unordered_map<std::string_view, std::int32_t> places;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i % rows_between_polls == 0) poll();
        places.try_emplace(*names[i].text(), static_cast<std::int32_t>(i));
    }
    Array made = Array::empty(DType::i32, {static_cast<std::int64_t>(texts.size())}, s.host().allocator);
    auto* const to = static_cast<std::int32_t*>(made.mutable_data());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i % rows_between_polls == 0) poll();
        const auto at = places.find(*texts[i].text());
        to[i] = at == places.end() ? -1 : at->second;
    }
    return {std::move(made)};
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

/// The rows of a column, sorted by their codes. Rows with the same code are in the order of the table. The rows with
/// code c are `rows[begin[c]]` to `rows[begin[c + 1] - 1]`.
struct RowsOfCodes {
    std::vector<std::int32_t> begin;
    std::vector<std::int32_t> rows;
};

RowsOfCodes rows_of_codes(Stager& s, const Array& codes, std::int64_t count, Span span) {
    RowsOfCodes made;
    made.begin.assign(static_cast<std::size_t>(count) + 2, 0);
    made.rows.resize(static_cast<std::size_t>(codes.elements()));
    const auto each = [&](const auto& work) {
        for (std::int64_t i = 0; i < codes.elements(); ++i) {
            if (static_cast<std::size_t>(i) % rows_between_polls == 0) s.poll(span);
            work(static_cast<std::int32_t>(i), static_cast<std::size_t>(codes.as_i64(i)));
        }
    };
    // begin[c + 1] is first the end of code c - 1, and is increased to the end of code c.
    each([&](std::int32_t, std::size_t code) { ++made.begin[code + 2]; });
    std::partial_sum(made.begin.begin(), made.begin.end(), made.begin.begin());
    each(
        [&](std::int32_t row, std::size_t code) { made.rows[static_cast<std::size_t>(made.begin[code + 1]++)] = row; });
    return made;
}

/// The pairs of a left row and a right row with equal codes. The pairs are in the order of the left rows, and for the
/// same left row in the order of the right rows. If `outer` is true, a left row that has no right row is paired with
/// -1. The codes are small numbers of at least 0.
Value join_rows(Stager& s, Arguments& a) {
    at_top_only(s, a.span);
    const Array left = indices_in(a[0], a.spans[0]);
    const Array right = indices_in(a[1], a.spans[1]);
    const bool outer = need_bool(s, a[2], a.spans[2], "outer");
    std::int64_t count = 0;
    for (const Array* codes : {&left, &right})
        for (std::int64_t i = 0; i < codes->elements(); ++i) count = std::max(count, codes->as_i64(i) + 1);
    runtime::Charge paid = charged(sizeof(std::int32_t) * static_cast<std::size_t>(count + right.elements()));
    const RowsOfCodes of_right = rows_of_codes(s, right, count, a.span);
    std::vector<std::int32_t> lefts;
    std::vector<std::int32_t> rights;
    const std::size_t fixed = paid.bytes();
    for (std::int64_t i = 0; i < left.elements(); ++i) {
        if (static_cast<std::size_t>(i) % rows_between_polls == 0) s.poll(a.span);
        const auto code = static_cast<std::size_t>(left.as_i64(i));
        const auto begin = of_right.rows.begin() + of_right.begin[code];
        const auto end = of_right.rows.begin() + of_right.begin[code + 1];
        rights.insert(rights.end(), begin, end);
        if (begin == end && outer) rights.push_back(-1);
        lefts.resize(rights.size(), static_cast<std::int32_t>(i));
        paid.cover(fixed + 2 * sizeof(std::int32_t) * (lefts.capacity() + rights.capacity()));
    }
    const auto array = [&](const std::vector<std::int32_t>& values) {
        return Value(
            Array::from_values(DType::i32, {static_cast<std::int64_t>(values.size())}, values, s.host().allocator));
    };
    return Value::tuple({array(lefts), array(rights)});
}

using K = Native::Kind;
constexpr Native table_natives[] = {
    {"read_csv",
     "path, header=true, delim=\",\", na=none, skip=0, comment=none, columns=none, types=none, first=0, rows=none, "
     "decimal=\".\", part=false",
     K::host, read_csv,
     "read_csv(path): the columns of a CSV file, a record by the names of its first line; whole numbers as i32 or i64, "
     "others as f32 or f64, text as a tuple of strings. An empty field or NA is NaN in a column of numbers; na=(\"\", "
     "\"-\") names other texts. skip: lines before the first that is read; comment=\"#\": lines that begin with it are "
     "not read; columns=(\"a\", \"b\"): these alone; types={a: f64, b: \"category\", c: \"date\", d: \"text\"}: the "
     "types that are not guessed; decimal=\",\": numbers like 1,5, where delim is another character. A category is "
     "{codes, names}, a date the days since 1970. first and rows: a part of "
     "the rows. part=true: each process of a job keeps the rows of its devices only, as load_npy does. With "
     "header=false one f32 array (rows, columns); with columns or types too, a table of column_1, column_2, ... gzip "
     "too."},
    {"write_csv", "path, columns, delim=\",\", types=none", K::host, write_csv,
     "write_csv(path, columns): a record of 1-d arrays, tuples of texts and categories with a first line of names, or "
     "an array without. types={d: \"date\"} writes days as dates. The file is replaced whole or not at all.",
     Native::gives_nothing},
    {"_csv_parts",
     "path, header=true, delim=none, na=none, skip=0, comment=none, columns=none, types=none, first=0, rows=none, "
     "decimal=\".\"",
     K::host, csv_parts, "_csv_parts(path, rows=n): the places of the parts of a CSV file, for _read_csv_part."},
    {"_read_csv_part",
     "path, header=true, delim=none, na=none, skip=0, comment=none, columns=none, types=none, first=0, rows=none, "
     "decimal=\".\", part=none",
     K::host, read_csv_part, "_read_csv_part(path, part=p): the table of the rows of one part."},
    {"_text_indices", "texts, names", K::known, text_indices,
     "_text_indices(texts, names): the index of each text among names, i32[n], -1 for others."},
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
