#pragma once
#include "compiler/stage/core/stager.hpp"

#include <algorithm>

namespace pm::stage {

inline bool is_native(const Value& callee, Native::Trait trait) {
    return callee.function() && callee.function()->native() && callee.function()->native()->has(trait);
}

inline bool is_function(const Value& v) { return v.function() != nullptr; }

/// Whether `asked` is true for an argument, or for an item of a tuple that is an argument.
template <class Asked>
bool among(const CallArguments& given, Asked asked) {
    const auto is = [&](const Value& v) {
        return asked(v) || (v.tuple() && std::any_of(v.tuple()->items.begin(), v.tuple()->items.end(), asked));
    };
    return std::any_of(given.positional.begin(), given.positional.end(), is) ||
           std::any_of(given.named.begin(), given.named.end(), [&](const auto& n) { return is(n.second); });
}

} // namespace pm::stage
