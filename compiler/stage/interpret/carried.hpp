#pragma once
#include "compiler/stage/core/context.hpp"

#include <string>
#include <vector>

/// What a staged loop carries from iteration to iteration, and the types that it has in all iterations.
namespace pm::stage {

/// A local that a loop carries.
struct Carry {
    std::size_t local;
    Value initial;                   ///< in the parent, with the type the loop gives it
    Value param = {};                ///< in the region
    std::vector<bool> foreseen = {}; ///< per leaf: its type is that of another name, by `foresee`
};

/// What a carried value must be for an iteration to give it back unchanged in type: the initial value, changed where it
/// is weak. Sets `changed`.
Value settled(const std::string& name, const Value& initial, const Value& after, bool& changed, Context& parent,
              int loop, Span span);

/// An iteration gave some names of `carries` another type; `after` is what it left in each. Gives that type also to the
/// weak floats that are computed of them by way of weak floats alone, which the next iterations would do, one name in
/// each.
void foresee(std::vector<Carry>& carries, const std::vector<Value>& after, Context& region, Context& parent);
/// Whether an iteration on those types left a weak float where one was foreseen to become another: they are then not
/// those of the iterations.
bool foreseen_wrongly(const Carry& carry, const Value& after);

/// Appends the leaves of `after` in the types of `like`.
void append_leaves(const Value& after, const Value& like, Context& context, ir::Values& out);

} // namespace pm::stage
