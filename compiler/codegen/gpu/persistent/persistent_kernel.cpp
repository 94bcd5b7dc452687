#include "compiler/codegen/gpu/persistent/persistent_kernel.hpp"

#include "compiler/base/stop.hpp"
#include "compiler/codegen/gpu/dot/dot.hpp"
#include "compiler/codegen/gpu/prefix_scan.hpp"
#include "compiler/codegen/gpu/scatter.hpp"
#include "compiler/codegen/gpu/sort.hpp"
#include "compiler/codegen/steps/collective.hpp"
#include "compiler/codegen/steps/prefix_scan.hpp"
#include "compiler/codegen/steps/scatter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace pm::codegen {

using plan::Step;
using plan::StepKind;
using plan::Stride;

namespace {

/// A step with this number of instructions keeps a large GPU busy for longer than the host needs to launch the next
/// step. Such a step also takes longer than reading back a condition (some 10 us).
constexpr double large_step = 1e8;
/// If a thread runs more than this number of iterations over the points of a step, several thread blocks are faster
/// than one. A barrier of several thread blocks takes about 1.5 us. An iteration takes about one memory latency.
constexpr double most_iterations = 16;
/// The assumed trip count of a `while`.
constexpr double usual_iterations = 8;
/// The greatest number of products per element of a dot in a persistent kernel: 16 products take some 0.3 us.
constexpr std::int64_t most_products = 2048;
/// The greatest number of parameters, which are 8-byte addresses. Every driver accepts 4 KB of parameters.
constexpr std::size_t most_parameters = 256;
/// The greatest number of tape windows. The host rewrites all windows when it opens a window.
constexpr std::int64_t most_windows = 4096;

bool is_control(const Step& step) {
    return step.kind() == StepKind::loop || step.kind() == StepKind::while_ || step.kind() == StepKind::if_;
}

double count(const std::vector<std::int64_t>& extents) { return static_cast<double>(nest::product(extents)); }

/// The approximate number of instructions of all threads together.
double work_of(const plan::Program& program, const Step& step, const NestShape& shape) {
    switch (step.kind()) {
    case StepKind::nest: return shape.cost();
    case StepKind::dot: {
        const plan::DotStep s = dot_sizes(step);
        return (on_tensor_cores(step) ? 0.25 : 3) * count({s.batch, s.m, s.n, s.k});
    }
    case StepKind::scatter: return scatter_work(step) * scatter_iterations(step, program);
    case StepKind::cumulative: return cumulative_work(step);
    case StepKind::sort: return sort_work(step);
    case StepKind::check: return static_cast<double>(program.buffers[step.buffers[0]].elements());
    case StepKind::tape: return 4 * static_cast<double>(step.as<plan::TapeStep>().points());
    case StepKind::copy:
    case StepKind::collective: return static_cast<double>(program.buffers[step.buffers[1]].elements()) * 4;
    default: PM_UNREACHABLE(); // not a kernel
    }
}

int weight_of(const PersistentKernel::Leaf& leaf) {
    switch (leaf.step->kind()) {
    case StepKind::nest: return leaf.shape.weight + (leaf.in_passes ? 150 : 0);
    case StepKind::dot: return on_tensor_cores(*leaf.step) ? 1000 : 400;
    case StepKind::sort: return 400;
    case StepKind::cumulative: return 150;
    case StepKind::tape: return 120;
    default: return 60;
    }
}

/// The number of sequential iterations of a thread for one point of the step.
double iterations_of_point(const plan::Program& program, const PersistentKernel::Leaf& leaf) {
    const Step& step = *leaf.step;
    switch (step.kind()) {
    case StepKind::nest: {
        double iterations = 0;
        for (const nest::Stage& s : leaf.shape.nest.stages) {
            const bool alone = NestShape::reduces(leaf.shape.nest, s) && s.order == nest::Order::sequential;
            iterations += std::ceil(count(s.loops) / (alone ? 1 : leaf.mapping.team));
        }
        return iterations;
    }
    case StepKind::dot: return std::ceil(static_cast<double>(dot_sizes(step).k) / (on_tensor_cores(step) ? 32 : 8));
    case StepKind::sort: return sort_iterations(step, leaf.mapping.threads);
    case StepKind::scatter: return scatter_iterations(step, program);
    case StepKind::cumulative: return prefix_scan_iterations(step, program, leaf.mapping.threads);
    default: return 1;
    }
}

/// Whether a step is faster in several launches than inside a persistent kernel.
bool wants_passes(const plan::Program& program, const Step& step) {
    if (step_passes(step, program) == 1) return false;
    // Inside a persistent kernel, a product on tensor cores would add in another order than in a separate kernel.
    return step.kind() != StepKind::dot || on_tensor_cores(step) || dot_sizes(step).k > most_products;
}

class Maker {
  public:
    Maker(const plan::Program& program, int size, bool tapes) : program_(program), size_(size), tapes_(tapes) {}

    std::unique_ptr<PersistentKernel> make(const Step& root) {
        made_ = std::make_unique<PersistentKernel>();
        made_->root = &root;
        if (!take(root, 1) || made_->leaves.empty() || work_ > large_step * launches_) return nullptr;
        place_indices(root);
        give(root);
        if (made_->parameters.size() > most_parameters || windows_ > most_windows) return nullptr;
        place_record();
        map();
        return std::move(made_);
    }

  private:
    bool take(const plan::Steps& steps, double times) {
        const plan::Steps* const around = std::exchange(list_, &steps);
        const bool all = std::all_of(steps.begin(), steps.end(), [&](const Step& s) { return take(s, times); });
        list_ = around;
        return all;
    }

    /// `times`: the assumed number of executions of the step. Returns false if the step cannot be a part of the kernel.
    bool take(const Step& step, double times) {
        const std::size_t first = made_->tapes.size();
        if (!take_step(step, times)) return false;
        if (first != made_->tapes.size())
            made_->tapes_in.emplace(&step, PersistentKernel::Numbers{first, made_->tapes.size()});
        return true;
    }
    bool take_step(const Step& step, double times) {
        poll_stop();
        if (made_->weight > size_) return false;
        if (step.kind() == StepKind::poll) return true;
        made_->weight += 10 + 3 * static_cast<int>(step.buffers.size());
        if (is_control(step)) {
            double iterations = step.kind() == StepKind::while_ ? usual_iterations : 1;
            if (step.kind() == StepKind::loop) {
                const auto& loop = step.as<plan::LoopStep>();
                made_->loops.emplace(loop.id, loop.iterations);
                loops_.push_back(loop.id);
                iterations = static_cast<double>(loop.iterations);
            }
            const double before = launches_;
            for (const plan::Steps& child : step.children)
                if (!take(child, times * iterations)) return false;
            constexpr double few = 256;
            if (step.kind() == StepKind::while_ || (launches_ - before) / times >= few) made_->polls.insert(&step);
            return true;
        }
        const bool checks = step.kind() == StepKind::check;
        if (checks && program_.buffers[step.buffers[0]].elements() == 0) return true;
        if (checks) made_->checks.push_back(&step);
        const bool tapes = tapes_ && moves_tapes(step, program_);
        if (tapes) {
            if (step.as<plan::TapeStep>().points() == 0) return true;
            made_->tapes.push_back(&step);
            made_->group_of_tape.push_back(
                groups_.emplace(std::pair(list_, step.buffers[1]), static_cast<std::int64_t>(groups_.size()))
                    .first->second);
            windows_ += step.as<plan::TapeStep>().tapes;
        }
        if (!checks && !tapes && (!is_kernel(step) || wants_passes(program_, step))) return false;
        PersistentKernel::Leaf leaf;
        leaf.replacement = step.kind() == StepKind::collective ? collective_nest(program_, step) : nullptr;
        leaf.step = leaf.replacement ? leaf.replacement.get() : &step;
        if (leaf.step->kind() == StepKind::nest) leaf.shape = shape_kernel(program_, *leaf.step);
        leaf.in_passes = nest_passes(leaf.shape) > 1;
        if (leaf.in_passes) made_->scratch_bytes = std::max(made_->scratch_bytes, nest_scratch_bytes(leaf.shape));
        made_->weight += weight_of(leaf);
        work_ += times * work_of(program_, *leaf.step, leaf.shape);
        launches_ += times;
        made_->leaves.emplace(&step, std::move(leaf));
        return true;
    }

    /// Finds the loop indices that only nests and tape steps read. These indices are in registers, not in memory.
    void place_indices(const Step& step) {
        if (step.kind() == StepKind::loop && !step.buffers.empty()) {
            const AccessRange index = touched(program_, *made_, step.buffers[0], true);
            if (!reads(step.children[0], step.buffers[0], index)) made_->in_registers.insert(step.buffers[0]);
        }
        for (const plan::Steps& child : step.children)
            for (const Step& s : child) place_indices(s);
    }
    bool reads(const plan::Steps& steps, plan::BufferId id, const AccessRange& index) const {
        return std::any_of(steps.begin(), steps.end(), [&](const Step& s) {
            const auto leaf = made_->leaves.find(&s);
            const Step& step = leaf == made_->leaves.end() ? s : *leaf->second.step;
            for (std::size_t i = 0; i < step.buffers.size(); ++i)
                if (touched(program_, *made_, step.buffers[i], false).overlaps(index) && !in_register(step, i, id))
                    return true;
            return std::any_of(step.children.begin(), step.children.end(),
                               [&](const plan::Steps& child) { return reads(child, id, index); });
        });
    }
    bool in_register(const Step& step, std::size_t buffer, plan::BufferId index) const {
        if (step.kind() == StepKind::tape)
            return buffer == 1 && step.as<plan::TapeStep>().tapes == 1 && step.buffers[1] == index;
        if (step.kind() != StepKind::nest || step.nest->buffers[buffer].written || step.buffers[buffer] != index)
            return false;
        return std::all_of(step.nest->insts.begin(), step.nest->insts.end(), [&](const nest::Inst& inst) {
            return inst.op != nest::ScalarOp::load || inst.access.buffer != buffer ||
                   (!inst.access.mask && !inst.access.dynamic);
        });
    }

    void place_record() {
        if (!made_->has_record()) return;
        made_->loops_of_record = loops_;
        made_->record = in_words_of_16(made_->scratch_bytes);
        made_->scratch_bytes = made_->tapes.empty() ? made_->place_of_check(made_->checks.size())
                                                    : made_->place_of_window(made_->tapes.size());
    }

    void give(const Step& step) {
        for (const plan::BufferId id : step.buffers)
            if (made_->in_registers.count(id) == 0) give(id);
        for (const plan::Steps& child : step.children)
            for (const Step& s : child) give(s);
    }
    void give(plan::BufferId id) {
        const plan::Buffer& b = program_.buffers[id];
        const auto same = [&](plan::BufferId other) {
            const plan::Buffer& o = program_.buffers[other];
            return b.space == o.space && b.index == o.index && b.offset == o.offset &&
                   touched(program_, *made_, id, false).outer == touched(program_, *made_, other, false).outer;
        };
        std::vector<plan::BufferId>& all = made_->parameters;
        const auto found = std::find_if(all.begin(), all.end(), same);
        made_->parameter_of.emplace(id, static_cast<std::size_t>(found - all.begin()));
        if (found == all.end()) all.push_back(id);
    }

    Mapping map(const PersistentKernel::Leaf& leaf, int threads) const {
        if (leaf.step->kind() != StepKind::nest) return map_step(*leaf.step, program_, threads);
        return leaf.in_passes ? map_nest_passes(leaf.shape, threads) : map_threads(leaf.shape, threads);
    }

    /// Chooses as few threads as the largest step needs, since barriers of few threads are faster.
    void map() {
        std::int64_t wanted = Mapping::least_threads;
        for (const auto& [step, leaf] : made_->leaves) {
            const Mapping own = map(leaf, Mapping::most_threads);
            wanted = std::max(wanted, own.points * own.team);
        }
        Mapping& all = made_->mapping;
        wanted = std::min<std::int64_t>(wanted, Mapping::most_threads);
        all.threads = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(wanted)));
        all.has_barriers = true;
        for (auto& [step, leaf] : made_->leaves) {
            leaf.mapping = map(leaf, all.threads);
            const double rounds = std::ceil(static_cast<double>(leaf.mapping.points * leaf.mapping.team) / all.threads);
            const bool several = leaf.in_passes || rounds * iterations_of_point(program_, leaf) > most_iterations;
            if (rounds < 2 || !several) continue;
            all.fixed = false;
            all.blocks = std::max(all.blocks, leaf.mapping.blocks);
        }
        for (auto& [step, leaf] : made_->leaves) {
            leaf.mapping.fixed = all.fixed;
            leaf.mapping.blocks = all.blocks;
        }
    }

    const plan::Program& program_;
    int size_;
    bool tapes_;
    std::int64_t windows_ = 0;
    const plan::Steps* list_ = nullptr; ///< the current list of steps
    std::map<std::pair<const plan::Steps*, plan::BufferId>, std::int64_t> groups_;
    std::unique_ptr<PersistentKernel> made_;
    std::vector<std::uint32_t> loops_; ///< the ids of all loops, in program order
    double work_ = 0;
    double launches_ = 0;
};

} // namespace

std::unique_ptr<PersistentKernel> make_persistent_kernel(const plan::Program& program, const Step& step, int size,
                                                         bool tapes) {
    return is_control(step) ? Maker(program, size, tapes).make(step) : nullptr;
}

PersistentKernel::Numbers PersistentKernel::tapes_of(const plan::Steps& steps) const {
    Numbers all;
    for (const Step& step : steps) {
        const Numbers some = tapes_of(step);
        if (some.empty()) continue;
        if (all.empty()) all.first = some.first;
        all.end = some.end;
    }
    return all;
}

bool AccessRange::overlaps(const AccessRange& other) const {
    if (space != other.space || index != other.index) return false;
    return outer != other.outer || (begin < other.end && other.begin < end);
}

AccessRange touched(const plan::Program& program, const PersistentKernel& persistent, plan::BufferId id, bool written) {
    const plan::Buffer& b = program.buffers[id];
    AccessRange made{b.space, b.space == plan::Space::arena ? 0 : b.index, {}, b.offset, b.offset + b.bytes(), written};
    if (b.space == plan::Space::result)
        if (const std::int64_t argument = program.forwarded.empty() ? -1 : program.forwarded[b.index]; argument >= 0) {
            made.space = plan::Space::argument;
            made.index = static_cast<std::uint32_t>(argument);
        }
    for (const Stride& s : b.strides) {
        const auto loop = persistent.loops.find(s.loop);
        if (loop == persistent.loops.end()) {
            made.outer.push_back(s);
            continue;
        }
        const std::int64_t reach = s.bytes * (loop->second - 1);
        made.begin += std::min<std::int64_t>(reach, 0);
        made.end += std::max<std::int64_t>(reach, 0);
    }
    return made;
}

/// A range of the kernel's own memory, which overlaps no range of other memory.
AccessRange touched_scratch(std::int64_t begin, std::int64_t end, bool written) {
    return {plan::Space::arena, std::numeric_limits<std::uint32_t>::max(), {}, begin, end, written};
}

std::vector<AccessRange> touched_by(const plan::Program& program, const PersistentKernel& persistent,
                                    const PersistentKernel::Leaf& leaf) {
    const Step& step = *leaf.step;
    const bool of_all_lanes = leaf.replacement || step.kind() == StepKind::collective;
    std::vector<AccessRange> made;
    for (std::size_t i = 0; i < step.buffers.size(); ++i) {
        if (persistent.in_registers.count(step.buffers[i]) != 0) continue;
        AccessRange t = touched(program, persistent, step.buffers[i], plan::writes(step, i));
        if (of_all_lanes) {
            t.begin = std::numeric_limits<std::int64_t>::min();
            t.end = std::numeric_limits<std::int64_t>::max();
        }
        made.push_back(std::move(t));
    }
    if (leaf.in_passes) made.push_back(touched_scratch(0, nest_scratch_bytes(leaf.shape), true));
    return made;
}

} // namespace pm::codegen
