#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The leaves of a call: the leaves of the function, then of each positional argument, then of the named arguments.
struct CallLeaves {
    std::vector<Value> all;
    std::vector<std::pair<std::size_t, std::size_t>>
        arguments; ///< for each positional argument: the range of its leaves in `all`, from `first` to `second` - 1
    std::size_t named_begin = 0;
};
CallLeaves call_leaves(const Call& call);
/// Whether all leaves are known numbers. There is no derivative with respect to a known number.
bool all_known(const CallLeaves& given);

/// The indices of arguments that the option `name` lists, sorted and without duplicates. `count` is the number of
/// positional arguments of the call.
std::vector<std::size_t> argument_numbers(Stager& s, const Transformed& t, const std::string& name, std::size_t count,
                                          Span span);

/// The value of the option `name`. Null if the program has not passed this option.
const Value* option(const Transformed& t, const std::string& name);
/// The position of the value of the option `name`. If the program has not passed this option, `otherwise`.
Span option_place(const Transformed& t, const std::string& name, Span otherwise);

} // namespace pm::stage
