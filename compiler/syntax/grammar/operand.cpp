#include "compiler/syntax/grammar/operand.hpp"

#include "compiler/syntax/grammar/actions.hpp"

/// Literals, names, string literals, tuples, arrays, comprehensions, records, `if`, functions.
namespace pm::syntax::grammar {
namespace {

using Kind = TokenKind;

struct piece_class {};
struct format_piece_class {};
struct format_class {};
struct item_class {};
struct for_part_class {};
struct round_class {};
struct square_class {};
struct entry_class {};
struct record_class {};
struct conditional_class {};
struct branch_class {};
struct lambda_class {};
struct parameter_class {};

constexpr x3::rule<piece_class, StringPiece> piece{"a value"};
constexpr x3::rule<format_piece_class, StringPiece> format_piece{"a format"};
constexpr x3::rule<format_class, TextParts> format{"a format"};
constexpr x3::rule<item_class, Item> item{"an expression"};
constexpr x3::rule<for_part_class, ForPart> for_part{"`for`"};
constexpr x3::rule<round_class, Group> round{"`(`"};
constexpr x3::rule<square_class, Group> square{"`[`"};
constexpr x3::rule<entry_class, RecordEntry> entry{"the name of a field"};
constexpr x3::rule<record_class, Entries> record{"`{`"};
constexpr x3::rule<conditional_class, Conditional> conditional{"`if`"};
constexpr x3::rule<branch_class, If::Branch> branch{"an expression"};
constexpr x3::rule<lambda_class, FunctionParts> lambda{"`fn`"};
constexpr x3::rule<parameter_class, Parameter> parameter{"a name or a pattern"};

// -- Texts

constexpr auto piece_text = [](auto& c) { x3::_val(c).text = build(c).text_of(x3::_attr(c)); };
constexpr auto piece_format = [](auto& c) { build(c).set_format(x3::_val(c), std::move(x3::_attr(c))); };
const auto format_piece_def =
    spanned(token(Kind::format)[piece_text] |
            (token(Kind::value_open) > expression[to<&StringPiece::value>] > token(Kind::value_close)));
const auto format_def = spanned(+format_piece[onto<&TextParts::pieces>]);
const auto piece_def =
    spanned(token(Kind::text_piece)[piece_text] | (token(Kind::value_open) > expression[to<&StringPiece::value>] >
                                                   -format[piece_format] > token(Kind::value_close)));
const auto text_def = spanned(token(Kind::text_begin) >> *piece[onto<&TextParts::pieces>] > token(Kind::text_end));

// -- Groups

const auto item_def =
    (token(Kind::star)[flag<&Item::spread>] > expression[to<&Item::value>]) | expression[to<&Item::value>];

const auto comma = token(Kind::comma)[flag<&Group::comma>];
const auto for_part_def = token(Kind::kw_for) > pattern[to<&ForPart::pattern>] >
                          token(Kind::kw_in) > expression[to<&ForPart::source>] >
                          -(token(Kind::kw_if) > expression[to<&ForPart::condition>]);
const auto items = item[onto<&Group::items>] >>
                   (+for_part[onto<&Group::loops>] | (*(comma >> item[onto<&Group::items>]) >> -comma));
const auto round_def = spanned(token(Kind::round_open) >> -items > token(Kind::round_close));
const auto square_def = spanned(token(Kind::square_open) >> -items > token(Kind::square_close));

constexpr auto name_entry = [](auto& c) { x3::_val(c).name = build(c).name(x3::_attr(c)); };
constexpr auto text_entry = [](auto& c) { x3::_val(c) = build(c).text_entry(x3::_attr(c), {}); };
constexpr auto short_entry = [](auto& c) { x3::_val(c) = build(c).shorthand(x3::_attr(c)); };
const auto value = token(Kind::colon) > expression[to<&RecordEntry::value>];
const auto entry_def = (token(Kind::dot_dot)[flag<&RecordEntry::spread>] > expression[to<&RecordEntry::value>]) |
                       (any_word[name_entry] >> value) |
                       (text[text_entry] > token(Kind::colon) > expression[to<&RecordEntry::value>]) |
                       any_name[short_entry];
const auto record_def =
    spanned(token(Kind::record_open) >> -listed(entry[onto<&Entries::list>]) > token(Kind::record_close));

// -- if

const auto branch_def = expression[to<&If::Branch::condition>] > block[to<&If::Branch::block>];
const auto conditional_def =
    spanned(token(Kind::kw_if) > branch[onto<&Conditional::branches>] >
            *(token(Kind::kw_else) >> token(Kind::kw_if) > branch[onto<&Conditional::branches>]) >
            -(token(Kind::kw_else) > block[to<&Conditional::otherwise>]));

// -- Functions

constexpr auto rest_name = [](auto& c) { x3::_val(c).pattern = build(c).name_pattern(x3::_attr(c)); };
const auto rest_parameter = token(Kind::star)[flag<&Parameter::rest>] > any_name[rest_name];
const auto one_parameter = pattern[to<&Parameter::pattern>] >> -(token(Kind::colon) > type[to<&Parameter::type>]) >>
                           -(token(Kind::assign) > expression[to<&Parameter::otherwise>]);
const auto parameter_def = spanned(rest_parameter | one_parameter);

struct signature_class {};
struct body_class {};
/// Parameters and result type.
constexpr x3::rule<signature_class, FunctionParts> signature{"`(`"};
constexpr x3::rule<body_class, FunctionParts> body{"a body"};

const auto signature_def = spanned(token(Kind::round_open) >> -listed(parameter[onto<&FunctionParts::parameters>]) >
                                   token(Kind::round_close) > -(token(Kind::arrow) > type[to<&FunctionParts::result>]));
const auto body_def = (token(Kind::assign) > expression[to<&FunctionParts::value>]) | block[to<&FunctionParts::block>];

constexpr auto take_signature = [](auto& c) {
    x3::_val(c) = std::move(x3::_attr(c));
    x3::_val(c).signature = x3::_val(c).span;
};
constexpr auto take_body = [](auto& c) {
    x3::_val(c).value = x3::_attr(c).value;
    x3::_val(c).block = x3::_attr(c).block;
};
const auto function_def = signature[take_signature] > body[take_body];

constexpr auto take_function = [](auto& c) {
    const Token* keyword = x3::_val(c).keyword;
    x3::_val(c) = std::move(x3::_attr(c));
    x3::_val(c).keyword = keyword;
};
const auto lambda_def = spanned(token(Kind::kw_fn)[to<&FunctionParts::keyword>] > function[take_function]);

// -- All of them

constexpr ClassTerminal number{[](Kind k) { return k == Kind::integer || k == Kind::real || k == Kind::imaginary; },
                               "a number"};
constexpr ClassTerminal transform{is_transform, "a transformation"};
constexpr auto make_true = [](auto& c) { x3::_val(c) = build(c).boolean(x3::_attr(c), true); };
constexpr auto make_false = [](auto& c) { x3::_val(c) = build(c).boolean(x3::_attr(c), false); };

const auto primary_def =
    any_name[made<&Builder::name_ref>] | number[made<&Builder::number>] | round[made<&Builder::round>] |
    square[made<&Builder::square>] | text[made<&Builder::text>] | transform[made<&Builder::transform>] |
    record[made<&Builder::record>] | conditional[made<&Builder::conditional>] | lambda[made<&Builder::lambda>] |
    token(Kind::kw_none)[made<&Builder::none>] | token(Kind::kw_true)[make_true] | token(Kind::kw_false)[make_false];

BOOST_SPIRIT_DEFINE(piece, format_piece, format, item, for_part, round, square, entry, record, conditional, branch,
                    lambda, parameter, signature, body)

} // namespace

BOOST_SPIRIT_DEFINE(primary, text, function)
BOOST_SPIRIT_INSTANTIATE(decltype(primary), Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(decltype(text), Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(decltype(function), Iterator, Context)

} // namespace pm::syntax::grammar
