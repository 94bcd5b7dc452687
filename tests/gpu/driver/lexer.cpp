#include "tests/gpu/driver/lexer.hpp"

#include <bit>
#include <cctype>
#include <cstdlib>

namespace pm::ptx {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }
bool in_word(char c) { return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '.'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

class Lexer {
  public:
    explicit Lexer(std::string_view source) : source_(source) {}

    std::vector<Token> run() {
        std::vector<Token> tokens;
        while (skip_space()) tokens.push_back(next());
        tokens.push_back({TokenKind::end, {}, line_});
        return tokens;
    }

  private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

    bool skip_space() {
        while (at_ < source_.size() && source_[at_] != '\0') {
            const char c = source_[at_];
            if (c == '\n') ++line_;
            if (std::isspace(static_cast<unsigned char>(c))) {
                ++at_;
            } else if (c == '/' && peek(1) == '/') {
                while (at_ < source_.size() && source_[at_] != '\n') ++at_;
            } else if (c == '/' && peek(1) == '*') {
                skip_comment();
            } else {
                return true;
            }
        }
        return false;
    }

    void skip_comment() {
        const std::size_t end = source_.find("*/", at_);
        if (end == std::string_view::npos) throw SourceError(line_, "a comment has no end");
        for (; at_ < end + 2; ++at_)
            if (source_[at_] == '\n') ++line_;
    }

    Token next() {
        const char c = source_[at_];
        if (starts_word(c) || (c == '.' && starts_word(peek(1)))) return word();
        if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
        if (c == '"') return string();
        Token token{TokenKind::mark, source_.substr(at_, 1), line_};
        ++at_;
        return token;
    }

    Token word() {
        const std::size_t start = at_++;
        while (in_word(peek()) || (peek() == ':' && (peek(1) == ':' || source_[at_ - 1] == ':'))) ++at_;
        return {TokenKind::word, source_.substr(start, at_ - start), line_};
    }

    Token string() {
        const std::size_t start = at_++;
        while (peek() != '"') {
            if (peek() == '\0' || peek() == '\n') throw SourceError(line_, "a string has no end");
            ++at_;
        }
        ++at_;
        return {TokenKind::string, source_.substr(start + 1, at_ - start - 2), line_};
    }

    Token number() {
        const std::size_t start = at_;
        while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '.' ||
               ((peek() == '+' || peek() == '-') && is_exponent(start)))
            ++at_;
        const std::string text(source_.substr(start, at_ - start));
        Token token{TokenKind::integer, source_.substr(start, at_ - start), line_};
        char* end = nullptr;
        const char second = text.size() > 1 ? text[1] : '\0';
        if (text[0] == '0' && (second == 'f' || second == 'F') && text.size() == 10) {
            token.kind = TokenKind::single;
            token.value = std::strtoull(text.c_str() + 2, &end, 16);
        } else if (text[0] == '0' && (second == 'd' || second == 'D') && text.size() == 18) {
            token.kind = TokenKind::real;
            token.value = std::strtoull(text.c_str() + 2, &end, 16);
        } else if (second != 'x' && second != 'X' && text.find_first_of(".eE") != std::string::npos) {
            token.kind = TokenKind::real;
            token.value = std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), &end));
        } else if (text[0] == '0' && (second == 'b' || second == 'B')) {
            token.value = std::strtoull(text.c_str() + 2, &end, 2);
        } else {
            token.value = std::strtoull(text.c_str(), &end, 0);
        }
        if (*end == 'U' && token.kind == TokenKind::integer) ++end;
        if (*end != '\0') throw SourceError(line_, "no number: " + text);
        return token;
    }

    /// Whether a sign belongs to a decimal number: after its e.
    bool is_exponent(std::size_t start) const {
        const char before = source_[at_ - 1];
        return (before == 'e' || before == 'E') && at_ - start > 1 && peek(1) != '\0' && is_digit(peek(1)) &&
               source_.substr(start, 2) != "0x" && source_.substr(start, 2) != "0f" && source_.substr(start, 2) != "0d";
    }

    std::string_view source_;
    std::size_t at_ = 0;
    int line_ = 1;
};

} // namespace

std::vector<Token> lex(std::string_view source) { return Lexer(source).run(); }

} // namespace pm::ptx
