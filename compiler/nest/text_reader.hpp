#pragma once
#include "runtime/dtype.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Reads the text forms of nests and programs token by token. If the text is not as expected, throws pm::Error
/// (Diag::ir_text) with the line number.
namespace pm::nest {

class TextReader {
  public:
    explicit TextReader(std::string_view text) : text_(text) {}

    bool at_end();
    /// If the text continues with `token`, consumes it and returns true. A word is consumed only as a whole.
    bool take(std::string_view token);
    void expect(std::string_view token);
    /// Reads a word of letters, digits, `_`, `.` and `-`.
    std::string_view word();
    std::int64_t integer();
    std::uint64_t hexadecimal();          ///< 0x...
    std::uint32_t numbered(char prefix);  ///< "%12", "b3"
    std::vector<std::int64_t> integers(); ///< [1, 2]
    runtime::DType dtype();
    /// Reads a string such as "...", with the escapes \n, \" and \\ .
    std::string quoted();
    /// Returns the next character without consuming it; 0 at the end.
    char peek();
    [[noreturn]] void fail(std::string_view expected);

    /// The remaining text. A nested text that has its own reader uses it.
    std::string_view rest() { return text_.substr(position_); }

  private:
    void blanks();
    std::string_view text_;
    std::size_t position_ = 0;
};

struct Nest;
/// Reads a nest. The reader `in` then stands behind the nest.
Nest read_nest(TextReader& in);

std::string print_integers(const std::vector<std::int64_t>& values);
std::string print_quoted(std::string_view text);

} // namespace pm::nest
