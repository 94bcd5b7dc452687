#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/ast.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pm::syntax {

/// A source with more bytes is refused (PM0004).
constexpr std::size_t max_source_bytes = 16U << 20U;
/// The maximum nesting of brackets and anonymous functions (PM0003). This maximum limits the stack that the parser uses
/// to 3 MB, in a debug build with sanitizers.
constexpr int max_nesting = 256;
/// The maximum height of the tree (PM0003). Each call in `x.f().g()...` increases the height, so a walk over the tree
/// may use recursion. The operators in `a + b + c + ...` do not increase the height; see left_chain.hpp.
constexpr std::uint32_t max_tree_height = 500;

/// Parsing stops after this many mistakes.
constexpr std::size_t max_errors = 25;

struct ParseResult {
    /// The tree. If there are errors, the tree has only the statements that were parsed. Never null.
    std::shared_ptr<const Module> module;
    /// The errors in the order of the text. If `needs_version` is unmet, the error for it is the first. Empty if the
    /// whole text was parsed.
    std::vector<Diagnostic> errors;
    /// True if the text ends inside a bracket or a string, or after an operator, and has no other mistake. `errors`
    /// then reports the missing parts. Instead of reporting these errors, a REPL reads another line.
    bool incomplete = false;
    /// A diagnostic for each statement that has no effect and whose value is not used (PM0110). The text has a tree and
    /// can be formatted, but must not be run.
    std::vector<Diagnostic> lost;
    bool ok() const { return errors.empty(); }
    /// The reasons for which the text must not be run.
    const std::vector<Diagnostic>& problems() const { return ok() ? lost : errors; }
};

/// Parses one source. Errors in the source are not thrown.
ParseResult parse(const SourceMap& sources, std::uint32_t source);

} // namespace pm::syntax
