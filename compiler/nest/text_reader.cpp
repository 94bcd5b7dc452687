#include "compiler/nest/text_reader.hpp"

#include "compiler/base/diagnostic.hpp"

#include <algorithm>
#include <charconv>

namespace pm::nest {
namespace {

bool word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
}

} // namespace

void TextReader::blanks() {
    while (position_ < text_.size() &&
           (text_[position_] == ' ' || text_[position_] == '\n' || text_[position_] == '\t'))
        ++position_;
}

bool TextReader::at_end() {
    blanks();
    return position_ == text_.size();
}

char TextReader::peek() { return at_end() ? '\0' : text_[position_]; }

bool TextReader::take(std::string_view token) {
    blanks();
    if (!text_.substr(position_).starts_with(token)) return false;
    const std::size_t end = position_ + token.size();
    if (word_character(token.back()) && token.back() != '-' && end < text_.size() && word_character(text_[end]))
        return false;
    position_ = end;
    return true;
}

void TextReader::expect(std::string_view token) {
    if (!take(token)) fail(token);
}

std::string_view TextReader::word() {
    blanks();
    const std::size_t begin = position_;
    while (position_ < text_.size() && word_character(text_[position_])) ++position_;
    if (begin == position_) fail("a word");
    return text_.substr(begin, position_ - begin);
}

std::int64_t TextReader::integer() {
    blanks();
    std::int64_t value = 0;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("an integer");
    position_ += static_cast<std::size_t>(end - begin);
    return value;
}

std::uint64_t TextReader::hexadecimal() {
    if (peek() != '0' || !text_.substr(position_).starts_with("0x")) fail("0x and digits");
    position_ += 2;
    std::uint64_t value = 0;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value, 16);
    if (error != std::errc{}) fail("hexadecimal digits");
    position_ += static_cast<std::size_t>(end - begin);
    return value;
}

std::uint32_t TextReader::numbered(char prefix) {
    if (peek() != prefix) fail(std::string(1, prefix) + " and a number");
    ++position_;
    const std::int64_t value = integer();
    if (value < 0 || value >= 0xFFFFFFFF) fail("a number");
    return static_cast<std::uint32_t>(value);
}

std::vector<std::int64_t> TextReader::integers() {
    std::vector<std::int64_t> result;
    expect("[");
    if (take("]")) return result;
    do result.push_back(integer());
    while (take(","));
    expect("]");
    return result;
}

runtime::DType TextReader::dtype() {
    const std::string_view text = word();
    for (int d = 0; d < runtime::dtype_count; ++d)
        if (runtime::name(static_cast<runtime::DType>(d)) == text) return static_cast<runtime::DType>(d);
    fail("a dtype");
}

std::string TextReader::quoted() {
    if (peek() != '"') fail("a text in quotes");
    std::string result;
    for (++position_; position_ < text_.size(); ++position_) {
        const char c = text_[position_];
        if (c == '"') {
            ++position_;
            return result;
        }
        if (c != '\\') {
            result += c;
            continue;
        }
        if (++position_ == text_.size()) break;
        result += text_[position_] == 'n' ? '\n' : text_[position_];
    }
    fail("the end of the text");
}

void TextReader::fail(std::string_view expected) {
    const auto line =
        1 +
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(position_, text_.size())), '\n');
    raise(diagnose(Diag::ir_text, {}, line, "expected " + std::string(expected)));
}

std::string print_integers(const std::vector<std::int64_t>& values) {
    std::string result = "[";
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i != 0) result += ", ";
        result += std::to_string(values[i]);
    }
    return result + "]";
}

std::string print_quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (c == '\n')
            result += "\\n";
        else
            result += c;
    }
    return result + "\"";
}

} // namespace pm::nest
