#include "compiler/syntax/grammar/actions.hpp"
#include "compiler/syntax/grammar/operand.hpp"

/// Expressions that are built from operands: prefix and binary operators, calls, indices, fields, `with`.
namespace pm::syntax::grammar {
namespace {

using Kind = TokenKind;

struct operand_class {};
struct chain_class {};
struct argument_class {};
struct index_class {};
struct selector_class {};
struct update_class {};

constexpr x3::rule<operand_class, ExprId> operand{"an expression"};
constexpr x3::rule<chain_class, Chain> chain{"an expression"};
constexpr x3::rule<argument_class, Argument> argument{"an argument"};
constexpr x3::rule<index_class, IndexItem> index{"an index"};
constexpr x3::rule<selector_class, Selector> selector{"`[` or `.`"};
constexpr x3::rule<update_class, Update> update{"an update"};

// -- Operators: the rule returns a flat list, to which the Builder applies precedence

constexpr auto add_operand = [](auto& c) {
    x3::_val(c).entries.push_back({ChainEntry::Kind::operand, x3::_attr(c), {}, {}});
};
constexpr auto add_prefix = [](auto& c) {
    ChainEntry entry{ChainEntry::Kind::prefix, {}, *prefix_operator(x3::_attr(c)->kind), {}};
    entry.binary.span = build(c).span(x3::_attr(c));
    x3::_val(c).entries.push_back(entry);
};
constexpr auto add_binary = [](auto& c) {
    x3::_val(c).entries.push_back({ChainEntry::Kind::binary, {}, {}, x3::_attr(c)});
};

const auto prefix = token(Kind::minus)[add_prefix] | token(Kind::tilde)[add_prefix] | token(Kind::kw_not)[add_prefix];
// After an operator, a missing operand is a mistake. At the beginning of an expression, the rule without an operand
// does not match, which is no mistake.
const auto chain_def = (operand[add_operand] | (+prefix > operand[add_operand])) >>
                       *(any_binary[add_binary] > *prefix > operand[add_operand]);

// -- Calls, fields, indices

const auto operand_def = primary[same] >> *(arguments[grown<&Builder::call>] | indices[grown<&Builder::index>] |
                                            (token(Kind::dot) > member[grown<&Builder::member>]));

constexpr auto name_argument = [](auto& c) { x3::_val(c).name = build(c).name(x3::_attr(c)); };
const auto named_argument = any_word[name_argument] >> token(Kind::assign) > expression[to<&Argument::value>];
const auto spread_argument = token(Kind::star)[flag<&Argument::spread>] > expression[to<&Argument::value>];
const auto argument_def =
    (&(any_word >> token(Kind::assign)) >> named_argument) | spread_argument | expression[to<&Argument::value>];

const auto arguments_def =
    spanned(token(Kind::round_open) >> -listed(argument[onto<&Arguments::list>]) > token(Kind::round_close));

constexpr auto index_is(IndexItem::Kind kind) {
    return [kind](auto& c) { x3::_val(c).kind = kind; };
}
const auto slice_end = -expression[to<&IndexItem::last>] >> -(token(Kind::colon) >> -expression[to<&IndexItem::step>]);
const auto slice = token(Kind::colon)[index_is(IndexItem::Kind::slice)] >> slice_end;
const auto window = token(Kind::colon) >>
                    token(Kind::plus)[index_is(IndexItem::Kind::window)] > expression[to<&IndexItem::last>];
const auto index_def = spanned(token(Kind::ellipsis)[index_is(IndexItem::Kind::ellipsis)] | slice |
                               (expression[to<&IndexItem::first>] >> -(window | slice)));

const auto indices_def = spanned(token(Kind::square_open) > index[onto<&Indices::list>] >
                                 *(token(Kind::comma) >> index[onto<&Indices::list>]) > x3::omit[-token(Kind::comma)] >
                                 token(Kind::square_close));

constexpr auto called = [](auto& c) {
    x3::_val(c).called = true;
    x3::_val(c).arguments = std::move(x3::_attr(c));
};
const auto member_def = (any_word[to<&Member::token>] >> -arguments[called]) | token(Kind::integer)[to<&Member::token>];

// -- with

constexpr auto select_member = [](auto& c) {
    Member step;
    step.token = x3::_attr(c);
    x3::_val(c) = build(c).selector(step);
};
constexpr auto select_index = [](auto& c) { x3::_val(c) = build(c).selector(std::move(x3::_attr(c))); };
/// The word or digits after a point.
constexpr ClassTerminal step{[](Kind k) { return is_any_word(k) || k == Kind::integer; },
                             "the name of a field or an index"};
const auto selector_def = (token(Kind::dot) > step[select_member]) | indices[select_index];

constexpr auto set_operator = [](auto& c) {
    x3::_val(c).op = x3::_attr(c).op;
    x3::_val(c).op_span = x3::_attr(c).span;
};
constexpr auto set_value = [](auto& c) { x3::_val(c).value = build(c).chain(x3::_attr(c)); };
const auto update_def = token(Kind::kw_with) > selector[onto<&Update::path>] > *selector[onto<&Update::path>] >
                        any_assignment[set_operator] > chain[set_value];

const auto expression_def = deeper(chain[made<&Builder::chain>] >> *update[grown<&Builder::update>]);

BOOST_SPIRIT_DEFINE(operand, chain, argument, index, selector, update)

} // namespace

BOOST_SPIRIT_DEFINE(expression, arguments, indices, member)
BOOST_SPIRIT_INSTANTIATE(decltype(expression), Iterator, Context)

} // namespace pm::syntax::grammar
