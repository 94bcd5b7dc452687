#pragma once
#include "compiler/syntax/grammar/tokens.hpp"

/// The rules that several parts of the grammar use. If a rule does not match where it must, the message contains the
/// rule's name from this file. The attribute of a rule is the id of a node, or a struct of grammar_parts.hpp. Semantic
/// actions pass these structs to the Builder.
namespace pm::syntax::grammar {

struct expression_class {};
struct arguments_class {};
struct indices_class {};
struct member_class {};
struct text_class {};
struct function_class {};
struct block_class {};
struct pattern_class {};
struct type_class {};

constexpr x3::rule<expression_class, ExprId> expression{"an expression"};
constexpr x3::rule<arguments_class, Arguments> arguments{"`(`"};
constexpr x3::rule<indices_class, Indices> indices{"`[`"};
constexpr x3::rule<member_class, Member> member{"the name of a field or an index"};
constexpr x3::rule<text_class, TextParts> text{"a text"};
/// The parameters, result type and body of a function, without `fn` and the name.
constexpr x3::rule<function_class, FunctionParts> function{"`(`"};
constexpr x3::rule<block_class, BlockId> block{"`{`"};
constexpr x3::rule<pattern_class, PatternId> pattern{"a name or a pattern"};
constexpr x3::rule<type_class, TypeId> type{"a type"};

BOOST_SPIRIT_DECLARE(decltype(expression), decltype(arguments), decltype(indices), decltype(member), decltype(text),
                     decltype(function), decltype(block), decltype(pattern), decltype(type))

} // namespace pm::syntax::grammar
