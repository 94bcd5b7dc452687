#pragma once
#include "compiler/stage/values/value.hpp"

namespace pm::stage {

/// How a block ended. An early exit under a staged condition is an integer code, which is compared at run time.
struct Flow {
    enum Code : std::int64_t { normal = 0, broke = 1, continued = 2, returned = 3 };
    Value code = Value::integer(normal); ///< a known number, or a staged i32
    Value value;                         ///< the value of the block, or the value that `return` returns
    // Only with a staged code: the block may end normally (`none_at_end`), or return (`none_returned`), with the value
    // `none`. `value` has zeros for this case.
    bool none_at_end = false;
    bool none_returned = false;

    bool ends_in_none() const { return known() ? is(normal) && value.is_none() : none_at_end; }
    bool returns_none() const { return known() ? is(returned) && value.is_none() : none_returned; }
    bool known() const { return code.number() != nullptr; }
    bool is(Code c) const { return known() && code.number()->i == c; }
    /// Whether the block is known to have ended by break, continue or return.
    bool is_early() const { return known() && code.number()->i != normal; }
};

} // namespace pm::stage
