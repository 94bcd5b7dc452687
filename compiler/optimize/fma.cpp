#include "compiler/optimize/pass.hpp"
#include "compiler/optimize/rewrite.hpp"

namespace pm::optimize {
namespace {

using ir::Op;

/// The product that is fused into a sum.
struct Product {
    const Inst* inst = nullptr; ///< null: no product is fused into the sum
    bool left = false;          ///< true if the product is the left operand of the sum
};

/// The fused products, found before the block is rewritten.
struct Fused {
    std::vector<Product> product; ///< per instruction: the product that is fused into it
    std::vector<bool> gone;       ///< per instruction: true for a fused product, and for a barrier between the product
                                  ///< and the sum
    bool any = false;
};

/// Finds the fused products of one block.
class Finder {
  public:
    explicit Finder(const Block& block)
        : block_(block), uses_(use_counts(block)), definition_(block.values.size(), -1),
          found_{std::vector<Product>(block.insts.size()), std::vector<bool>(block.insts.size(), false)} {}

    Fused find() {
        for (std::size_t i = 0; i < block_.insts.size(); ++i) {
            const Inst& inst = block_.insts[i];
            for (const Value v : inst.results) definition_[v.id] = static_cast<std::int64_t>(i);
            if (inst.op != Op::add && inst.op != Op::sub) continue;
            const ir::DType dtype = block_.type(inst.results[0]).dtype;
            if (dtype != ir::DType::f32 && dtype != ir::DType::f64) continue;
            if (!fuse(i, 0)) fuse(i, 1); // if both operands are products, the left one is fused
        }
        return std::move(found_);
    }

  private:
    /// If the value has a single use: the index of the instruction that defines it. Negative if the value is a
    /// parameter or has several uses.
    std::int64_t maker(Value v) const { return uses_[v.id] == 1 ? definition_[v.id] : -1; }
    const Inst& inst(std::int64_t at) const { return block_.insts[static_cast<std::size_t>(at)]; }

    bool fuse(std::size_t sum, std::size_t operand) {
        const std::int64_t first = maker(block_.insts[sum].operands[operand]);
        std::int64_t at = first; // barriers between the product and the sum do not prevent the fusion
        while (at >= 0 && inst(at).op == Op::barrier) at = maker(inst(at).operands[0]);
        if (at < 0 || inst(at).op != Op::mul) return false;
        for (std::int64_t i = first; i != at; i = maker(inst(i).operands[0]))
            found_.gone[static_cast<std::size_t>(i)] = true;
        found_.gone[static_cast<std::size_t>(at)] = true;
        found_.product[sum] = {&inst(at), operand == 0};
        return found_.any = true;
    }

    const Block& block_;
    const std::vector<std::uint32_t> uses_;
    std::vector<std::int64_t> definition_;
    Fused found_;
};

BlockPtr fuse(const BlockPtr& block) {
    const Fused found = Finder(*block).find();
    if (!found.any) return block;
    Rebuild to(*block);
    for (std::size_t i = 0; i < block->insts.size(); ++i) {
        const Inst& inst = block->insts[i];
        if (found.gone[i]) continue;
        const auto [product, left] = found.product[i];
        if (product == nullptr) {
            to.copy(inst);
            continue;
        }
        to.b.set_place(inst.place);
        Value a = to(product->operands[0]);
        Value c = to(inst.operands[left ? 1 : 0]);
        // A change of the sign is exact. So a * b - c = a * b + (-c), and c - a * b = (-a) * b + c.
        if (inst.op == Op::sub && left) c = to.b.neg(c);
        if (inst.op == Op::sub && !left) a = to.b.neg(a);
        to.set(inst, {to.b.emit1(Op::fma, {a, to(product->operands[1]), c})});
    }
    return to.finish();
}

} // namespace

BlockPtr pass::fma(const BlockPtr& block) { return bottom_up(block, fuse); }

} // namespace pm::optimize
