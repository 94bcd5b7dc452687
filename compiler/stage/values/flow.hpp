#pragma once
#include "compiler/stage/values/value.hpp"

namespace pm::stage {

/// How a block ended. If an early exit depends on a staged condition, `code` is a staged integer, which is compared at
/// run time.
struct Flow {
    enum Code : std::int64_t { normal = 0, broke = 1, continued = 2, returned = 3 };
    Value code = Value::integer(normal); ///< a known number, or a staged i32
    Value value;                         ///< the value of the block, or the value that `return` returns
    // These two are true only if `code` is staged. `none_at_end`: true if the block may end normally with the value
    // `none`. `none_returned`: true if the block may return `none`. If one of the two is true, `value` has zeros in
    // place of `none`.
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
