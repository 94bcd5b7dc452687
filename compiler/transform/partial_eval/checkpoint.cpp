#include "compiler/transform/partial_eval/checkpoint.hpp"

#include <algorithm>
#include <unordered_map>

namespace pm::transform {

using ir::Attr;

namespace {

constexpr std::string_view names_prefix = "names:";
constexpr char between_names = '\n';

} // namespace

std::string policy::names(const std::vector<std::string>& list) {
    std::string text(names_prefix);
    for (const std::string& name : list) {
        text += name;
        text += between_names;
    }
    return text;
}

namespace {

bool keeps(std::string_view policy, const Inst& inst) {
    if (inst.op == Op::convolution) return policy == policy::dots || policy == policy::plain_dots;
    if (policy == policy::dots) return inst.op == Op::dot;
    if (policy == policy::plain_dots) return inst.op == Op::dot && inst.attrs.integers(Attr::lhs_batch).empty();
    if (!policy.starts_with(names_prefix) || inst.op != Op::barrier || !inst.attrs.has(Attr::text)) return false;
    const std::string name = inst.attrs.text(Attr::text) + between_names;
    policy.remove_prefix(names_prefix.size());
    for (std::size_t at = policy.find(name); at != std::string_view::npos; at = policy.find(name, at + 1))
        if (at == 0 || policy[at - 1] == between_names) return true;
    return false;
}

/// Removes effects from blocks that are recomputed, because the first run had these effects.
class Silent {
  public:
    BlockPtr block(const BlockPtr& block) {
        if (!ir::has_effect(*block)) return block;
        const auto found = made_.find(block.get());
        if (found != made_.end()) return found->second;
        auto made = std::make_shared<ir::Block>(*block);
        std::erase_if(made->insts, [](const Inst& inst) { return ir::info(inst.op).has(ir::effect); });
        for (Inst& inst : made->insts) regions(inst);
        made_.emplace(block.get(), made);
        return made;
    }
    void regions(Inst& inst) {
        for (BlockPtr& region : inst.regions) region = block(region);
    }

  private:
    std::unordered_map<const ir::Block*, BlockPtr> made_;
};

} // namespace

Recomputation recomputation(const ir::Block& known, std::size_t results, std::string_view policy) {
    const Values residuals = part(known.results, results, known.results.size());
    // Marks, backwards from the residuals, the instructions that compute the residuals from kept values.
    std::vector<bool> needed(known.values.size(), false);
    for (const Value v : residuals) needed[v.id] = true;
    std::vector<const Inst*> insts;
    Recomputation made;
    for (auto inst = known.insts.rbegin(); inst != known.insts.rend(); ++inst) {
        if (std::none_of(inst->results.begin(), inst->results.end(), [&](Value v) { return needed[v.id]; })) continue;
        if (keeps(policy, *inst)) {
            made.kept.push_back(inst->results[0]);
            continue;
        }
        insts.push_back(&*inst);
        for (const Value v : inst->operands) needed[v.id] = true;
    }
    std::reverse(insts.begin(), insts.end());

    Build b(known.name);
    Values now(known.values.size());
    for (std::size_t i = 0; i < known.params.size(); ++i) {
        const Value p = known.params[i];
        if (!needed[p.id]) continue;
        made.params.push_back(i);
        now[p.id] = b.param(known.type(p));
    }
    for (const Value v : made.kept) now[v.id] = b.param(known.type(v));
    Silent silent;
    for (const Inst* const inst : insts) {
        Inst quiet = *inst;
        silent.regions(quiet);
        Values operands;
        for (const Value v : inst->operands) operands.push_back(now[v.id]);
        b.set_place(inst->place);
        const Values again = b.copy(quiet, operands);
        for (std::size_t i = 0; i < again.size(); ++i) now[inst->results[i].id] = again[i];
    }
    Values out;
    for (const Value v : residuals) out.push_back(now[v.id]);
    made.block = b.finish(std::move(out));
    return made;
}

namespace {

class Inliner {
  public:
    BlockPtr block(const BlockPtr& block) {
        const auto inlines = [](const Inst& inst) { return inst.op == Op::call && !inst.attrs.has(Attr::policy); };
        if (std::none_of(block->insts.begin(), block->insts.end(), inlines)) return block;
        const auto found = made_.find(block.get());
        if (found != made_.end()) return found->second;
        BlockPtr made = rewritten(*block, [&](Build& b, const Inst& inst, const Values& operands) {
            if (!inlines(inst)) return b.copy(inst, operands);
            Inst call = inst;
            call.regions[0] = this->block(inst.regions[0]);
            return b.inline_call(call, operands);
        });
        made_.emplace(block.get(), made);
        return made;
    }

  private:
    std::unordered_map<const ir::Block*, BlockPtr> made_;
};

} // namespace

BlockPtr inlined(const BlockPtr& block) { return Inliner().block(block); }

} // namespace pm::transform
