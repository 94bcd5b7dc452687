#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/ast.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pm::syntax {

/// Sources above this size are refused (PM0004).
constexpr std::size_t max_source_bytes = 16U << 20U;
/// Brackets and anonymous functions may be nested this deep (PM0003), which bounds the parser's use of the
/// stack: 3 MB in a build for debugging with sanitizers.
constexpr int max_nesting = 256;
/// No path in the tree is longer (PM0003), chains like `x.f().g()...` included: whoever walks the tree may recurse. Of
/// `a + b + c + ...` only the operands count, see left_chain.hpp.
constexpr std::uint32_t max_tree_height = 500;

/// After this many mistakes the rest is not looked at.
constexpr std::size_t max_errors = 25;

struct ParseResult {
    /// The tree; with errors, only the statements that were understood. Never null.
    std::shared_ptr<const Module> module;
    /// In the order of the text; empty means the whole text was parsed.
    std::vector<Diagnostic> errors;
    /// The text ended inside something open - a bracket, a string, after an operator - and is right so far: a
    /// REPL asks for more. Then `errors` says what is missing.
    bool incomplete = false;
    /// Statements whose value is lost (PM0110): the text has a tree, and can be formatted, but is not to be run.
    std::vector<Diagnostic> lost;
    bool ok() const { return errors.empty(); }
    /// What keeps the text from being run.
    const std::vector<Diagnostic>& problems() const { return ok() ? lost : errors; }
};

/// Parses one source. Never throws for what stands in it.
ParseResult parse(const SourceMap& sources, std::uint32_t source);

} // namespace pm::syntax
