#include "compiler/optimize/pass.hpp"
#include "compiler/optimize/rewrite.hpp"

namespace pm::optimize {
namespace {

using ir::Op;

/// The products that are fused into sums, found before the block is rewritten.
struct Fused {
    std::vector<const Inst*> product; ///< per instruction: the product fused into this sum; null if none
    std::vector<bool> gone;           ///< per instruction: a product that is fused into a sum
    bool any = false;
};

Fused find(const Block& block) {
    const std::vector<std::uint32_t> uses = use_counts(block);
    std::vector<std::int64_t> definition(block.values.size(), -1);
    Fused found{std::vector<const Inst*>(block.insts.size(), nullptr), std::vector<bool>(block.insts.size(), false)};
    for (std::size_t i = 0; i < block.insts.size(); ++i) {
        const Inst& inst = block.insts[i];
        for (const Value v : inst.results) definition[v.id] = static_cast<std::int64_t>(i);
        if (inst.op != Op::add && inst.op != Op::sub) continue;
        const ir::DType dtype = block.type(inst.results[0]).dtype;
        if (dtype != ir::DType::f32 && dtype != ir::DType::f64) continue;
        for (const Value v : inst.operands) { // the left one of two products
            const std::int64_t at = definition[v.id];
            if (at < 0 || uses[v.id] != 1 || block.insts[static_cast<std::size_t>(at)].op != Op::mul) continue;
            found.product[i] = &block.insts[static_cast<std::size_t>(at)];
            found.gone[static_cast<std::size_t>(at)] = true;
            found.any = true;
            break;
        }
    }
    return found;
}

BlockPtr fuse(const BlockPtr& block) {
    const Fused found = find(*block);
    if (!found.any) return block;
    Rebuild to(*block);
    for (std::size_t i = 0; i < block->insts.size(); ++i) {
        const Inst& inst = block->insts[i];
        if (found.gone[i]) continue;
        const Inst* const product = found.product[i];
        if (product == nullptr) {
            to.copy(inst);
            continue;
        }
        to.b.set_span(inst.span);
        const bool left = inst.operands[0] == product->results[0];
        Value a = to(product->operands[0]);
        Value c = to(inst.operands[left ? 1 : 0]);
        // Changing a sign is exact: a * b - c = a * b + (-c), c - a * b = (-a) * b + c.
        if (inst.op == Op::sub && left) c = to.b.neg(c);
        if (inst.op == Op::sub && !left) a = to.b.neg(a);
        to.set(inst, {to.b.emit1(Op::fma, {a, to(product->operands[1]), c})});
    }
    return to.finish();
}

} // namespace

BlockPtr pass::fma(const BlockPtr& block) { return bottom_up(block, fuse); }

} // namespace pm::optimize
