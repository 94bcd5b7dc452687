#include "compiler/syntax/grammar/actions.hpp"

/// Types in annotations.
namespace pm::syntax::grammar {
namespace {

using Kind = TokenKind;

struct size_class {};
struct named_class {};
struct round_type_class {};
struct record_type_class {};
struct entry_class {};

constexpr x3::rule<size_class, SizeExpr> size{"a size"};
constexpr x3::rule<named_class, TypeParts> named{"a type"};
constexpr x3::rule<round_type_class, TypeParts> round_type{"a type"};
constexpr x3::rule<record_type_class, TypeParts> record_type{"a type"};
constexpr x3::rule<entry_class, RecordType::Entry> entry{"the name of a field"};

constexpr auto is_ellipsis = [](auto& c) { x3::_val(c).kind = SizeExpr::Kind::ellipsis; };
constexpr auto is_wildcard = [](auto& c) { x3::_val(c).kind = SizeExpr::Kind::wildcard; };
const auto wildcard = token(Kind::cw_underscore) >> &(token(Kind::comma) | token(Kind::square_close));
const auto size_def =
    spanned(token(Kind::ellipsis)[is_ellipsis] | x3::omit[wildcard][is_wildcard] | expression[to<&SizeExpr::value>]);

const auto named_def = spanned(any_name[to<&TypeParts::name>] >>
                               -(token(Kind::square_open)[flag<&TypeParts::sized>] > size[onto<&TypeParts::sizes>] >
                                 *(token(Kind::comma) >> size[onto<&TypeParts::sizes>]) >
                                 x3::omit[-token(Kind::comma)] > token(Kind::square_close)));

const auto elements = type[onto<&TypeParts::elements>] >>
                      *(token(Kind::comma)[flag<&TypeParts::comma>] >> type[onto<&TypeParts::elements>]) >>
                      -token(Kind::comma)[flag<&TypeParts::comma>];
const auto round_type_def = spanned(token(Kind::round_open) >> -elements > token(Kind::round_close));

constexpr auto name_field = [](auto& c) { x3::_val(c).field = build(c).name(x3::_attr(c)); };
const auto entry_def = any_word[name_field] > token(Kind::colon) > type[to<&RecordType::Entry::type>];
const auto record_type_def =
    spanned(token(Kind::record_open) >> -listed(entry[onto<&TypeParts::fields>]) > token(Kind::record_close));

const auto type_def = deeper(named[made<&Builder::named_type>] | token(Kind::kw_fn)[made<&Builder::function_type>] |
                             round_type[made<&Builder::round_type>] | record_type[made<&Builder::record_type>]);

BOOST_SPIRIT_DEFINE(size, named, round_type, record_type, entry)

} // namespace

BOOST_SPIRIT_DEFINE(type)
BOOST_SPIRIT_INSTANTIATE(decltype(type), Iterator, Context)

} // namespace pm::syntax::grammar
