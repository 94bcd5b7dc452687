#include "compiler/syntax/grammar/actions.hpp"

/// Patterns that bind names. The left side of `=` is parsed as an expression; the Builder converts this expression to a
/// pattern.
namespace pm::syntax::grammar {
namespace {

using Kind = TokenKind;

struct element_class {};
struct field_class {};
struct round_pattern_class {};
struct record_pattern_class {};

constexpr x3::rule<element_class, TuplePattern::Element> element{"a name or a pattern"};
constexpr x3::rule<field_class, RecordPattern::Entry> field{"a name"};
constexpr x3::rule<round_pattern_class, PatternEntries> round_pattern{"a name or a pattern"};
constexpr x3::rule<record_pattern_class, PatternEntries> record_pattern{"a name or a pattern"};

constexpr auto rest_name = [](auto& c) { x3::_val(c).pattern = build(c).name_pattern(x3::_attr(c)); };
const auto element_def = (token(Kind::star)[flag<&TuplePattern::Element::rest>] > any_name[rest_name]) |
                         pattern[to<&TuplePattern::Element::pattern>];

const auto comma = token(Kind::comma)[flag<&PatternEntries::comma>];
const auto elements = element[onto<&PatternEntries::elements>] >>
                      *(comma >> element[onto<&PatternEntries::elements>]) >> -comma;
const auto round_pattern_def = spanned(token(Kind::round_open) >> -elements > token(Kind::round_close));

constexpr auto field_name = [](auto& c) { x3::_val(c).field = build(c).name(x3::_attr(c)); };
constexpr auto short_field = [](auto& c) { x3::_val(c) = build(c).field_pattern(x3::_attr(c)); };
const auto long_field = any_word[field_name] >> token(Kind::colon) > pattern[to<&RecordPattern::Entry::pattern>];
const auto field_def = long_field | any_name[short_field];
const auto record_pattern_def =
    spanned(token(Kind::record_open) >> -listed(field[onto<&PatternEntries::fields>]) > token(Kind::record_close));

constexpr ClassTerminal keyword{is_keyword, "a keyword"};
const auto pattern_def =
    deeper(any_name[made<&Builder::name_pattern>] | round_pattern[made<&Builder::round_pattern>] |
           record_pattern[made<&Builder::record_pattern>] | keyword[made<&Builder::keyword_pattern>]);

BOOST_SPIRIT_DEFINE(element, field, round_pattern, record_pattern)

} // namespace

BOOST_SPIRIT_DEFINE(pattern)
BOOST_SPIRIT_INSTANTIATE(decltype(pattern), Iterator, Context)

} // namespace pm::syntax::grammar
