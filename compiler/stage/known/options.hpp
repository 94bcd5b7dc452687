#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// Where the leaves of a call lie: those of the function come first, then each positional argument's, then the named
/// ones'.
struct CallLeaves {
    std::vector<Value> all;
    std::vector<std::pair<std::size_t, std::size_t>> arguments; ///< begin and end of each positional argument's leaves
    std::size_t named_begin = 0;
};
CallLeaves call_leaves(const Value& function, const std::vector<Value>& arguments,
                       const std::vector<std::pair<std::string, Value>>& named);
/// All are known numbers, of which no derivative can be taken.
bool all_known(const CallLeaves& given);

/// The numbers of positional arguments of a call, of `count`, that an option names; each once, in order.
std::vector<std::size_t> argument_numbers(Stager& s, const Transformed& t, const std::string& name, std::size_t count,
                                          Span span);

/// The option of that name, or nothing.
const Value* option(const Transformed& t, const std::string& name);
/// Where the value of that option stands; `otherwise` where it was not given.
Span option_place(const Transformed& t, const std::string& name, Span otherwise);

} // namespace pm::stage
