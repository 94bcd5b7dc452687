#pragma once
#include "compiler/syntax/grammar/tokens.hpp"

/// The rules that several parts of the grammar use. Messages name a missing rule by its name here. A rule for nodes has
/// a 4-byte id as its attribute, a rule for parts a struct of grammar_parts.hpp. Semantic actions pass them to the
/// Builder.
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
/// Parameters, result type and body; without `fn` and the name.
constexpr x3::rule<function_class, FunctionParts> function{"`(`"};
constexpr x3::rule<block_class, BlockId> block{"`{`"};
constexpr x3::rule<pattern_class, PatternId> pattern{"a name or a pattern"};
constexpr x3::rule<type_class, TypeId> type{"a type"};

BOOST_SPIRIT_DECLARE(decltype(expression), decltype(arguments), decltype(indices), decltype(member), decltype(text),
                     decltype(function), decltype(block), decltype(pattern), decltype(type))

} // namespace pm::syntax::grammar
