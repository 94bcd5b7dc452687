#include "compiler/codegen/nest/nest_shape.hpp"

#include <algorithm>

namespace pm::codegen {
namespace {

using nest::Inst;
using nest::Nest;
using nest::Order;
using nest::ScalarOp;
using nest::Stage;

template <class F>
void each_affine(Nest& nest, const Stage& stage, F&& f) {
    for (const nest::Ref r : stage.body) {
        Inst& inst = nest.insts[r.id];
        if (inst.op == ScalarOp::index) f(inst.affine);
        if (inst.op == ScalarOp::load || inst.op == ScalarOp::store) f(inst.access.offset);
    }
}

void drop(nest::Affine& a, std::size_t loop) {
    if (loop < a.coefficients.size()) a.coefficients.erase(a.coefficients.begin() + static_cast<std::ptrdiff_t>(loop));
}

/// Whether an access permits two nested loops to merge. This is the case if the address after the last iteration of the
/// inner loop is the address of the next iteration of the outer loop.
bool mergeable(const nest::Affine& a, std::size_t outer, std::int64_t inner_extent) {
    return a.coefficient(outer) == a.coefficient(outer + 1) * inner_extent;
}

void simplify_grid(Nest& nest) {
    for (std::size_t d = 0; d < nest.grid.size();) {
        bool remove = nest.grid[d] == 1;
        bool merge = !remove && d + 1 < nest.grid.size() && nest.grid[d + 1] != 1;
        if (merge)
            for (const Stage& s : nest.stages)
                each_affine(nest, s,
                            [&](const nest::Affine& a) { merge = merge && mergeable(a, d, nest.grid[d + 1]); });
        if (merge) nest.grid[d + 1] *= nest.grid[d];
        if (!remove && !merge) {
            ++d;
            continue;
        }
        for (const Stage& s : nest.stages) each_affine(nest, s, [&](nest::Affine& a) { drop(a, d); });
        nest.grid.erase(nest.grid.begin() + static_cast<std::ptrdiff_t>(d));
        if (d > 0) --d; // the previous loop may now be mergeable
    }
}

/// Simplifies a stage's own loops without changing the order of a reduction. A loop of one iteration is removed, with
/// three exceptions: the innermost loop of a reduction in the order `lanes`, the only loop of a reduction, and a loop
/// that is cut into blocks or chunks. Two loops merge if the merge changes neither the sequential order of elements nor
/// the start of any chunk.
void simplify_own(Nest& nest, Stage& stage) {
    const bool reduces = NestShape::reduces(nest, stage);
    const std::size_t grid = nest.grid.size();
    for (std::size_t d = 0; d < stage.loops.size();) {
        const bool last = d + 1 == stage.loops.size();
        const bool cut = d == 0 && stage.block > 0;
        const bool chunks = stage.chunk.iterations > 0;
        const bool chunked = chunks && d == stage.chunk.loop;
        const bool spread = reduces && stage.order == Order::lanes;
        const bool remove =
            stage.loops[d] == 1 && !cut && !chunked && !(spread && last) && !(reduces && stage.loops.size() == 1);
        bool merge = !remove && !last && !cut && !(spread && d + 2 == stage.loops.size()) &&
                     !(chunks && d + 1 == stage.chunk.loop);
        if (merge)
            each_affine(nest, stage,
                        [&](const nest::Affine& a) { merge = merge && mergeable(a, grid + d, stage.loops[d + 1]); });
        if (!remove && !merge) {
            ++d;
            continue;
        }
        if (merge && chunked) stage.chunk.iterations *= stage.loops[d + 1];
        if (merge) stage.loops[d + 1] *= stage.loops[d];
        if (stage.chunk.loop > d) --stage.chunk.loop;
        each_affine(nest, stage, [&](nest::Affine& a) { drop(a, grid + d); });
        stage.loops.erase(stage.loops.begin() + static_cast<std::ptrdiff_t>(d));
        d = 0;
    }
}

/// Whether vectors lie along the grid's last loop. Otherwise vectors lie along own loops, in two cases. First, a stage
/// reduces the operand's last axis. Second, no stage reduces, and an innermost own loop has at least `lanes`
/// iterations, or at least as many as the grid's last loop.
bool choose_along_grid(const Nest& nest, int lanes) {
    if (nest.grid.empty()) return false;
    bool own = false;
    bool sequential = false;
    std::int64_t innermost = 0;
    for (const Stage& s : nest.stages) {
        if (s.loops.empty()) continue;
        own = true;
        innermost = std::max(innermost, s.loops.back());
        if (!NestShape::reduces(nest, s)) continue;
        if (s.order == Order::lanes) return false;
        sequential = true;
    }
    return !own || sequential || innermost < std::min<std::int64_t>(lanes, nest.grid.back());
}

int choose_lanes(const Nest& nest, const Machine& machine) {
    std::size_t bytes = 4;
    for (const Stage& s : nest.stages)
        for (const nest::Ref r : s.body) {
            const Inst& inst = nest[r];
            const bool address = inst.dtype == DType::i64 && inst.op != ScalarOp::load && inst.op != ScalarOp::store;
            if (!address && inst.dtype != DType::key && inst.dtype != DType::u64)
                bytes = std::max(bytes, runtime::size_of(inst.dtype));
            if (inst.op == ScalarOp::store) bytes = std::max(bytes, runtime::size_of(inst.dtype));
        }
    return std::max(2, machine.vector_bits / 8 / static_cast<int>(bytes));
}

/// Finds the loop in which each value is computed, and whether the value varies between lanes.
class Placement {
  public:
    explicit Placement(NestShape& shape) : shape_(shape), nest_(shape.nest) {
        shape.depth.assign(nest_.insts.size(), 0);
        shape.varies.assign(nest_.insts.size(), 0);
        shape.ranges.assign(nest_.insts.size(), {});
    }
    void run() {
        for (const Stage& s : nest_.stages) {
            const int vector_loop = shape_.vector_loop(s);
            int weight = 0;
            for (const nest::Ref r : s.body) {
                place(r, s, vector_loop);
                shape_.ranges[r.id] = nest::value_range(nest_, &s, nest_[r], shape_.ranges);
                weight += nest::weight(nest_[r].op, nest_[r].dtype);
            }
            // Outside of the stage that computes it, the result of a reduction depends only on the loops of the grid.
            for (const nest::Ref r : s.body)
                if (nest_[r].op == ScalarOp::reduce) {
                    shape_.depth[r.id] = static_cast<int>(shape_.grid());
                    shape_.varies[r.id] = shape_.along_grid ? 1 : 0;
                }
            shape_.weights.push_back(weight);
            shape_.weight += weight;
        }
    }

  private:
    void follow(nest::Ref r, int& depth, bool& varies) const {
        if (!r) return;
        depth = std::max(depth, shape_.depth[r.id]);
        varies = varies || shape_.varies[r.id] != 0;
    }

    void place(nest::Ref r, const Stage& s, int vector_loop) {
        const Inst& inst = nest_[r];
        int depth = 0;
        bool varies = false;
        for (const nest::Ref operand : inst.operands) follow(operand, depth, varies);
        const bool memory = inst.op == ScalarOp::load || inst.op == ScalarOp::store;
        if (memory) {
            follow(inst.access.dynamic, depth, varies);
            follow(inst.access.mask, depth, varies);
        }
        if (memory || inst.op == ScalarOp::index) {
            const nest::Affine& a = memory ? inst.access.offset : inst.affine;
            for (std::size_t l = 0; l < shape_.loops(s); ++l) {
                if (a.coefficient(l) == 0) continue;
                depth = std::max(depth, static_cast<int>(l) + 1);
                varies = varies || static_cast<int>(l) == vector_loop;
            }
        }
        // Stores, reductions and loads of written buffers keep their order in the innermost loop.
        const bool pinned = inst.op == ScalarOp::store || inst.op == ScalarOp::reduce ||
                            (inst.op == ScalarOp::load && nest_.buffers[inst.access.buffer].written);
        if (pinned) depth = static_cast<int>(shape_.loops(s));
        if (inst.op == ScalarOp::store || inst.op == ScalarOp::reduce) varies = vector_loop >= 0;
        shape_.depth[r.id] = depth;
        shape_.varies[r.id] = varies ? 1 : 0;
    }

    NestShape& shape_;
    const Nest& nest_;
};

/// Chooses a loop along which loads of an elementwise nest are contiguous, while they are strided along the last loop.
void choose_transposed(NestShape& shape, const Machine& machine) {
    const Nest& nest = shape.nest;
    if (!shape.along_grid || nest.grid.size() < 2 || nest.stages.size() != 1 || !nest.stages[0].loops.empty()) return;
    if (shape.lanes < 4 || (shape.lanes & (shape.lanes - 1)) != 0 || shape.lanes > machine.vector_bits / 32) return;
    for (std::size_t l = 0; l + 1 < nest.grid.size(); ++l) {
        if (nest.grid[l] < shape.lanes) continue;
        shape.transposed_loop = static_cast<int>(l);
        for (const nest::Ref r : nest.stages[0].body)
            if (shape.is_transposed(nest[r])) return;
    }
    shape.transposed_loop = -1;
}

/// The number of vectors per iteration. A reduction of columns reads as many contiguous vectors as there are registers
/// for the sums. With shorter contiguous reads the prefetcher does not help: 4096 x 4096 is then read at 8 instead of
/// 30 GB/s.
int choose_unroll(const NestShape& shape, const Machine& machine) {
    const bool sums = std::any_of(shape.nest.stages.begin(), shape.nest.stages.end(),
                                  [&](const Stage& s) { return NestShape::reduces(shape.nest, s); });
    int unroll = shape.weight <= 12 ? 4 : shape.weight <= 24 ? 2 : 1;
    if (sums && shape.weight <= 6) unroll = machine.avx512 ? 16 : 8;
    while (unroll > 1 && std::int64_t{unroll} * shape.lanes > shape.nest.grid.back()) unroll /= 2;
    return unroll;
}

/// Chooses the chunks, which are ranges of the outermost loops. A chunk takes about 50 us, or less if the nest would
/// otherwise have fewer than four chunks.
void choose_chunks(NestShape& shape) {
    const std::vector<std::int64_t>& grid = shape.nest.grid;
    if (grid.empty() || shape.empty()) return;
    constexpr std::int64_t enough = 64;
    shape.chunk_loops = 1;
    shape.chunk_extent = grid[0];
    const std::size_t scalar_loops = shape.transposed_loop >= 0 ? 1 : grid.size() - (shape.along_grid ? 1 : 0);
    while (shape.chunk_extent < enough && static_cast<std::size_t>(shape.chunk_loops) < scalar_loops)
        shape.chunk_extent *= grid[static_cast<std::size_t>(shape.chunk_loops++)];
    const double per_unit = shape.cost() / static_cast<double>(shape.chunk_extent);
    constexpr double chunk_cost = 200000;
    std::int64_t grain = std::max<std::int64_t>(1, static_cast<std::int64_t>(chunk_cost / std::max(per_unit, 1e-3)));
    grain = std::min(grain, std::max<std::int64_t>(1, shape.chunk_extent / 4));
    const bool vectors = shape.along_grid && shape.chunk_loops == 1 && grid.size() == 1;
    const std::int64_t step = vectors                      ? std::int64_t{shape.lanes} * shape.unroll
                              : shape.transposed_loop == 0 ? shape.lanes
                                                           : 1;
    shape.chunk_grain = std::max(step, (grain + step - 1) / step * step);
}

/// The number of elements that a thread accesses at once. The memory of a GPU is fastest in words of 16 bytes.
int choose_thread_lanes(NestShape& shape) {
    const Nest& nest = shape.nest;
    constexpr std::int64_t word = 16;
    constexpr std::int64_t many = std::int64_t{1} << 16; // with fewer elements, more threads hide more of the latency
    if (nest.grid.empty() || nest.stages.size() != 1 || !nest.stages[0].loops.empty()) return 1;
    const Stage& stage = nest.stages[0];
    if (nest::product(nest.grid) < many) return 1;
    std::size_t widest = 1;
    for (const nest::Ref r : stage.body)
        if (nest[r].op == ScalarOp::load || nest[r].op == ScalarOp::store)
            widest = std::max(widest, runtime::size_of(nest[r].dtype));
    shape.lanes = static_cast<int>(word / static_cast<std::int64_t>(widest));
    shape.along_grid = true;
    if (shape.lanes < 2 || nest.grid.back() % shape.lanes != 0) return 1;
    for (const nest::Ref r : stage.body) {
        const Inst& inst = nest[r];
        if (inst.op != ScalarOp::load && inst.op != ScalarOp::store) continue;
        if (inst.access.dynamic || inst.access.mask) return 1;
        const std::int64_t step = shape.lane_step(stage, inst);
        if (step != 0 && !(step == 1 && shape.whole_vectors(stage, inst))) return 1;
    }
    return shape.lanes;
}

NestShape simplified(const nest::Nest& nest) {
    NestShape shape;
    shape.nest = nest;
    simplify_grid(shape.nest);
    for (Stage& s : shape.nest.stages) simplify_own(shape.nest, s);
    return shape;
}

} // namespace

bool NestShape::reduces(const nest::Nest& nest, const nest::Stage& stage) {
    return std::any_of(stage.body.begin(), stage.body.end(),
                       [&](nest::Ref r) { return nest[r].op == ScalarOp::reduce; });
}

int NestShape::vector_loop(const nest::Stage& stage) const {
    if (lanes == 1) return -1;
    if (along_grid) return static_cast<int>(grid()) - 1;
    if (stage.loops.empty() || (reduces(nest, stage) && stage.order == Order::sequential)) return -1;
    return static_cast<int>(loops(stage)) - 1;
}

std::int64_t NestShape::lane_step(const nest::Stage& stage, const nest::Inst& inst) const {
    const int loop = vector_loop(stage);
    return loop < 0 ? 0 : inst.access.offset.coefficient(static_cast<std::size_t>(loop));
}

bool NestShape::whole_vectors(const nest::Stage& stage, const nest::Inst& inst) const {
    if (inst.access.dynamic || inst.access.buffer >= aligned.size() || aligned[inst.access.buffer] == 0) return false;
    const nest::Affine& offset = inst.access.offset;
    if (offset.base % lanes != 0) return false;
    for (std::size_t l = 0; l < loops(stage); ++l)
        if (static_cast<int>(l) != vector_loop(stage) && offset.coefficient(l) % lanes != 0) return false;
    return true; // the loop that the lanes lie along advances by whole vectors
}

bool NestShape::is_transposed(const nest::Inst& inst) const {
    if (transposed_loop < 0 || inst.op != ScalarOp::load || inst.access.dynamic || inst.access.mask ||
        nest.buffers[inst.access.buffer].written)
        return false;
    const std::int64_t along = inst.access.offset.coefficient(grid() - 1);
    return inst.access.offset.coefficient(static_cast<std::size_t>(transposed_loop)) == 1 && along != 0 && along != 1 &&
           along != -1;
}

bool NestShape::empty() const {
    return std::any_of(nest.grid.begin(), nest.grid.end(), [](std::int64_t n) { return n == 0; });
}

double NestShape::cost() const {
    double points = 1;
    for (const std::int64_t n : nest.grid) points *= static_cast<double>(n);
    double total = 0;
    for (std::size_t i = 0; i < nest.stages.size(); ++i) {
        double iterations = points;
        for (const std::int64_t n : nest.stages[i].loops) iterations *= static_cast<double>(n);
        total += iterations * std::max(weights[i], 4) / (vector_loop(nest.stages[i]) >= 0 ? lanes : 1);
    }
    return total;
}

NestShape shape_nest(const nest::Nest& nest, const Machine& machine) {
    NestShape shape = simplified(nest);
    shape.lanes = choose_lanes(shape.nest, machine);
    shape.along_grid = choose_along_grid(shape.nest, shape.lanes);
    if (shape.nest.grid.empty() &&
        std::all_of(shape.nest.stages.begin(), shape.nest.stages.end(), [](const Stage& s) { return s.loops.empty(); }))
        shape.lanes = 1;
    // A loop shorter than a vector becomes one vector of exactly its length.
    if (shape.along_grid && shape.nest.grid.back() <= shape.lanes)
        shape.lanes = static_cast<int>(std::max<std::int64_t>(1, shape.nest.grid.back()));
    Placement(shape).run();
    if (shape.along_grid) shape.unroll = choose_unroll(shape, machine);
    choose_transposed(shape, machine);
    choose_chunks(shape);
    return shape;
}

NestShape shape_threads(const nest::Nest& nest, std::vector<char> aligned) {
    NestShape shape = simplified(nest);
    shape.aligned = std::move(aligned);
    shape.lanes = choose_thread_lanes(shape);
    shape.along_grid = shape.lanes > 1;
    Placement(shape).run();
    return shape;
}

NestShape shape_point(const nest::Nest& nest) {
    NestShape shape;
    shape.nest = nest;
    Placement(shape).run();
    return shape;
}

NestShape shape_points(const nest::Nest& nest, const Machine& machine) {
    NestShape shape;
    shape.nest = nest;
    shape.lanes = static_cast<int>(
        std::max<std::int64_t>(1, std::min<std::int64_t>(choose_lanes(nest, machine), nest.grid.back())));
    shape.along_grid = true;
    Placement(shape).run();
    return shape;
}

} // namespace pm::codegen
