#include "compiler/optimize/pass.hpp"
#include "compiler/optimize/rewrite.hpp"

namespace pm::optimize {
namespace {

/// The maximum number of instructions that a block may have after inlining. Without this limit, inlining nested calls
/// could make a block exponentially large. A call that would exceed the limit is not inlined.
constexpr std::size_t most_instructions = 200'000;

BlockPtr inline_call(const BlockPtr& block) {
    bool any = false;
    for (const Inst& inst : block->insts) any = any || inst.op == ir::Op::call;
    if (!any) return block;
    Rebuild to(*block);
    for (const Inst& inst : block->insts) {
        if (inst.op == ir::Op::call &&
            to.b.raw().block().insts.size() + inst.regions[0]->insts.size() <= most_instructions) {
            to.set(inst, to.b.inline_call(inst, to(inst.operands)));
        } else {
            to.copy(inst);
        }
    }
    return to.finish();
}

} // namespace

BlockPtr pass::inline_(const BlockPtr& block) { return bottom_up(block, inline_call); }

} // namespace pm::optimize
