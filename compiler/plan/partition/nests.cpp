#include "compiler/plan/partition/nests.hpp"

#include "compiler/ops/core/axes.hpp"
#include "compiler/plan/partition/roots.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace pm::plan {
namespace {

class NestWriter {
  public:
    NestWriter(const NestSource& source, const Unit& unit, std::string name)
        : s_(source), unit_(unit), shape_(unit.full, unit.axes), n_(std::move(name), shape_.grid),
          pull_(source.facts, n_, [this](Value x, const nest::Indices& at) { return leaf(x, at); }) {}

    BuiltNest run() {
        for (const Value v : unit_.members)
            if (s_.partition.stored[v.id]) nest_buffer(s_.buffer(v), true);
        if (unit_.axes.empty()) {
            begin({}, {});
            store(unit_.members);
        } else {
            stages();
        }
        return finish();
    }

    /// Buffer 0 of the nest is the result of the kernel. `BuiltNest::buffers` has no entry for it.
    BuiltNest epilogue() {
        product_ = n_.buffer(s_.facts.type(unit_.inst->results[0]).dtype, false);
        return run();
    }

    /// If `from` is set, it is the buffer that already contains the update.
    BuiltNest update(BufferId target, std::optional<BufferId> from) {
        const Inst& inst = *unit_.inst;
        const Type& x = s_.facts.type(inst.operands[0]);
        const Type& part = s_.facts.type(inst.operands[1]);
        const std::uint32_t out = nest_buffer(target, true);
        begin({}, {});
        nest::Indices at = n_.grid_indices();
        const nest::Ref value = from ? n_.load(nest_buffer(*from, false), part.shape, at) : pull_(inst.operands[1], at);
        for (std::size_t d = 0; d < at.size(); ++d) {
            const std::int64_t room = x.shape[d] - part.shape[d];
            if (room == 0) continue;
            at[d] = n_.add(n_.clamp(n_.from(pull_(inst.operands[2 + d], {})), 0, room), at[d]);
        }
        n_.store(out, x.shape, at, value);
        return finish();
    }

    /// Computes the values `values`, which have one shape, and writes them into `target` one after another.
    BuiltNest parts(std::span<const Value> values, const Part& target) {
        const std::uint32_t out = nest_buffer(target.buffer, true);
        begin({}, {});
        std::int64_t first = target.begin;
        for (const Value v : values) {
            nest::Indices at = n_.grid_indices();
            const nest::Ref element = pull_(v, at);
            if (first != 0) at[target.axis] = n_.add(at[target.axis], first);
            n_.store(out, target.shape, at, element);
            if (values.size() > 1) first += type(v).shape[target.axis];
        }
        return finish();
    }

  private:
    const Type& type(Value v) const { return s_.facts.type(v); }
    bool is_reduction(Value v) const { return unit_.kind == Kind::nest && plan::is_reduction(*s_.facts.definition(v)); }
    bool is_product(Value v) const { return unit_.may_have_epilogue() && v == unit_.inst->results[0]; }
    bool is_own(Value v) const {
        return std::find(unit_.members.begin(), unit_.members.end(), v) != unit_.members.end() &&
               unit_.kind != Kind::update;
    }
    bool is_full(Value v) const { return !is_reduction(v) && type(v).shape == unit_.full; }

    std::uint32_t nest_buffer(BufferId id, bool written) {
        const auto [found, added] = numbers_.try_emplace(id, 0);
        if (added) {
            found->second = n_.buffer(dtype_of(id), written);
            buffers_.push_back(id);
        }
        return found->second;
    }
    DType dtype_of(BufferId id) const { return dtypes_.at(id); }
    std::uint32_t value_buffer(Value v, bool written) {
        const BufferId id = s_.buffer(v);
        dtypes_[id] = type(v).dtype;
        return nest_buffer(id, written);
    }

    nest::Indices own_index(Value v) const {
        if (!is_full(v)) return shape_.grid_index(type(v).shape);
        return unit_.axes.empty() ? n_.grid_indices() : shape_.full_index(unit_.full, unit_.axes);
    }

    std::optional<nest::Ref> leaf(Value x, const nest::Indices& at) {
        const Role role = s_.partition.role(x);
        if (role == Role::inlined) return {};
        const Value base = s_.partition.base(x);
        if (!is_own(base)) return n_.load(value_buffer(x, false), type(x).shape, at);
        if (is_product(base)) return n_.load(product_, unit_.full, n_.grid_indices());
        if (is_reduction(base)) {
            const nest::Ref r = reduced_.at(base.id);
            return type(x).dtype == n_.dtype(r) ? r : n_.op(nest::ScalarOp::convert, type(x).dtype, {r});
        }
        if (written_.count(base.id) != 0) return n_.load(value_buffer(base, false), type(base).shape, own_index(base));
        if (x == base) return {};
        return pull_(base, own_index(base));
    }

    void begin(std::vector<std::int64_t> loops, const nest::ReduceOrder& order) {
        n_.begin_stage(std::move(loops), order);
        pull_.forget();
    }

    /// Computes all values before the first store. The reason: a store may overwrite elements that another value of the
    /// same iteration reads.
    void store(const Values& members) {
        std::vector<std::pair<Value, nest::Ref>> values;
        for (const Value v : members)
            if (s_.partition.stored[v.id]) values.emplace_back(v, pull_(v, own_index(v)));
        for (const auto& [v, ref] : values) n_.store(value_buffer(v, true), type(v).shape, own_index(v), ref);
        for (const auto& [v, ref] : values) written_.insert(v.id);
    }

    // ---- several stages over rows

    /// The number of reduction stages that must end before `v` can be computed.
    int depth(Value v) {
        const auto known = depths_.find(v.id);
        if (known != depths_.end()) return known->second;
        int result = 0;
        const Value base = s_.partition.base(v);
        if (!(base == v)) {
            result = depth(base);
        } else if (s_.partition.role(v) == Role::inlined || is_own(v)) {
            for (const Value operand : s_.facts.definition(v)->operands) result = std::max(result, depth(operand));
            if (is_own(v) && is_reduction(v)) ++result;
        }
        depths_[v.id] = result;
        return result;
    }

    /// True if `v` is an expensive value of the full shape. A separate stage before the reductions may store such a
    /// value.
    bool is_early(Value v) const {
        if (!s_.partition.stored[v.id] || !is_full(v)) return false;
        int cost = 0;
        std::vector<Value> work{v};
        std::set<std::uint32_t> seen;
        while (!work.empty()) {
            const Value top = work.back();
            work.pop_back();
            const bool written_here = s_.partition.role(top) == Role::inlined || (is_own(top) && !is_reduction(top));
            if (!written_here || !seen.insert(top.id).second) continue;
            cost += ops::rules(s_.facts.definition(top)->op).cost;
            for (const Value operand : s_.facts.definition(top)->operands) work.push_back(operand);
        }
        return cost > cheap_in_row;
    }

    void stages() {
        int deepest = 0;
        for (const Value v : unit_.members) deepest = std::max(deepest, depth(v));
        for (int d = 0; d <= deepest; ++d) {
            Values early;
            Values reductions;
            for (const Value v : unit_.members) {
                if (is_reduction(v) && depth(v) == d + 1) reductions.push_back(v);
                if (!is_reduction(v) && depth(v) == d && d < deepest && is_early(v)) early.push_back(v);
            }
            if (!early.empty()) {
                begin(shape_.row, {});
                store(early);
            }
            if (!reductions.empty()) reduce(reductions);
        }
        Values full;
        Values scalars;
        for (const Value v : unit_.members)
            if (written_.count(v.id) == 0) (is_full(v) ? full : scalars).push_back(v);
        if (any_stored(full)) {
            begin(shape_.row, {});
            store(full);
        }
        if (any_stored(scalars)) {
            begin({}, {});
            store(scalars);
        }
    }

    bool any_stored(const Values& values) const {
        return std::any_of(values.begin(), values.end(), [&](Value v) { return s_.partition.stored[v.id]; });
    }

    static nest::Combine combine_of(const Inst& reduction) {
        return std::get<ops::LowerReduce>(ops::rules(reduction.op).lower).combine;
    }
    /// True if the result depends on the order in which the reduction combines its elements.
    bool rounds(Value reduction) const {
        const Inst& inst = *s_.facts.definition(reduction);
        const nest::Combine combine = combine_of(inst);
        return runtime::is_float(type(inst.operands[0]).dtype) &&
               (combine == nest::Combine::add || combine == nest::Combine::mul);
    }

    void reduce(const Values& reductions) {
        nest::ReduceOrder order = nest::reduce_order(shape_.row, shape_.last_axis);
        if (std::none_of(reductions.begin(), reductions.end(), [&](Value v) { return rounds(v); })) order.chunk = {};
        begin(shape_.row, order);
        const nest::Indices at = shape_.full_index(unit_.full, unit_.axes);
        std::vector<nest::Ref> results;
        for (const Value v : reductions) {
            const Inst& inst = *s_.facts.definition(v);
            const nest::Combine combine = combine_of(inst);
            const nest::Ref value = pull_(inst.operands[0], at);
            nest::Ref position;
            if (combine == nest::Combine::argmax || combine == nest::Combine::argmin)
                position = n_.value(at[static_cast<std::size_t>(inst.attrs.integer(ir::Attr::axis))]);
            results.push_back(n_.reduce(combine, value, position));
        }
        for (std::size_t i = 0; i < reductions.size(); ++i) reduced_[reductions[i].id] = results[i];
    }

    BuiltNest finish() {
        nest::Nest nest = n_.finish();
        drop_unused(nest);
        if (unit_.kind != Kind::dot)
            collapse(nest);
        else // partition() has checked that the groups can be merged
            PM_CHECK(collapse_groups(nest, product_groups(s_.facts, *unit_.inst)));
        return {std::make_shared<const nest::Nest>(std::move(nest)), std::move(buffers_)};
    }

    /// Removes buffers that are neither loaded nor stored. Their loads were folded.
    void drop_unused(nest::Nest& nest) {
        const std::size_t own = product_ == no_buffer ? 0 : 1;
        std::vector<bool> used(nest.buffers.size(), false);
        if (own == 1) used[0] = true;
        for (const nest::Inst& i : nest.insts)
            if (i.op == nest::ScalarOp::load || i.op == nest::ScalarOp::store) used[i.access.buffer] = true;
        std::vector<std::uint32_t> renamed(used.size());
        std::vector<nest::Buffer> kept;
        std::vector<BufferId> kept_ids;
        for (std::size_t b = 0; b < used.size(); ++b) {
            if (!used[b]) continue;
            renamed[b] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(nest.buffers[b]);
            if (b >= own) kept_ids.push_back(buffers_[b - own]);
        }
        for (nest::Inst& i : nest.insts)
            if (i.op == nest::ScalarOp::load || i.op == nest::ScalarOp::store)
                i.access.buffer = renamed[i.access.buffer];
        nest.buffers = std::move(kept);
        buffers_ = std::move(kept_ids);
    }

    static constexpr std::uint32_t no_buffer = 0xFFFFFFFFU;

    const NestSource& s_;
    const Unit& unit_;
    NestLoops shape_;
    nest::Builder n_;
    Pull pull_;
    std::map<BufferId, std::uint32_t> numbers_;
    std::map<BufferId, DType> dtypes_;
    std::vector<BufferId> buffers_;
    std::map<std::uint32_t, nest::Ref> reduced_;
    std::map<std::uint32_t, int> depths_;
    std::set<std::uint32_t> written_;
    std::uint32_t product_ = no_buffer;

  public:
    void know(BufferId id, DType dtype) { dtypes_[id] = dtype; }
};

std::string unit_name(const NestSource& source, const Unit& unit) {
    std::string name;
    for (const Value v : unit.members) {
        if (!source.partition.stored[v.id]) continue;
        const Inst* inst = source.facts.definition(v);
        const std::string_view op = ir::info(inst->op).name;
        if (name.size() + op.size() > 40) break;
        if (!name.empty()) name += '.';
        name += op;
    }
    return name;
}

} // namespace

BuiltNest build_nest(const NestSource& source, const Unit& unit) {
    NestWriter writer(source, unit, unit_name(source, unit));
    for (const Value v : unit.members)
        if (source.partition.stored[v.id]) writer.know(source.buffer(v), source.facts.type(v).dtype);
    return unit.may_have_epilogue() ? writer.epilogue() : writer.run();
}

BuiltNest build_update(const NestSource& source, const Unit& unit, BufferId target, std::optional<BufferId> update) {
    Unit over = unit;
    over.full = source.facts.type(unit.inst->operands[1]).shape;
    over.axes.clear();
    NestWriter writer(source, over, "dynamic_update");
    writer.know(target, source.facts.type(unit.inst->operands[0]).dtype);
    if (update) writer.know(*update, source.facts.type(unit.inst->operands[1]).dtype);
    return writer.update(target, update);
}

BuiltNest build_parts(const NestSource& source, std::span<const Value> parts, const Part& target) {
    Unit unit;
    unit.kind = Kind::update; // the unit has no members
    unit.full = source.facts.type(parts[0]).shape;
    const Inst* made_by = source.facts.definition(parts[0]); // null for a parameter
    NestWriter writer(source, unit, made_by ? std::string(ir::info(made_by->op).name) : "copy");
    writer.know(target.buffer, source.facts.type(parts[0]).dtype);
    return writer.parts(parts, target);
}

namespace {

/// A nest that copies and converts to `dtype`: axis i of `to` is axis permutation[i] of `from`.
BuiltNest build_copy(const char* name, const ir::Type& from_type, BufferId from, DType dtype, BufferId to,
                     const std::vector<std::int64_t>& permutation) {
    Shape shape;
    for (const std::int64_t axis : permutation) shape.push_back(from_type.shape[static_cast<std::size_t>(axis)]);
    nest::Builder n(name, shape);
    const std::uint32_t in = n.buffer(from_type.dtype, false);
    const std::uint32_t out = n.buffer(dtype, true);
    n.begin_stage({});
    const nest::Indices at = n.grid_indices();
    nest::Indices source(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) source[static_cast<std::size_t>(permutation[i])] = at[i];
    const nest::Ref x = n.load(in, from_type.shape, source);
    n.store(out, shape, at, dtype == from_type.dtype ? x : n.op(nest::ScalarOp::convert, dtype, {x}));
    nest::Nest nest = n.finish();
    collapse(nest);
    return {std::make_shared<const nest::Nest>(std::move(nest)), {from, to}};
}

} // namespace

BuiltNest build_conversion(const ir::Type& from_type, BufferId from, DType dtype, BufferId to) {
    return build_copy("convert", from_type, from, dtype, to, ops::counting(0, from_type.shape.size()));
}

BuiltNest build_transpose(const ir::Type& from_type, BufferId from, BufferId to,
                          const std::vector<std::int64_t>& permutation) {
    return build_copy("transpose", from_type, from, from_type.dtype, to, permutation);
}

std::vector<std::int64_t> element_strides(const Facts& facts, Value v, Value base) {
    const Shape& shape = facts.type(v).shape;
    nest::Builder n("strides", shape);
    const std::uint32_t buffer = n.buffer(facts.type(base).dtype, false);
    n.begin_stage({});
    Pull pull(facts, n, [&](Value x, const nest::Indices& at) -> std::optional<nest::Ref> {
        if (!(x == base)) return {};
        return n.load(buffer, facts.type(base).shape, at);
    });
    const nest::Ref r = pull(v, n.grid_indices());
    const nest::Inst& load = n.nest()[r];
    PM_CHECK(load.op == nest::ScalarOp::load && !load.access.dynamic && !load.access.mask);
    std::vector<std::int64_t> strides;
    for (std::size_t d = 0; d < shape.size(); ++d) strides.push_back(load.access.offset.coefficient(d));
    return strides;
}

bool overwrites_in_step(const BuiltNest& built, const Memory& memory, StorageId storage, std::size_t first_buffer) {
    const nest::Nest& nest = *built.nest;
    // If there is one grid point, and the stage has no loops of its own, every load comes before the store.
    if (ir::product(nest.grid) == 1 && nest.stages.size() == 1 && nest.stages[0].loops.empty()) return true;
    const nest::Inst* store = nullptr;
    bool loads = false;
    for (std::size_t stage = 0; stage < nest.stages.size(); ++stage) {
        bool stored_before = store != nullptr;
        for (const nest::Ref r : nest.stages[stage].body) {
            const nest::Inst& inst = nest[r];
            const bool is_store = inst.op == nest::ScalarOp::store;
            if ((inst.op != nest::ScalarOp::load && !is_store) || inst.access.buffer < first_buffer) continue;
            const BufferId id = built.buffers[inst.access.buffer - first_buffer];
            if (memory.storage_of(id) != storage) continue;
            if (!is_store) {
                loads = true;
                if (stored_before) return false;
            }
            if (is_store && store != nullptr) return false;
            if (is_store) store = &inst;
        }
    }
    if (store == nullptr || !loads) return true;
    for (const nest::Inst& inst : nest.insts) {
        if (inst.op != nest::ScalarOp::load || inst.access.buffer < first_buffer) continue;
        const BufferId id = built.buffers[inst.access.buffer - first_buffer];
        if (memory.storage_of(id) != storage) continue;
        const BufferId to = built.buffers[store->access.buffer - first_buffer];
        if (!memory.same_place(id, to) || !(inst.access.offset == store->access.offset) || inst.access.mask)
            return false;
        if (!(inst.access.dynamic == store->access.dynamic)) return false;
    }
    return true;
}

} // namespace pm::plan
