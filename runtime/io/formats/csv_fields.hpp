#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

/// One field of a CSV text, and its position from 1 (the column in bytes).
struct CsvField {
    std::string_view text; ///< unquoted; valid until the next line is read
    std::int64_t line = 0;
    std::int64_t column = 0;
    bool quoted = false;
};

/// Splits a CSV text line by line. `poll`, if not empty, is called regularly, even within long lines and fields.
class CsvLines {
  public:
    /// Lines that begin with `comment` are skipped, unless it is 0.
    CsvLines(std::string_view text, char delimiter, char comment, const std::string& name,
             const std::function<void()>& poll);
    /// Skips lines, whatever they contain. Failure(file_malformed) if the text has fewer.
    void skip(std::int64_t lines);
    /// The fields of the next line that is not empty. False at the end. Failure(file_malformed) for broken quotes.
    bool next(std::vector<CsvField>& fields);

  private:
    /// Skips LF, CR LF, or a CR alone. False if there is none.
    bool take_line_end();
    /// Skips a comment, without its line end. False if there is none.
    bool take_comment();
    void take_line();
    /// Polls if `at` has reached poll_at_. Called for each byte or less often.
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
    std::deque<std::string> unquoted_; // fields with doubled quotes, unquoted; elements do not move
};

/// The usual delimiters other than the comma.
constexpr std::string_view other_delimiters = ";\t|";

/// A help text: how to read a file whose fields are divided by `other`.
std::string read_with(char other);
/// As read_with(), for a usual delimiter other than `delimiter` that the text contains. Empty if the text contains no
/// such delimiter.
std::string read_with_other(std::string_view text, char delimiter);

[[noreturn]] void fail_csv(const std::string& name, std::int64_t line, std::int64_t column, const std::string& detail,
                           std::string help = {});

} // namespace pm::runtime
