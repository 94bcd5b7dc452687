#pragma once
#include "compiler/transform/core/bit_mask.hpp"
#include "compiler/transform/core/masks.hpp"

#include <map>
#include <optional>

namespace pm::transform {

/// What a transposed block is asked for.
struct TransposeRequest {
    BitMask linear;       ///< per parameter: the block is linear in these together
    BitMask given;        ///< per result: a cotangent is given; otherwise it is zero
    BitMask sums;         ///< per linear parameter: the sum so far is given, and the block adds to it
    BitMask want;         ///< per linear parameter: its cotangent is due even if it is zero
    Masks masked = {};    ///< per given cotangent: the mask it comes with; empty: none does
    Masks summed = {};    ///< per linear parameter: the mask its sum so far comes with; empty: none does
    Masks masks = {};     ///< per linear parameter: the mask that is due with its cotangent; empty: none is
    BitMask useful = {};  ///< per linear parameter: a mask would be looked at; empty: none would
    bool parts = false;   ///< what is read of such a parameter is all that has a cotangent: under a condition
    BitMask unclean = {}; ///< per linear parameter: its sum so far means nothing outside of its mask; empty: it is zero
    auto operator<=>(const TransposeRequest&) const = default;
    /// Asks for these masks alone: blocks that are asked for the same are one.
    void ask_masks(Masks due);
};
/// (other params, given cotangents, their masks, given sums, their masks) -> cotangents of the linear parameters marked
/// in `gives`, then the masks that are due.
struct Transposed {
    BlockPtr block;
    BitMask gives; ///< per linear parameter
    Masks masks;   ///< per linear parameter: the mask its cotangent has by itself, where one is useful
};

/// Transposition of blocks all of whose instructions are linear in the linear parameters or independent of
/// them, as PartialEvaluator makes them. A block is transposed once per pattern.
class Transposer {
  public:
    const Transposed& block(const BlockPtr& block, const TransposeRequest& asked);
    /// Whether an instruction multiplies cotangents by slopes, which may be infinite; those that are marked are not.
    bool has_slopes(const Inst& inst, const BitMask& constant);
    /// The body of a counted loop as that of a scan: (number of the iteration, whole, carried) -> carried, without the
    /// number. One for each body, so that its transposes are found again: a loop asks for some of them, and each loop
    /// within it would ask for as many in each of these.
    const BlockPtr& iteration_of(const Inst& inst);

    /// While it stands, what is transposed belongs to the rule that `inst` calls, if it calls one.
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
    /// Raises for an instruction at `at` that a cotangent cannot go back through; `why` says what is wrong with it.
    [[noreturn]] void refuse(const Inst& inst, Span at, const std::string& why) const;

  private:
    const Inst* rule_ = nullptr; ///< the call of the rule that is being transposed
    std::map<std::pair<BlockPtr, TransposeRequest>, Transposed> made_;
    std::map<std::pair<BlockPtr, std::size_t>, BlockPtr> iterations_; ///< with the number of whole operands
    std::map<BlockPtr, bool> slopes_;
};

/// Marks what `inst` makes where it is a constant, spread or moved; has an entry per value of the block.
void mark_constants(const Inst& inst, BitMask& constant);
/// Whether a scatter multiplies: elements of its first operand, each where it is.
bool scales_elements(const Inst& inst);

/// A cotangent under way. With a mask it is zero wherever the mask is false, and the elements of `value`
/// there mean nothing: so that 0 * inf on a side that is not taken never makes a NaN. The mask is one boolean, or one
/// for each element. It goes as far back as something multiplies by a slope; there it is applied.
struct Cotangent {
    Value value;
    std::optional<Value> mask = {};
    bool clean = false; ///< `value` has its zeros outside of the mask
};

struct BackwardScan;
struct CarriedBack;
struct GivenToLoop;

/// The transposition of one block: evaluates what is not linear, then walks backwards.
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
    /// Raises for an instruction whose condition or number of iterations, `v` of `block`, is not linear.
    [[noreturn]] void refuse_condition(const Inst& inst, const ir::Block& block, Value v) const;
    void branch(const Inst& inst);
    /// Whether some operand is an array with a sum so far that may be added to.
    bool adds_to_arrays(const Inst& inst) const;
    void behind(Value gate, const Inst& inst);
    void scan(const Inst& inst);
    void counted_loop(const Inst& inst);
    void mapped(const Inst& inst);

    bool is_linear(Value v) const { return linear_[v.id]; }
    BitMask linear_operands(const Inst& inst) const;
    /// The new values of the operands that are not linear.
    Values others(const Inst& inst) const;
    /// Which results have a cotangent, and those cotangents.
    BitMask given(const Inst& inst) const;
    /// The same for a block that takes masks; behind a gate, and where they are of no use, there are none.
    struct Given {
        Values values, masks; ///< a mask for each that is marked
        Masks masked;
    };
    Given take_masked(const Inst& inst, bool gated);
    struct TwoSides {
        BlockPtr then, otherwise;
        ir::Attrs attrs;
    };
    /// `in` holds the condition and the operands that are not linear; `linear` is per parameter of the sides.
    void sides(const TwoSides& two, Values in, const BitMask& linear, const Inst& inst, const Given& given,
               const std::optional<Value>& gate);
    /// The sum so far of an operand, which is taken out; nothing when there is none, or when `v` is not linear.
    std::optional<Value> take(Value v);
    /// The same for a region to add to. What has one boolean for a mask and values that mean nothing stays, and
    /// add_given adds to it.
    struct Sums {
        BitMask there;   ///< per operand
        Masks masked;    ///< per operand
        BitMask unclean; ///< per operand
        Values values, masks;
    };
    Sums take_sums(const Values& operands, bool gated);
    void add(Value v, const Cotangent& part);
    /// Adds what a region gave for the operands marked in `gives`, and after it the masks that it was asked for.
    void add_given(const Values& operands, const Transposed& region, const TransposeRequest& asked, const Values& made,
                   const std::optional<Value>& gate);
    /// The value with its mask applied.
    Value settled(const Cotangent& ct);
    BitMask useful(const Values& values) const;
    BitMask tapes_among(const Values& values) const;
    /// How masks come to an instruction that would look at them; of others none does.
    Mask mask_of(const Inst& inst, const std::optional<Cotangent>& ct) const;

    // -- masks through flat operations
    /// Where a cotangent of the operand is zero if the result's is zero outside of `mask`, which has its shape; of a
    /// collective it may be a scalar.
    Value mask_before(const Inst& inst, Value mask, std::size_t operand);
    Value mask_of_indexed(const Inst& inst, Value mask, std::size_t operand);
    Value mask_of_written(const Inst& inst, Value mask, std::size_t operand);
    Value mask_of_factor(const Inst& inst, Value mask, std::size_t operand);
    Value mask_by_counting(const Inst& inst, Value mask, std::size_t operand);
    Value mask_with_part(const Inst& inst, std::optional<Value> sum, Value mask);
    Values places_read(const Inst& inst);
    Value clean_part(const Inst& inst, const Cotangent& sum);
    /// Whether the transpose adds no two elements of a cotangent, so that those outside of a mask may be anything.
    static bool stays_apart(const Inst& inst);
    static bool reads_part(const Inst& inst);
    static bool writes_tape(const Inst& inst);
    void part_read(const Inst& inst, const Cotangent& ct);
    std::optional<Value> written(const Inst& inst, std::size_t operand);
    static bool only_moves(const Inst& inst);
    /// Per operand what the rule of a flat operation makes of its cotangent, added to the sums so far or `apart`.
    std::vector<std::optional<Value>> transposed(const Inst& inst, Value ct, bool apart);

    /// The scalar that decides the cotangents of all results, if one does: without it the operation gives zeros.
    std::optional<Value> gate(const Inst& inst);
    Cotangent gated(const std::optional<Value>& gate, const Cotangent& part);

    // -- loops
    struct LoopSums {
        Values values, masks;
        Masks masked;
    };
    LoopSums loop_sums(const Values& operands, const Masks& natural, bool gated);
    Cotangent carried_cotangent(Value v, Mask mask);
    /// The linear whole operands, all carried ones, the linear sliced ones.
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
    std::vector<bool> linear_;                   ///< per value of the block
    Values now_;                                 ///< per value of the block that is not linear
    std::vector<std::optional<Cotangent>> sums_; ///< per value of the block
    BitMask constant_;                           ///< per value of the block: it is written in the program
    std::vector<bool> useful_;                   ///< per value of the block: a mask of its cotangent would be looked at
    bool parts_ = false;                         ///< as in TransposeRequest
    MaskLogic logic_;
};

} // namespace pm::transform
