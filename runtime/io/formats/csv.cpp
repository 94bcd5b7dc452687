#include "runtime/io/formats/csv.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/formats.hpp"
#include "runtime/io/formats/csv_column.hpp"
#include "runtime/io/formats/csv_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <limits>
#include <optional>
#include <set>

namespace pm::runtime {
namespace {

constexpr std::int64_t numbers_between_polls = 4096;

/// The bytes of the fields of a line, including spare capacity and the copies that exist while the vector grows.
std::size_t bytes_of(const std::vector<CsvField>& fields) { return 3 * fields.capacity() * sizeof(CsvField); }

std::vector<std::string> column_names(const std::vector<CsvField>& fields, const std::string& file) {
    std::vector<std::string> names;
    std::set<std::string> seen;
    bool all_numbers = true;
    for (const CsvField& field : fields) {
        const std::string_view text = trimmed(field.text);
        all_numbers = all_numbers && (csv_number(text) || !with_point(text).empty()) && !field.quoted;
        std::string name = text.empty() ? fmt::format("column_{}", names.size() + 1) : std::string(text);
        if (!seen.insert(name).second)
            fail_csv(file, field.line, field.column, fmt::format("two columns are named '{}'", excerpt(name)),
                     "rename one in the first line");
        names.push_back(std::move(name));
    }
    if (all_numbers)
        fail_csv(file, fields.front().line, 1, "the first line holds numbers, not the names of columns",
                 "read it with header=false");
    return names;
}

/// Looks for another usual delimiter that occurs in the header, outside quotes, and equally often in every line. If
/// there is such a delimiter, it probably divides the fields of the file. With the delimiter of the options, each line
/// would then be one field, or decimal commas would divide numbers.
class OtherDelimiter {
  public:
    OtherDelimiter(const std::vector<CsvField>& names, char delimiter) : fields_(names.size()) {
        for (const char other : other_delimiters) {
            if (other == delimiter || count_in(names, other) == 0) continue;
            const auto holds = [&](const CsvField& name) { return count_in(name, other) > 0; };
            candidates_.push_back({other, count_in(names, other), *std::find_if(names.begin(), names.end(), holds)});
        }
    }
    void see(const std::vector<CsvField>& line) {
        has_lines_ = true;
        std::erase_if(candidates_, [&](const Candidate& c) { return count_in(line, c.delimiter) != c.count; });
    }
    /// Throws a Failure if there is such a delimiter. (There are no candidates if the caller named the delimiter.)
    void refuse(const std::string& file, char delimiter) const {
        if (candidates_.empty() || (fields_ > 1 && !has_lines_)) return;
        const auto& [other, count, at] = candidates_[0];
        const std::string own = fields_ == 1
                                    ? "each line is one field, which"
                                    : fmt::format("'{}' divides each line into {} fields;", delimiter, fields_);
        fail_csv(file, at.line, at.column + static_cast<std::int64_t>(at.text.find(other)),
                 fmt::format("{} '{}' divides {}into {}", own, other == '\t' ? "\\t" : std::string(1, other),
                             fields_ == 1 ? "" : "it ", count + 1),
                 fmt::format("{}; delim=\"{}\" reads the lines as they are", read_with(other), delimiter));
    }

  private:
    struct Candidate {
        char delimiter;
        std::ptrdiff_t count; ///< the number of occurrences in each line
        CsvField at;          ///< the first name in the header that contains the delimiter
    };
    static std::ptrdiff_t count_in(const std::vector<CsvField>& line, char delimiter) {
        std::ptrdiff_t count = 0;
        for (const CsvField& field : line) count += count_in(field, delimiter);
        return count;
    }
    static std::ptrdiff_t count_in(const CsvField& field, char delimiter) {
        return field.quoted ? 0 : std::count(field.text.begin(), field.text.end(), delimiter);
    }

    std::size_t fields_;     ///< the number of fields in each line
    bool has_lines_ = false; ///< true if a line after the header has been seen
    std::vector<Candidate> candidates_;
};

/// Throws a Failure if a line does not have `want` fields. `first` is the first field of the first line.
void require_count(const std::vector<CsvField>& fields, std::size_t want, std::string_view first,
                   const std::string& file, char delimiter) {
    if (fields.size() == want) return;
    if (fields.size() == 1 && trimmed(fields[0].text).empty())
        fail_csv(file, fields[0].line, 1, "this line is blank", "remove it, or write nan where numbers are missing");
    const CsvField& at = fields.size() < want ? fields.back() : fields[want];
    std::string help;
    if (first.starts_with('#') || fields[0].text.starts_with('#'))
        help = "lines that begin with # are not read with comment=\"#\"";
    for (const CsvField& field : fields)
        if (help.empty() && !field.quoted) help = read_with_other(field.text, delimiter);
    if (help.empty())
        help = fields.size() < want
                   ? "write nan where a number is missing"
                   : fmt::format("put a field that holds the delimiter in quotes: \"1{}5\"", delimiter);
    fail_csv(
        file, at.line, at.column,
        fmt::format("{} field{} in this line, {} in the first", fields.size(), fields.size() == 1 ? "" : "s", want),
        std::move(help));
}

/// Throws a Failure for a delimiter with which the output could not be read back.
void require_delimiter(char delimiter) {
    if (std::isalnum(static_cast<unsigned char>(delimiter)) != 0 || // letters and digits as in 1e5, inf and nan
        std::string_view("\"\r\n+-.").find(delimiter) != std::string_view::npos)
        throw Failure(FailureKind::bad_argument, "a quote, a line end or a part of a number cannot be the delimiter",
                      "write with a comma, a semicolon or a tab: delim=\";\"");
}

/// Quotes a text that would otherwise read back as something else, or that contains a character of `also`. Empty text
/// is quoted, since a line with only an empty text would be skipped. Text that would be read as a number, or as a
/// missing entry, is quoted too.
std::string quoted_when_needed(std::string_view text, char delimiter, std::string_view also = {}) {
    const std::string_view inner = trimmed(text);
    const bool needed = text.find_first_of("\"\r\n") != std::string_view::npos ||
                        text.find(delimiter) != std::string_view::npos || inner.empty() ||
                        inner.size() != text.size() || csv_number(text) || csv_bool(text) || text == "NA" ||
                        text[0] == '#' || text.find_first_of(also) != std::string_view::npos;
    if (!needed) return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        out += c;
        if (c == '"') out += '"';
    }
    return out + "\"";
}

void put_date(std::string& out, std::int64_t days) {
    const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
    constexpr std::int64_t last_day = 2932896; // 31 December 9999
    constexpr std::int64_t first_day = -719528;
    if (days < first_day || days > last_day)
        throw Failure(FailureKind::bad_argument,
                      fmt::format("day {} is not in the years 0 to 9999, so it cannot be written as a date", days),
                      "write the column as numbers");
    out += fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()));
}

const std::string& name_of(const CsvColumn& column, std::int64_t code) {
    if (code >= 0 && code < static_cast<std::int64_t>(column.texts.size()))
        return column.texts[static_cast<std::size_t>(code)];
    throw Failure(FailureKind::bad_argument, fmt::format("column '{}' has the code {}, and {} names",
                                                         excerpt(column.name), code, column.texts.size()));
}

void put_number(std::string& out, const Array& array, std::int64_t i) {
    switch (array.dtype()) {
    case DType::f32:
    case DType::f16:
    case DType::bf16: out += fmt::format("{}", static_cast<float>(array.as_f64(i))); return;
    case DType::f64: out += fmt::format("{}", array.as_f64(i)); return;
    case DType::u64:
    case DType::key:
    case DType::tape: out += fmt::format("{}", array.as_u64(i)); return;
    case DType::c64:
    case DType::c128:
        throw Failure(FailureKind::bad_argument, "complex numbers cannot be written as CSV",
                      "write their real and imaginary parts as columns of their own");
    case DType::b1:
    case DType::i8:
    case DType::i16:
    case DType::i32:
    case DType::i64:
    case DType::u8:
    case DType::u16:
    case DType::u32: out += fmt::format("{}", array.as_i64(i)); return;
    }
}

/// The lines of a table, from the first line after the skipped lines on.
CsvLines lines_of(std::string_view text, const std::string& name, const CsvOptions& options) {
    require_utf8(text, name, options.poll);
    CsvLines lines(text, options.delimiter, options.comment, name, options.poll);
    lines.skip(options.skip);
    return lines;
}

std::size_t place_of(const std::vector<std::string>& names, const std::string& column, const std::string& file,
                     char delimiter) {
    const auto at = std::ranges::find(names, column);
    if (at == names.end())
        throw Failure(FailureKind::bad_argument,
                      fmt::format("{} has no column '{}', only {}", file, excerpt(column),
                                  excerpt(fmt::format("{}", fmt::join(names, ", ")))),
                      names.size() == 1 ? read_with_other(names[0], delimiter) : std::string());
    return static_cast<std::size_t>(at - names.begin());
}

/// The readers of the columns, and for each reader the index of its column in a line.
struct Readers {
    std::vector<CsvColumnReader> columns;
    std::vector<std::size_t> places;
};

Readers readers_of(const std::vector<std::string>& names, const std::string& file, const CsvOptions& options) {
    Readers made;
    for (const auto& [column, type] : options.types) place_of(names, column, file, options.delimiter);
    std::set<std::string_view> chosen;
    for (const std::string& column : options.columns.empty() ? names : options.columns) {
        if (!chosen.insert(column).second)
            throw Failure(FailureKind::bad_argument, fmt::format("the column '{}' is chosen twice", excerpt(column)));
        const auto type = options.types.find(column);
        made.places.push_back(place_of(names, column, file, options.delimiter));
        made.columns.emplace_back(column, file, options, type == options.types.end() ? CsvType{} : type->second);
    }
    return made;
}

/// Puts each row in turn into `fields` and calls row(read). `read` is true if the options select the row. The rows
/// after the last selected row are left out.
void each_row(CsvLines& lines, std::vector<CsvField>& fields, bool has_line, const CsvOptions& options,
              const std::function<void(bool read)>& row) {
    std::int64_t at = 0;
    for (bool more = has_line || lines.next(fields); more; more = lines.next(fields), ++at) {
        if (options.rows && at - options.first >= *options.rows) return;
        row(at >= options.first);
    }
}

} // namespace

std::vector<CsvColumn> parse_csv(std::string_view text, const std::string& name, const CsvOptions& options,
                                 const std::shared_ptr<Allocator>& allocator, const std::optional<CsvRows>& rows) {
    CsvLines lines = lines_of(text, name, options);
    std::vector<CsvField> fields;
    const auto number_rows = [&] {
        if (rows && lines.place() == rows->place) lines.continue_from(rows->line);
    };
    number_rows(); // without a header, the next line is the first row
    if (!lines.next(fields)) fail_empty_csv(name);
    number_rows();
    std::vector<std::string> names;
    if (options.header)
        names = column_names(fields, name);
    else
        for (std::size_t i = 0; i < fields.size(); ++i) names.push_back(fmt::format("column_{}", i + 1));
    Readers readers = readers_of(names, name, options);
    OtherDelimiter other(options.header && !options.delimiter_named ? fields : std::vector<CsvField>(),
                         options.delimiter);
    Charge charge(allocator);
    each_row(lines, fields, !options.header, options, [&](bool read) {
        require_count(fields, names.size(), names[0], name, options.delimiter);
        other.see(fields);
        if (!read) return;
        std::size_t bytes = bytes_of(fields);
        for (std::size_t i = 0; i < readers.columns.size(); ++i) {
            readers.columns[i].add(fields[readers.places[i]]);
            bytes += readers.columns[i].bytes();
        }
        charge.cover(bytes);
    });
    other.refuse(name, options.delimiter);
    std::vector<CsvColumn> columns;
    for (CsvColumnReader& reader : readers.columns) columns.push_back(reader.finish(allocator));
    return columns;
}

Array parse_csv_matrix(std::string_view text, const std::string& name, const CsvOptions& options,
                       const std::shared_ptr<Allocator>& allocator) {
    CsvLines lines = lines_of(text, name, options);
    std::vector<CsvField> fields;
    std::vector<float> values;
    std::int64_t rows = 0;
    Charge charge(allocator);
    const auto number_in = [&](const CsvField& field) {
        if (is_missing(field, options.missing)) return std::numeric_limits<float>::quiet_NaN();
        std::string buffer;
        const std::string_view entry = number_text(field, options, buffer);
        if (const auto value = csv_number(entry)) return *value;
        if (entry.empty())
            fail_csv(name, field.line, field.column, "this field is empty", "write nan where a number is missing");
        fail_csv(name, field.line, field.column, fmt::format("'{}' is not a number", excerpt(entry)),
                 help_for_number(
                     entry, options.delimiter,
                     rows == 0 ? "read it with header=true if its first line names the columns"
                               : "write a number, or nan where one is missing; with header=true columns can be text"));
    };
    if (!lines.next(fields)) fail_empty_csv(name);
    const std::size_t width = fields.size();
    each_row(lines, fields, true, options, [&](bool read) {
        charge.cover(bytes_of(fields) + 3 * values.capacity() * sizeof(float));
        require_count(fields, width, {}, name, options.delimiter);
        if (!read) return;
        for (const CsvField& field : fields) values.push_back(number_in(field));
        ++rows;
    });
    return Array::from_values(DType::f32, {rows, static_cast<std::int64_t>(width)}, values, allocator);
}

namespace {

bool is_text(std::string_view bytes) { return bytes.find('\0') == std::string_view::npos; }

/// The text of a file. If the beginning of the file has zero bytes, as that of /dev/zero, throws a Failure without
/// reading the rest.
std::string read_table(const std::string& path, const std::function<void()>& poll,
                       const std::shared_ptr<Allocator>& allocator) {
    std::string text = read_unpacked(path, poll, allocator, is_text);
    if (is_text(text)) return text;
    throw Failure(FailureKind::file_malformed, fmt::format("{} is not text: it has zero bytes", path));
}

} // namespace

std::vector<CsvColumn> read_csv(const std::string& path, const CsvOptions& options,
                                const std::shared_ptr<Allocator>& allocator) {
    const std::string text = read_table(path, options.poll, allocator);
    const Charge file(allocator, text.capacity());
    return parse_csv(text, path, options, allocator);
}

Array read_csv_matrix(const std::string& path, const CsvOptions& options, const std::shared_ptr<Allocator>& allocator) {
    const std::string text = read_table(path, options.poll, allocator);
    const Charge file(allocator, text.capacity());
    return parse_csv_matrix(text, path, options, allocator);
}

std::string format_csv(std::span<const CsvColumn> columns, char delimiter, const std::function<void()>& poll,
                       const std::shared_ptr<Allocator>& account) {
    require_delimiter(delimiter);
    ChargedText text(account);
    std::string line;
    const auto length = [](const CsvColumn& c) {
        return c.values ? c.values.elements() : static_cast<std::int64_t>(c.texts.size());
    };
    const auto put = [&](const CsvColumn& c, std::int64_t row) {
        if (c.kind == CsvKind::date)
            put_date(line, c.values.as_i64(row));
        else if (c.kind == CsvKind::category)
            line += quoted_when_needed(name_of(c, c.values.as_i64(row)), delimiter);
        else if (c.values && c.values.dtype() == DType::b1)
            line += c.values.as_i64(row) != 0 ? "true" : "false";
        else if (c.values)
            put_number(line, c.values, row);
        else
            line += quoted_when_needed(c.texts[static_cast<std::size_t>(row)], delimiter);
    };
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const CsvColumn& column = columns[c];
        if (column.values && column.values.rank() != 1)
            throw Failure(FailureKind::bad_argument,
                          fmt::format("column '{}' is {}, not one-dimensional", excerpt(column.name),
                                      type_text(column.values.dtype(), column.values.shape())));
        if (length(column) != length(columns[0]))
            throw Failure(FailureKind::bad_argument,
                          fmt::format("the columns are not of one length: '{}' has {}, '{}' has {}",
                                      excerpt(column.name), length(column), excerpt(columns[0].name),
                                      length(columns[0])));
        if (c != 0) line += delimiter;
        // A name that contains another usual delimiter is quoted. So no reader takes that character for the delimiter.
        line += quoted_when_needed(column.name, delimiter, other_delimiters);
    }
    text.append(line += '\n');
    std::int64_t count = 0;
    for (std::int64_t row = 0; !columns.empty() && row < length(columns[0]); ++row) {
        line.clear();
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (poll && count++ % numbers_between_polls == 0) poll();
            if (c != 0) line += delimiter;
            put(columns[c], row);
        }
        text.append(line += '\n');
    }
    return std::move(text).take().first;
}

std::string format_csv_matrix(const Array& matrix, char delimiter, const std::function<void()>& poll,
                              const std::shared_ptr<Allocator>& account) {
    require_delimiter(delimiter);
    if (matrix.rank() != 1 && matrix.rank() != 2)
        throw Failure(FailureKind::bad_argument, fmt::format("{} is no table: one or two axes can be written as CSV",
                                                             type_text(matrix.dtype(), matrix.shape())));
    if (matrix.elements() == 0) // a file without lines does not show the number of columns and cannot be read back
        throw Failure(FailureKind::bad_argument,
                      fmt::format("{} has nothing that a CSV file without names could hold",
                                  type_text(matrix.dtype(), matrix.shape())),
                      "write a record of columns, whose names are written too, or use save_npy");
    const std::int64_t width = matrix.rank() == 2 ? matrix.size(1) : 1;
    ChargedText text(account);
    std::string line;
    for (std::int64_t row = 0; row < matrix.size(0); ++row) {
        line.clear();
        for (std::int64_t column = 0; column < width; ++column) {
            if (poll && (row * width + column) % numbers_between_polls == 0) poll();
            if (column != 0) line += delimiter;
            put_number(line, matrix, row * width + column);
        }
        text.append(line += '\n');
    }
    return std::move(text).take().first;
}

} // namespace pm::runtime
