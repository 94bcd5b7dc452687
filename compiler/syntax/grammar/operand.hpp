#pragma once
#include "compiler/syntax/grammar/common_rules.hpp"

/// The innermost expressions, which expression.cpp combines.
namespace pm::syntax::grammar {

struct primary_class {};
constexpr x3::rule<primary_class, ExprId> primary{"an expression"};
BOOST_SPIRIT_DECLARE(decltype(primary))

} // namespace pm::syntax::grammar
