#pragma once
#include "compiler/transform/pattern.hpp"

#include <map>
#include <optional>

namespace pm::transform {

/// What a transposed block is asked for.
struct Backward {
    Pattern linear;      ///< per parameter: the block is linear in these together
    Pattern given;       ///< per result: a cotangent is given; otherwise it is zero
    Pattern sums;        ///< per linear parameter: the sum so far is given, and the block adds to it
    Pattern want;        ///< per linear parameter: its cotangent is due even if it is zero
    Pattern masked = {}; ///< per given cotangent: it comes with a mask; empty: none does
    Pattern masks = {};  ///< per linear parameter: a scalar is due too, true where its cotangent counts; empty: none is
    auto operator<=>(const Backward&) const = default;
};
/// (other params, given cotangents, their masks, given sums) -> cotangents of the linear parameters marked in `gives`,
/// then the scalars that are asked for.
struct Transposed {
    BlockPtr block;
    Pattern gives;   ///< per linear parameter
    Pattern decided; ///< per linear parameter: a scalar decides its cotangent, which could be asked for
};

/// Transposition of blocks all of whose instructions are linear in the linear parameters or independent of
/// them, as Splitter makes them. A block is transposed once per pattern.
class Transposer {
  public:
    const Transposed& block(const BlockPtr& block, const Backward& asked);

  private:
    std::map<std::pair<BlockPtr, Backward>, Transposed> made_;
};

/// A cotangent under way. With a mask it is zero wherever the mask is false, and the elements of `value`
/// there mean nothing: so that 0 * inf on the side of a `select` that is not taken never makes a NaN. A mask that one
/// scalar decides goes through every operation: what is linear gives zero for zero. Others go through elementwise
/// operations, sums and those that move elements; then they are applied.
struct Cotangent {
    Value value;
    std::optional<Value> mask;
};

/// The transposition of one block: evaluates what is not linear, then walks backwards.
class Reversal {
  public:
    Reversal(Transposer& transposer, const ir::Block& block)
        : transposer_(transposer), block_(block), b_(derived_name(block, "transpose")) {}
    Transposed run(const Backward& asked);

  private:
    void evaluate(const Inst& inst);
    void step(const Inst& inst);
    void select(const Inst& inst, const Cotangent& ct);
    void flat(const Inst& inst);
    void call(const Inst& inst);
    void custom_linear(const Inst& inst);
    void branch(const Inst& inst);
    void scan(const Inst& inst);
    void counted_loop(const Inst& inst);
    Values carried_cotangents(const Values& results, const Pattern& carried);
    Values sums_or_zeros(const Values& operands, bool gated);
    void mapped(const Inst& inst);

    bool is_linear(Value v) const { return linear_[v.id]; }
    Pattern linear_operands(const Inst& inst) const;
    /// The new values of the operands that are not linear.
    Values others(const Inst& inst) const;
    /// Which results have a cotangent, and those cotangents.
    Pattern given(const Inst& inst) const;
    Values take_given(const Inst& inst);
    /// The same for a block that takes masks; behind a gate there are none.
    struct Given {
        Values values, masks;
        Pattern masked;
    };
    Given take_masked(const Inst& inst, bool gated);
    /// The sum so far of an operand, which is taken out; nothing when there is none, or when `v` is not linear.
    std::optional<Value> take(Value v);
    /// The same for a region to add to; what has a mask stays, and add_given adds to it.
    struct Sums {
        Pattern there; ///< per operand
        Values values;
    };
    Sums take_sums(const Values& operands, bool gated);
    void add(Value v, const Cotangent& part);
    /// Adds what a region gave for the operands marked in `gives`, and after it for those marked in `masks`.
    void add_given(const Values& operands, const Pattern& gives, const Pattern& masks, const Values& made,
                   const std::optional<Value>& gate);
    /// The value with its mask applied.
    Value settled(const Cotangent& ct);
    Value mask_before(const Inst& inst, Value mask, std::size_t operand);
    std::optional<Value> written(const Inst& inst, std::size_t operand);
    bool ends_chain(const Inst& inst) const;
    /// `not` of a scalar that decides masks: the same value each time.
    Value opposite(Value scalar);
    /// The scalar that is all elements of a mask, if it is made of one.
    std::optional<Value> decider(Value mask);
    /// The scalar that decides the cotangents of all results, if one does: without it the operation gives zeros.
    std::optional<Value> gate(const Inst& inst);
    /// `part` of a cotangent of `v`, where a gate may decide.
    Cotangent gated(const std::optional<Value>& gate, Value v, Value part);

    Transposer& transposer_;
    const ir::Block& block_;
    Build b_;
    std::vector<bool> linear_;                   ///< per value of the block
    Values now_;                                 ///< per value of the block that is not linear
    std::vector<std::optional<Cotangent>> sums_; ///< per value of the block
    std::map<std::uint32_t, Value> opposite_;    ///< of scalars that decide masks
};

} // namespace pm::transform
