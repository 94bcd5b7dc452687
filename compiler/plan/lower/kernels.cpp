#include "compiler/ir/precision.hpp"
#include "compiler/ops/effects/check_attributes.hpp"
#include "compiler/ops/indexing/scatter.hpp"
#include "compiler/ops/linear/convolution.hpp"
#include "compiler/ops/linear/linear_algebra.hpp"
#include "compiler/plan/lower/block.hpp"
#include "runtime/gpu/device/fourier_transforms.hpp"

#include <algorithm>
#include <numeric>

namespace pm::plan {
namespace {

constexpr std::int64_t parallel_flops = 200'000;
constexpr std::int64_t parallel_sorted = 4096;
constexpr std::int64_t parallel_matrices = 1 << 20; // in multiplications; these take some 100 us

using Axes = std::vector<std::int64_t>;

/// Returns the single loop that iterates over the axes `axes` with one stride. Empty if the stride of an outer axis is
/// not the inner stride times the inner extent.
std::optional<DotSide::Walk> walk(const Shape& shape, const std::vector<std::int64_t>& strides, const Axes& axes) {
    DotSide::Walk result;
    for (std::size_t i = axes.size(); i-- > 0;) {
        const auto a = static_cast<std::size_t>(axes[i]);
        if (shape[a] == 1) continue;
        if (result.extent == 1) {
            result.stride = strides[a];
        } else if (strides[a] != result.stride * result.extent) {
            return {};
        }
        result.extent *= shape[a];
    }
    return result;
}

bool find_walks(DotSide& side) {
    for (std::size_t g = 0; g < 3; ++g) side.walks[g] = walk(side.type.shape, side.strides, side.groups[g]);
    return side.walks[0] && side.walks[1] && side.walks[2];
}

Axes free_axes(std::size_t rank, const Axes& contract, const Axes& batch) {
    Axes result;
    for (std::int64_t a = 0; a < static_cast<std::int64_t>(rank); ++a)
        if (std::find(contract.begin(), contract.end(), a) == contract.end() &&
            std::find(batch.begin(), batch.end(), a) == batch.end())
            result.push_back(a);
    return result;
}

std::string_view combine_mode(const Inst& inst) { return inst.attrs.text(ir::Attr::mode); }

nest::Combine combine_of(std::string_view mode) {
    if (mode == "mul") return nest::Combine::mul;
    if (mode == "min") return nest::Combine::min;
    if (mode == "max") return nest::Combine::max;
    return nest::Combine::add;
}

std::int64_t part_product(const Shape& shape, std::size_t begin, std::size_t end) {
    std::int64_t result = 1;
    for (std::size_t i = begin; i < end; ++i) result *= shape[i];
    return result;
}

} // namespace

bool BlockPlanner::worth_workers(const Unit& unit, std::int64_t work, std::int64_t least) const {
    return s_.options.workers > 1 && task_.mode != Mode::lane && !unit.in_lanes && work > least;
}

DotSide BlockPlanner::dot_side(const Inst& inst, std::size_t operand) {
    const Value v = inst.operands[operand];
    const Value base = without_transposes(facts_, v);
    const Axes& contract = inst.attrs.integers(operand == 0 ? ir::Attr::lhs_contract : ir::Attr::rhs_contract);
    const Axes& batch = inst.attrs.integers(operand == 0 ? ir::Attr::lhs_batch : ir::Attr::rhs_batch);
    DotSide side{type(v),
                 buffer(base),
                 {batch, free_axes(type(v).shape.size(), contract, batch), contract},
                 element_strides(facts_, v, base),
                 {}};
    if (find_walks(side)) return side;

    // The operand is copied, so that the axes of each group are adjacent and one loop iterates over each group.
    // `base_axes` maps the axes of v to the axes of the base.
    Axes base_axes(type(v).shape.size());
    std::iota(base_axes.begin(), base_axes.end(), 0);
    for (Value at = v; !(at == base);) {
        const Inst& transpose = *facts_.definition(at);
        for (std::int64_t& a : base_axes)
            a = transpose.attrs.integers(ir::Attr::permutation)[static_cast<std::size_t>(a)];
        at = transpose.operands[0];
    }
    DotSide moved{{type(v).dtype, {}}, 0, {}, {}, {}};
    Axes permutation;
    for (std::size_t g = 0; g < 3; ++g)
        for (const std::int64_t a : side.groups[g]) {
            moved.groups[g].push_back(static_cast<std::int64_t>(permutation.size()));
            moved.type.shape.push_back(type(v).shape[static_cast<std::size_t>(a)]);
            permutation.push_back(base_axes[static_cast<std::size_t>(a)]);
        }
    moved.strides.assign(permutation.size(), 1);
    for (std::size_t a = permutation.size(); a-- > 1;) moved.strides[a - 1] = moved.strides[a] * moved.type.shape[a];
    moved.buffer = s_.memory.temporary(moved.type, lanes_of(v), "transpose");
    const bool in_lanes = lanes_of(v) != 0;
    add(nest_step(build_transpose(type(base), side.buffer, moved.buffer, permutation), in_lanes), in_lanes);
    PM_CHECK(find_walks(moved));
    return moved;
}

/// Returns the DotStep::precision of a product. Empty if the product is exact.
std::string BlockPlanner::precision_of(const Inst& dot) const {
    const std::string& otherwise = s_.options.precision;
    const DType dtype = type(dot.operands[0]).dtype;
    if (otherwise.empty() || (dtype != DType::f32 && !runtime::is_half(dtype))) return {};
    const std::string& word = dot.attrs.has(ir::Attr::precision) ? dot.attrs.text(ir::Attr::precision) : otherwise;
    return word == ir::precision::highest ? std::string() : word;
}

void BlockPlanner::emit_dot(const Unit& unit) {
    const Inst& inst = *unit.inst;
    const Value product = inst.results[0];
    if (type(product).elements() == 0) return;
    const DotSide lhs = dot_side(inst, 0);
    const DotSide rhs = dot_side(inst, 1);
    const std::int64_t b = lhs.walks[0]->extent;
    const std::int64_t m = lhs.walks[1]->extent;
    const std::int64_t n = rhs.walks[1]->extent;
    const std::int64_t k = lhs.walks[2]->extent;

    Step step{DotStep{.batch = b,
                      .m = m,
                      .n = n,
                      .k = k,
                      .a_b = lhs.walks[0]->stride,
                      .a_m = lhs.walks[1]->stride,
                      .a_k = lhs.walks[2]->stride,
                      .b_b = rhs.walks[0]->stride,
                      .b_k = rhs.walks[2]->stride,
                      .b_n = rhs.walks[1]->stride,
                      .out_b = b == 1 ? 0 : m * n,
                      .out_m = m == 1 ? 0 : n,
                      .out_n = n == 1 ? 0 : 1,
                      .precision = precision_of(inst)}};
    step.parallel = worth_workers(unit, b * m * n * std::max<std::int64_t>(k, 1), parallel_flops);
    step.buffers = {lhs.buffer, rhs.buffer};
    add_epilogue(unit, step);
    add(std::move(step), unit.in_lanes);
}

/// If the kernel has no epilogue, adds the buffer of its result. Otherwise adds the epilogue.
void BlockPlanner::add_epilogue(const Unit& unit, Step& step) {
    const Value product = unit.inst->results[0];
    if (unit.members.size() == 1) {
        step.buffers.push_back(*buffers_[product.id]);
        return;
    }
    BuiltNest built = build_nest(source(), unit);
    // The product needs memory before the epilogue runs. If the epilogue has an output of the same size whose memory it
    // does not read, the product uses the memory of this output.
    const auto is_read = [&](BufferId id) {
        return std::ranges::any_of(built.nest->insts, [&](const nest::Inst& inst) {
            return inst.op == nest::ScalarOp::load && inst.access.buffer != 0 &&
                   s_.memory.storage_of(built.buffers[inst.access.buffer - 1]) == s_.memory.storage_of(id);
        });
    };
    std::optional<BufferId> out;
    for (const Value v : unit.members)
        if (!out && part_.stored[v.id] && type(v).dtype == type(product).dtype &&
            type(v).elements() == type(product).elements() && !is_read(*buffers_[v.id]))
            out = buffers_[v.id];
    step.buffers.push_back(out ? *out : temporary(product));
    step.buffers.insert(step.buffers.end(), built.buffers.begin(), built.buffers.end());
    step.nest = std::move(built.nest);
}

void BlockPlanner::emit_operand_copy(const Unit& unit) {
    emit_copy(buffer(unit.inst->operands[0]), *buffers_[unit.members[0].id]);
}

void BlockPlanner::emit_update(const Unit& unit) {
    const Inst& inst = *unit.inst;
    emit_operand_copy(unit);
    const Value part = inst.operands[1];
    if (type(part).elements() == 0) return;
    const BufferId target = *buffers_[unit.members[0].id];
    const StorageId storage = s_.memory.storage_of(target);
    BuiltNest built = build_update(source(), unit, target);
    if (!overwrites_in_step(built, s_.memory, storage, 0)) {
        // The update reads the array at indices other than those that it writes. So the update is first computed into a
        // temporary.
        const BufferId computed = s_.memory.temporary(type(part), lanes_of(unit.members[0]), "update");
        if (part_.role(part) == Role::inlined)
            add(nest_step(build_parts(source(), {&part, 1}, {computed, type(part).shape}), unit.in_lanes),
                unit.in_lanes);
        else
            emit_copy(buffer(part), computed);
        built = build_update(source(), unit, target, computed);
        if (!overwrites_in_step(built, s_.memory, storage, 0)) {
            // The start indices of the update also read the array at other indices.
            const BufferId old = temporary(unit.members[0]);
            emit_copy(target, old);
            NestSource from = source();
            from.buffer = [&](Value v) {
                return s_.memory.storage_of(buffer(v)) == storage ? s_.memory.view(old, type(v), part_.offsets[v.id])
                                                                  : buffer(v);
            };
            built = build_update(from, unit, target, computed);
        }
    }
    add(nest_step(std::move(built), unit.in_lanes), unit.in_lanes);
}

void BlockPlanner::emit_scatter(const Unit& unit) {
    const Inst& inst = *unit.inst;
    const Shape& x = type(inst.operands[0]).shape;
    const auto batch_rank = static_cast<std::size_t>(inst.attrs.integer(ir::Attr::batch, 0));
    const Axes& axes = inst.attrs.integers(ir::Attr::axes);
    const std::int64_t batch = part_product(x, 0, batch_rank);
    const std::int64_t indices = type(inst.operands[2]).elements();
    if (type(inst.operands[1]).elements() == 0) return emit_operand_copy(unit);
    const std::string_view mode = combine_mode(inst);
    ScatterStep scatter{.batch = batch,
                        .count = indices / batch,
                        .window = part_product(x, batch_rank + axes.size(), x.size()),
                        .replaces = mode == "set",
                        .combine = combine_of(mode)};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        PM_CHECK(axes[i] == static_cast<std::int64_t>(batch_rank + i), "scatter along axes that are not the first");
        scatter.sizes.push_back(x[batch_rank + i]);
    }
    Step step{std::move(scatter)};
    for (std::size_t i = 1; i < inst.operands.size(); ++i) step.buffers.push_back(buffer(inst.operands[i]));
    const BufferId result = *buffers_[unit.members[0].id];
    if (!ops::scatters_in_f64(inst, type(inst.operands[0]), type(inst.operands[2]).shape)) {
        emit_operand_copy(unit);
        step.buffers.push_back(result);
        return add(std::move(step), unit.in_lanes);
    }
    const Type wide{DType::f64, x};
    const BufferId sums = s_.memory.temporary(wide, lanes_of(unit.members[0]), "sums");
    const auto convert = [&](const Type& from_type, BufferId from, DType dtype, BufferId to) {
        add(nest_step(build_conversion(from_type, from, dtype, to), unit.in_lanes), unit.in_lanes);
    };
    convert(type(inst.operands[0]), buffer(inst.operands[0]), DType::f64, sums);
    step.buffers.push_back(sums);
    add(std::move(step), unit.in_lanes);
    convert(wide, sums, type(inst.operands[0]).dtype, result);
}

void BlockPlanner::emit_matrices(const Unit& unit) {
    const Inst& inst = *unit.inst;
    const Type& a = type(inst.operands[0]);
    MatricesStep kernel;
    Step step;
    std::vector<Type> operands;
    for (const Value v : inst.operands) {
        step.buffers.push_back(buffer(v));
        operands.push_back(type(v));
    }
    if (a.elements() == 0 || type(inst.results[0]).elements() == 0) return;
    if (unit.may_have_epilogue())
        add_epilogue(unit, step);
    else
        for (const Value v : inst.results) step.buffers.push_back(*buffers_[v.id]);
    if (inst.op == Op::factorize) {
        runtime::FactorizeSpec spec = ops::factorize_spec(inst, operands);
        spec.parallel = worth_workers(unit, a.elements() * spec.rank(), parallel_matrices);
        kernel = {"factorize", runtime::factorize_attributes(spec)};
    } else if (inst.op == Op::convolution) {
        kernel = {"convolution", runtime::convolution_attributes(ops::convolution_spec(inst, operands))};
    } else if (inst.op == Op::fft) {
        kernel = {"fft", runtime::fourier_attributes({a.dtype, inst.attrs.integer(ir::Attr::inverse) != 0,
                                                      part_product(a.shape, 0, a.shape.size() - 2),
                                                      a.shape[a.shape.size() - 2]})};
    } else {
        runtime::TriangularSpec spec = ops::triangular_spec(inst, operands);
        spec.parallel = worth_workers(unit, a.elements() * spec.m, parallel_matrices);
        kernel = {"triangular", runtime::triangular_attributes(spec)};
    }
    step.attributes = std::move(kernel);
    add(std::move(step), unit.in_lanes);
}

void BlockPlanner::emit_sort(const Unit& unit) {
    const Inst& inst = *unit.inst;
    const Shape& shape = type(inst.operands[0]).shape;
    PM_CHECK(!shape.empty() && inst.attrs.integer(ir::Attr::axis) + 1 == static_cast<std::int64_t>(shape.size()),
             "sort along an axis that is not the last");
    if (ir::product(shape) == 0) return;
    Step step{SortStep{.rows = part_product(shape, 0, shape.size() - 1),
                       .n = shape.back(),
                       .arrays = static_cast<std::int64_t>(inst.operands.size()),
                       .keys = inst.attrs.integer(ir::Attr::keys, 1)}};
    for (const Value v : inst.operands) step.buffers.push_back(buffer(v));
    for (const Value v : inst.results) step.buffers.push_back(*buffers_[v.id]);
    step.parallel = worth_workers(unit, ir::product(shape), parallel_sorted);
    add(std::move(step), unit.in_lanes);
}

void BlockPlanner::emit_cumulative(const Unit& unit) {
    const Inst& inst = *unit.inst;
    const Shape& shape = type(inst.operands[0]).shape;
    if (ir::product(shape) == 0) return;
    const auto axis = static_cast<std::size_t>(inst.attrs.integer(ir::Attr::axis));
    Step step{CumulativeStep{.outer = part_product(shape, 0, axis),
                             .n = shape[axis],
                             .inner = part_product(shape, axis + 1, shape.size()),
                             .reverse = inst.attrs.integer(ir::Attr::reverse, 0) != 0,
                             .combine = inst.op == Op::cumsum    ? nest::Combine::add
                                        : inst.op == Op::cumprod ? nest::Combine::mul
                                        : inst.op == Op::cummax  ? nest::Combine::max
                                                                 : nest::Combine::min}};
    step.buffers = {buffer(inst.operands[0]), *buffers_[unit.members[0].id]};
    add(std::move(step), unit.in_lanes);
}

void BlockPlanner::emit_tape(const Unit& unit) {
    const Inst& inst = *unit.inst;
    const Value x = inst.op == Op::tape_get ? inst.results[0] : inst.operands[1];
    const std::int64_t count = type(inst.operands[0]).elements();
    if (count == 0) return;
    using Work = runtime::TapeWork;
    const Work work = inst.op == Op::tape_get   ? Work::get
                      : inst.op == Op::tape_set ? Work::set
                      : inst.op == Op::tape_add ? Work::add
                                                : Work::sum;
    Step step{TapeStep{.tapes = count, .elements = type(x).elements() / count, .work = work}};
    const BufferId made = *buffers_[unit.members[0].id];
    if (work == Work::get) {
        step.buffers = {buffer(inst.operands[0]), buffer(inst.operands[1]), made};
    } else {
        emit_operand_copy(unit);
        for (std::size_t i = 1; i < inst.operands.size(); ++i) step.buffers.push_back(buffer(inst.operands[i]));
        step.buffers.push_back(made);
    }
    add(std::move(step), unit.in_lanes);
}

void BlockPlanner::emit_effect(const Unit& unit) {
    const Inst& inst = *unit.inst;
    const WithSite at{static_cast<std::uint32_t>(s_.program.sites.size())};
    Step step = inst.op == Op::print ? Step{PrintStep{at}} : Step{CheckStep{at}};
    for (const Value v : inst.operands) step.buffers.push_back(buffer(v));
    Site site;
    site.place = inst.place;
    site.kind = inst.op == Op::print ? SiteKind::print : SiteKind::check;
    const bool is_print = site.kind == SiteKind::print;
    if (is_print) {
        site.text = inst.attrs.text(ir::Attr::text);
    } else {
        ops::Check check = ops::check_of(inst);
        site.text = std::move(check.text);
        site.diagnostic = check.diagnostic;
        site.help = std::move(check.help);
        site.loops = task_.loops;
    }
    site.on_devices = task_.lanes > 0;
    site.devices = task_.devices;
    const Shape ok = is_print ? Shape{} : type(inst.operands[0]).shape;
    if (!site.on_devices) { // a lane has only some of the elements of its `pmap`
        const auto mapped = static_cast<std::ptrdiff_t>(inst.attrs.integer(ir::Attr::batch, 0));
        site.mapped.assign(ok.begin(), ok.begin() + mapped);
        site.inner = ir::Type{ir::DType::b1, Shape(ok.begin() + mapped, ok.end())}.elements();
    }
    for (std::size_t i = is_print ? 0 : 1; i < inst.operands.size(); ++i) {
        const ir::Type& value = type(inst.operands[i]);
        const bool by_element =
            value.shape.size() >= ok.size() && std::equal(ok.begin(), ok.end(), value.shape.begin());
        site.dtypes.push_back(value.dtype);
        site.shapes.emplace_back(value.shape.begin() + (by_element ? static_cast<std::ptrdiff_t>(ok.size()) : 0),
                                 value.shape.end());
    }
    s_.program.sites.push_back(std::move(site));
    add(std::move(step), unit.in_lanes);
}

} // namespace pm::plan
