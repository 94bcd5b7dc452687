#pragma once
#include "compiler/transform/core/bit_mask.hpp"

#include <map>
#include <optional>
#include <utility>

namespace pm::transform {

/// The kind of a mask. `scalar`: one boolean for all elements of a value. `elements`: one boolean for each element; the
/// value must have axes. The `elements` mask of a tape is another tape. Entry i of that mask tape is the mask of entry
/// i of the masked tape.
enum class Mask : std::uint8_t { none, scalar, elements };
using Masks = std::vector<Mask>;

bool any(const Masks& masks);
/// Per bit of `marked`: `mask` if the bit is set, otherwise `none`.
Masks masks_where(const BitMask& marked, Mask mask);
BitMask masked(const Masks& masks);
/// The type that a mask of kind `mask` has for a value of type `type`.
Type mask_type(Mask mask, const Type& type);
inline bool is_tape(const Type& type) { return type.dtype == ir::DType::tape; }

/// The masks of one block, as Boolean formulas over conditions. `c or not c` is recognised as true everywhere. If a new
/// mask is equal to an earlier mask, the earlier mask is returned, and no instruction is appended.
class MaskLogic {
  public:
    explicit MaskLogic(Build& b) : b_(b) {}

    Mask kind(Value mask) const {
        return b_.rank(mask) == 0 && !is_tape(b_.type(mask)) ? Mask::scalar : Mask::elements;
    }
    /// If `condition` is computed from scalars by broadcasts, all its elements are equal. Then returns their common
    /// value as a scalar. Otherwise returns `condition`.
    Value narrow(Value condition);
    Value opposite(Value mask);
    Value both(Value a, Value b);
    /// The disjunction of `a` and `b`. Nullopt if the disjunction is true everywhere.
    std::optional<Value> either(Value a, Value b);
    /// `mask`, broadcast to `shape`.
    Value whole(Value mask, const ir::Shape& shape) { return b_.broadcast_to(mask, shape); }
    /// A scalar: true if some element of the mask is true.
    Value anywhere(Value mask);
    /// always(): the mask of type `type` whose elements are all true. `type` must not be the type of a tape. never():
    /// the mask whose elements are all false.
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
