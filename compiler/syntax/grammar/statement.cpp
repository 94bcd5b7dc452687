#include "compiler/syntax/grammar/actions.hpp"
#include "compiler/syntax/grammar/grammar.hpp"

/// Statements, blocks, the whole file. After a mistake the parse continues with the next statement.
namespace pm::syntax::grammar {
namespace {

using Kind = TokenKind;

struct let_class {};
struct declaration_class {};
struct for_class {};
struct while_class {};
struct import_class {};
struct test_class {};
struct plain_class {};
struct body_class {};
struct end_class {};
struct statement_class {};
struct statements_class {};

struct WhileParts {
    ExprId condition;
    BlockId body;
};
struct TestParts {
    TextParts title;
    BlockId body;
};
/// An expression, or `left op= right`.
struct PlainParts {
    ExprId left;
    bool assigns = false;
    AssignOperator op;
    ExprId right;
};
struct BlockParts {
    StmtList statements;
    Span span;
};

constexpr x3::rule<let_class, LetParts> let{"`let`"};
constexpr x3::rule<declaration_class, FunctionParts> declaration{"`fn`"};
constexpr x3::rule<for_class, ForParts> for_loop{"`for`"};
constexpr x3::rule<while_class, WhileParts> while_loop{"`while`"};
constexpr x3::rule<import_class, ImportParts> import_line{"`import`"};
constexpr x3::rule<test_class, TestParts> test{"`test`"};
constexpr x3::rule<plain_class, PlainParts> plain{"a statement"};
constexpr x3::rule<body_class, StmtId> body{"a statement"};
constexpr x3::rule<end_class> statement_end{"the end of the statement"};
constexpr x3::rule<statement_class, StmtId> statement{"a statement"};
constexpr x3::rule<statements_class, StmtList> statements{"a statement"};

constexpr ClassTerminal let_or_mut{[](Kind k) { return k == Kind::kw_let || k == Kind::kw_mut; }, "`let`"};
constexpr ClassTerminal jump{[](Kind k) { return k == Kind::kw_break || k == Kind::kw_continue; }, "`break`"};
constexpr auto set_mut = [](auto& c) { x3::_val(c).mut = x3::_attr(c)->kind == Kind::kw_mut; };
const auto let_def = let_or_mut[set_mut] > pattern[to<&LetParts::pattern>] >
                     -(token(Kind::colon) > type[to<&LetParts::type>]) >
                     token(Kind::assign) > expression[to<&LetParts::value>];

constexpr auto take_function = [](auto& c) {
    const FunctionParts head = x3::_val(c);
    x3::_val(c) = std::move(x3::_attr(c));
    x3::_val(c).keyword = head.keyword;
    x3::_val(c).name = head.name;
};
const auto declaration_def = spanned(token(Kind::kw_fn)[to<&FunctionParts::keyword>] >> &any_word >
                                     any_name[to<&FunctionParts::name>] > function[take_function]);

const auto for_loop_def = token(Kind::kw_for) > pattern[to<&ForParts::pattern>] >
                          token(Kind::kw_in) > expression[to<&ForParts::source>] > block[to<&ForParts::body>];

const auto while_loop_def =
    token(Kind::kw_while) > expression[to<&WhileParts::condition>] > block[to<&WhileParts::body>];

struct source_class {};
constexpr x3::rule<source_class, ImportParts> source{"the name of a module or the path of a file"};
const auto source_def = any_name[to<&ImportParts::module>] | text[to<&ImportParts::file>];
const auto import_line_def = token(Kind::kw_import) > source[same] >
                             -(token(Kind::cw_as) > any_name[to<&ImportParts::name>]);

const auto test_def = token(Kind::cw_test) >>
                      &token(Kind::text_begin) > text[to<&TestParts::title>] > block[to<&TestParts::body>];

constexpr auto set_operator = [](auto& c) {
    x3::_val(c).assigns = true;
    x3::_val(c).op = x3::_attr(c);
};
const auto plain_def = expression[to<&PlainParts::left>] >>
                       -(any_assignment[set_operator] > expression[to<&PlainParts::right>]);

// -- All of them

constexpr auto make_while = [](auto& c) {
    x3::_val(c) = build(c).while_loop(x3::_attr(c).condition, x3::_attr(c).body);
};
constexpr auto make_test = [](auto& c) { x3::_val(c) = build(c).test(x3::_attr(c).title, x3::_attr(c).body); };
constexpr auto make_return = [](auto& c) { x3::_val(c) = build(c).give_back({}); };
constexpr auto make_return_of = [](auto& c) { x3::_val(c) = build(c).give_back(x3::_attr(c)); };
constexpr auto make_plain = [](auto& c) {
    const PlainParts& parts = x3::_attr(c);
    x3::_val(c) =
        parts.assigns ? build(c).assignment(parts.left, parts.op, parts.right) : build(c).expression(parts.left);
};
const auto body_def =
    spanned(let[made<&Builder::let>] | declaration[made<&Builder::declaration>] | for_loop[made<&Builder::for_loop>] |
            while_loop[make_while] | (token(Kind::kw_return)[make_return] >> -expression[make_return_of]) |
            jump[made<&Builder::jump>] | import_line[made<&Builder::import>] | test[make_test] | plain[make_plain]);

const auto separator = token(Kind::newline) | token(Kind::semicolon);
// A `missing` token also ends a block. It is not consumed here, but by the rule that closes the bracket.
const auto block_ends = token(Kind::block_close) | token(Kind::end) | token(Kind::missing);
const auto statement_end_def = x3::omit[separator] | x3::omit[&block_ends];
const auto statement_def = recovering(x3::eps > body[same] > statement_end);

constexpr auto add_statement = [](auto& c) {
    if (x3::_attr(c)) x3::_val(c).list.push_back(x3::_attr(c)); // empty if the statement could not be parsed
};
const auto statements_def = *(x3::omit[separator] | (!block_ends >> statement[add_statement]));

struct braces_class {};
constexpr x3::rule<braces_class, BlockParts> braces{"`{`"};
const auto braces_def =
    spanned(token(Kind::block_open) > statements[to<&BlockParts::statements>] > token(Kind::block_close));
constexpr auto make_block = [](auto& c) { x3::_val(c) = build(c).block(x3::_attr(c).statements, x3::_attr(c).span); };
const auto block_def = deeper(braces[make_block]);

BOOST_SPIRIT_DEFINE(let, declaration, for_loop, while_loop, source, import_line, test, plain, body, statement_end,
                    statement, statements, braces)

} // namespace

BOOST_SPIRIT_DEFINE(block)
BOOST_SPIRIT_INSTANTIATE(decltype(block), Iterator, Context)

void parse_file(const Tokens& tokens, Builder& builder) {
    Iterator first = tokens.list.data();
    const Iterator last = first + tokens.list.size();
    const auto context = x3::make_context<builder_tag>(builder);
    StmtList list;
    statements.parse(first, last, context, x3::unused, list);
    builder.finish(list);
}

} // namespace pm::syntax::grammar
