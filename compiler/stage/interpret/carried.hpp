#pragma once
#include "compiler/stage/core/context.hpp"

#include <string>
#include <vector>

/// The values that a staged loop carries from iteration to iteration. Each has one type in all iterations.
namespace pm::stage {

/// A local that a loop carries.
struct Carry {
    std::size_t local;
    Value initial;                    ///< in the parent context, in the type that the loop carries
    Value param = {};                 ///< in the region
    std::vector<bool> predicted = {}; ///< per leaf: whether `predict` has changed its type
};

/// A loop, for errors.
struct LoopPlace {
    int id; ///< for NeedUnroll; negative: the loop cannot be unrolled
    Span span;
};

/// Joins the initial value of a local that a loop carries with its values after iterations.
class CarryJoin {
  public:
    /// `parent`: the context of the loop.
    CarryJoin(Context& parent, LoopPlace loop) : parent_(parent), loop_(loop) {}

    /// Returns the initial value in a type that an iteration does not change; weak leaves are converted. If the types
    /// do not fit, throws NeedUnroll if the loop has an id, else raises Diag::carried_type.
    Value join(const std::string& name, const Value& initial, const Value& after);
    bool changed = false; ///< the type of a result differed from that of its initial value

  private:
    [[noreturn]] void refuse(const std::string& name, const Value& initial, const Value& after) const;

    Context& parent_;
    LoopPlace loop_;
};

/// Predicts the types of `carries` after an iteration changed some of them; `after` has the values at its end. Changes
/// the type of the weak floats that are computed from these names through weak floats alone. Without this, each further
/// iteration would change the type of one more name.
void predict(std::vector<Carry>& carries, const std::vector<Value>& after, Context& region, Context& parent);
/// Whether an iteration on the predicted types ended with a weak float in a leaf whose type was predicted. The
/// predicted types are then wrong.
bool predicted_wrongly(const Carry& carry, const Value& after);

/// Appends the leaves of `after` to `out`, in the dtypes of the leaves of `like`.
void append_leaves(const Value& after, const Value& like, Context& context, ir::Values& out);

} // namespace pm::stage
