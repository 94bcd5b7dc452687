#include "compiler/transform/core/custom.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/transform/core/check_masks.hpp"
#include "runtime/dtype.hpp"

#include <algorithm>
#include <unordered_map>

namespace pm::transform {

using ir::Attr;

std::size_t leading_operands(const Inst& inst) { return static_cast<std::size_t>(inst.attrs.integer(Attr::closed)); }

BitMask differentiable(const std::vector<Type>& types) {
    BitMask found;
    for (const Type& type : types) found.push_back(runtime::is_inexact(type.dtype));
    return found;
}

namespace {

bool is_zero(const ir::Block& block, Value v) {
    for (const Inst& inst : block.insts) {
        const auto at = std::find(inst.results.begin(), inst.results.end(), v);
        if (at == inst.results.end()) continue;
        switch (inst.op) {
        case Op::constant: {
            const auto& bytes = inst.attrs.literal(Attr::value).bytes;
            return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
        }
        case Op::broadcast:
        case Op::reshape:
        case Op::convert: return is_zero(block, inst.operands[0]);
        case Op::call: return gives_zero(*inst.regions[0], static_cast<std::size_t>(at - inst.results.begin()));
        default: return false;
        }
    }
    return false; // `v` is a parameter
}

} // namespace

bool gives_zero(const ir::Block& block, std::size_t result) { return is_zero(block, block.results[result]); }

BlockPtr forward_of(const Inst& inst) {
    return inst.op == Op::custom_linear && inst.regions.size() == 2 ? inst.regions[1] : nullptr;
}

Inst call_of_forward(const Inst& inst) {
    Inst made = inst;
    made.op = Op::call;
    made.regions = {forward_of(inst)};
    made.attrs = {};
    made.attrs.set(Attr::text, made.regions[0]->name);
    return made;
}

void refuse_forward(const Inst& custom_linear) {
    raise(diagnose(Diag::forward_of_vjp, custom_linear.place.span, custom_linear.attrs.text(Attr::text))
              .note("jvp, jacfwd and linearize go forwards; grad, vjp and jacrev go backwards")
              .fix("take the derivative by reverse mode: grad, vjp, jacrev")
              .fix("or give the derivative with custom_jvp(f, rule), from which both modes are made"));
}

namespace {

class CustomRuleInliner {
  public:
    BlockPtr block(const BlockPtr& block) {
        const auto known = made_.find(block.get());
        if (known != made_.end()) return known->second;
        BlockPtr made = make(block);
        made_.emplace(block.get(), made);
        return made;
    }

  private:
    BlockPtr make(const BlockPtr& block) {
        bool changed = false;
        std::vector<bool> live; // computed at its first use
        std::vector<Inst> insts;
        for (const Inst& inst : block->insts) {
            if (forward_of(inst)) {
                changed = true;
                insts.push_back(call_of_forward(inst));
                BlockPtr& callee = insts.back().regions[0];
                callee = ir::placed_at(inst, [&] { return this->block(callee); });
                continue;
            }
            if (inst.op == Op::custom_linear) {
                changed = true;
                if (live.empty()) live = live_values(*block);
                for (const Value r : inst.results)
                    if (live[r.id]) refuse_forward(inst);
                for (const Value r : inst.results) insts.push_back(unread(r, block->type(r), inst.place.span));
                continue;
            }
            Inst made = guards_value(inst) ? without_guarded(inst) : inst;
            changed = changed || guards_value(inst);
            if (inst.op == Op::custom) {
                made.op = Op::call;
                made.regions = {inst.regions[0]};
                made.attrs = {};
                made.attrs.set(Attr::text, inst.regions[0]->name);
            }
            for (BlockPtr& region : made.regions) region = ir::placed_at(inst, [&] { return this->block(region); });
            changed = changed || made.op != inst.op || made.regions != inst.regions;
            insts.push_back(std::move(made));
        }
        if (!changed) return block;
        auto made = std::make_shared<ir::Block>(*block);
        made->insts = std::move(insts);
        return made;
    }

    static Inst unread(Value result, const Type& type, Span span) {
        Build b;
        Inst made = *b.definition(b.unread(type));
        made.results = {result};
        made.place.span = span;
        return made;
    }

    std::unordered_map<const ir::Block*, BlockPtr> made_;
};

} // namespace

BlockPtr inline_custom_rules(const BlockPtr& block) { return CustomRuleInliner().block(block); }

} // namespace pm::transform
