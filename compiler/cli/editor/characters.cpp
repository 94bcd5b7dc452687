#include "compiler/cli/editor/characters.hpp"

#include "runtime/utf8.hpp"

#include <cwchar>

namespace pm::cli::editor {
namespace {

constexpr char32_t not_utf8 = 0xFFFFFFFF;

/// A decoded code point, and the number of bytes of its UTF-8 sequence.
struct Decoded {
    char32_t code;
    std::size_t length;
};

Decoded decode(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = sequence_length(byte(at));
    if (length == 0 || at + length > text.size()) return {not_utf8, 1};
    if (length == 1) return {byte(at), 1};
    char32_t code = byte(at) & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if (!runtime::utf8_continues(text[at + i])) return {not_utf8, 1};
        code = code << 6U | (byte(at + i) & 0x3FU);
    }
    return {code, length};
}

/// The columns of a code point that is no control character, according to the locale. LineEditor has set a UTF-8
/// locale.
int width(char32_t code) {
    const int columns = ::wcwidth(static_cast<wchar_t>(code));
    return columns < 0 ? 1 : columns;
}

bool is_mark(const Decoded& d) { return d.code != not_utf8 && d.code >= 0x300 && width(d.code) == 0; }

} // namespace

std::size_t sequence_length(unsigned char first) {
    if (first < 0x80U) return 1;
    if (first >= 0xC2U && first < 0xE0U) return 2;
    if (first >= 0xE0U && first < 0xF0U) return 3;
    if (first >= 0xF0U && first < 0xF5U) return 4;
    return 0;
}

std::size_t after_character(std::string_view text, std::size_t at) {
    if (at >= text.size()) return text.size();
    at += decode(text, at).length;
    while (at < text.size()) {
        const Decoded d = decode(text, at);
        if (!is_mark(d)) break;
        at += d.length;
    }
    return at;
}

std::size_t before_character(std::string_view text, std::size_t at) {
    // Moves back over one code point, and over further code points as long as the last code point is a mark.
    while (at > 0) {
        std::size_t begin = at - 1;
        while (begin > 0 && at - begin < 4 && runtime::utf8_continues(text[begin])) --begin;
        const Decoded d = decode(text, begin);
        if (d.code == not_utf8 || begin + d.length != at) begin = at - 1;
        at = begin;
        if (!is_mark(decode(text, at))) break;
    }
    return at;
}

Drawn drawn(std::string_view character) {
    const Decoded d = decode(character, 0);
    if (d.code == not_utf8) return {"\xEF\xBF\xBD", 1};
    if (d.code == '\t') return {"    ", 4};
    if (d.code < 0x20 || d.code == 0x7F) return {{'^', static_cast<char>(d.code ^ 0x40U)}, 2};
    // C1 controls would be commands to the terminal.
    if (d.code >= 0x80 && d.code < 0xA0) return {"\xEF\xBF\xBD", 1};
    return {std::string(character), width(d.code)};
}

int columns_of(std::string_view text) {
    int columns = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = after_character(text, at);
        columns += drawn(text.substr(at, end - at)).columns;
        at = end;
    }
    return columns;
}

} // namespace pm::cli::editor
