#pragma once
#include "compiler/stage/core/context.hpp"

#include <string>
#include <vector>

/// The values that a staged loop carries from iteration to iteration. Each has one type in all iterations.
namespace pm::stage {

/// A local that a loop carries.
struct Carry {
    std::size_t local;
    Value initial;                    ///< in the parent, in the type that the loop carries
    Value param = {};                 ///< in the region
    std::vector<bool> predicted = {}; ///< per leaf: `predict` has changed its type
};

/// Returns the initial value in the type that an iteration leaves unchanged: converted where it is weak. Sets `changed`
/// if the type differs from that of `initial`. `after` is the value after an iteration. Where the types do not fit,
/// throws NeedUnroll if `loop` is not negative, else raises Diag::carried_type.
Value join_carried(const std::string& name, const Value& initial, const Value& after, bool& changed, Context& parent,
                   int loop, Span span);

/// An iteration changed the type of some names of `carries`; `after` has their values at its end. Also changes the type
/// of weak floats that are computed from these names through weak floats alone. Further iterations would do the same,
/// one name in each.
void predict(std::vector<Carry>& carries, const std::vector<Value>& after, Context& region, Context& parent);
/// Whether an iteration on the predicted types left a weak float in a leaf whose type was predicted. The predicted
/// types are then wrong.
bool predicted_wrongly(const Carry& carry, const Value& after);

/// Appends the leaves of `after` to `out`, in the dtypes of the leaves of `like`.
void append_leaves(const Value& after, const Value& like, Context& context, ir::Values& out);

} // namespace pm::stage
