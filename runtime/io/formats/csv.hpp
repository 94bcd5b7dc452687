#pragma once
#include "runtime/array.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

/// How the entries of a column are read.
enum class CsvKind : std::uint8_t {
    guessed,  ///< as numbers or text, by the entries
    number,   ///< as numbers of a dtype
    text,     ///< as they are
    category, ///< as codes of the sorted different texts
    date,     ///< 2024-02-29 as days since 1 January 1970, i32
};
struct CsvType {
    CsvKind kind = CsvKind::guessed;
    DType dtype = DType::f32; ///< of numbers
};

struct CsvOptions {
    bool header = true; ///< the first line holds the columns' names
    char delimiter = ',';
    bool delimiter_named = false;    ///< the caller has chosen the delimiter: the file is not searched for another one
    std::function<void()> poll = {}; ///< called regularly; an exception from it ends the reading
    bool text_columns = false;       ///< a column whose first entry is text is read as text; if false, text is an error
    std::vector<std::string> missing = {};     ///< the texts of missing entries, such as "" and "NA"
    std::int64_t skip = 0;                     ///< the number of lines before the first line that is read
    char comment = '\0';                       ///< lines that begin with it are not read; 0: all are
    std::vector<std::string> columns = {};     ///< the columns to read, in this order; empty: all
    std::map<std::string, CsvType> types = {}; ///< the types of columns; those of other columns are guessed
    std::int64_t first = 0;                    ///< the number of rows that are not read
    std::optional<std::int64_t> rows = {};     ///< the most rows to read; empty: all
};

/// One column: numbers, days, or codes of categories in `values`; text in `texts`, which has the names of categories.
struct CsvColumn {
    std::string name;
    Array values;
    std::vector<std::string> texts;
    CsvKind kind = CsvKind::guessed; ///< of a column that was read: not `guessed`
};

/// Comma-separated values as in RFC 4180, also within gzip. Quoted fields may contain delimiters, doubled quotes and
/// line ends. Lines end in LF, CRLF or CR. Empty lines are skipped, and so are blanks around numbers. A guessed column
/// is i32 if every entry is a whole number in the range of i32, without point and exponent; otherwise f32. "nan" and
/// "inf" are numbers. With text_columns, a column whose first entry is not a number, or is quoted, is text. Its entries
/// are kept as they are; a quoted entry may look like a number.
///
/// A missing entry (not quoted, and one of `missing`) is NaN in a column of floats. A guessed column of whole numbers
/// with missing entries is f32. In a column of text or of categories the entry is the text as it is.
///
/// Failure(file_malformed) with line and column of the field: missing, superfluous or empty fields, or fields that are
/// not of the column's type; a missing entry in a column of integers, bools or dates; whole numbers that f32 cannot
/// hold in a guessed column with missing entries; a quote that is not closed; two columns of the same name; a header of
/// numbers alone. Unless delimiter_named, it is also an error if another delimiter (semicolon, tab or bar) occurs in
/// the header and equally often in every line. Failure(bad_argument) if `columns` or `types` name a column that the
/// file does not have.
std::vector<CsvColumn> read_csv(const std::string& path, const CsvOptions& options = {},
                                const std::shared_ptr<Allocator>& allocator = {});
std::vector<CsvColumn> parse_csv(std::string_view text, const std::string& name, const CsvOptions& options = {},
                                 const std::shared_ptr<Allocator>& allocator = {});

/// Reads a file without a header as one f32 array (rows, columns). `columns` and `types` are not used.
Array read_csv_matrix(const std::string& path, const CsvOptions& options = {},
                      const std::shared_ptr<Allocator>& allocator = {});
Array parse_csv_matrix(std::string_view text, const std::string& name, const CsvOptions& options = {},
                       const std::shared_ptr<Allocator>& allocator = {});

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
