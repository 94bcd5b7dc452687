#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The value of `object[items]`. `object` is an array, a tuple, a record or a string.
Value index(Stager& s, const Value& object, const std::vector<syntax::IndexItem>& items, Span span);
/// The value of `object.name`. `object` is a record, a module or an array.
Value field(Stager& s, const Value& object, const syntax::Name& name);

/// The items of a tuple, or the elements of an array along axis 0.
std::vector<Value> spread(Stager& s, const Value& v, Span span);
/// The element of `v` at index `i` of axis 0. `i` must be at least 0, and less than the size of the axis.
Value element(Stager& s, const Value& v, std::int64_t i, Span span);
/// The element of `v` at index `i` of axis 0. The index may be staged. The program stops if `i` is out of range.
Value element_at(Stager& s, const Value& v, const Value& i, Span span);

} // namespace pm::stage
