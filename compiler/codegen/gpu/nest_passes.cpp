#include "compiler/codegen/gpu/threaded_nest.hpp"
#include "compiler/codegen/nest/emit_nest.hpp"

#include <algorithm>
#include <array>

// A nest of few points with large reductions runs on all thread blocks of a launch.

namespace pm::codegen {
namespace {

using nest::Stage;

/// Numbers of points that keep a large device busy: `many_rows` if each point has a thread block, `many_columns` if
/// each point has one thread.
constexpr std::int64_t many_rows = 256;
constexpr std::int64_t many_columns = std::int64_t{1} << 14U;
/// A reduction is faster in several launches if nest::Stage cuts it into many blocks: more than `many_blocks` if 64
/// threads reduce a block, or at least `some_blocks` if one thread reduces a block. If 64 threads reduce a block, one
/// team reduces eight blocks at a time.
constexpr std::int64_t many_blocks = 8;
constexpr std::int64_t some_blocks = 4;
/// A stage that does not reduce is faster as a separate pass if its own loops together have at least this many
/// iterations.
constexpr std::int64_t many_iterations = 4096;
constexpr int threads_of_passes = 256;

bool is_cut(const nest::Nest& nest, const Stage& s) { return NestShape::reduces(nest, s) && blocks_of(s) > 1; }

/// The work of all thread blocks between two barriers of the launch.
struct Pass {
    enum class Kind { blocks, points, iterations };
    Kind kind;
    std::vector<const Stage*> stages; ///< one stage, except for `points`
};

std::vector<Pass> passes_of(const NestShape& shape) {
    const std::int64_t points = nest::product(shape.nest.grid);
    const auto gains = [&](const Stage& s) {
        if (!is_cut(shape.nest, s)) return false;
        return s.order == nest::Order::lanes ? points < many_rows && blocks_of(s) > many_blocks
                                             : points < many_columns && blocks_of(s) >= some_blocks;
    };
    const std::vector<Stage>& stages = shape.nest.stages;
    if (shape.empty() || std::none_of(stages.begin(), stages.end(), gains)) return {};
    std::vector<Pass> made;
    for (const Stage& s : stages) {
        if (!NestShape::reduces(shape.nest, s) && nest::product(s.loops) >= many_iterations) {
            made.push_back({Pass::Kind::iterations, {&s}});
            continue;
        }
        const bool cut = is_cut(shape.nest, s);
        if (cut) made.push_back({Pass::Kind::blocks, {&s}});
        if (cut || made.empty() || made.back().kind != Pass::Kind::points) made.push_back({Pass::Kind::points, {}});
        made.back().stages.push_back(&s);
    }
    return made;
}

/// The layout of scratch memory: for each point the results of all reductions, then the results of the blocks of one
/// stage.
struct PassMemory {
    explicit PassMemory(const NestShape& shape) : points(nest::product(shape.nest.grid)) {
        for (const Stage& s : shape.nest.stages) {
            const std::vector<Reduction> reductions = reductions_of(shape.nest, s);
            for (const Reduction& r : reductions) results.push_back(r.ref);
            if (is_cut(shape.nest, s))
                blocks = std::max(blocks, points * blocks_of(s) * static_cast<std::int64_t>(reductions.size()));
        }
    }
    static constexpr std::int64_t result_bytes = 8;
    static constexpr std::int64_t block_bytes = 16; ///< a value and its position
    std::int64_t points;
    std::vector<nest::Ref> results;
    std::int64_t blocks = 0;

    std::int64_t bytes_of_results() const {
        return in_words_of_16(points * static_cast<std::int64_t>(results.size()) * result_bytes);
    }
    std::int64_t bytes() const { return bytes_of_results() + blocks * block_bytes; }
};

class NestPasses : ThreadedNest {
  public:
    NestPasses(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
               llvm::ArrayRef<Value*> buffers, const NestPass& pass)
        : ThreadedNest(e, threads, shape, mapping, buffers, pass.source), layout_(shape), memory_(pass.memory) {}

    void run(Value* pass) {
        const std::vector<Pass> passes = passes_of(shape_);
        scratch_ = threads_.shared(mapping_.threads * slot_bytes);
        for (std::size_t i = 0; i < passes.size(); ++i) {
            stages_ = passes[i].stages;
            keeps_ = i + 1 < passes.size();
            if (pass != nullptr) {
                e_.when(e_.b.CreateICmpEQ(pass, e_.int64(static_cast<std::int64_t>(i))), [&] { run(passes[i]); });
                continue;
            }
            if (i > 0) threads_.grid_barrier();
            run(passes[i]);
        }
    }

  private:
    void run(const Pass& pass) {
        switch (pass.kind) {
        case Pass::Kind::blocks: return blocks(*stages_.front());
        case Pass::Kind::points: return points();
        case Pass::Kind::iterations: return iterations(*stages_.front());
        }
    }

    void be_team(int size) {
        mapping_.team = size;
        member_ = e_.b.CreateURem(threads_.thread(), e_.int64(size));
    }

    /// Each group of threads reduces one block of the stage at one point. If the accumulators are not separate threads,
    /// a group is one thread.
    void blocks(const Stage& s) {
        be_team(mapping_.threads);
        const bool spread = is_spread(shape_.nest, s);
        const int width = spread ? accumulators_of(s) : 1;
        const std::int64_t groups = mapping_.threads / width;
        const std::int64_t parts = blocks_of(s);
        const std::int64_t count = layout_.points * parts;
        Value* group = e_.b.CreateUDiv(member_, e_.int64(width));
        Value* rank = e_.b.CreateURem(member_, e_.int64(width));
        const std::vector<Reduction> reductions = block_results_of(shape_.nest, s);
        Accumulators sums(e_, shape_.nest, s);
        sums.append(1, 1);
        Value* step = e_.mul(threads_.blocks(), groups);
        e_.loop(e_.mul(threads_.block(), groups), e_.int64(count), step, [&](Value* base) {
            Value* number = e_.b.CreateAdd(base, group);
            Value* there = e_.b.CreateICmpSLT(number, e_.int64(count));
            number = e_.b.CreateSelect(there, number, e_.int64(count - 1));
            // Neighbouring threads access neighbouring memory: along a row, or at the same index of neighbouring
            // columns.
            std::vector<Value*> at =
                spread ? digits(e_, number, {layout_.points, parts}) : digits(e_, number, {parts, layout_.points});
            if (!spread) std::swap(at[0], at[1]);
            Scope scope = at_point(at[0]);
            body_.instructions(scope, s, static_cast<int>(shape_.grid()));
            const auto [begin, end] = block_of(s, at[1]);
            if (spread)
                part(scope, s, sums, width, e_.b.CreateSelect(there, rank, e_.int64(width)), {begin, end});
            else
                in_sequence(scope, s, sums, begin, end);
            for (std::size_t i = 0; i < reductions.size(); ++i) {
                Accumulator& result = sums.results()[i];
                const Ranked sum = spread ? combined(result, width) : result.read(0);
                e_.when(e_.b.CreateAnd(there, e_.b.CreateICmpEQ(rank, e_.int64(0))),
                        [&] { store_ranked(e_, reductions[i], block_place(reductions, i, parts, at[0], at[1]), sum); });
            }
        });
    }

    /// Reduces the iterations begin .. end of the outermost own loop with one accumulator.
    void in_sequence(const Scope& scope, const Stage& s, Accumulators& sums, Value* begin, Value* end) {
        sums.reset();
        const auto add = [&](std::vector<Scope>& inner) {
            for (Accumulator& sum : sums.parts())
                sum.add(0, operand_of(body_, inner.front(), sum.reduction()), nullptr);
        };
        OwnLoops{body_, s, 0, add, &sums}.run({scope}, begin, end);
    }

    RankedPlace block_place(const std::vector<Reduction>& reductions, std::size_t i, std::int64_t parts, Value* point,
                            Value* part) {
        const std::int64_t before = static_cast<std::int64_t>(i) * layout_.points * parts;
        Value* number = e_.add(e_.add(e_.mul(point, parts), part), e_.int64(before));
        Value* bytes = e_.add(e_.mul(number, PassMemory::block_bytes), e_.int64(layout_.bytes_of_results()));
        Value* at = e_.byte_offset(memory_, bytes);
        return {at, reductions[i].ranked ? e_.byte_offset(at, PassMemory::block_bytes / 2) : nullptr};
    }

    /// A team for each point combines the results of blocks and runs the following stages.
    void points() {
        const bool large = std::any_of(stages_.begin(), stages_.end(), [&](const Stage* s) {
            if (NestShape::reduces(shape_.nest, *s)) return is_spread(shape_.nest, *s) && !is_cut(shape_.nest, *s);
            return nest::product(s->loops) > warp;
        });
        be_team(large ? mapping_.threads : warp);
        each_point(e_, threads_, mapping_, layout_.points, [&](Value* number) {
            Scope scope = at_point(number);
            for (const Stage* s : stages_) {
                if (is_cut(shape_.nest, *s))
                    combine_blocks(scope, *s, number);
                else
                    stage(scope, *s);
                if (keeps_) keep(scope, *s, number);
            }
        });
    }

    /// Combines the results of blocks in order. Every warp computes the whole combination.
    void combine_blocks(Scope& scope, const Stage& s, Value* point) {
        const std::vector<Reduction> reductions = block_results_of(shape_.nest, s);
        for (std::size_t i = 0; i < reductions.size(); ++i)
            publish_reduced(e_, scope, total_of(reductions[i]), total(reductions, i, blocks_of(s), point));
    }

    /// The combination of `parts` results of a reduction at a point. Each thread loads the result of a block. The loads
    /// of the next blocks start before the loaded results are combined.
    Ranked total(const std::vector<Reduction>& reductions, std::size_t i, std::int64_t parts, Value* point) {
        constexpr std::int64_t at_once = 8;
        const Reduction& r = reductions[i];
        Value* lane = e_.b.CreateURem(member_, e_.int64(warp));
        const auto read = [&](Value* base) {
            Value* number = e_.b.CreateAdd(base, lane);
            Value* there = e_.b.CreateICmpSLT(number, e_.int64(parts));
            number = e_.b.CreateSelect(there, number, e_.int64(parts - 1));
            Ranked own = load_ranked(e_, r, block_place(reductions, i, parts, point, number), 1);
            const Ranked none = identity(e_, r, 1);
            own.value = e_.b.CreateSelect(there, own.value, none.value);
            if (r.ranked) own.position = e_.b.CreateSelect(there, own.position, none.position);
            return own;
        };
        Accumulator sum(e_, total_of(r), 1, 1);
        Accumulator next(e_, r, 1, 1);
        sum.reset();
        next.write(0, read(e_.int64(0)));
        e_.loop(0, parts, warp, [&](Value* base) {
            const Ranked own = next.read(0);
            next.write(0, read(e_.b.CreateAdd(base, e_.int64(warp))));
            e_.loop(0, warp, at_once, [&](Value* first) {
                std::array<Ranked, at_once> some{};
                for (std::int64_t j = 0; j < at_once; ++j) {
                    Value* source = e_.b.CreateTrunc(e_.add(first, e_.int64(j)), e_.i32());
                    some[static_cast<std::size_t>(j)] = take(own, source, warp);
                }
                for (const Ranked x : some) sum.add(0, widened(e_, sum.reduction(), x), nullptr);
            });
        });
        return sum.read(0);
    }

    /// Stores the results of the stage at a point for later passes.
    void keep(const Scope& scope, const Stage& s, Value* point) {
        e_.when(e_.b.CreateICmpEQ(member_, e_.int64(0)), [&] {
            for (const Reduction& r : reductions_of(shape_.nest, s))
                store_scalar(e_, shape_.nest[r.ref].dtype, scope.values[r.ref.id], kept(r.ref, point));
        });
    }
    Value* kept(nest::Ref r, Value* point) {
        const std::vector<nest::Ref>& all = layout_.results;
        const auto number = std::find(all.begin(), all.end(), r) - all.begin();
        Value* slot = e_.add(e_.mul(point, static_cast<std::int64_t>(all.size())), e_.int64(number));
        return e_.byte_offset(memory_, e_.mul(slot, PassMemory::result_bytes));
    }

    /// Runs every iteration of the stage's own loops at every point in a separate thread.
    void iterations(const Stage& s) {
        mapping_.team = 1;
        const std::int64_t own = nest::product(s.loops);
        each_point(e_, threads_, mapping_, layout_.points * own, [&](Value* number) {
            const std::vector<Value*> at = digits(e_, number, {layout_.points, own});
            Scope scope = at_point(at[0]);
            body_.instructions(scope, s, static_cast<int>(shape_.grid()));
            iteration(scope, s, at[1]);
        });
    }

    /// A scope with the results of the stages that earlier passes have run.
    Scope at_point(Value* number) {
        Scope scope = enter_grid(number);
        for (const Stage& s : shape_.nest.stages) {
            if (&s == stages_.front()) break;
            for (const Reduction& r : reductions_of(shape_.nest, s))
                scope.values[r.ref.id] = load_scalar(e_, shape_.nest[r.ref].dtype, kept(r.ref, number));
        }
        return scope;
    }

    PassMemory layout_;
    Value* memory_;
    bool keeps_ = false; ///< true if later passes follow, which need the results
};

} // namespace

int nest_passes(const NestShape& shape) { return std::max(1, static_cast<int>(passes_of(shape).size())); }

std::int64_t nest_scratch_bytes(const NestShape& shape) { return PassMemory(shape).bytes(); }

Mapping map_nest_passes(const NestShape& shape, int threads) {
    const std::int64_t points = nest::product(shape.nest.grid);
    std::int64_t wanted = points; // number of threads
    for (const Pass& pass : passes_of(shape)) {
        const Stage& s = *pass.stages.front();
        if (pass.kind == Pass::Kind::iterations) wanted = std::max(wanted, points * nest::product(s.loops));
        if (pass.kind == Pass::Kind::points) wanted = std::max(wanted, points * warp);
        if (pass.kind != Pass::Kind::blocks) continue;
        const int width = is_spread(shape.nest, s) ? accumulators_of(s) : 1;
        wanted = std::max(wanted, points * blocks_of(s) * width);
    }
    Mapping mapping = map_points(wanted, 1, threads == 0 ? threads_of_passes : threads);
    mapping.has_barriers = true;
    return mapping;
}

void emit_nest_passes(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                      llvm::ArrayRef<Value*> buffers, const NestPass& pass) {
    NestPasses(e, threads, shape, mapping, buffers, pass).run(pass.number);
}

} // namespace pm::codegen
