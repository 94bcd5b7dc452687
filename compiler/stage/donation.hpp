#pragma once
#include "compiler/stage/stager.hpp"

#include <set>

namespace pm::stage {

/// What a call may use up.
struct Stager::Donation {
    std::vector<bool> leaves;    ///< per leaf of the call: it is donated
    std::set<const void*> owned; ///< elements of arrays that nothing holds but the call
    bool overwritten = false;    ///< some of them have been
    /// A run takes the array that this leaf is handed over as.
    ir::Donated take(std::size_t leaf, const runtime::Array& array);
};

/// A pmapped function with `donate_argnums`.
bool takes_donations(const Value& function);
/// A name whose value a call has used up has none.
[[noreturn]] void refuse_donated(const std::string& name, const Cell& cell, Span span);
/// A name gets a value.
void give(Cell& cell, Value value);

} // namespace pm::stage
