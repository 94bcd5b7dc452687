#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

/// One field of a CSV text and where it begins, counted from 1 (columns in bytes).
struct CsvField {
    std::string_view text; ///< unquoted; valid until the next line is read
    std::int64_t line = 0;
    std::int64_t column = 0;
    bool quoted = false;
};

/// Takes a CSV text apart line by line. `poll`, if there is one, is called now and then, however long lines and fields
/// are.
class CsvLines {
  public:
    CsvLines(std::string_view text, char delimiter, const std::string& name, const std::function<void()>& poll);
    /// The fields of the next line that is not empty; false at the end. Failure(file_malformed) for broken
    /// quotes.
    bool next(std::vector<CsvField>& fields);

  private:
    /// LF, CR LF, or a CR alone.
    bool take_line_end();
    /// At each byte, or less often.
    void pass(std::size_t at) {
        if (at >= poll_at_) ask(at);
    }
    void ask(std::size_t at);
    void plain_field(CsvField& field);
    void quoted_field(CsvField& field);

    std::string_view text_;
    char delimiter_;
    const std::string& name_;
    const std::function<void()>& poll_;
    std::size_t at_ = 0;
    std::size_t poll_at_ = 0; ///< when at_ comes there
    std::size_t line_begin_ = 0;
    std::int64_t line_ = 1;
    std::deque<std::string> unquoted_; // what fields with doubled quotes say; elements stay where they are
};

/// The usual delimiters beside the comma.
constexpr std::string_view other_delimiters = ";\t|";

/// How a file is read whose fields are divided by `other`.
std::string read_with(char other);
/// The same for a text that has a usual delimiter in it which is not the one that it was read with; else nothing.
std::string read_with_other(std::string_view text, char delimiter);

[[noreturn]] void fail_csv(const std::string& name, std::int64_t line, std::int64_t column, const std::string& detail,
                           std::string help = {});

} // namespace pm::runtime
