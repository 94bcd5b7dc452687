#pragma once
#include "compiler/stage/core/context.hpp"

#include <string>
#include <vector>

/// The values that a staged loop carries from iteration to iteration. Each value has the same type in all iterations.
namespace pm::stage {

/// A local that a loop carries.
struct Carry {
    std::size_t local;
    Value initial;    ///< the initial value in the parent context, converted to the type that the loop carries
    Value param = {}; ///< the parameter of the region
    std::vector<bool> predicted = {}; ///< per leaf: whether `predict` has changed its type
};

/// The loop that errors refer to.
struct LoopPlace {
    int id; ///< id for NeedUnroll; negative if the loop cannot be unrolled
    Span span;
};

/// Finds the type that a loop carries for a local: joins the initial value of the local with its value after an
/// iteration.
class CarryJoin {
  public:
    /// `parent`: the context that contains the loop.
    CarryJoin(Context& parent, LoopPlace loop) : parent_(parent), loop_(loop) {}

    /// Returns the initial value, with weak leaves converted to the dtype after the iteration. If the types do not fit,
    /// throws NeedUnroll if the loop can be unrolled, and otherwise raises Diag::carried_type.
    Value join(const std::string& name, const Value& initial, const Value& after);
    bool changed = false; ///< the type of a value after the iteration differed from that of its initial value

  private:
    [[noreturn]] void refuse(const std::string& name, const Value& initial, const Value& after) const;

    Context& parent_;
    LoopPlace loop_;
};

/// Called after an iteration that has changed the types of some carries; `after` has the values at the end of the
/// iteration. Finds the weak floats that are computed from the changed carries through weak floats alone, and changes
/// their types as well. Without this prediction, each further iteration would change the type of only one more name.
void predict(std::vector<Carry>& carries, const std::vector<Value>& after, Context& region, Context& parent);
/// Whether the predictions were wrong: after an iteration that began with the predicted types, a leaf whose type was
/// predicted is still a weak float.
bool predicted_wrongly(const Carry& carry, const Value& after);

/// Appends the leaves of `after` to `out`, converted to the dtypes of the leaves of `like`.
void append_leaves(const Value& after, const Value& like, Context& context, ir::Values& out);

} // namespace pm::stage
