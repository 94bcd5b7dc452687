#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// `object[items]`: of an array, a tuple, a record or a text.
Value index(Stager& s, const Value& object, const std::vector<syntax::IndexItem>& items, Span span);
/// `object.name`: of a record, a module or an array.
Value field(Stager& s, const Value& object, const syntax::Name& name);

/// The elements of a tuple, or of an array along axis 0.
std::vector<Value> spread(Stager& s, const Value& v, Span span);
/// Element i of axis 0; 0 <= i < its size.
Value element(Stager& s, const Value& v, std::int64_t i, Span span);
/// Element i of axis 0 for an index that may be staged; the index is bounds-checked.
Value element_at(Stager& s, const Value& v, const Value& i, Span span);

} // namespace pm::stage
