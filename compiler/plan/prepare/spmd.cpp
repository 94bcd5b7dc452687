#include "compiler/plan/prepare/spmd.hpp"

#include "compiler/ops/shape/slices.hpp"
#include "compiler/optimize/rewrite.hpp"
#include "compiler/plan/prepare/spmd_collectives.hpp"
#include "compiler/transform/core/transform.hpp"

#include <unordered_map>

namespace pm::plan {
namespace {

using ir::Attr;
using ir::Block;
using ir::BlockPtr;
using ir::Inst;
using ir::Op;
using ir::Value;
using ir::Values;
using ops::Build;
using ops::Shape;
using ops::with_slices_back;
using ops::with_slices_first;
using optimize::Rebuild;

constexpr std::int64_t local_ids = std::int64_t{1} << 32; ///< the first id for the axes of batches within lanes

Value first_slice(Build& b, Value v) {
    const Value one = b.slice_axis(v, 0, 0, 1);
    Shape shape = b.shape(one);
    shape.erase(shape.begin());
    return b.reshape(one, shape);
}

Value repeated(Build& b, Value v, std::int64_t count) {
    Shape shape = b.shape(v);
    ir::Integers dims;
    for (std::size_t d = 0; d < shape.size(); ++d) dims.push_back(static_cast<std::int64_t>(d) + 1);
    shape.insert(shape.begin(), count);
    return b.broadcast(v, shape, dims);
}

struct Pmap {
    explicit Pmap(const Inst& inst)
        : inst(inst), slices(inst.attrs.integer(Attr::axis_size)), id(inst.attrs.integer(Attr::axis_id)),
          tiled(inst.attrs.integer(Attr::tiled, 0) != 0), in_axes(inst.attrs.integers(Attr::in_axes)),
          out_axes(inst.attrs.integers(Attr::out_axes)) {}
    const Inst& inst;
    std::int64_t slices;
    std::int64_t id;
    bool tiled;
    const ir::Integers& in_axes;
    const ir::Integers& out_axes;

    /// The number of devices that the pmap lists. It is `all` if the pmap lists none.
    std::int64_t devices(std::int64_t all) const {
        if (!inst.attrs.has(Attr::devices)) return all;
        return static_cast<std::int64_t>(inst.attrs.integers(Attr::devices).size());
    }
    std::vector<bool> mapped() const {
        std::vector<bool> result;
        for (const std::int64_t axis : in_axes) result.push_back(axis >= 0);
        return result;
    }
};

/// Replaces the pmap by a batch.
Values as_batch(Build& b, const Pmap& pmap, const BlockPtr& body, Values operands) {
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (pmap.in_axes[i] >= 0)
            operands[i] = with_slices_first(b, operands[i], pmap.in_axes[i], pmap.slices, pmap.tiled);
    const transform::Batched batched = transform::batch(body, pmap.mapped(), pmap.slices, pmap.id);
    Values results = b.inline_block(*batched.block, operands);
    for (std::size_t r = 0; r < results.size(); ++r) {
        if (pmap.out_axes[r] < 0) {
            if (batched.batched[r]) results[r] = first_slice(b, results[r]);
            continue;
        }
        if (!batched.batched[r]) results[r] = repeated(b, results[r], pmap.slices);
        results[r] = with_slices_back(b, results[r], pmap.out_axes[r], pmap.tiled);
    }
    return results;
}

/// Replaces every pmap in a block and its regions by a batch.
BlockPtr flatten(const BlockPtr& block, bool exact) {
    return optimize::bottom_up(block, [exact](const BlockPtr& one) {
        bool any = false;
        for (const Inst& inst : one->insts) any = any || inst.op == Op::pmap;
        if (!any) return one;
        Rebuild to(*one);
        for (const Inst& inst : one->insts) {
            to.b.set_place(inst.place);
            if (inst.op != Op::pmap) {
                to.copy(inst);
                continue;
            }
            const Pmap pmap(inst);
            to.set(inst,
                   as_batch(to.b, pmap, exact ? exact_sums(inst.regions[0], pmap.id, pmap.slices) : inst.regions[0],
                            to(inst.operands)));
        }
        return to.finish();
    });
}

/// The body of one lane. Its parameters and results are slices, or k slices along axis 0 if k > 1. If some slices are
/// repeated, each lane gets the slices of all lanes as parameters. The lane selects its own slices.
BlockPtr lane_body(const Pmap& pmap, const BlockPtr& body, const SplitAxis& axis) {
    BlockPtr split = split_collectives(body, axis);
    if (axis.local == 1) return split;
    const transform::Batched batched = transform::batch(split, pmap.mapped(), axis.local, axis.local_id);
    Build b(body->name);
    Values params;
    for (std::size_t i = 0; i < pmap.in_axes.size(); ++i) {
        ir::Type type = batched.block->type(batched.block->params[i]);
        const bool all = pmap.in_axes[i] >= 0 && axis.repeated() != 0;
        if (all) type.shape[0] = axis.slices;
        params.push_back(b.param(std::move(type)));
    }
    Values slices = params;
    for (std::size_t i = 0; i < params.size() && axis.repeated() != 0; ++i) {
        if (pmap.in_axes[i] < 0) continue;
        const Value lane = b.emit1(Op::axis_index, {}, {{Attr::axis_id, axis.id}});
        const Value first = b.mul(lane, b.constant_i(ir::DType::i32, axis.local));
        slices[i] = rows_from(b, params[i], first, axis.local);
    }
    Values results = b.inline_block(*batched.block, slices);
    for (std::size_t r = 0; r < results.size(); ++r) {
        const bool stacked = pmap.out_axes[r] >= 0;
        if (stacked && !batched.batched[r]) results[r] = repeated(b, results[r], axis.local);
        if (!stacked && batched.batched[r]) results[r] = first_slice(b, results[r]);
    }
    return b.finish(results);
}

Values as_lanes(Build& b, const Pmap& pmap, const BlockPtr& body, const SplitAxis& axis, Values operands) {
    ir::Integers in_axes;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        in_axes.push_back(pmap.in_axes[i] < 0 || axis.repeated() != 0 ? -1 : 0);
        if (pmap.in_axes[i] < 0) continue;
        operands[i] = with_slices_first(b, operands[i], pmap.in_axes[i], pmap.slices, pmap.tiled);
        if (axis.local == 1 || axis.repeated() != 0) continue;
        Shape shape = b.shape(operands[i]);
        shape[0] = axis.local;
        shape.insert(shape.begin(), axis.lanes);
        operands[i] = b.reshape(operands[i], shape);
    }
    ir::Integers out_axes;
    for (const std::int64_t out : pmap.out_axes) out_axes.push_back(out < 0 ? -1 : 0);
    ir::Attrs attrs = pmap.inst.attrs;
    attrs.set(Attr::axis_size, axis.lanes);
    attrs.set(Attr::in_axes, std::move(in_axes));
    attrs.set(Attr::out_axes, std::move(out_axes));
    attrs.set(Attr::tiled, std::int64_t{0});
    Values results = b.emit(Op::pmap, operands, std::move(attrs), {lane_body(pmap, body, axis)});
    for (std::size_t r = 0; r < results.size(); ++r) {
        if (pmap.out_axes[r] < 0) continue;
        if (axis.local > 1) {
            Shape shape = b.shape(results[r]);
            shape.erase(shape.begin());
            shape[0] = axis.lanes * axis.local;
            results[r] = without_repeated(b, b.reshape(results[r], shape), axis);
        }
        results[r] = with_slices_back(b, results[r], pmap.out_axes[r], pmap.tiled);
    }
    return results;
}

std::int64_t largest_divisor(std::int64_t slices, std::int64_t devices) {
    for (std::int64_t lanes = std::min(slices, devices); lanes > 1; --lanes)
        if (slices % lanes == 0) return lanes;
    return 1;
}

/// True if slices may be repeated, so that more lanes have work. Two slices must not write to one tape. So no slice is
/// repeated if tapes are mapped and the body writes tapes. In all other cases, slices are repeated if the body has
/// control flow or effects. Effects count because their messages name the device. Operations on whole batches are no
/// reason to repeat slices. The workers share such operations without lanes, and joining the results of uneven lanes
/// needs a copy.
bool repeats(const Pmap& pmap, const Block& body) {
    bool tapes = false;
    for (std::size_t i = 0; i < pmap.in_axes.size(); ++i)
        tapes = tapes || (pmap.in_axes[i] >= 0 && body.type(body.params[i]).dtype == ir::DType::tape);
    if (tapes && ir::any_inst(body, [](const Inst& inst) { return ir::info(inst.op).has(ir::in_place); })) return false;
    return ir::has_effect(body) || ir::any_inst(body, [](const Inst& inst) { return ir::is_control(inst.op); });
}

/// Divides the slices among the lanes. If slices may be repeated, a lane has as few slices as the number of devices
/// permits. The number of lanes is then the least number that covers all slices.
SplitAxis split(const Pmap& pmap, const Block& body, const Options& options) {
    const std::int64_t devices = pmap.devices(options.devices);
    SplitAxis axis{pmap.id, local_ids + pmap.id, 1, 1, pmap.slices, options.processes};
    const std::int64_t lanes =
        repeats(pmap, body) ? std::min(pmap.slices, devices) : largest_divisor(pmap.slices, devices);
    axis.local = (pmap.slices + lanes - 1) / lanes;
    axis.lanes = (pmap.slices + axis.local - 1) / axis.local;
    return axis;
}

class Spmd {
  public:
    explicit Spmd(const Options& options) : options_(options) {}

    BlockPtr run(const BlockPtr& block) {
        const auto known = done_.find(block.get());
        if (known != done_.end()) return known->second;
        return done_[block.get()] = rewrite(block);
    }

  private:
    /// Rewrites outer pmaps first. A pmap inside another pmap becomes part of a lane of the outer pmap.
    BlockPtr rewrite(const BlockPtr& block) {
        if (!ir::any_inst(*block, [](const Inst& inst) { return inst.op == Op::pmap; })) return block;
        Rebuild to(*block);
        for (const Inst& inst : block->insts) {
            to.b.set_place(inst.place);
            if (inst.op != Op::pmap) {
                Inst copy = to.renamed(inst);
                for (BlockPtr& region : copy.regions) region = run(region);
                to.set(inst, to.append(std::move(copy), inst));
                continue;
            }
            const Pmap pmap(inst);
            BlockPtr body = flatten(inst.regions[0], options_.exact_sharding);
            if (options_.exact_sharding) body = exact_sums(body, pmap.id, pmap.slices);
            const SplitAxis axis = split(pmap, *body, options_);
            to.set(inst, axis.lanes == 1 ? as_batch(to.b, pmap, body, to(inst.operands))
                                         : as_lanes(to.b, pmap, body, axis, to(inst.operands)));
        }
        return to.finish();
    }

    const Options& options_;
    std::unordered_map<const Block*, BlockPtr> done_;
};

} // namespace

BlockPtr spmd(const BlockPtr& block, const Options& options) { return Spmd(options).run(block); }

} // namespace pm::plan
