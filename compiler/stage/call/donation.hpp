#pragma once
#include "compiler/stage/core/stager.hpp"

#include <set>

namespace pm::stage {

/// The donated arguments of a call.
struct Donation {
    std::vector<bool> leaves;          ///< per leaf of the call: whether it is donated
    std::set<const void*> owned;       ///< memory of arrays that only the call holds
    std::vector<ir::Donated> operands; ///< per operand of the run, as updated by ir::Executor
    /// The donation of a leaf that is passed as operand `array`.
    ir::Donated of(std::size_t leaf, const runtime::Array& array) const;
};

/// Whether `function` is a pmapped function with `donate_argnums`.
bool takes_donations(const Value& function);
/// Raises the error that the name has no value, because a call has used it up.
[[noreturn]] void refuse_donated(const std::string& name, const Cell& cell, Span span);
/// The value of a name; raises if a call has used it up.
const Value& value_of(const std::string& name, const Cell& cell, Span span);
/// Assigns a value to a name.
void give(Cell& cell, Value value);

} // namespace pm::stage
