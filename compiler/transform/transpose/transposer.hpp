#pragma once
#include "compiler/transform/core/bit_mask.hpp"
#include "compiler/transform/core/masks.hpp"

#include <map>
#include <optional>

namespace pm::transform {

/// The arguments of a transposition. The vectors are per parameter or result of the block.
struct TransposeRequest {
    BitMask linear;      ///< per parameter: true if it is one of the parameters in which the block is jointly linear
    BitMask given;       ///< per result: true if its cotangent is given; otherwise the cotangent is zero
    BitMask sums;        ///< per linear parameter: true if the sum of its cotangents so far is given; the block adds to
                         ///< this sum
    BitMask want;        ///< per linear parameter: true if its cotangent is returned even when it is zero
    Masks masked = {};   ///< per given cotangent: the kind of its mask; empty: no cotangent has a mask
    Masks summed = {};   ///< per linear parameter: the kind of its sum's mask; empty: no sum has a mask
    Masks masks = {};    ///< per linear parameter: the kind of the mask that is returned with its cotangent; empty: no
                         ///< mask is returned
    BitMask useful = {}; ///< per linear parameter: true if a mask of its cotangent would be used; empty: false for all
                         ///< parameters
    bool parts = false;  ///< True in a branch of an `if`. Let the branch read a part of a parameter marked in `useful`.
                         ///< Then the transpose of the read defines a mask, which is true in that part
    BitMask unclean = {}; ///< per linear parameter: true if its given sum is undefined where its mask is false; empty:
                          ///< all sums are zero there
    auto operator<=>(const TransposeRequest&) const = default;
    /// Requests exactly the masks `due`, and clears the members that matter only for masks if `due` has no mask. So
    /// equal requests share one block.
    void ask_masks(Masks due);
};
/// (other params, given cotangents, masks of these cotangents, given sums, masks of these sums) -> cotangents of the
/// linear parameters marked in `has_cotangent`, then the requested masks.
struct Transposed {
    BlockPtr block;
    BitMask has_cotangent; ///< per linear parameter: true if its cotangent is returned
    Masks masks; ///< per linear parameter: the kind of mask that its cotangent has before masks are requested; none if
                 ///< a mask is not useful
};

/// Transposes blocks as PartialEvaluator returns them. Each of their instructions either is linear in the linear
/// parameters, or does not depend on them. A block is transposed once per request.
class Transposer {
  public:
    const Transposed& block(const BlockPtr& block, const TransposeRequest& asked);
    /// True if the transpose of `inst` multiplies cotangents by slopes, which may be infinite. Slopes marked in
    /// `constant` do not count.
    bool has_slopes(const Inst& inst, const BitMask& constant);
    /// The body of a counted loop as the body of a scan: (iteration number, whole operands, carried values) -> carried
    /// values. Here, the carried values do not include the iteration number. The result is cached per body, because
    /// transposes are cached by body. A loop requests several transposes of its body. In each of them, a nested loop
    /// requests several transposes of its own body.
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
    /// Raises an error at `at`, because no cotangent can pass through `inst`. `why` is the reason.
    [[noreturn]] void refuse(const Inst& inst, Span at, const std::string& why) const;

  private:
    const Inst* rule_ = nullptr; ///< the call of the rule that is being transposed
    std::map<std::pair<BlockPtr, TransposeRequest>, Transposed> made_;
    std::map<std::pair<BlockPtr, std::size_t>, BlockPtr> iterations_; ///< by body and number of whole operands
    std::map<BlockPtr, bool> slopes_;
};

/// Marks the results of `inst` that are constants. These are literals of the program, and constants that are broadcast,
/// reshaped, converted or negated. `constant` has an entry per value of the block.
void mark_constants(const Inst& inst, BitMask& constant);
/// True if `inst` is a scatter that multiplies. Such a scatter scales elements of its first operand in place.
bool scales_elements(const Inst& inst);

/// A cotangent during the backward walk. Where its mask is false, the cotangent is zero, but the elements of `value`
/// are undefined. So a branch that is not taken never makes a NaN from 0 * inf. The mask is one boolean for the whole
/// value, or one for each element. The mask is propagated backwards to the first multiplication by a slope, and applied
/// there.
struct Cotangent {
    Value value;
    std::optional<Value> mask = {};
    bool clean = false; ///< true if `value` is zero where the mask is false
};

struct BackwardScan;
struct CarriedBack;
struct GivenToLoop;

/// Transposes one block. First appends the instructions that are not linear, then walks the linear instructions
/// backwards.
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
    /// Raises an error for `inst`, because its condition or trip count `v` depends on a tangent. `v` is a value of
    /// `block`.
    [[noreturn]] void refuse_condition(const Inst& inst, const ir::Block& block, Value v) const;
    void branch(const Inst& inst);
    /// True if some linear operand has a sum so far, and this sum has no mask or a mask of kind `elements`. The operand
    /// may be an array or a tape.
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
    /// The cotangents of the results, and their masks, as arguments of a transposed region. A mask is omitted if
    /// `gated` is true (see gate()), or if the mask is not useful.
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
    /// Removes and returns the sum so far of the operand `v`. Nullopt if `v` has no sum, or is not linear.
    std::optional<Value> take(Value v);
    /// Removes and returns the sums so far, for a region that adds to them. Three kinds of sums are not removed. If
    /// `gated` is true, no sum is removed. A sum whose mask is not useful remains, and so does a sum that is undefined
    /// where a scalar mask is false. add_given adds to the sums that remain.
    struct Sums {
        BitMask there;   ///< per operand: true if its sum was removed
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
    /// The value of `ct`, with zeros where its mask is false.
    Value apply_mask(const Cotangent& ct);
    BitMask useful(const Values& values) const;
    BitMask tapes_among(const Values& values) const;
    /// The kind of the mask of `ct` if the transpose of `inst` would use the mask. Otherwise none.
    Mask mask_of(const Inst& inst, const std::optional<Cotangent>& ct) const;

    // -- masks through operations without regions
    /// The mask of the operand's cotangent. `mask` is the mask of the result's cotangent. `mask` has the result's
    /// shape; for a collective it may be a scalar.
    Value mask_before(const Inst& inst, Value mask, std::size_t operand);
    Value mask_of_indexed(const Inst& inst, Value mask, std::size_t operand);
    Value mask_of_written(const Inst& inst, Value mask, std::size_t operand);
    Value mask_of_factor(const Inst& inst, Value mask, std::size_t operand);
    Value mask_by_counting(const Inst& inst, Value mask, std::size_t operand);
    Value mask_with_part(const Inst& inst, std::optional<Value> sum, Value mask);
    Values places_read(const Inst& inst);
    Value clean_part(const Inst& inst, const Cotangent& sum);
    /// True if the transpose adds no two elements of a cotangent. Then elements outside of the mask may be undefined.
    static bool stays_apart(const Inst& inst);
    static bool reads_part(const Inst& inst);
    static bool writes_tape(const Inst& inst);
    void part_read(const Inst& inst, const Cotangent& ct);
    std::optional<Value> written(const Inst& inst, std::size_t operand);
    static bool only_moves(const Inst& inst);
    /// Per operand: its cotangent, computed by the transpose rule of an operation without regions. If `apart` is false,
    /// the rule adds the cotangent to the sum so far.
    std::vector<std::optional<Value>> transposed(const Inst& inst, Value ct, bool apart);

    /// The gate: the scalar mask that the cotangents of all results share. If the gate is false, all cotangents of the
    /// operands are zero. Nullopt if the results share no scalar mask.
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
    BitMask constant_;                           ///< per value of the block: true if it is a constant of the program
    std::vector<bool> useful_;                   ///< per value of the block: true if a mask of its cotangent would be
                                                 ///< used
    bool parts_ = false;                         ///< as in TransposeRequest
    MaskLogic logic_;
};

} // namespace pm::transform
