#pragma once
#include "compiler/ops/core/build.hpp"
#include "runtime/array.hpp"

#include <optional>

namespace pm::optimize {

/// The elements of a value that a `constant` instruction defines.
struct Constant {
    ir::Type type;
    ir::Literal literal;

    /// One element stands for all.
    bool splat() const { return literal.bytes.size() == runtime::size_of(type.dtype); }
    /// A splat of `value`, converted; -0.0 and 0.0 are told apart.
    bool is(double value) const;
    runtime::Array array() const;
};

std::optional<Constant> constant_of(const ops::Build& b, ir::Value v);
/// One element if all are the same.
ir::Literal literal_of(const runtime::Array& array);

/// What the results of a flat instruction are when that can be said at once: constants computed with the operations'
/// eval rules, the chosen side of a select, or nothing, of a check that holds. Never a constant of more than
/// `most_folded` elements, unless one element fills it. Only operations of which every implementation gives the same
/// bits are computed, so that the pass can be left out.
std::optional<ir::Values> fold_flat(ops::Build& b, const ir::Inst& inst, const std::vector<ir::Type>& types);
inline constexpr std::int64_t most_folded = 256;

/// The block that a control instruction comes down to, with its arguments: the taken side of an `if`. Nothing when it
/// is none.
struct Dissolved {
    ir::BlockPtr block; ///< null: the results are the arguments
    ir::Values arguments;
};
std::optional<Dissolved> fold_control(ops::Build& b, const ir::Inst& inst, const std::vector<ir::Type>& types);

} // namespace pm::optimize
