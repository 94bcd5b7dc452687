#include "compiler/optimize/pass.hpp"
#include "compiler/optimize/rewrite.hpp"

#include <algorithm>

namespace pm::optimize {
namespace {

bool is_barrier(const Inst& inst) { return inst.op == ir::Op::barrier; }

BlockPtr without_barriers(const BlockPtr& block) {
    if (std::none_of(block->insts.begin(), block->insts.end(), is_barrier)) return block;
    Rebuild to(*block);
    for (const Inst& inst : block->insts) {
        if (is_barrier(inst))
            to.set(inst, to(inst.operands));
        else
            to.copy(inst);
    }
    return to.finish();
}

} // namespace

BlockPtr pass::release(const BlockPtr& block, const ops::TargetInfo&) { return bottom_up(block, without_barriers); }

} // namespace pm::optimize
