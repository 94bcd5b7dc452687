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
    bool delimiter_named = false;    ///< by the caller: no other one is looked for
    std::function<void()> poll = {}; ///< called now and then; what it throws ends the reading
    bool text_columns = false;       ///< columns that begin with text are read as text; else they are an error
};

/// One column: numbers, or text when text_columns allows it (`values` is no array then).
struct CsvColumn {
    std::string name;
    Array values;
    std::vector<std::string> texts;
};

/// Comma-separated values as RFC 4180 has them, gzip or not: fields may be quoted (and then hold delimiters,
/// doubled quotes and line ends), lines end in LF or CRLF, empty lines are skipped, blanks around numbers
/// too. A column whose every entry is a whole number that fits i32, written without point and exponent,
/// becomes i32, any other f32; "nan" and "inf" are numbers. With text_columns a column whose first entry is no number,
/// or is quoted, is one of text: its entries are kept as they are, quoted ones may look like numbers.
/// Failure(file_malformed) with line and column of the field: fields missing or too many, empty, no number; a quote not
/// closed; two columns of one name; a header that holds only numbers; one column alone whose lines, the names among
/// them, a semicolon, a tab or a bar divides into as many fields each, unless delimiter_named.
std::vector<CsvColumn> read_csv(const std::string& path, const CsvOptions& options = {},
                                const std::shared_ptr<Allocator>& allocator = {});
std::vector<CsvColumn> parse_csv(std::string_view text, const std::string& name, const CsvOptions& options = {},
                                 const std::shared_ptr<Allocator>& allocator = {});

/// A file without header as one f32 array (rows, columns).
Array read_csv_matrix(const std::string& path, char delimiter = ',', const std::shared_ptr<Allocator>& allocator = {},
                      const std::function<void()>& poll = {});
Array parse_csv_matrix(std::string_view text, const std::string& name, char delimiter = ',',
                       const std::shared_ptr<Allocator>& allocator = {}, const std::function<void()>& poll = {});

/// Columns of one length with their names; numbers with the fewest digits that read back, texts in quotes where they
/// would else be read as something different: empty, a number, with blanks at an end, a delimiter, a quote or a line
/// end. `poll` is asked now and then and may throw. The text counts in `account` while it grows: Failure(memory_limit).
/// Failure(bad_argument) when lengths differ or an array is not 1-d.
std::string format_csv(std::span<const CsvColumn> columns, char delimiter = ',', const std::function<void()>& poll = {},
                       const std::shared_ptr<Allocator>& account = {});
/// A 1-d or 2-d array without header.
std::string format_csv_matrix(const Array& matrix, char delimiter = ',', const std::function<void()>& poll = {},
                              const std::shared_ptr<Allocator>& account = {});

} // namespace pm::runtime
