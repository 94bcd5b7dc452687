#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

/// One field of a CSV text. `line` and `column` are the position of the field, both from 1. The column is counted in
/// bytes.
struct CsvField {
    std::string_view text; ///< unquoted; valid until the next line is read
    std::int64_t line = 0;
    std::int64_t column = 0;
    bool quoted = false;
};

/// Splits a CSV text line by line. `poll`, if not empty, is called regularly, even within long lines and fields.
class CsvLines {
  public:
    /// If `comment` is not 0, lines that begin with `comment` are skipped.
    CsvLines(std::string_view text, char delimiter, char comment, const std::string& name,
             const std::function<void()>& poll);
    /// Skips `lines` lines of any content. Throws Failure(file_malformed) if the text has fewer lines.
    void skip(std::int64_t lines);
    /// Stores the fields of the next line that is not empty in `fields`. Returns false at the end of the text. Throws
    /// Failure(file_malformed) for broken quotes.
    bool next(std::vector<CsvField>& fields);
    /// The offset in bytes of the end of the last line that was taken. After a Failure, the offset at which the error
    /// was found.
    std::size_t place() const { return at_; }
    /// The number of the line at place(), from 1.
    std::int64_t line() const { return line_; }
    /// Sets the number of the line at place() to `line`.
    void continue_from(std::int64_t line) { line_ = line; }

  private:
    /// Skips one line end: LF, CR LF, or a CR alone. Returns false if there is no line end at place().
    bool take_line_end();
    /// Skips a comment, without its line end. Returns false if there is no comment at place().
    bool take_comment();
    void take_line();
    /// Polls if `at` has reached poll_at_. Called for almost each byte of the text.
    void pass(std::size_t at) {
        if (at >= poll_at_) poll(at);
    }
    void poll(std::size_t at);
    void plain_field(CsvField& field);
    void quoted_field(CsvField& field);

    std::string_view text_;
    char delimiter_;
    char comment_;
    const std::string& name_;
    const std::function<void()>& poll_;
    std::size_t at_ = 0;
    std::size_t poll_at_ = 0; ///< the position of the next poll
    std::size_t line_begin_ = 0;
    std::int64_t line_ = 1;
    // unquoted texts of fields with doubled quotes; a deque, because views of its elements stay valid
    std::deque<std::string> unquoted_;
};

/// The usual delimiters other than the comma.
constexpr std::string_view other_delimiters = ";\t|";

/// A help text that says how to read a file with the delimiter `other`.
std::string read_with(char other);
/// Returns read_with() of a usual delimiter that the text contains and that is not `delimiter`. If the text contains no
/// such delimiter, returns an empty text.
std::string read_with_other(std::string_view text, char delimiter);

[[noreturn]] void fail_csv(const std::string& name, std::int64_t line, std::int64_t column, const std::string& detail,
                           std::string help = {});
[[noreturn]] void fail_empty_csv(const std::string& name);

} // namespace pm::runtime
