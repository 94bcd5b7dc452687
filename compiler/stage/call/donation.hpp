#pragma once
#include "compiler/stage/core/stager.hpp"

#include <set>

namespace pm::stage {

/// What a call may use up.
struct Stager::Donation {
    std::vector<bool> leaves;          ///< per leaf of the call: it is donated
    std::set<const void*> owned;       ///< memory of arrays that nothing holds but the call
    std::vector<ir::Donated> operands; ///< of the run, as ir::Executor has left it
    /// As an operand that is handed over as `array`.
    ir::Donated of(std::size_t leaf, const runtime::Array& array) const;
};

/// A pmapped function with `donate_argnums`.
bool takes_donations(const Value& function);
/// A name whose value a call has used up has none.
[[noreturn]] void refuse_donated(const std::string& name, const Cell& cell, Span span);
/// What a name stands for; refuses one that has no value any more.
const Value& value_of(const std::string& name, const Cell& cell, Span span);
/// A name gets a value.
void give(Cell& cell, Value value);

} // namespace pm::stage
