#pragma once
#include "compiler/base/source.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pm::stage {

/// The mapped axis of a `pmap` or `vmap` around the code being staged.
struct NamedAxis {
    std::int64_t id;
    std::string name; ///< empty if the axis has no name
    std::int64_t size;
    Span span;
    std::string kind; ///< "pmap" or "vmap"
};

/// The derivatives (`grad`, `jvp` ...) that contain the code being staged.
struct Derivatives {
    int count = 0; ///< the number of nested derivatives; custom functions in the code are staged with rules to this
                   ///< nesting depth
    bool of_tangents = false; ///< true while a custom rule is staged: the rule's arguments may be tangents
};

/// The kinds of custom rules in a program, and whether a custom transpose is being staged.
struct CustomRules {
    bool any = false; ///< true if the program has a function with custom rules; cache keys then include Derivatives
    bool linear_calls = false; ///< true if the program has a linear function with a custom transpose
    bool in_transpose = false; ///< true while the transpose of a linear function is staged; linear functions called in
                               ///< the transpose are staged without custom transposes
};

/// How a derivative stages a loop if the trip count depends on numbers that could become known.
enum class Bounds : char {
    computed = 'c', ///< trip counts are staged; the derivative is staged again if known trip counts make it cheaper
    known = 'k',    ///< trip counts are known
    recorded =
        'r', ///< trip counts are staged, and derivatives record the iterations; an error if a trip count must be known
};

/// The transformations that contain the code being staged.
struct Around {
    std::vector<NamedAxis> axes; ///< outermost first
    std::int64_t next_axis = 0;  ///< the id that the next NamedAxis will have
    Derivatives derivatives;
    CustomRules custom_rules;
    Bounds bounds = Bounds::computed;
};

} // namespace pm::stage
