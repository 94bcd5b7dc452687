#pragma once
#include "compiler/transform/core/bit_mask.hpp"
#include "compiler/transform/core/masks.hpp"

#include <map>
#include <optional>

namespace pm::transform {

/// The arguments of a transposition. The vectors are per parameter or result of the block.
struct TransposeRequest {
    BitMask linear;       ///< per parameter: the block is jointly linear in the marked ones
    BitMask given;        ///< per result: a cotangent is given; otherwise it is zero
    BitMask sums;         ///< per linear parameter: the sum of its cotangents so far is given, and the block adds to it
    BitMask want;         ///< per linear parameter: its cotangent is returned even if it is zero
    Masks masked = {};    ///< per given cotangent: the kind of its mask; empty: no cotangent has a mask
    Masks summed = {};    ///< per linear parameter: the kind of its sum's mask; empty: no sum has a mask
    Masks masks = {};     ///< per linear parameter: the kind of mask to return with its cotangent; empty: no masks
    BitMask useful = {};  ///< per linear parameter: whether a mask would be used; empty: no mask would
    bool parts = false;   ///< true under a condition: a read of a part of a useful parameter defines a mask, which is
                          ///< true in that part
    BitMask unclean = {}; ///< per linear parameter: its given sum is undefined outside of its mask; empty: zero there
    auto operator<=>(const TransposeRequest&) const = default;
    /// Requests these masks and no others. So requests for the same masks share one block.
    void ask_masks(Masks due);
};
/// (other params, given cotangents, their masks, given sums, their masks) -> cotangents of the linear parameters
/// marked in `has_cotangent`, then the requested masks.
struct Transposed {
    BlockPtr block;
    BitMask has_cotangent; ///< per linear parameter: its cotangent is returned
    Masks masks; ///< per linear parameter: the kind of the mask that its cotangent has if no mask is requested; none if
                 ///< a mask is not useful
};

/// Transposes blocks whose instructions are all linear in the linear parameters or independent of them, as
/// PartialEvaluator returns them. A block is transposed once per request.
class Transposer {
  public:
    const Transposed& block(const BlockPtr& block, const TransposeRequest& asked);
    /// Whether the transpose of an instruction multiplies cotangents by slopes, which may be infinite. Slopes marked in
    /// `constant` do not count.
    bool has_slopes(const Inst& inst, const BitMask& constant);
    /// The body of a counted loop as the body of a scan: (iteration number, whole operands, carried values) -> carried
    /// values. The carried values do not include the number. Cached per body, because transposes are cached by body. A
    /// loop requests several transposes of its body. For each of them, a nested loop requests several transposes of its
    /// own body.
    const BlockPtr& iteration_of(const Inst& inst);

    /// While this object lives, errors in transposed instructions are reported for the custom rule that `inst` calls.
    /// Has no effect if `inst` calls no rule.
    class InRule {
      public:
        InRule(Transposer& transposer, const Inst& inst) : transposer_(transposer), around_(transposer.rule_) {
            if (inst.attrs.has(ir::Attr::rule)) transposer.rule_ = &inst;
        }
        ~InRule() { transposer_.rule_ = around_; }
        InRule(const InRule&) = delete;
        InRule& operator=(const InRule&) = delete;

      private:
        Transposer& transposer_;
        const Inst* around_;
    };
    /// Raises for an instruction at `at` through which a cotangent cannot pass; `why` is the reason.
    [[noreturn]] void refuse(const Inst& inst, Span at, const std::string& why) const;

  private:
    const Inst* rule_ = nullptr; ///< the call of the rule that is being transposed
    std::map<std::pair<BlockPtr, TransposeRequest>, Transposed> made_;
    std::map<std::pair<BlockPtr, std::size_t>, BlockPtr> iterations_; ///< by body and number of whole operands
    std::map<BlockPtr, bool> slopes_;
};

/// Marks the results of `inst` that are constants: literals of the program, or constants that are broadcast, reshaped,
/// converted or negated. `constant` has an entry per value of the block.
void mark_constants(const Inst& inst, BitMask& constant);
/// Whether `inst` is a scatter that multiplies. It scales elements of its first operand in place.
bool scales_elements(const Inst& inst);

/// A cotangent during the backward walk. Where its mask is false, the cotangent is zero and the elements of `value` are
/// undefined. So 0 * inf in a branch that is not taken never makes a NaN. The mask is one boolean, or one for each
/// element. The mask is propagated backwards to the first multiplication by a slope, and applied there.
struct Cotangent {
    Value value;
    std::optional<Value> mask = {};
    bool clean = false; ///< `value` is zero outside of the mask
};

struct BackwardScan;
struct CarriedBack;
struct GivenToLoop;

/// Transposes one block: first appends the instructions that are not linear, then walks the linear ones backwards.
class TransposeBuilder {
  public:
    TransposeBuilder(Transposer& transposer, const ir::Block& block)
        : transposer_(transposer), block_(block), b_(derived_name(block, "transpose")), logic_(b_) {}
    Transposed run(const TransposeRequest& asked);

  private:
    Transposed finish(const TransposeRequest& asked, const Values& params);
    void evaluate(const Inst& inst);
    void step(const Inst& inst);
    void select(const Inst& inst, const Cotangent& ct);
    void flat(const Inst& inst);
    void call(const Inst& inst);
    void custom_linear(const Inst& inst);
    /// Raises an error for an instruction whose condition or trip count depends on a tangent. The value `v` of `block`
    /// is the condition or trip count.
    [[noreturn]] void refuse_condition(const Inst& inst, const ir::Block& block, Value v) const;
    void branch(const Inst& inst);
    /// Whether some linear operand, an array or a tape, has a sum so far that has no mask or a mask of elements.
    bool adds_to_arrays(const Inst& inst) const;
    void gated(Value gate, const Inst& inst);
    void scan(const Inst& inst);
    void counted_loop(const Inst& inst);
    void mapped(const Inst& inst);

    bool is_linear(Value v) const { return linear_[v.id]; }
    BitMask linear_operands(const Inst& inst) const;
    /// The values, in the new block, of the operands that are not linear.
    Values others(const Inst& inst) const;
    /// Per result: whether it has a cotangent.
    BitMask given(const Inst& inst) const;
    /// The cotangents of the results, and their masks, as arguments of a transposed region. A mask is omitted under a
    /// gate, or if it is not useful.
    struct Given {
        Values values, masks; ///< `masks`: one for each entry of `masked` that is not none
        Masks masked;
    };
    Given take_masked(const Inst& inst, bool gated);
    struct TwoSides {
        BlockPtr then, otherwise;
        ir::Attrs attrs;
    };
    /// `in`: the condition and the operands that are not linear. `linear`: per parameter of the branches.
    void sides(const TwoSides& two, Values in, const BitMask& linear, const Inst& inst, const Given& given,
               const std::optional<Value>& gate);
    /// Removes and returns the sum so far of an operand. Nullopt if there is none, or if `v` is not linear.
    std::optional<Value> take(Value v);
    /// Removes and returns the sums so far, for a region that adds to them. Three kinds of sums are not removed: all
    /// sums under a gate; a sum whose mask is not useful; a sum that is undefined outside of a scalar mask. add_given
    /// adds to such a sum.
    struct Sums {
        BitMask there;   ///< per operand
        Masks masked;    ///< per operand
        BitMask unclean; ///< per operand
        Values values, masks;
    };
    Sums take_sums(const Values& operands, bool gated);
    void add(Value v, const Cotangent& part);
    /// Adds the cotangents that a region returned for the operands marked in `has_cotangent`. In `made`, the requested
    /// masks follow the cotangents.
    void add_given(const Values& operands, const Transposed& region, const TransposeRequest& asked, const Values& made,
                   const std::optional<Value>& gate);
    /// The value with its mask applied.
    Value apply_mask(const Cotangent& ct);
    BitMask useful(const Values& values) const;
    BitMask tapes_among(const Values& values) const;
    /// The kind of the cotangent's mask if the transpose of the instruction would use it; otherwise none.
    Mask mask_of(const Inst& inst, const std::optional<Cotangent>& ct) const;

    // -- masks through flat operations
    /// The mask of the operand's cotangent, if `mask` is the mask of the result's cotangent. `mask` has the result's
    /// shape; for a collective it may be a scalar.
    Value mask_before(const Inst& inst, Value mask, std::size_t operand);
    Value mask_of_indexed(const Inst& inst, Value mask, std::size_t operand);
    Value mask_of_written(const Inst& inst, Value mask, std::size_t operand);
    Value mask_of_factor(const Inst& inst, Value mask, std::size_t operand);
    Value mask_by_counting(const Inst& inst, Value mask, std::size_t operand);
    Value mask_with_part(const Inst& inst, std::optional<Value> sum, Value mask);
    Values places_read(const Inst& inst);
    Value clean_part(const Inst& inst, const Cotangent& sum);
    /// Whether the transpose adds no two elements of a cotangent, so that elements outside of a mask may be undefined.
    static bool stays_apart(const Inst& inst);
    static bool reads_part(const Inst& inst);
    static bool writes_tape(const Inst& inst);
    void part_read(const Inst& inst, const Cotangent& ct);
    std::optional<Value> written(const Inst& inst, std::size_t operand);
    static bool only_moves(const Inst& inst);
    /// Per operand: its cotangent, computed by the transpose rule of a flat operation. Unless `apart`, the rule adds it
    /// to the sum so far.
    std::vector<std::optional<Value>> transposed(const Inst& inst, Value ct, bool apart);

    /// The scalar mask that the cotangents of all results share. If it is false, all cotangents of the operands are
    /// zero. Nullopt if there is no such mask.
    std::optional<Value> gate(const Inst& inst);
    Cotangent gated(const std::optional<Value>& gate, const Cotangent& part);

    // -- loops
    struct LoopSums {
        Values values, masks;
        Masks masked;
    };
    LoopSums loop_sums(const Values& operands, const Masks& natural, bool gated);
    Cotangent carried_cotangent(Value v, Mask mask);
    /// The linear whole operands, all carried operands, and the linear sliced operands.
    struct LoopOperands {
        Values whole, carried, sliced;
    };
    GivenToLoop given_to_loop(const Inst& inst, const LoopOperands& operands, const Values& results, bool gated);
    CarriedBack carried_back(BackwardScan& back, const LoopOperands& operands, const Values& results, bool gated);
    void add_back(const BackwardScan& back, const LoopOperands& operands, const Values& made, std::size_t next,
                  const std::optional<Value>& gate);

    Transposer& transposer_;
    const ir::Block& block_;
    Build b_;
    std::vector<bool> linear_; ///< per value of the block
    Values now_;               ///< per value of the block that is not linear: the value in the new block
    std::vector<std::optional<Cotangent>> sums_; ///< per value of the block
    BitMask constant_;                           ///< per value of the block: it is a constant of the program
    std::vector<bool> useful_;                   ///< per value of the block: a mask of its cotangent would be used
    bool parts_ = false;                         ///< as in TransposeRequest
    MaskLogic logic_;
};

} // namespace pm::transform
