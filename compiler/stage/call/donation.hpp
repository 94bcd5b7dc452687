#pragma once
#include "compiler/stage/core/stager.hpp"

#include <set>

namespace pm::stage {

/// The donated arguments of a call.
struct Donation {
    std::vector<bool> leaves;    ///< per leaf of the call: true if the leaf is donated
    std::set<const void*> owned; ///< addresses of the memory of the arrays to which only the call refers
    /// Per operand of the block: whether it is donated. ir::Executor marks the operands that it has overwritten.
    std::vector<ir::Donated> operands;
    /// The donation state of leaf number `leaf`, which is passed as the operand `array`.
    ir::Donated of(std::size_t leaf, const runtime::Array& array) const;
};

/// Whether `function` is a pmapped function with `donate_argnums`.
bool takes_donations(const Value& function);
/// Raises the error that the name has no value, because the value was donated to a call.
[[noreturn]] void refuse_donated(const std::string& name, const Cell& cell, Span span);
/// The value of a name. Raises if the value was donated to a call.
const Value& value_of(const std::string& name, const Cell& cell, Span span);
/// Assigns a value to the cell of a name. The cell is then no longer marked as donated.
void give(Cell& cell, Value value);

} // namespace pm::stage
