#include "compiler/syntax/grammar/lexical.hpp"

#include <boost/spirit/home/x3.hpp>

#include <array>
#include <string_view>

namespace pm::syntax::grammar {
namespace {

namespace x3 = boost::spirit::x3;

/// Decodes the character at `p` of valid UTF-8.
char32_t decode(const char* p, int& length) {
    const auto byte = [p](int i) { return static_cast<unsigned char>(p[i]); };
    if (byte(0) < 0x80) return length = 1, byte(0);
    length = byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
    char32_t c = byte(0) & (0xFFU >> (length + 1));
    for (int i = 1; i < length; ++i) c = (c << 6U) | (byte(i) & 0x3FU);
    return c;
}

/// Whether `c` is a letter, digit or mark of any script, by blocks of Unicode. Punctuation, spaces, arrows and
/// mathematical symbols are excluded; sub- and superscripts are included.
bool is_letter(char32_t c) {
    struct Block {
        char32_t first;
        char32_t last;
    };
    static constexpr std::array blocks = {Block{0xAA, 0xAA},     Block{0xB2, 0xB3},       Block{0xB5, 0xB5},
                                          Block{0xB9, 0xBA},     Block{0xC0, 0xD6},       Block{0xD8, 0xF6},
                                          Block{0xF8, 0x1FFF},   Block{0x2070, 0x209F},   Block{0x2C00, 0x2DFF},
                                          Block{0x2E80, 0x2FFF}, Block{0x3005, 0x3007},   Block{0x3031, 0xD7FF},
                                          Block{0xF900, 0xFDCF}, Block{0xFDF0, 0xFDFF},   Block{0xFE20, 0xFE2F},
                                          Block{0xFE70, 0xFEFE}, Block{0x10000, 0x1EFFF}, Block{0x20000, 0x3FFFD}};
    for (const Block& block : blocks)
        if (c >= block.first && c <= block.last) return true;
    return false;
}

struct ForeignLetter : x3::parser<ForeignLetter> {
    using attribute_type = x3::unused_type;
    static constexpr bool has_attribute = false;
    template <class Iterator, class Context, class RContext, class Attribute>
    bool parse(Iterator& first, const Iterator& last, const Context&, RContext&, Attribute&) const {
        if (first == last || static_cast<unsigned char>(*first) < 0x80) return false;
        int length = 0;
        if (!is_letter(decode(first, length))) return false;
        first += length;
        return true;
    }
};

struct Symbols : x3::symbols<TokenKind> {
    Symbols() {
#define SYMBOL(id, text) add(text, TokenKind::id);
#include "compiler/syntax/tokens.def"
        for (const char* text : {"&&", "||", "!", ":=", "=>", "++", "===", "!==", "?", "$", "`", "\\"})
            add(text, TokenKind::foreign);
    }
};

struct Keywords : x3::symbols<TokenKind> {
    Keywords() {
#define KEYWORD(id, text) add(text, TokenKind::id);
#define CONTEXTUAL(id, text) add(text, TokenKind::id);
#include "compiler/syntax/tokens.def"
    }
};

// Spirit converts a set of characters to a table, so this rule is static and built once.
const auto letter = x3::omit[x3::char_("a-zA-Z_")] | ForeignLetter{};

Lexeme read_number(const char* begin, const char* end, bool after_point) {
    static const auto digits = x3::omit[x3::digit >> *(-x3::lit('_') >> x3::digit)];
    const auto in_base = [](const auto& prefix, const auto& digit) {
        return x3::omit[x3::no_case[prefix] >> digit >> *(-x3::lit('_') >> digit)];
    };
    static const auto based = in_base(x3::lit("0x"), x3::xdigit) | in_base(x3::lit("0b"), x3::char_("01")) |
                              in_base(x3::lit("0o"), x3::char_("0-7"));
    // `1.` is a number unless a point or a letter follows: `1..n` is a range, and `1.real` is a field access.
    static const auto fraction = x3::lit('.') >> (digits | !(x3::lit('.') | letter));
    static const auto exponent = x3::omit[x3::char_("eE") >> -x3::char_("-+") >> digits];

    bool real = false;
    const auto set_real = [&real](auto&) { real = true; };
    const char* at = begin;
    if (after_point) {
        x3::parse(at, end, digits);
        return {TokenKind::integer, at, at};
    }
    if (!x3::parse(at, end, based)) x3::parse(at, end, digits >> -fraction[set_real] >> -exponent[set_real]);
    Lexeme number{real ? TokenKind::real : TokenKind::integer, at, at};
    x3::parse(number.end, end, x3::omit[letter >> *(letter | x3::digit)]);
    if (std::string_view(number.suffix, static_cast<std::size_t>(number.end - number.suffix)) == "j")
        number.kind = TokenKind::imaginary;
    return number;
}

} // namespace

Lexeme read_lexeme(const char* begin, const char* end, bool after_point) {
    static const Symbols symbols;
    static const Keywords keywords;
    if (*begin >= '0' && *begin <= '9') return read_number(begin, end, after_point);

    static const auto word = letter >> *(letter | x3::omit[x3::digit]);
    const char* at = begin;
    if (x3::parse(at, end, word)) {
        const TokenKind* keyword = keywords.find(std::string_view(begin, static_cast<std::size_t>(at - begin)));
        return {keyword != nullptr ? *keyword : TokenKind::word, at, at};
    }
    TokenKind kind = TokenKind::bad;
    x3::parse(at, end, symbols, kind);
    return {kind, at, at};
}

} // namespace pm::syntax::grammar
