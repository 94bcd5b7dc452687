#pragma once
#include "compiler/base/source.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pm::stage {

/// The mapped axis of a `pmap` or `vmap` that contains the code being staged.
struct NamedAxis {
    std::int64_t id;
    std::string name; ///< empty: unnamed
    std::int64_t size;
    Span span;
    std::string kind; ///< "pmap" or "vmap"
};

/// The derivatives (`grad`, `jvp` ...) that contain the code being staged.
struct Derivatives {
    int count = 0;            ///< the number of derivatives; the rules of a custom function are staged to this depth
    bool of_tangents = false; ///< a custom rule is being staged: its arguments may be tangents
};

/// The functions with custom rules that a program has.
struct CustomRules {
    bool any = false; ///< the program has a function with custom rules, so keys of the cache include Derivatives
    bool linear_calls = false; ///< the program has a linear function with a custom transpose
    bool in_transpose = false; ///< the transpose of a linear function is being staged; linear functions that it calls
                               ///< are staged without their transposes
};

/// How a derivative stages the loops whose trip count depends on numbers that could become known.
enum class Bounds : char {
    computed = 'c', ///< staged trip counts; staged again if known trip counts make the derivative cheaper
    known = 'k',    ///< known trip counts
    recorded = 'r', ///< staged trip counts; derivatives record the iterations; an error if a trip count must be known
};

/// The transformations that contain the code being staged.
struct Around {
    std::vector<NamedAxis> axes; ///< outermost first
    std::int64_t next_axis = 0;  ///< the id of the next axis
    Derivatives derivatives;
    CustomRules custom_rules;
    Bounds bounds = Bounds::computed;
};

} // namespace pm::stage
