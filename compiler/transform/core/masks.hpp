#pragma once
#include "compiler/transform/core/bit_mask.hpp"

#include <map>
#include <optional>
#include <utility>

namespace pm::transform {

/// The kind of a mask. `scalar`: one boolean for all elements of a value. `elements`: one boolean for each element of a
/// value that has axes. The `elements` mask of a tape is a tape: its entry at an index is the mask of the entry at that
/// index.
enum class Mask : std::uint8_t { none, scalar, elements };
using Masks = std::vector<Mask>;

bool any(const Masks& masks);
/// Per bit: `mask` if the bit is set, otherwise `none`.
Masks masks_where(const BitMask& marked, Mask mask);
BitMask masked(const Masks& masks);
/// The type of a mask of this kind for a value of this type.
Type mask_type(Mask mask, const Type& type);
inline bool is_tape(const Type& type) { return type.dtype == ir::DType::tape; }

/// The masks of one block as formulas over conditions. The disjunction of a condition and its negation is recognised as
/// true everywhere. A mask equal to an earlier one is reused, without new instructions.
class MaskLogic {
  public:
    explicit MaskLogic(Build& b) : b_(b) {}

    Mask kind(Value mask) const {
        return b_.rank(mask) == 0 && !is_tape(b_.type(mask)) ? Mask::scalar : Mask::elements;
    }
    /// If `condition` is computed from scalars, returns the scalar to which all its elements are equal. Otherwise
    /// returns `condition`.
    Value narrow(Value condition);
    Value opposite(Value mask);
    Value both(Value a, Value b);
    /// The disjunction. Nullopt if it is true everywhere.
    std::optional<Value> either(Value a, Value b);
    /// The mask broadcast to the shape.
    Value whole(Value mask, const ir::Shape& shape) { return b_.broadcast_to(mask, shape); }
    /// Whether the mask is true for any element.
    Value anywhere(Value mask);
    /// always: the mask of this type that is true in all elements; not for tapes. never: the mask that is false in all.
    Value always(const Type& type);
    Value never(const Type& type) { return b_.zeros(type); }

  private:
    using Literal = std::pair<std::uint32_t, bool>; ///< (condition, whether the condition must be true)
    using Term = std::vector<Literal>;              ///< a conjunction, in order
    using Terms = std::vector<Term>;                ///< a disjunction, in order

    const Terms& terms(Value mask);
    static Terms simplified(Terms terms);
    static std::optional<Term> joined(const Term& a, const Term& b);
    Value known(Value made, const Terms& terms);
    Value conjunction(const Term& term);
    Value emit(Op op, Value a, Value b);

    Build& b_;
    std::map<std::uint32_t, Terms> terms_;
    std::map<Terms, Value> made_;
    std::map<std::uint32_t, Value> narrow_, opposite_;
};

} // namespace pm::transform
