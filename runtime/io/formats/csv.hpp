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
    guessed,  ///< as numbers or text; the entries decide
    number,   ///< as numbers of a dtype
    text,     ///< as text, unchanged
    category, ///< as codes; the code of a text is its index in the sorted list of the different texts
    date,     ///< a date such as 2024-02-29, as the number of days since 1 January 1970, i32
};
struct CsvType {
    CsvKind kind = CsvKind::guessed;
    DType dtype = DType::f32; ///< the dtype if `kind` is `number`
};

struct CsvOptions {
    bool header = true; ///< true if the first line has the columns' names
    char delimiter = ',';
    /// True if the caller has chosen the delimiter. The file is then not searched for another delimiter.
    bool delimiter_named = false;
    char decimal = '.';              ///< the decimal separator of numbers, a point or a comma
    std::function<void()> poll = {}; ///< called regularly; an exception from `poll` ends the reading
    /// True if a guessed column is text when its first entry is text. If false, text is an error.
    bool text_columns = false;
    std::vector<std::string> missing = {};     ///< the texts of missing entries, such as "" and "NA"
    std::int64_t skip = 0;                     ///< the number of lines before the first line that is read
    char comment = '\0';                       ///< lines that begin with this character are skipped; 0: no lines
    std::vector<std::string> columns = {};     ///< the columns to read, in this order; empty: all
    std::map<std::string, CsvType> types = {}; ///< the types of columns; those of other columns are guessed
    std::int64_t first = 0;                    ///< the number of rows before the first row that is read
    std::optional<std::int64_t> rows = {};     ///< the most rows to read; empty: all
};

/// One column. Numbers, days and codes of categories are in `values`. Text, and the names of categories, are in
/// `texts`.
struct CsvColumn {
    std::string name;
    Array values;
    std::vector<std::string> texts;
    CsvKind kind = CsvKind::guessed; ///< if the column was read, not `guessed`
};

/// Reads comma-separated values as in RFC 4180. The file may be packed with gzip. Quoted fields may contain delimiters,
/// doubled quotes and line ends. Lines end in LF, CRLF or CR. Empty lines, and blanks around numbers, are skipped. A
/// guessed column of numbers is i32 or i64 if every entry is a whole number, without point and exponent: i64 if an
/// entry is out of the range of i32. Otherwise the column is f32, or f64 if it also has a whole number that f32 cannot
/// represent, or a number that is too large for f32. "nan" and "inf" are numbers. If text_columns is true and the first
/// entry of a guessed column is quoted or is not a number, the column is text. The entries of a column of text are kept
/// unchanged, even if they look like numbers. A guessed column is of bools if every entry is true or false, True or
/// False, or TRUE or FALSE, without quotes.
///
/// A missing entry is an entry that is not quoted and whose text is one of `missing`. In a column of floats a missing
/// entry becomes NaN. A guessed column of whole numbers with missing entries is f32 or f64. In a column of text or of
/// categories, a missing entry is read as its text.
///
/// Throws Failure(file_malformed), with line and column of the field, for: missing, superfluous or empty fields, or
/// fields that do not have the column's type; a missing entry in a column of integers, bools or dates; a quote that is
/// not closed; two columns of the same name; a header that has only numbers. If delimiter_named is false, also throws
/// if another delimiter (semicolon, tab or bar) occurs in the header and equally often in every line. Throws
/// Failure(bad_argument) if `columns` or `types` name a column that the file does not have, or if `columns` names a
/// column twice.
std::vector<CsvColumn> read_csv(const std::string& path, const CsvOptions& options = {},
                                const std::shared_ptr<Allocator>& allocator = {});
/// Describes a text for parse_csv() that consists of the header of a file and of rows from the middle of that file.
struct CsvRows {
    std::size_t place; ///< the offset of the first row in the text
    std::int64_t line; ///< the number of the first row's line in the file
};
std::vector<CsvColumn> parse_csv(std::string_view text, const std::string& name, const CsvOptions& options = {},
                                 const std::shared_ptr<Allocator>& allocator = {},
                                 const std::optional<CsvRows>& rows = {});

/// Reads a file without a header as one f32 array (rows, columns). `columns` and `types` are not used.
Array read_csv_matrix(const std::string& path, const CsvOptions& options = {},
                      const std::shared_ptr<Allocator>& allocator = {});
Array parse_csv_matrix(std::string_view text, const std::string& name, const CsvOptions& options = {},
                       const std::shared_ptr<Allocator>& allocator = {});

/// The text of columns of the same length, with their names. Numbers have the fewest digits that read back exactly.
/// Text is quoted if it would otherwise read back as something else. This is the case if it is empty, is a number,
/// is a bool, begins or ends with blanks, or contains a delimiter, a quote or a line end. `poll` is called regularly
/// and may throw. The result is charged to `account` while it grows; throws Failure(memory_limit). Throws
/// Failure(bad_argument) if the columns differ in length or an array is not 1-d.
std::string format_csv(std::span<const CsvColumn> columns, char delimiter = ',', const std::function<void()>& poll = {},
                       const std::shared_ptr<Allocator>& account = {});
/// The text of a 1-d or 2-d array, without a header.
std::string format_csv_matrix(const Array& matrix, char delimiter = ',', const std::function<void()>& poll = {},
                              const std::shared_ptr<Allocator>& account = {});

} // namespace pm::runtime
