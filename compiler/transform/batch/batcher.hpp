#pragma once
#include "compiler/transform/core/bit_mask.hpp"

#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace pm::transform {

/// A value of the batched program. If `batched`, axis 0 of the value is the batch. Otherwise the value is equal for all
/// elements of the batch.
struct Item {
    Value value;
    bool batched = false;
    bool operator==(const Item&) const = default;
};
using Items = std::vector<Item>;

BitMask batched_of(const Items& items);
Values values_of(const Items& items);
Items items_of(const Values& values, const BitMask& batched);

/// A batched block. Its parameters are those of the original block, then the mask (bool[size]) if the batched block has
/// one.
struct BatchedBlock {
    BlockPtr block;
    BitMask batched; ///< per result
};

/// A mask over the elements of the batch. The mask selects the elements for which an instruction runs. The instruction
/// must not change the other elements. So an update changes only the elements that the mask selects.
struct Masking {
    std::optional<Value> mask;     ///< bool[size]; nullopt: all elements
    std::set<const Inst*> updates; ///< the updates of the block that change only elements where the mask is true
};

/// Applies vmap to blocks, through control flow. A batched condition becomes a mask: both branches run, and a select
/// picks the results. Effects, conditions of inner loops and operations with poles use the mask. A batched block is
/// cached for each combination of bit masks.
class Batcher {
  public:
    Batcher(std::int64_t size, std::int64_t axis) : size_(size), axis_(axis) {}

    /// A result marked in `want` is batched even if it depends on no batched parameter. A result marked in `in_place`
    /// must be an update chain (see UpdateChain). Where the mask is false, the result is equal to the parameter that it
    /// updates.
    const BatchedBlock& block(const BlockPtr& block, const BitMask& batched, const BitMask& want, bool masked,
                              const BitMask& in_place = {});

  private:
    /// Appends the instructions of `block` for all elements of the batch.
    Items run(Build& b, const ir::Block& block, const Items& params, const Masking& masking);
    Items step(Build& b, const Inst& inst, const Items& operands, const Masking& masking);
    Items copy(Build& b, const Inst& inst, const Items& operands) const;

    // operations without regions
    Items flat(Build& b, const Inst& inst, const Items& operands) const;
    Item apply(Build& b, Op op, const Items& operands, ir::Attrs attrs = {}) const;
    Item masked_update(Build& b, const Inst& inst, const Items& operands, Value mask) const;
    Items away_from_pole(Build& b, const Inst& inst, Items operands, Value mask) const;
    void check(Build& b, const Inst& inst, const Items& operands, const std::optional<Value>& mask) const;
    void print(Build& b, const Inst& inst, const Items& operands, const std::optional<Value>& mask) const;

    // collectives
    Items collective(Build& b, const Inst& inst, const Items& operands) const;
    Value sum_of(Build& b, const Item& x) const;
    Value all_rows(Build& b, const Inst& inst, const Item& x) const;
    Item reduced(Build& b, const Inst& inst, const Item& x) const;
    Item gathered(Build& b, const Inst& inst, const Item& x) const;
    Item scattered(Build& b, const Inst& inst, const Item& x) const;
    Item permuted_items(Build& b, const Inst& inst, const Item& x) const;
    Item permuted_among(Build& b, const Inst& inst, const Item& x) const;
    Item exchanged(Build& b, const Inst& inst, const Item& x) const;

    // control
    Items call(Build& b, const Inst& inst, const Items& operands, const Masking& masking);
    Items branch(Build& b, const Inst& inst, const Items& operands, const Masking& masking);
    Items both_branches(Build& b, const Inst& inst, const Items& operands, const Masking& masking);
    Items loop(Build& b, const Inst& inst, const Items& operands, const Masking& masking);
    Items common_loop(Build& b, const Inst& inst, const Items& operands, const BitMask& batched,
                      const Masking& masking);
    Items frozen_loop(Build& b, const Inst& inst, const Items& operands, const BitMask& batched,
                      const Masking& masking);
    BlockPtr frozen_body(const Inst& inst, const std::vector<Type>& types, const BitMask& batched);
    BitMask loop_pattern(const Inst& inst, const Items& operands, bool& condition);
    struct ScanPattern {
        BitMask operands; ///< per operand: true if the operand is batched in the iterations
        BitMask left;     ///< per carried value: true if the value is still batched after the last iteration
    };
    ScanPattern scan_pattern(const Inst& inst, const Items& operands, bool masked);
    Items scan(Build& b, const Inst& inst, const Items& operands, const Masking& masking);
    Items mapped(Build& b, const Inst& inst, const Items& operands, const Masking& masking);

    // functions with custom rules
    Items custom(Build& b, const Inst& inst, const Items& operands, const Masking& masking);
    Items custom_linear(Build& b, const Inst& inst, const Items& operands, const Masking& masking);
    std::vector<BlockPtr> custom_regions(const Inst& inst, const BitMask& batched, bool masked, BitMask& results);
    BlockPtr summed(const BatchedBlock& bwd, const BitMask& batched_args, bool each) const;

    Type batched_type(Type type) const;
    /// The value of `item` with the batch as axis 0. If `item` is not batched, its value is broadcast.
    Value full(Build& b, const Item& item) const;
    Item chosen(Build& b, Value mask, const Item& yes, const Item& no) const;
    /// True if the block has an effect, or a collective over the batch axis. Then the block must be rewritten even if
    /// no operand is batched.
    bool changes(const ir::Block& block) const;

    std::int64_t size_;
    std::int64_t axis_;
    std::map<std::tuple<BlockPtr, BitMask, BitMask, bool, BitMask>, BatchedBlock> made_;
};

/// True if the batched block needs the mask as an operand. It does if `block` has an effect, a `while` or an operation
/// with a pole.
bool takes_mask(const ir::Block& block);
/// True if a collective in the block runs over `axis`.
bool mentions_axis(const ir::Block& block, std::int64_t axis);

/// Describes a result that is a parameter, either unchanged or changed only by updates. An update is a dynamic_update,
/// a scatter, or an `if` whose branches are update chains.
struct UpdateChain {
    std::size_t param = 0;
    std::set<const Inst*> updates;
};
std::optional<UpdateChain> update_chain(const ir::Block& block, Value result);
/// The update chains of result i of an `if`, one in each branch. Both chains update the same operand.
struct BranchChain {
    UpdateChain then, otherwise;
};
std::optional<BranchChain> branch_chain(const Inst& inst, std::size_t i);

} // namespace pm::transform
