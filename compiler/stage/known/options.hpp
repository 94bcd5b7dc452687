#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The leaves of a call: those of the function, then those of each positional argument, then those of the named
/// arguments.
struct CallLeaves {
    std::vector<Value> all;
    std::vector<std::pair<std::size_t, std::size_t>> arguments; ///< begin and end of each positional argument's leaves
    std::size_t named_begin = 0;
};
CallLeaves call_leaves(const Call& call);
/// Whether all leaves are known numbers. A derivative with respect to a known number does not exist.
bool all_known(const CallLeaves& given);

/// The indices of arguments that an option lists, sorted and without duplicates. `count` is the number of positional
/// arguments.
std::vector<std::size_t> argument_numbers(Stager& s, const Transformed& t, const std::string& name, std::size_t count,
                                          Span span);

/// The option of that name. Null if it was not given.
const Value* option(const Transformed& t, const std::string& name);
/// The position of the option's value; `otherwise` if it was not given.
Span option_place(const Transformed& t, const std::string& name, Span otherwise);

} // namespace pm::stage
