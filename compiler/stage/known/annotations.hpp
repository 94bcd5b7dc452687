#pragma once
#include "compiler/stage/values/value.hpp"
#include "compiler/syntax/ast.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pm::stage {

class Stager;

using SizeOf = std::function<std::optional<std::int64_t>(const std::string& name)>;

/// The value of a size in an annotation. Empty if a name in the size has no value, if the size divides by zero, or if
/// the value does not fit 64 bits.
std::optional<std::int64_t> size_value(const syntax::Module& tree, syntax::ExprId size, const SizeOf& size_of);

/// `bound`: the values of the named sizes that annotations have defined. `open`: sizes that could not be checked yet,
/// because a name in the size has no value.
struct Sizes {
    std::map<std::string, std::int64_t> bound;
    struct Open {
        syntax::TypeId type;
        syntax::ExprId size;
        std::int64_t is;
        Value value;
        Span span;
    };
    std::vector<Open> open;
};
void check_annotation(const Stager& s, syntax::TypeId type, const Value& value, Span span, Sizes& sizes);
/// Checks the open sizes. Raises if a name in a size still has no value.
void settle_sizes(const Stager& s, Sizes& sizes);
/// Checks the annotation of a `let`, such as `let x: f32[n, m] = ...`. Sizes that annotations of the function have
/// already defined must agree. New names of sizes are defined.
void check_let(Stager& s, syntax::TypeId type, const Value& value, Span span);

} // namespace pm::stage
