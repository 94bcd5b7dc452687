#pragma once
#include "compiler/stage/core/context.hpp"

#include <string>
#include <vector>

/// The values that a staged loop carries from iteration to iteration. The type of a carried value is the same in all
/// iterations.
namespace pm::stage {

/// A local that a loop carries.
struct Carry {
    std::size_t local;
    Value initial;    ///< the initial value in the parent context, converted to the type of the carried value
    Value param = {}; ///< the parameters of the region, as a tree like `initial`
    std::vector<bool> predicted = {}; ///< per leaf: true if `predict` has changed the leaf's type
};

/// The loop to which errors refer.
struct LoopPlace {
    int id; ///< id of the loop for NeedUnroll; negative if the loop cannot be unrolled
    Span span;
};

/// Finds the type of a carried local: joins the initial value of the local with the value of the local after an
/// iteration.
class CarryJoin {
  public:
    /// `parent`: the context that contains the loop.
    CarryJoin(Context& parent, LoopPlace loop) : parent_(parent), loop_(loop) {}

    /// Returns the initial value with its weak leaves converted to the dtypes that they have after the iteration. If
    /// the types cannot be joined and the loop can be unrolled, throws NeedUnroll. If the loop cannot be unrolled,
    /// raises Diag::carried_type.
    Value join(const std::string& name, const Value& initial, const Value& after);
    bool changed = false; ///< true if `join` has changed the type of an initial value

  private:
    [[noreturn]] void refuse(const std::string& name, const Value& initial, const Value& after) const;

    Context& parent_;
    LoopPlace loop_;
};

/// Called after an iteration that has changed the types of some carries. `after` has the values of the carries at the
/// end of the iteration. Some other carries are weak floats that are computed from the changed carries, through weak
/// floats alone. Changes the types of these carries too. Without this prediction, each further staged iteration would
/// change the type of only one more name.
void predict(std::vector<Carry>& carries, const std::vector<Value>& after, Context& region, Context& parent);
/// Whether a prediction was wrong: after an iteration that began with the predicted types, a leaf whose type was
/// predicted is still weak.
bool predicted_wrongly(const Carry& carry, const Value& after);

/// Converts the leaves of `after` to the dtypes of the leaves of `like`, and appends them to `out`.
void append_leaves(const Value& after, const Value& like, Context& context, ir::Values& out);

} // namespace pm::stage
