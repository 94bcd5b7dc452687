#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pm::ptx {

/// An error of the source, with its line.
class SourceError : public std::runtime_error {
  public:
    SourceError(int line, const std::string& message)
        : std::runtime_error("ptx line " + std::to_string(line) + ": " + message) {}
};

enum class TokenKind { word, integer, single, real, string, mark, end };

/// A token. A word is a name, a directive or an operation with its modifiers (`setp.lt.s64`).
struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;
    int line = 0;
    /// For numbers: the integer, the bits of an f32 (`single`, 0f...) or of an f64 (`real`).
    std::uint64_t value = 0;

    bool is(std::string_view other) const {
        return text == other && (kind == TokenKind::word || kind == TokenKind::mark);
    }
};

/// The tokens point into `source`; the last one has the kind `end`.
std::vector<Token> lex(std::string_view source);

} // namespace pm::ptx
