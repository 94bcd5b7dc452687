#pragma once
#include "compiler/stage/values/value.hpp"

namespace pm::stage {

/// How a block ended. A staged early exit is a code that is compared at run time.
struct Flow {
    enum Code : std::int64_t { normal = 0, broke = 1, continued = 2, returned = 3 };
    Value code = Value::integer(normal); ///< a known number, or a staged i32
    Value value;                         ///< of the block, or of the `return`
    // With a staged code: some exit returns `none`; `value` then has zeros for it.
    bool none_at_end = false;
    bool none_returned = false;

    bool ends_in_none() const { return known() ? is(normal) && value.is_none() : none_at_end; }
    bool returns_none() const { return known() ? is(returned) && value.is_none() : none_returned; }
    bool known() const { return code.number() != nullptr; }
    bool is(Code c) const { return known() && code.number()->i == c; }
};

} // namespace pm::stage
