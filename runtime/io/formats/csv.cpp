#include "runtime/io/formats/csv.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/formats.hpp"
#include "runtime/io/formats/csv_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace pm::runtime {
namespace {

constexpr std::int64_t numbers_between_polls = 4096;

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

/// Removes a leading plus, which from_chars does not accept.
std::string_view without_plus(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
    return text;
}

std::optional<std::int32_t> whole_number(std::string_view text) {
    text = without_plus(text);
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<float> number(std::string_view text) {
    text = without_plus(text);
    const char* last = text.data() + text.size();
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (end != last || text.empty()) return std::nullopt;
    if (error == std::errc{}) return value;
    if (error != std::errc::result_out_of_range) return std::nullopt;
    // The number is too large or too small for f32. The value in f64 shows which of the two, unless the number is out
    // of the range of f64 too.
    double wide = 0;
    if (std::from_chars(text.data(), last, wide).ec == std::errc{}) return static_cast<float>(wide);
    const bool negative = text.front() == '-';
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && exponent + 1 < text.size() && text[exponent + 1] == '-';
    const float magnitude = tiny ? 0.0F : std::numeric_limits<float>::infinity();
    return negative ? -magnitude : magnitude;
}

/// A number with a decimal comma, rewritten with a point. Empty if the text is not such a number.
std::string with_point(std::string_view text) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return {};
    std::string point(text);
    point[comma] = '.';
    return number(point) ? point : std::string();
}

/// The help for text that is not a number. Returns `otherwise` if the text does not show the mistake.
std::string help_for_number(std::string_view text, char delimiter, std::string otherwise) {
    if (std::string help = read_with_other(text, delimiter); !help.empty()) return help;
    if (const std::string point = with_point(text); !point.empty())
        return fmt::format("write decimals behind a point: {}", point);
    return otherwise;
}

/// Collects one column: integers while all entries are integers, then floats, or texts.
class ColumnReader {
  public:
    ColumnReader(std::string label, const std::string& file, const CsvOptions& options)
        : label_(std::move(label)), file_(file), delimiter_(options.delimiter), text_allowed_(options.text_columns) {}

    void add(const CsvField& field) {
        const std::string_view text = trimmed(field.text);
        const bool first = wholes_.empty() && floats_.empty();
        if (kind_ == Kind::text || (field.quoted && text_allowed_ && first)) {
            if (!field.quoted && number(text)) fail_mixed(field, text);
            add_text(field);
            return;
        }
        if (kind_ == Kind::whole) {
            if (const auto value = whole_number(text)) {
                wholes_.push_back(*value);
                return;
            }
        }
        const auto value = number(text);
        if (value) {
            become_floats();
            floats_.push_back(*value);
            return;
        }
        if (text_allowed_ && first && !text.empty()) {
            if (!field.quoted) require_no_comma(field, text);
            add_text(field);
            return;
        }
        if (text.empty())
            fail_csv(file_, field.line, field.column, fmt::format("the field of {} is empty", excerpt(label_)),
                     "write nan where a number is missing");
        fail_csv(file_, field.line, field.column,
                 fmt::format("'{}' in {} is not a number", excerpt(text), excerpt(label_)),
                 help_for_number(text, delimiter_,
                                 "write a number, or nan where one is missing; a column of text begins with text"));
    }

    /// Bytes of the collected values, including spare capacity and the copies that exist while containers grow.
    std::size_t bytes() const {
        constexpr std::size_t while_growing = 3;
        return while_growing * (wholes_.capacity() * sizeof(std::int32_t) + floats_.capacity() * sizeof(float) +
                                texts_.capacity() * sizeof(std::string)) +
               long_texts_;
    }

    CsvColumn finish(const std::shared_ptr<Allocator>& allocator) {
        CsvColumn column;
        column.name = label_;
        if (kind_ == Kind::text) {
            column.texts = std::move(texts_);
        } else if (kind_ == Kind::whole && !wholes_.empty()) {
            column.values =
                Array::from_values(DType::i32, {static_cast<std::int64_t>(wholes_.size())}, wholes_, allocator);
        } else {
            column.values =
                Array::from_values(DType::f32, {static_cast<std::int64_t>(floats_.size())}, floats_, allocator);
        }
        return column;
    }

  private:
    enum class Kind { whole, floating, text };

    void add_text(const CsvField& field) {
        kind_ = Kind::text;
        texts_.emplace_back(field.text);
        static const std::size_t within = std::string().capacity();
        if (texts_.back().capacity() > within) long_texts_ += texts_.back().capacity();
    }
    void become_floats() {
        if (kind_ == Kind::floating) return;
        kind_ = Kind::floating;
        floats_.assign(wholes_.begin(), wholes_.end());
        wholes_ = {};
    }
    void require_no_comma(const CsvField& field, std::string_view text) const {
        const std::string point = with_point(text);
        if (!point.empty())
            fail_csv(file_, field.line, field.column,
                     fmt::format("'{}' in {} is not a number", excerpt(text), excerpt(label_)),
                     fmt::format("write decimals behind a point: {}; or in quotes, which make it text", point));
    }
    [[noreturn]] void fail_mixed(const CsvField& field, std::string_view text) const {
        fail_csv(file_, field.line, field.column,
                 fmt::format("'{}' in {} is a number, but '{}' before it is not", excerpt(text), excerpt(label_),
                             excerpt(texts_.front())),
                 "make the column all numbers (nan where one is missing) or all text: a number in quotes is text");
    }

    std::string label_;
    const std::string& file_;
    char delimiter_;
    bool text_allowed_;
    Kind kind_ = Kind::whole;
    std::vector<std::int32_t> wholes_;
    std::vector<float> floats_;
    std::vector<std::string> texts_;
    std::size_t long_texts_ = 0; ///< heap bytes of texts_
};

/// Bytes of the fields of a line, including spare capacity and the copies that exist while containers grow.
std::size_t bytes_of(const std::vector<CsvField>& fields) { return 3 * fields.capacity() * sizeof(CsvField); }

std::vector<std::string> column_names(const std::vector<CsvField>& fields, const std::string& file) {
    std::vector<std::string> names;
    std::set<std::string> seen;
    bool all_numbers = true;
    for (const CsvField& field : fields) {
        const std::string_view text = trimmed(field.text);
        all_numbers = all_numbers && (number(text) || !with_point(text).empty()) && !field.quoted;
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

/// Looks for another usual delimiter that occurs in the header, outside quotes, and equally often in every line. That
/// delimiter then probably divides the fields of the file. With the chosen delimiter each line would be one field, or
/// decimal commas would divide numbers.
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
        std::erase_if(candidates_, [&](const Candidate& c) { return count_in(line, c.delimiter) != c.count; });
    }
    /// Throws a Failure if there is such a delimiter. (There are no candidates if the caller named the delimiter.)
    void refuse(const std::string& file, char delimiter) const {
        if (candidates_.empty()) return;
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
        std::ptrdiff_t count; ///< occurrences in each line
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

    std::size_t fields_; ///< in each line
    std::vector<Candidate> candidates_;
};

void require_count(const std::vector<CsvField>& fields, std::size_t want, const std::string& file, char delimiter) {
    if (fields.size() == want) return;
    if (fields.size() == 1 && trimmed(fields[0].text).empty())
        fail_csv(file, fields[0].line, 1, "this line is blank", "remove it, or write nan where numbers are missing");
    const CsvField& at = fields.size() < want ? fields.back() : fields[want];
    std::string help;
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

/// Refuses delimiters with which the output could not be read back.
void require_delimiter(char delimiter) {
    if (std::isalnum(static_cast<unsigned char>(delimiter)) != 0 || // letters and digits as in 1e5, inf and nan
        std::string_view("\"\r\n+-.").find(delimiter) != std::string_view::npos)
        throw Failure(FailureKind::bad_argument, "a quote, a line end or a part of a number cannot be the delimiter",
                      "write with a comma, a semicolon or a tab: delim=\";\"");
}

/// Quotes a text that would read back as something else, or that contains a character of `also`. Empty text is quoted,
/// since a line with only that text would be empty. Text that would be read as a number is quoted too.
std::string quoted_when_needed(std::string_view text, char delimiter, std::string_view also = {}) {
    const std::string_view inner = trimmed(text);
    const bool needed = text.find_first_of("\"\r\n") != std::string_view::npos ||
                        text.find(delimiter) != std::string_view::npos || inner.empty() ||
                        inner.size() != text.size() || number(text) ||
                        text.find_first_of(also) != std::string_view::npos;
    if (!needed) return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        out += c;
        if (c == '"') out += '"';
    }
    return out + "\"";
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

} // namespace

std::vector<CsvColumn> parse_csv(std::string_view text, const std::string& name, const CsvOptions& options,
                                 const std::shared_ptr<Allocator>& allocator) {
    require_utf8(text, name, options.poll);
    CsvLines lines(text, options.delimiter, name, options.poll);
    std::vector<CsvField> fields;
    if (!lines.next(fields))
        throw Failure(FailureKind::file_malformed, fmt::format("{} is empty", name),
                      "write the table first, or ask before: read_text(path) != \"\"");
    std::vector<std::string> names;
    if (options.header)
        names = column_names(fields, name);
    else
        for (std::size_t i = 0; i < fields.size(); ++i) names.push_back(fmt::format("column_{}", i + 1));
    std::vector<ColumnReader> readers;
    for (std::string& label : names) readers.emplace_back(std::move(label), name, options);
    OtherDelimiter other(options.header && !options.delimiter_named ? fields : std::vector<CsvField>(),
                         options.delimiter);
    Charge charge(allocator);
    for (bool more = options.header ? lines.next(fields) : true; more; more = lines.next(fields)) {
        require_count(fields, readers.size(), name, options.delimiter);
        other.see(fields);
        std::size_t bytes = bytes_of(fields);
        for (std::size_t i = 0; i < fields.size(); ++i) {
            readers[i].add(fields[i]);
            bytes += readers[i].bytes();
        }
        charge.cover(bytes);
    }
    other.refuse(name, options.delimiter);
    std::vector<CsvColumn> columns;
    for (ColumnReader& reader : readers) columns.push_back(reader.finish(allocator));
    return columns;
}

Array parse_csv_matrix(std::string_view text, const std::string& name, char delimiter,
                       const std::shared_ptr<Allocator>& allocator, const std::function<void()>& poll) {
    require_utf8(text, name, poll);
    CsvLines lines(text, delimiter, name, poll);
    std::vector<CsvField> fields;
    std::vector<float> values;
    std::size_t width = 0;
    std::int64_t rows = 0;
    Charge charge(allocator);
    while (lines.next(fields)) {
        charge.cover(bytes_of(fields) + 3 * values.capacity() * sizeof(float));
        if (width == 0) width = fields.size();
        require_count(fields, width, name, delimiter);
        for (const CsvField& field : fields) {
            const std::string_view entry = trimmed(field.text);
            const auto value = number(entry);
            if (entry.empty())
                fail_csv(name, field.line, field.column, "this field is empty", "write nan where a number is missing");
            if (!value)
                fail_csv(
                    name, field.line, field.column, fmt::format("'{}' is not a number", excerpt(entry)),
                    help_for_number(
                        entry, delimiter,
                        rows == 0
                            ? "read it with header=true if its first line names the columns"
                            : "write a number, or nan where one is missing; with header=true columns can be text"));
            values.push_back(*value);
        }
        ++rows;
    }
    if (rows == 0)
        throw Failure(FailureKind::file_malformed, fmt::format("{} is empty", name),
                      "write the table first, or ask before: read_text(path) != \"\"");
    return Array::from_values(DType::f32, {rows, static_cast<std::int64_t>(width)}, values, allocator);
}

namespace {

bool is_text(std::string_view bytes) { return bytes.find('\0') == std::string_view::npos; }

/// The text of a file. A file that contains NUL bytes, such as /dev/zero, is refused once its beginning is read.
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

Array read_csv_matrix(const std::string& path, char delimiter, const std::shared_ptr<Allocator>& allocator,
                      const std::function<void()>& poll) {
    const std::string text = read_table(path, poll, allocator);
    const Charge file(allocator, text.capacity());
    return parse_csv_matrix(text, path, delimiter, allocator, poll);
}

std::string format_csv(std::span<const CsvColumn> columns, char delimiter, const std::function<void()>& poll,
                       const std::shared_ptr<Allocator>& account) {
    require_delimiter(delimiter);
    ChargedText text(account);
    std::string line;
    const auto length = [](const CsvColumn& c) {
        return c.values ? c.values.elements() : static_cast<std::int64_t>(c.texts.size());
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
        line += quoted_when_needed(column.name, delimiter, other_delimiters); // no other delimiter may divide the lines
    }
    text.append(line += '\n');
    std::int64_t count = 0;
    for (std::int64_t row = 0; !columns.empty() && row < length(columns[0]); ++row) {
        line.clear();
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (poll && count++ % numbers_between_polls == 0) poll();
            if (c != 0) line += delimiter;
            if (columns[c].values)
                put_number(line, columns[c].values, row);
            else
                line += quoted_when_needed(columns[c].texts[static_cast<std::size_t>(row)], delimiter);
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
