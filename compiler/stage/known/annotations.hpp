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

/// The value of a size in an annotation. Empty if a name in it has no value, if it divides by zero, or
/// if it does not fit 64 bits.
std::optional<std::int64_t> size_value(const syntax::Module& tree, syntax::ExprId size, const SizeOf& size_of);

/// Sizes that annotations have bound, and sizes whose names had no value yet.
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
/// Checks the open sizes. A size whose names still have no value is an error.
void settle_sizes(const Stager& s, Sizes& sizes);
/// `let x: f32[n, m] = ...`: checks sizes of the function and binds new ones.
void check_let(Stager& s, syntax::TypeId type, const Value& value, Span span);

} // namespace pm::stage
