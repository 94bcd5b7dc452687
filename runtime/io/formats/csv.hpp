#pragma once
#include "runtime/array.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

struct CsvOptions {
    bool header = true; ///< the first line holds the columns' names
    char delimiter = ',';
    bool delimiter_named = false;    ///< the caller has chosen the delimiter: the file is not searched for another one
    std::function<void()> poll = {}; ///< called regularly; an exception from it ends the reading
    bool text_columns = false;       ///< a column whose first entry is text is read as text; if false, text is an error
};

/// One column: numbers, or text if text_columns allows it (`values` is then no array).
struct CsvColumn {
    std::string name;
    Array values;
    std::vector<std::string> texts;
};

/// Comma-separated values as in RFC 4180, also within gzip. Quoted fields may contain delimiters, doubled quotes and
/// line ends. Lines end in LF, CRLF or CR. Empty lines are skipped, and so are blanks around numbers. A column is i32
/// if every entry is a whole number in the range of i32, without point and exponent; otherwise f32. "nan" and "inf" are
/// numbers. With text_columns, a column whose first entry is not a number, or is quoted, is text. Its entries are kept
/// as they are; a quoted entry may look like a number.
///
/// Failure(file_malformed) with line and column of the field: missing, superfluous or empty fields, or fields that are
/// not numbers; a quote that is not closed; two columns of the same name; a header of numbers alone. Unless
/// delimiter_named, it is also an error if another delimiter (semicolon, tab or bar) occurs in the header and equally
/// often in every line.
std::vector<CsvColumn> read_csv(const std::string& path, const CsvOptions& options = {},
                                const std::shared_ptr<Allocator>& allocator = {});
std::vector<CsvColumn> parse_csv(std::string_view text, const std::string& name, const CsvOptions& options = {},
                                 const std::shared_ptr<Allocator>& allocator = {});

/// Reads a file without a header as one f32 array (rows, columns).
Array read_csv_matrix(const std::string& path, char delimiter = ',', const std::shared_ptr<Allocator>& allocator = {},
                      const std::function<void()>& poll = {});
Array parse_csv_matrix(std::string_view text, const std::string& name, char delimiter = ',',
                       const std::shared_ptr<Allocator>& allocator = {}, const std::function<void()>& poll = {});

/// The text of columns of the same length, with their names. Numbers have the fewest digits that read back exactly.
/// Text is quoted if it would read back as something else: empty text, a number, blanks at an end, a delimiter, a quote
/// or a line end. `poll` is called regularly and may throw. The text is charged to `account` while it grows:
/// Failure(memory_limit). Failure(bad_argument) if the lengths differ or an array is not 1-d.
std::string format_csv(std::span<const CsvColumn> columns, char delimiter = ',', const std::function<void()>& poll = {},
                       const std::shared_ptr<Allocator>& account = {});
/// The text of a 1-d or 2-d array, without a header.
std::string format_csv_matrix(const Array& matrix, char delimiter = ',', const std::function<void()>& poll = {},
                              const std::shared_ptr<Allocator>& account = {});

} // namespace pm::runtime
