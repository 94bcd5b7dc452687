#include "compiler/optimize/simplify.hpp"

#include "compiler/ops/core/rules.hpp"
#include "compiler/optimize/pass.hpp"

namespace pm::optimize {

using ir::Op;
using ir::Type;

std::optional<Inst> Simplify::made_by(Value v, Op op) const {
    const Inst* const made = b.definition(v);
    if (made == nullptr || made->op != op) return std::nullopt;
    return *made;
}

const ir::Integers& Simplify::part_ends(Value v) {
    static const ir::Integers none;
    const Inst* const made = b.definition(v);
    if (made == nullptr || made->op != Op::concatenate) return none;
    const auto [at, fresh] = part_ends_.try_emplace(v.id);
    if (!fresh) return at->second;
    const auto axis = static_cast<std::size_t>(made->attrs.integer(ir::Attr::axis));
    std::int64_t end = 0;
    for (const Value part : made->operands) at->second.push_back(end += b.shape(part)[axis]);
    return at->second;
}

bool Simplify::is(Value v, double value) const {
    const auto known = constant(v);
    return known && known->is(value);
}

Values Simplify::emit(Inst inst, const std::vector<Type>& types) {
    b.set_place(inst.place);
    if (ir::is_control(inst.op)) {
        auto results = simplify_control(*this, inst, types);
        if (results) {
            changed = true;
            return *results;
        }
        return b.raw().append(std::move(inst), types);
    }
    if (auto folded = fold_flat(b, inst, types)) {
        changed = true;
        return *folded;
    }
    if (types.size() == 1) {
        auto value = simplify_arithmetic(*this, inst);
        if (!value) value = simplify_shape(*this, inst);
        if (value) {
            PM_CHECK(b.type(*value) == types[0], std::string(ir::info(inst.op).name));
            changed = true;
            return {*value};
        }
    }
    return b.raw().append(std::move(inst), types);
}

Value Simplify::make(Op op, Values operands, ir::Attrs attrs) {
    Inst inst{op, std::move(operands), {}, std::move(attrs), {}, {}};
    std::vector<Type> in;
    for (const Value v : inst.operands) in.push_back(b.type(v));
    const std::vector<Type> types = ops::result_types(inst, in);
    return emit(std::move(inst), types).at(0);
}

Values Simplify::replay(const Block& block, const Values& arguments) {
    PM_CHECK(arguments.size() == block.params.size());
    Values now(block.values.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) now[block.params[i].id] = arguments[i];
    const auto mapped = [&](const Values& old) {
        Values out;
        for (const Value v : old) out.push_back(now[v.id]);
        return out;
    };
    const ir::Place outer = b.raw().place(); // the place for those instructions of `block` that have no place
    for (const Inst& inst : block.insts) {
        std::vector<Type> types;
        for (const Value v : inst.results) types.push_back(block.type(v));
        const Values results =
            emit({inst.op, mapped(inst.operands), {}, inst.attrs, inst.regions, inst.place.span ? inst.place : outer},
                 types);
        for (std::size_t i = 0; i < results.size(); ++i) now[inst.results[i].id] = results[i];
    }
    return mapped(block.results);
}

BlockPtr Simplify::region(const BlockPtr& block) {
    const auto known = done_.find(block);
    if (known != done_.end()) return known->second;
    ops::Build inner(block->name);
    Simplify s(inner, done_);
    Values params;
    for (const Value p : block->params) params.push_back(inner.param(block->type(p)));
    const Values results = s.replay(*block, params);
    const BlockPtr made = s.changed ? inner.finish(results) : block;
    done_[block] = made;
    return made;
}

BlockPtr pass::simplify(const BlockPtr& block) {
    Simplified done;
    ops::Build unused;
    return Simplify(unused, done).region(block);
}

} // namespace pm::optimize
