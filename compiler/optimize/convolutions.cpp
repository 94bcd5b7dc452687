#include "compiler/ops/core/rules.hpp"
#include "compiler/ops/linear/convolution.hpp"
#include "compiler/optimize/pass.hpp"
#include "compiler/optimize/rewrite.hpp"

#include <algorithm>

namespace pm::optimize {

BlockPtr pass::convolutions(const BlockPtr& block, const ops::TargetInfo& target) {
    const auto& sums = std::get<ops::LowerExpand>(ops::rules(ir::Op::convolution).lower);
    return bottom_up(block, [&](const BlockPtr& one) {
        const auto changes = [&](const Inst& inst) {
            return inst.op == ir::Op::convolution && !ops::convolves(target, inst, *one);
        };
        if (std::none_of(one->insts.begin(), one->insts.end(), changes)) return one;
        Rebuild to(*one);
        for (const Inst& inst : one->insts) {
            to.b.set_place(inst.place);
            if (changes(inst))
                to.set(inst, sums.rule(to.b, inst, to(inst.operands)));
            else
                to.copy(inst);
        }
        return to.finish();
    });
}

} // namespace pm::optimize
