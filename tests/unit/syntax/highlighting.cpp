#include "compiler/syntax/lexer.hpp"
#include "runtime/dtype.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

// Compares the words, operators and numbers of the highlighters in docs/editors with the compiler's lists and with its
// lexer.

using namespace pm::syntax;

namespace {

using Words = std::set<std::string>;

/// The word lists and patterns of one highlighter.
struct Lists {
    Words keywords;
    Words constants;
    Words transforms;
    Words dtypes;
    Words punctuation;
    std::vector<std::string> operators; ///< in the order in which the highlighter tries them
    std::string number;                 ///< a regular expression
};

std::string read(const std::string& name) {
    std::ifstream file(std::string(PM_SOURCE_DIR) + "/docs/editors/" + name, std::ios::binary);
    CHECK_MESSAGE(file.good(), name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::string> split(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

Words set_of(const std::vector<std::string>& list) {
    const Words words(list.begin(), list.end());
    CHECK(words.size() == list.size()); // checks that there are no duplicates
    return words;
}

/// The alternatives of a regular expression, unescaped.
std::vector<std::string> alternatives(const std::string& pattern) {
    std::vector<std::string> all(1);
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '|')
            all.emplace_back();
        else
            all.back() += pattern[i] == '\\' ? pattern[++i] : pattern[i];
    }
    return all;
}

Lists pygments() {
    const std::string text = read("pm_lexer.py");
    // NAME = "..." or r"...", on one line.
    const auto constant = [&](const std::string& name) {
        std::smatch found;
        CHECK_MESSAGE(std::regex_search(text, found, std::regex("\n" + name + " = r?\"([^\n]*)\"\n")), name);
        return found.str(1);
    };
    // The lexer in Python must try longer operators first.
    std::vector<std::string> operators = split(constant("OPERATORS"));
    std::stable_sort(operators.begin(), operators.end(),
                     [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
    return {set_of(split(constant("KEYWORDS"))),
            set_of(split(constant("CONSTANTS"))),
            set_of(split(constant("TRANSFORMS"))),
            set_of(split(constant("DTYPES"))),
            set_of(split(constant("PUNCTUATION"))),
            operators,
            constant("NUMBER")};
}

Lists text_mate() {
    const nlohmann::json grammar = nlohmann::json::parse(read("pm.tmLanguage.json"));
    const nlohmann::json& rules = grammar.at("repository");
    for (const auto& [name, rule] : rules.items()) // every rule must be included
        CHECK_MESSAGE(grammar.dump().find("\"#" + name + "\"") != std::string::npos, name);
    const auto match = [&](const std::string& rule) { return rules.at(rule).at("match").get<std::string>(); };
    const auto words = [&](const std::string& rule) {
        const std::string pattern = match(rule); // \b(a|b)\b
        REQUIRE_MESSAGE((pattern.substr(0, 3) == "\\b(" && pattern.substr(pattern.size() - 3) == ")\\b"), pattern);
        return set_of(alternatives(pattern.substr(3, pattern.size() - 6)));
    };
    Words punctuation;
    const std::string marks = match("punctuation"); // [...]
    for (std::size_t i = 1; i + 1 < marks.size(); ++i)
        if (marks[i] != '\\') punctuation.emplace(1, marks[i]);
    return {words("keywords"), words("constants"), words("transforms"),
            words("dtypes"),   punctuation,        alternatives(match("operators")),
            match("number")};
}

/// The word lists of the compiler.
Lists compiler() {
    const Words constants{"true", "false", "none"};
    Lists lists;
    lists.constants = constants;
    const Words punctuation{"(", ")", "[", "]", "{", "}", ",", ";", ":", "."};
#define KEYWORD(id, text)                                                                                              \
    (is_transform(TokenKind::id) ? lists.transforms                                                                    \
     : constants.count(text)     ? lists.constants                                                                     \
                                 : lists.keywords)                                                                         \
        .insert(text);
#define SYMBOL(id, text)                                                                                               \
    if (punctuation.count(text) != 0)                                                                                  \
        lists.punctuation.insert(text);                                                                                \
    else                                                                                                               \
        lists.operators.push_back(text);
#include "compiler/syntax/tokens.def"
    for (int i = 0; i < pm::runtime::named_dtype_count; ++i)
        lists.dtypes.emplace(pm::runtime::name(static_cast<pm::runtime::DType>(i)));
    return lists;
}

/// The length of the first token, by the compiler's lexer.
std::size_t first_token(const std::string& text, TokenKind& kind) {
    std::vector<pm::Diagnostic> errors;
    const Tokens tokens = lex(0, text, errors);
    kind = tokens.list.front().kind;
    return tokens.list.front().end;
}

void check_numbers(const std::string& pattern) {
    const std::regex number(pattern);
    // Every text of at most five of these characters whose first character is 0 or 1.
    const std::string letters = "01._ex-f";
    std::vector<std::string> texts{"0", "1"};
    for (std::size_t i = 0; i < texts.size() && texts[i].size() < 5; ++i)
        for (const char c : letters) texts.push_back(texts[i] + c);
    for (const char* more : {"0xFF_F", "0b1011u8", "0o17", "1_000.5e-10", "2f64", "7i64", "2j", "1.5bf16", "1..n",
                             "1.real", "3.e", "12 ", "1.)", "1.5.0", "0XaF", "9e+1j"})
        texts.emplace_back(more);
    for (const std::string& text : texts) {
        TokenKind kind{};
        const std::size_t length = first_token(text, kind);
        std::smatch found;
        CHECK_MESSAGE(std::regex_search(text, found, number, std::regex_constants::match_continuous), text);
        CHECK_MESSAGE(static_cast<std::size_t>(found.length()) == length, text << " is cut at " << length);
    }
}

void check_operators(const std::vector<std::string>& operators) {
    // A highlighter takes the first operator that matches. This must be the longest.
    for (std::size_t i = 0; i < operators.size(); ++i)
        for (std::size_t k = i + 1; k < operators.size(); ++k)
            CHECK_MESSAGE(operators[k].substr(0, operators[i].size()) != operators[i],
                          operators[i] << " hides " << operators[k]);
}

void compare(const Lists& found) {
    const Lists wanted = compiler();
    CHECK(wanted.keywords.size() > 10);
    CHECK(found.keywords == wanted.keywords);
    CHECK(found.constants == wanted.constants);
    CHECK(found.transforms == wanted.transforms);
    CHECK(found.dtypes == wanted.dtypes);
    CHECK(found.punctuation == wanted.punctuation);
    CHECK(set_of(found.operators) == set_of(wanted.operators));
    check_operators(found.operators);
    check_numbers(found.number);
}

} // namespace

TEST_CASE("the lexer for Pygments has the compiler's words, operators and numbers") { compare(pygments()); }

TEST_CASE("the TextMate grammar has the compiler's words, operators and numbers") { compare(text_mate()); }
