#pragma once
#include "compiler/base/source.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pm::stage {

/// The axis of a `pmap` or `vmap` around the code being staged.
struct NamedAxis {
    std::int64_t id;
    std::string name; ///< empty: unnamed
    std::int64_t size;
    Span span;
    std::string kind; ///< "pmap" or "vmap"
};

/// The derivatives around the code being staged.
struct Derivatives {
    int count = 0;            ///< the number of derivatives: custom rules are nested to this depth
    bool of_tangents = false; ///< a custom rule is being staged: its arguments may be tangents
};

/// Functions with custom rules.
struct CustomRules {
    bool any = false;          ///< the program has one: keys of the cache include Derivatives
    bool linear_calls = false; ///< the program has a linear function with a custom transpose
    bool in_transpose = false; ///< the transpose of a linear function is being staged: calls of linear functions in it
                               ///< have no transpose of their own
};

/// How loops are staged under a derivative, if numbers that could be known determine their trip count.
enum class Bounds : char {
    computed = 'c', ///< staged; a derivative that costs less with known trip counts stages its function again
    known = 'k',    ///< with known trip counts
    recorded = 'r', ///< staged, and derivatives record the iterations; a need for a known trip count is refused
};

/// The transformations around the code being staged.
struct Around {
    std::vector<NamedAxis> axes; ///< outermost first
    std::int64_t next_axis = 0;  ///< the id of the next axis
    Derivatives derivatives;
    CustomRules custom_rules;
    Bounds bounds = Bounds::computed;
};

} // namespace pm::stage
