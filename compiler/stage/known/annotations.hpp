#pragma once
#include "compiler/syntax/ast.hpp"

#include <functional>
#include <optional>
#include <string>

namespace pm::stage {

using SizeOf = std::function<std::optional<std::int64_t>(const std::string& name)>;

/// The value of a size in an annotation. Empty if a name in it has no value, if it divides by zero, or
/// if it does not fit 64 bits.
std::optional<std::int64_t> size_value(const syntax::Module& tree, syntax::ExprId size, const SizeOf& size_of);

} // namespace pm::stage
