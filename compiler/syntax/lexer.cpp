#include "compiler/syntax/lexer.hpp"

#include "compiler/syntax/grammar/lexical.hpp"
#include "compiler/syntax/parse.hpp"
#include "runtime/dtype.hpp"
#include "runtime/utf8.hpp"

#include <cctype>
#include <optional>

namespace pm::syntax {
namespace {

class Lexer {
  public:
    Lexer(std::uint32_t source, std::string_view text, std::vector<Diagnostic>& errors)
        : errors_(errors), begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {
        tokens_.source = source;
        tokens_.text = text;
    }

    Tokens run() {
        if (tokens_.text.substr(0, 3) == "\xEF\xBB\xBF") at_ += 3; // a byte order mark
        while (at_ != end_) step();
        if (!values_.empty()) close_values();
        add(TokenKind::end, end_);
        return std::move(tokens_);
    }

  private:
    /// A value `{...}` in a string literal, whose closing `}` has not been read yet.
    struct Value {
        const char* open;
        int brackets = 0;       ///< the number of brackets that are open within the value
        bool in_format = false; ///< true while the format is read; braces in a format enclose further values
    };

    std::uint32_t offset(const char* p) const { return static_cast<std::uint32_t>(p - begin_); }
    Span span(const char* from, const char* to) const { return {tokens_.source, offset(from), offset(to)}; }

    Token& add(TokenKind kind, const char* from) {
        if (kind == TokenKind::kw_fn && !documentation_.empty()) {
            tokens_.texts.push_back(std::move(documentation_));
            tokens_.list.push_back({kind, static_cast<std::uint32_t>(tokens_.texts.size()), offset(from), offset(at_)});
        } else {
            tokens_.list.push_back({kind, 0, offset(from), offset(at_)});
        }
        if (kind != TokenKind::newline && kind != TokenKind::semicolon) documentation_.clear();
        return tokens_.list.back();
    }

    void add_text(TokenKind kind, const char* from, std::string text) {
        add(kind, from).extra = static_cast<std::uint32_t>(tokens_.texts.size());
        tokens_.texts.push_back(std::move(text));
    }

    Diagnostic& report(Diagnostic diagnostic) {
        if (errors_.size() >= max_errors) return unreported_ = std::move(diagnostic);
        errors_.push_back(std::move(diagnostic));
        return errors_.back();
    }

    void step() {
        const char* from = at_;
        switch (*at_) {
        case ' ':
        case '\t':
        case '\r':
        case '\f': ++at_; return;
        case '\n':
            if (!values_.empty()) return close_values();
            ++at_;
            if (tokens_.list.empty() || tokens_.list.back().kind != TokenKind::newline) add(TokenKind::newline, from);
            return;
        case '#': return comment();
        case '"':
            ++at_;
            add(TokenKind::text_begin, from);
            quotes_.push_back(from);
            return text();
        case 'r':
            if (at_ + 1 == end_ || at_[1] != '"') break;
            at_ += 2;
            add(TokenKind::text_begin, from);
            return raw_text();
        case '\'': return foreign_text();
        case '}':
            if (values_.empty() || values_.back().brackets > 0) break;
            ++at_;
            add(TokenKind::value_close, from);
            values_.pop_back();
            return !values_.empty() && values_.back().in_format ? format() : text();
        case ':':
            if (values_.empty() || values_.back().brackets > 0) break;
            values_.back().in_format = true;
            ++at_;
            return format();
        default: break;
        }
        lexeme();
    }

    void comment() {
        const char* from = at_;
        while (at_ != end_ && *at_ != '\n') ++at_;
        std::string_view line(from, static_cast<std::size_t>(at_ - from));
        // removes blanks at the end; the line is not empty, since it begins with `#`
        line.remove_suffix(line.size() - 1 - line.find_last_not_of(" \t\r\f"));
        if (line.size() < 2 || line[1] != '#' || (line.size() > 2 && line[2] == '#')) return;
        line.remove_prefix(line.size() > 2 && line[2] == ' ' ? 3 : 2);
        if (!documentation_.empty()) documentation_ += '\n';
        documentation_ += line;
    }

    void lexeme() {
        const char* from = at_;
        const bool after_point = !tokens_.list.empty() && tokens_.list.back().kind == TokenKind::dot &&
                                 tokens_.list.back().end == offset(from);
        const grammar::Lexeme found = grammar::read_lexeme(at_, end_, after_point);
        if (found.end == from) return bad_character();
        at_ = found.end;
        Token& token = add(found.kind, from);
        if (found.kind == TokenKind::integer || found.kind == TokenKind::real || found.kind == TokenKind::imaginary) {
            token.extra = offset(found.suffix);
            check_suffix(from, found);
        }
        if (values_.empty()) return;
        int& brackets = values_.back().brackets;
        if (*from == '(' || *from == '[' || *from == '{') ++brackets;
        if ((*from == ')' || *from == ']' || *from == '}') && brackets > 0) --brackets;
    }

    void check_suffix(const char* from, const grammar::Lexeme& number) {
        const std::string_view suffix(number.suffix, static_cast<std::size_t>(number.end - number.suffix));
        const bool based = number.kind != TokenKind::real && number.end - from > 1 && from[0] == '0' &&
                           std::isalpha(static_cast<unsigned char>(from[1])) != 0 && from + 1 != number.suffix;
        if (suffix.empty() || (suffix == "j" && !based)) return;
        const std::string_view whole(from, static_cast<std::size_t>(number.end - from));
        for (int i = 0; i < runtime::named_dtype_count; ++i) {
            const auto dtype = static_cast<runtime::DType>(i);
            if (suffix != name(dtype)) continue;
            if (runtime::is_float(dtype)) return;
            if (runtime::is_integer(dtype)) {
                if (number.kind == TokenKind::integer) return;
                report(diagnose(Diag::number_suffix, span(from, number.end), whole,
                                fmt::format("{} holds whole numbers only", suffix)));
                return;
            }
        }
        if (suffix == "j") {
            report(diagnose(Diag::number_suffix, span(from, number.end), whole,
                            "an imaginary number is written in decimal digits"));
            return;
        }
        report(diagnose(Diag::number_suffix, span(from, number.end), whole, fmt::format("unknown suffix `{}`", suffix)))
            .help.push_back("a suffix is a dtype, as in 2f64 or 7i64, or j for an imaginary number; "
                            "a product is written with `*`");
    }

    void bad_character() {
        const char* from = at_++;
        while (at_ != end_ && runtime::utf8_continues(*at_)) ++at_;
        const std::string_view character(from, static_cast<std::size_t>(at_ - from));
        const auto byte = static_cast<unsigned char>(*from);
        Diagnostic& d = report(
            diagnose(Diag::unexpected_character, span(from, at_),
                     byte < 0x20 || byte == 0x7F ? fmt::format("0x{:02x}", byte) : fmt::format("`{}`", character)));
        if (character == "\u2212" || character == "\u2013") d.help.push_back("the minus of the language is `-`");
        if (character == "\u00D7" || character == "\u22C5") d.help.push_back("a product is written with `*` or `@`");
        if (character == "\u201C" || character == "\u201D" || character == "\u201E")
            d.help.push_back("write text in straight double quotes: \"...\"");
        if (character == "\u2019" || character == "\u2018")
            d.help.push_back("write text in straight double quotes: \"...\"");
        if (character == "\u2264") d.help.push_back("write `<=`");
        if (character == "\u2265") d.help.push_back("write `>=`");
        if (character == "\u2260") d.help.push_back("write `!=`");
        if (character == "\u00A0") d.help.push_back("this is a no-break space; write an ordinary one");
        add(TokenKind::bad, from);
    }

    /// Reports a string literal in single quotes, 'text', which this language does not have.
    void foreign_text() {
        const char* from = at_++;
        const char* p = at_;
        while (p != end_ && *p != '\n' && *p != '\'') p += *p == '\\' && p + 1 != end_ && p[1] != '\n' ? 2 : 1;
        if (p != end_ && *p == '\'') at_ = p + 1;
        add(TokenKind::foreign, from);
    }

    /// Reads a raw string literal, r"...", after its opening quote. Every character up to the next `"` stands for
    /// itself.
    void raw_text() {
        const char* from = at_;
        while (at_ != end_ && *at_ != '\n' && *at_ != '"') ++at_;
        if (at_ != from) add_text(TokenKind::text_piece, from, std::string(from, at_));
        const char* quote = at_;
        if (at_ != end_ && *at_ == '"')
            ++at_;
        else if (values_.empty()) // otherwise the value that contains the string literal is reported
            report(diagnose(Diag::unclosed_text, span(from - 2, at_)))
                .help.push_back("close it with `\"`; a text with a quote or a line break is written without the `r`");
        add(TokenKind::text_end, quote);
    }

    /// Reads a part of a string literal: from the opening `"` or the `}` of a value, to the end of the literal or the
    /// next value.
    void text() {
        const char* from = at_;
        std::string piece;
        const auto finish = [&] {
            if (!piece.empty()) add_text(TokenKind::text_piece, from, std::move(piece));
        };
        while (true) {
            if (at_ == end_ || *at_ == '\n') {
                finish();
                return unclosed();
            }
            const char c = *at_;
            if (c == '"') {
                finish();
                const char* quote = at_++;
                quotes_.pop_back();
                add(TokenKind::text_end, quote);
                return;
            }
            if (c == '{' && (at_ + 1 == end_ || at_[1] != '{')) {
                finish();
                values_.push_back({at_});
                const char* brace = at_++;
                add(TokenKind::value_open, brace);
                return;
            }
            if (c == '\\') {
                escape(piece);
                continue;
            }
            if (c == '{') ++at_;
            if (c == '}') {
                if (at_ + 1 != end_ && at_[1] == '}')
                    ++at_;
                else
                    report(diagnose(Diag::single_brace, span(at_, at_ + 1))).help.push_back("write `}}` for a brace");
            }
            piece.push_back(c);
            ++at_;
        }
    }

    void escape(std::string& piece) {
        const char* from = at_++;
        if (at_ == end_ || *at_ == '\n') return; // the literal is not closed; the caller reports this mistake
        const char c = *at_++;
        switch (c) {
        case 'n': piece += '\n'; return;
        case 't': piece += '\t'; return;
        case 'r': piece += '\r'; return;
        case '"': piece += '"'; return;
        case '\\': piece += '\\'; return;
        case 'u':
            if (const std::optional<std::uint32_t> c_point = code_point()) return runtime::append_utf8(piece, *c_point);
            break;
        default:
            while (at_ != end_ && runtime::utf8_continues(*at_)) ++at_;
            break;
        }
        Diagnostic& d = report(diagnose(Diag::unknown_escape, span(from, at_),
                                        std::string_view(from, static_cast<std::size_t>(at_ - from))));
        if (c == '{' || c == '}')
            d.help.push_back("write `{{` and `}}` for braces");
        else if (c == 'u')
            d.help.push_back("write the code point in hexadecimal, up to 10FFFF: \\u{3b1}");
        else
            d.help.push_back("the escapes are \\n \\t \\r \\\" \\\\ \\u{...}; a backslash itself is \\\\, and in "
                             "r\"...\" it is `\\`");
    }

    /// The code point of `{3b1}` after `\u`. Empty if the number is no code point.
    std::optional<std::uint32_t> code_point() {
        if (at_ == end_ || *at_ != '{') return {};
        const char* p = at_ + 1;
        std::uint32_t value = 0;
        int digits = 0;
        for (; p != end_ && digits < 7; ++p, ++digits) {
            const char lower = static_cast<char>(*p | 0x20);
            if (*p >= '0' && *p <= '9')
                value = value * 16 + static_cast<std::uint32_t>(*p - '0');
            else if (lower >= 'a' && lower <= 'f')
                value = value * 16 + static_cast<std::uint32_t>(lower - 'a' + 10);
            else
                break;
        }
        if (p == end_ || *p != '}' || digits == 0) return {};
        at_ = p + 1;
        if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return {};
        return value;
    }

    /// Reads the format of a value in a string literal, from here to the end of the format or the next value in the
    /// format. The next step reads the closing token.
    void format() {
        const char* from = at_;
        const bool first = tokens_.list.back().kind != TokenKind::value_close;
        while (at_ != end_ && *at_ != '{' && *at_ != '}' && *at_ != '"' && *at_ != '\n') ++at_;
        if (first || at_ != from) add_text(TokenKind::format, first ? from - 1 : from, std::string(from, at_));
        if (at_ != end_ && *at_ == '{') {
            values_.push_back({at_});
            const char* brace = at_++;
            add(TokenKind::value_open, brace);
        } else if (at_ == end_ || *at_ != '}') {
            close_values();
        }
    }

    /// Reports that the line ended inside of values of a string literal.
    void close_values() {
        report(diagnose(Diag::unclosed_text, span(values_.back().open, at_)).under("this `{` is not closed"))
            .help.push_back("close the value with `}`, or write `{{` for a brace");
        close_all();
    }

    void unclosed() {
        if (!values_.empty()) { // the closing quote was read as the beginning of a string literal inside of a value
            add(TokenKind::text_end, at_);
            return close_values();
        }
        const char* quote = quotes_.back();
        const bool third = quote - tokens_.text.data() >= 2 && quote[-1] == '"' && quote[-2] == '"';
        report(diagnose(Diag::unclosed_text, span(quote, at_)))
            .help.push_back(third
                                ? "a text is written on one line; a comment begins with `#`, the documentation above a "
                                  "function with `##`"
                                : "close it with `\"`; a line break inside a text is \\n");
        add(TokenKind::text_end, at_);
        close_all();
    }

    /// Adds tokens that close open values and string literals, so that the grammar sees complete literals.
    void close_all() {
        if (at_ != end_ && *at_ == '"') ++at_;
        quotes_.clear();
        for (; !values_.empty(); values_.pop_back()) {
            add(TokenKind::value_close, at_);
            add(TokenKind::text_end, at_);
        }
    }

    std::vector<Diagnostic>& errors_;
    Tokens tokens_;
    const char* begin_;
    const char* at_;
    const char* end_;
    std::vector<const char*> quotes_; ///< where the open string literals begin
    std::vector<Value> values_;
    std::string documentation_;
    Diagnostic unreported_; ///< errors beyond max_errors are written here and not reported
};

} // namespace

Tokens lex(std::uint32_t source, std::string_view text, std::vector<Diagnostic>& errors) {
    return Lexer(source, text, errors).run();
}

} // namespace pm::syntax
