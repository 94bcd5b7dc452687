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
    int count = 0;            ///< their number: custom rules are nested to this depth
    bool of_tangents = false; ///< a custom rule is being staged: its arguments may be tangents
};

/// Functions with custom rules.
struct CustomRules {
    bool any = false;          ///< the program has one: Derivatives are in keys
    bool linear_calls = false; ///< the program has a linear function with a custom transpose
    bool in_transpose = false; ///< the transpose of a linear function is being staged. Such a function is not
                               ///< transposed again before it is differentiated.
};

/// How to stage loops whose trip count is computed from numbers that could be known, under a derivative.
enum class Bounds : char {
    computed = 'c', ///< staged; a derivative that would do better with known trip counts stages its function again
    known = 'k',    ///< with known trip counts
    recorded = 'r', ///< staged, and derivatives record the iterations; demands to be known are refused
};

/// The transformations around the code being staged.
struct Around {
    std::vector<NamedAxis> axes; ///< outermost first
    std::int64_t next_axis = 0;  ///< the id of the next one
    Derivatives derivatives;
    CustomRules custom_rules;
    Bounds bounds = Bounds::computed;
};

} // namespace pm::stage
