#include "compiler/ir/ir.hpp"

#include "compiler/base/stop.hpp"

#include <unordered_set>

namespace pm::ir {
namespace {

std::vector<Type> types_of(const Block& block, const Values& values) {
    std::vector<Type> types;
    types.reserve(values.size());
    for (const Value v : values) types.push_back(block.type(v));
    return types;
}

/// Several calls may share a callee. `seen` makes sure that each block is searched once.
bool any_inst(const Block& block, const std::function<bool(const Block&, const Inst&)>& test,
              std::unordered_set<const Block*>& seen) {
    if (!seen.insert(&block).second) return false;
    for (const Inst& inst : block.insts) {
        if (test(block, inst)) return true;
        for (const BlockPtr& region : inst.regions)
            if (any_inst(*region, test, seen)) return true;
    }
    return false;
}

} // namespace

std::vector<Type> Block::param_types() const { return types_of(*this, params); }
std::vector<Type> Block::result_types() const { return types_of(*this, results); }

Value BlockBuilder::param(Type type) {
    const Value v{static_cast<std::uint32_t>(block_->values.size())};
    block_->values.push_back(std::move(type));
    block_->params.push_back(v);
    definitions_.push_back(-1);
    return v;
}

Values BlockBuilder::append(Inst inst, const std::vector<Type>& result_types) {
    poll_stop();
    for (const Value v : inst.operands) PM_CHECK(v.id < block_->values.size(), "an operand of another block");
    if (!inst.place.span) inst.place = place_;
    inst.results.clear();
    for (const Type& type : result_types) {
        inst.results.push_back({static_cast<std::uint32_t>(block_->values.size())});
        block_->values.push_back(type);
        definitions_.push_back(static_cast<std::int32_t>(block_->insts.size()));
    }
    block_->insts.push_back(std::move(inst));
    return block_->insts.back().results;
}

const Inst* BlockBuilder::definition(Value v) const {
    const std::int32_t at = definitions_[v.id];
    return at < 0 ? nullptr : &block_->insts[static_cast<std::size_t>(at)];
}

BlockPtr BlockBuilder::finish(Values results) {
    for (const Value v : results) PM_CHECK(v.id < block_->values.size(), "a result of another block");
    block_->results = std::move(results);
    definitions_.clear();
    std::shared_ptr<Block> done = std::move(block_);
    block_ = std::make_shared<Block>();
    return done;
}

bool any_inst(const Block& block, const std::function<bool(const Block&, const Inst&)>& test) {
    std::unordered_set<const Block*> seen;
    return any_inst(block, test, seen);
}
bool any_inst(const Block& block, bool (*test)(const Inst&)) {
    return any_inst(block, [&](const Block&, const Inst& inst) { return test(inst); });
}

} // namespace pm::ir
