#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The number of the literal at `span`.
Value literal(const syntax::IntLiteral& n, Span span, const SourceMap& sources);
Value literal(const syntax::FloatLiteral& n);
/// The value of a literal for the least number of a dtype, such as `-128i8`. Without the minus, the number would not
/// fit the dtype. nullopt for other expressions.
std::optional<Number> least_number(const syntax::Module& tree, const syntax::Unary& n);

} // namespace pm::stage
