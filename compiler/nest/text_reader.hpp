#pragma once
#include "runtime/dtype.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Reads the text forms of nests and programs token by token. Unexpected text throws pm::Error (Diag::ir_text) with the
/// line number.
namespace pm::nest {

class TextReader {
  public:
    explicit TextReader(std::string_view text) : text_(text) {}

    bool at_end();
    /// Consumes `token` if it is next. A word matches only as a whole.
    bool take(std::string_view token);
    void expect(std::string_view token);
    /// A word of letters, digits, `_`, `.` and `-`.
    std::string_view word();
    std::int64_t integer();
    std::uint64_t hexadecimal();          ///< 0x...
    std::uint32_t numbered(char prefix);  ///< "%12", "b3"
    std::vector<std::int64_t> integers(); ///< [1, 2]
    runtime::DType dtype();
    /// "..." with \n, \" and \\ .
    std::string quoted();
    /// The next character, which is not consumed; 0 at the end.
    char peek();
    [[noreturn]] void fail(std::string_view expected);

    /// The remaining text, for a nested text that has its own reader.
    std::string_view rest() { return text_.substr(position_); }

  private:
    void blanks();
    std::string_view text_;
    std::size_t position_ = 0;
};

struct Nest;
/// Reads a nest and stops after its end.
Nest read_nest(TextReader& in);

std::string print_integers(const std::vector<std::int64_t>& values);
std::string print_quoted(std::string_view text);

} // namespace pm::nest
