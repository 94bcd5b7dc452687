#include "compiler/codegen/gpu/points.hpp"

#include "compiler/codegen/emit_nest.hpp"
#include "compiler/codegen/reduction.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace pm::codegen {
namespace {

using nest::Stage;

/// Threads that one block takes for a long reduction.
constexpr std::int64_t most_in_team = 512;
/// Bytes of a value, and of the position that stands beside it, in shared memory.
constexpr std::int64_t slot_bytes = 16;
/// Bytes that a thread reads or writes at once at most.
constexpr std::int64_t widest_access = 16;

/// The stage's accumulators are threads.
bool is_spread(const nest::Nest& nest, const Stage& s) {
    return NestShape::reduces(nest, s) && s.order == nest::Order::lanes && nest::product(s.loops) > 0;
}

/// Points that keep a large device busy with a block each, and with a thread each.
constexpr std::int64_t many_rows = 64;
constexpr std::int64_t many_columns = std::int64_t{1} << 14U;
/// Blocks of a reduction that are worth further launches: of 64 threads each, which one team has eight of; and of one.
constexpr std::int64_t many_blocks = 8;
constexpr std::int64_t some_blocks = 4;
/// Turns of own loops that are worth one.
constexpr std::int64_t many_turns = 4096;
constexpr int threads_of_passes = 256;

bool is_cut(const nest::Nest& nest, const Stage& s) { return NestShape::reduces(nest, s) && blocks_of(s) > 1; }

/// One launch of a nest that has several.
struct Pass {
    enum class Kind { blocks, points, turns };
    Kind kind;
    std::vector<const Stage*> stages; ///< one but of `points`
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
        if (!NestShape::reduces(shape.nest, s) && nest::product(s.loops) >= many_turns) {
            made.push_back({Pass::Kind::turns, {&s}});
            continue;
        }
        const bool cut = is_cut(shape.nest, s);
        if (cut) made.push_back({Pass::Kind::blocks, {&s}});
        if (cut || made.empty() || made.back().kind != Pass::Kind::points) made.push_back({Pass::Kind::points, {}});
        made.back().stages.push_back(&s);
    }
    return made;
}

/// Scratch memory of the passes: for each point the results of all reductions, then those of the blocks of one stage.
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
    std::int64_t points;
    std::vector<nest::Ref> results;
    std::int64_t blocks = 0;

    std::int64_t bytes_of_results() const {
        const std::int64_t bytes = points * static_cast<std::int64_t>(results.size()) * result_bytes;
        return (bytes + slot_bytes - 1) / slot_bytes * slot_bytes;
    }
    std::int64_t bytes() const { return bytes_of_results() + blocks * slot_bytes; }
};

class ThreadedNest {
  public:
    ThreadedNest(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                 llvm::ArrayRef<Value*> buffers, NestBody::Source source)
        : e_(e), threads_(threads), shape_(shape), mapping_(mapping), body_(e, shape, buffers), memory_of_(shape) {
        body_.replace_loads(std::move(source));
        for (const Stage& s : shape.nest.stages) stages_.push_back(&s);
    }

    void run() {
        if (shape_.empty()) return;
        if (mapping_.team > 1) member_ = e_.b.CreateURem(threads_.thread(), e_.int64(mapping_.team));
        if (mapping_.team > warp) {
            scratch_ = threads_.shared(mapping_.threads * slot_bytes);
            if (shares_block())
                scratch_ = e_.byte_offset(scratch_, e_.mul(e_.b.CreateSub(threads_.thread(), member_), slot_bytes));
        }
        each_point(e_, threads_, mapping_, nest::product(shape_.nest.grid) / shape_.lanes,
                   [&](Value* number) { point(number); });
    }

    /// See nest_passes().
    void run_passes(Value* memory, Value* pass) {
        const std::vector<Pass> passes = passes_of(shape_);
        memory_ = memory;
        Value* shared = threads_.shared(mapping_.threads * slot_bytes);
        for (std::size_t i = 0; i < passes.size(); ++i)
            e_.when(e_.b.CreateICmpEQ(pass, e_.int64(static_cast<std::int64_t>(i))), [&] {
                scratch_ = shared;
                stages_ = passes[i].stages;
                keeps_ = i + 1 < passes.size();
                switch (passes[i].kind) {
                case Pass::Kind::blocks: return blocks(*stages_.front());
                case Pass::Kind::points: return points();
                case Pass::Kind::turns: return turns(*stages_.front());
                }
            });
    }

  private:
    void be_team(int size) {
        mapping_.team = size;
        member_ = e_.b.CreateURem(threads_.thread(), e_.int64(size));
    }

    /// Each group of threads reduces a block of the stage at a point; of accumulators in sequence each thread does.
    void blocks(const Stage& s) {
        be_team(mapping_.threads);
        const bool spread = is_spread(shape_.nest, s);
        const int width = spread ? accumulators_of(s) : 1;
        const std::int64_t groups = mapping_.threads / width;
        const std::int64_t parts = blocks_of(s);
        const std::int64_t count = memory_of_.points * parts;
        Value* group = e_.b.CreateUDiv(member_, e_.int64(width));
        Value* rank = e_.b.CreateURem(member_, e_.int64(width));
        const std::vector<Reduction> reductions = reductions_of(shape_.nest, s);
        std::vector<Accumulator> sums;
        for (const Reduction& r : reductions) sums.emplace_back(e_, r, 1, 1);
        Value* step = e_.mul(threads_.blocks(), groups);
        e_.loop(e_.mul(threads_.block(), groups), e_.int64(count), step, [&](Value* base) {
            Value* number = e_.b.CreateAdd(base, group);
            Value* there = e_.b.CreateICmpSLT(number, e_.int64(count));
            number = e_.b.CreateSelect(there, number, e_.int64(count - 1));
            // Neighbours go through memory together: along a row, or at the same place of neighbouring columns.
            std::vector<Value*> at = spread ? digits(e_, number, {memory_of_.points, parts})
                                            : digits(e_, number, {parts, memory_of_.points});
            if (!spread) std::swap(at[0], at[1]);
            Scope scope = at_point(at[0]);
            body_.instructions(scope, s, static_cast<int>(shape_.grid()));
            Value* begin = e_.mul(at[1], s.block);
            Value* end = e_.call(llvm::Intrinsic::smin, {e_.i64()},
                                 {e_.b.CreateAdd(begin, e_.int64(s.block)), e_.int64(s.loops.front())});
            if (spread)
                part(scope, s, sums, width, e_.b.CreateSelect(there, rank, e_.int64(width)), begin, end);
            else
                in_sequence(scope, s, sums, begin, end);
            for (std::size_t i = 0; i < sums.size(); ++i) {
                const Ranked sum = spread ? combined(sums[i], width) : sums[i].read(0);
                e_.when(e_.b.CreateAnd(there, e_.b.CreateICmpEQ(rank, e_.int64(0))),
                        [&] { store_ranked(e_, reductions[i], block_place(reductions, i, parts, at[0], at[1]), sum); });
            }
        });
    }

    /// One accumulator over the turns begin .. end of the outermost own loop.
    void in_sequence(const Scope& scope, const Stage& s, std::vector<Accumulator>& sums, Value* begin, Value* end) {
        for (Accumulator& sum : sums) sum.reset();
        own_loops(body_, {scope}, s, shape_.grid(), shape_.loops(s), begin, end, [&](std::vector<Scope>& inner) {
            for (Accumulator& sum : sums) sum.add(0, operand_of(body_, inner.front(), sum.reduction()), nullptr);
        });
    }

    RankedPlace block_place(const std::vector<Reduction>& reductions, std::size_t i, std::int64_t parts, Value* point,
                            Value* part) {
        const std::int64_t before = static_cast<std::int64_t>(i) * memory_of_.points * parts;
        Value* slot = e_.add(e_.add(e_.mul(point, parts), part), e_.int64(before));
        Value* at = e_.byte_offset(memory_, e_.add(e_.mul(slot, slot_bytes), e_.int64(memory_of_.bytes_of_results())));
        return {at, reductions[i].ranked ? e_.byte_offset(at, slot_bytes / 2) : nullptr};
    }

    /// A team for each point: results of blocks are combined, and what follows is run.
    void points() {
        const bool spread =
            std::any_of(stages_.begin(), stages_.end(), [&](const Stage* s) { return is_spread(shape_.nest, *s); });
        be_team(spread ? mapping_.threads : warp);
        each_point(e_, threads_, mapping_, memory_of_.points, [&](Value* number) {
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

    /// In order, by each warp for itself.
    void combine_blocks(Scope& scope, const Stage& s, Value* point) {
        constexpr std::int64_t at_once = 8;
        const std::int64_t parts = blocks_of(s);
        const std::vector<Reduction> reductions = reductions_of(shape_.nest, s);
        Value* lane = e_.b.CreateURem(member_, e_.int64(warp));
        for (std::size_t i = 0; i < reductions.size(); ++i) {
            const Reduction& r = reductions[i];
            Accumulator total(e_, total_of(r), 1, 1);
            total.reset();
            e_.loop(0, parts, warp, [&](Value* base) {
                Value* number = e_.b.CreateAdd(base, lane);
                Value* there = e_.b.CreateICmpSLT(number, e_.int64(parts));
                number = e_.b.CreateSelect(there, number, e_.int64(parts - 1));
                Ranked own = load_ranked(e_, r, block_place(reductions, i, parts, point, number), 1);
                const Ranked none = identity(e_, r, 1);
                own.value = e_.b.CreateSelect(there, own.value, none.value);
                if (r.ranked) own.position = e_.b.CreateSelect(there, own.position, none.position);
                e_.loop(0, warp, at_once, [&](Value* first) {
                    std::array<Ranked, at_once> some{};
                    for (std::int64_t j = 0; j < at_once; ++j) {
                        Value* source = e_.b.CreateTrunc(e_.add(first, e_.int64(j)), e_.i32());
                        some[static_cast<std::size_t>(j)] = take(own, source, warp);
                    }
                    for (const Ranked x : some) total.add(0, widened(e_, total.reduction(), x), nullptr);
                });
            });
            publish_reduced(e_, scope, r, narrowed(e_, r, total.read(0)));
        }
    }

    /// The results of the stage at a point, for later passes.
    void keep(const Scope& scope, const Stage& s, Value* point) {
        e_.when(e_.b.CreateICmpEQ(member_, e_.int64(0)), [&] {
            for (const Reduction& r : reductions_of(shape_.nest, s))
                store_scalar(e_, shape_.nest[r.ref].dtype, scope.values[r.ref.id], kept(r.ref, point));
        });
    }
    Value* kept(nest::Ref r, Value* point) {
        const std::vector<nest::Ref>& all = memory_of_.results;
        const auto number = std::find(all.begin(), all.end(), r) - all.begin();
        Value* slot = e_.add(e_.mul(point, static_cast<std::int64_t>(all.size())), e_.int64(number));
        return e_.byte_offset(memory_, e_.mul(slot, PassMemory::result_bytes));
    }

    /// Every turn of the stage's own loops at every point, a thread each.
    void turns(const Stage& s) {
        mapping_.team = 1;
        const std::int64_t own = nest::product(s.loops);
        each_point(e_, threads_, mapping_, memory_of_.points * own, [&](Value* number) {
            const std::vector<Value*> at = digits(e_, number, {memory_of_.points, own});
            Scope scope = at_point(at[0]);
            body_.instructions(scope, s, static_cast<int>(shape_.grid()));
            turn(scope, s, at[1]);
        });
    }

    /// With the results of the stages that earlier passes have run.
    Scope at_point(Value* number) {
        Scope scope = enter_grid(number);
        for (const Stage& s : shape_.nest.stages) {
            if (&s == stages_.front()) break;
            for (const Reduction& r : reductions_of(shape_.nest, s))
                scope.values[r.ref.id] = load_scalar(e_, shape_.nest[r.ref].dtype, kept(r.ref, number));
        }
        return scope;
    }

    void point(Value* number) {
        Scope scope = enter_grid(number);
        for (const Stage* s : stages_) stage(scope, *s);
    }

    Scope enter_grid(Value* number) {
        Scope scope = body_.outermost();
        std::vector<std::int64_t> grid = shape_.nest.grid;
        if (shape_.lanes > 1) grid.back() /= shape_.lanes;
        std::vector<Value*> indices = digits(e_, number, grid);
        for (std::size_t l = 0; l < indices.size(); ++l) {
            for (const Stage* s : stages_) body_.instructions(scope, *s, static_cast<int>(l));
            const bool last = l + 1 == indices.size();
            if (last) scope.lanes = shape_.lanes;
            body_.enter(scope, last ? e_.mul(indices[l], shape_.lanes) : indices[l], stages_);
        }
        return scope;
    }

    void stage(Scope& scope, const Stage& s) {
        const auto grid = static_cast<int>(shape_.grid());
        if (NestShape::reduces(shape_.nest, s)) {
            body_.instructions(scope, s, grid);
            reduce(scope, s);
            // Threads that reduce by themselves may still read what the next stage writes.
            if (!is_spread(shape_.nest, s) && &s != stages_.back()) meet();
            return;
        }
        Scope inner = scope;
        if (s.loops.empty()) {
            const auto once = [&] { body_.instructions(inner, s, grid); };
            if (mapping_.team == 1)
                once();
            else
                e_.when(e_.b.CreateICmpEQ(member_, e_.int64(0)), once);
        } else {
            body_.instructions(inner, s, grid);
            map(inner, s);
        }
        // What it stores may be what the next reads, and the other way round.
        if (&s != stages_.back()) meet();
    }

    /// All threads of the team.
    void meet() {
        if (mapping_.team == 1) return;
        if (mapping_.team <= warp || shares_block())
            threads_.meet(mapping_.team);
        else
            threads_.barrier();
    }
    bool shares_block() const { return mapping_.team < mapping_.threads; }

    /// The team shares the turns of the stage's own loops.
    void map(const Scope& scope, const Stage& s) {
        Value* first = mapping_.team == 1 ? e_.int64(0) : member_;
        e_.loop(first, e_.int64(nest::product(s.loops)), mapping_.team, [&](Value* number) { turn(scope, s, number); });
    }
    void turn(Scope scope, const Stage& s, Value* number) {
        for (Value* index : digits(e_, number, s.loops)) {
            const Stage* own = &s;
            body_.enter(scope, index, own);
            body_.instructions(scope, s, static_cast<int>(scope.indices.size()));
        }
    }

    void reduce(Scope& scope, const Stage& s) {
        if (!is_spread(shape_.nest, s)) {
            // Each thread by itself, of a team all the same.
            std::vector<Scope> scopes{scope};
            emit_reductions(body_, scopes, s);
            scope = scopes.front();
            return;
        }
        const int width = accumulators_of(s);
        const std::int64_t parts = blocks_of(s);
        const std::vector<Reduction> reductions = reductions_of(shape_.nest, s);
        std::vector<Accumulator> sums;
        for (const Reduction& r : reductions) sums.emplace_back(e_, r, 1, 1);
        if (parts == 1) {
            part(scope, s, sums, width, member_, e_.int64(0), e_.int64(s.loops.front()));
            for (std::size_t i = 0; i < sums.size(); ++i)
                publish_reduced(e_, scope, reductions[i], from_first(reductions[i], combined(sums[i], width)));
            return;
        }
        const std::int64_t groups = std::min<std::int64_t>(mapping_.team / width, parts);
        Value* group = e_.b.CreateUDiv(member_, e_.int64(width));
        Value* rank = e_.b.CreateURem(member_, e_.int64(width));
        std::vector<Accumulator> totals;
        for (const Reduction& r : reductions) totals.emplace_back(e_, total_of(r), 1, 1);
        for (Accumulator& total : totals) total.reset();
        e_.loop(0, parts, groups, [&](Value* round) {
            Value* number = e_.b.CreateAdd(round, group);
            Value* begin = e_.mul(number, s.block);
            Value* end = e_.call(llvm::Intrinsic::smin, {e_.i64()},
                                 {e_.b.CreateAdd(begin, e_.int64(s.block)), e_.int64(s.loops.front())});
            // Groups beyond the last part, and threads beyond the last group, take nothing.
            Value* mine = e_.b.CreateSelect(e_.b.CreateICmpULT(group, e_.int64(groups)), rank, e_.int64(width));
            part(scope, s, sums, width, mine, begin, end);
            for (std::size_t i = 0; i < sums.size(); ++i) {
                const Reduction& r = reductions[i];
                const Ranked sum = combined(sums[i], width);
                meet();
                e_.when(e_.b.CreateICmpEQ(rank, e_.int64(0)), [&] { put(group, r, sum); });
                meet();
                Value* here = e_.call(llvm::Intrinsic::smin, {e_.i64()},
                                      {e_.int64(groups), e_.b.CreateSub(e_.int64(parts), round)});
                e_.loop(e_.int64(0), here, 1,
                        [&](Value* g) { totals[i].add(0, widened(e_, totals[i].reduction(), get(g, r)), nullptr); });
            }
        });
        for (std::size_t i = 0; i < totals.size(); ++i)
            publish_reduced(e_, scope, reductions[i], narrowed(e_, reductions[i], totals[i].read(0)));
    }

    /// Accumulator number `rank` over the turns begin .. end of the outermost own loop; nothing from `width` on.
    void part(const Scope& scope, const Stage& s, std::vector<Accumulator>& sums, int width, Value* rank, Value* begin,
              Value* end) {
        for (Accumulator& sum : sums) sum.reset();
        const auto inner = [&](const Scope& outer, Value* from, Value* to) {
            e_.loop(e_.add(from, rank), to, width, [&](Value* index) {
                Scope at = outer;
                const Stage* own = &s;
                body_.enter(at, index, own);
                body_.instructions(at, s, static_cast<int>(shape_.loops(s)));
                for (Accumulator& sum : sums) sum.add(0, operand_of(body_, at, sum.reduction()), nullptr);
            });
        };
        e_.when(e_.b.CreateICmpULT(rank, e_.int64(width)), [&] {
            if (s.loops.size() == 1) return inner(scope, begin, end);
            own_loops(
                body_, {scope}, s, shape_.grid(), shape_.loops(s) - 1, begin, end,
                [&](std::vector<Scope>& scopes) { inner(scopes.front(), e_.int64(0), e_.int64(s.loops.back())); });
        });
    }

    /// The accumulators of each group of `width` threads combined in halves: the group's first thread has the result.
    Ranked combined(Accumulator& sum, int width) {
        const Reduction& r = sum.reduction();
        Ranked x = sum.read(0);
        if (width > warp) {
            meet();
            put(member_, r, x);
            meet();
            x = merge(e_, r, x, get(e_.b.CreateXor(member_, e_.int64(warp)), r));
            width = warp;
        }
        Value* lane = e_.b.CreateTrunc(member_, e_.i32());
        for (int half = width / 2; half >= 1; half /= 2) {
            Value* source = e_.b.CreateAnd(e_.b.CreateAdd(lane, word(half)), word(width - 1));
            x = merge(e_, r, x, take(x, source, width));
        }
        return x;
    }

    Ranked take(Ranked x, Value* source, int width) {
        return {threads_.take(x.value, source, width),
                x.position == nullptr ? nullptr : threads_.take(x.position, source, width)};
    }

    /// The team's first thread has it; then all have.
    Ranked from_first(const Reduction& r, Ranked x) {
        if (mapping_.team <= warp) return take(x, word(0), mapping_.team);
        meet();
        e_.when(e_.b.CreateICmpEQ(member_, e_.int64(0)), [&] { put(member_, r, x); });
        meet();
        return get(e_.int64(0), r);
    }

    RankedPlace place(Value* slot, const Reduction& r) {
        Value* at = e_.byte_offset(scratch_, e_.mul(slot, slot_bytes));
        return {at, r.ranked ? e_.byte_offset(at, slot_bytes / 2) : nullptr};
    }
    void put(Value* slot, const Reduction& r, Ranked x) { store_ranked(e_, r, place(slot, r), x); }
    Ranked get(Value* slot, const Reduction& r) { return load_ranked(e_, r, place(slot, r), 1); }
    Value* word(int n) { return e_.b.getInt32(static_cast<std::uint32_t>(n)); }

    Emit& e_;
    Threads& threads_;
    const NestShape& shape_;
    Mapping mapping_;
    NestBody body_;
    std::vector<const Stage*> stages_; ///< of the pass
    PassMemory memory_of_;
    Value* memory_ = nullptr;  ///< of the passes
    bool keeps_ = false;       ///< there are later passes
    Value* member_ = nullptr;  ///< of the team
    Value* scratch_ = nullptr; ///< a slot for each member
};

} // namespace

std::int64_t alignment_of(const plan::Buffer& buffer) {
    std::int64_t divides = std::gcd(widest_access, buffer.offset);
    for (const plan::Stride& s : buffer.strides) divides = std::gcd(divides, s.bytes);
    return divides;
}

NestShape shape_kernel(const plan::Program& program, const plan::Step& step) {
    std::vector<char> aligned;
    for (const plan::BufferId b : step.buffers)
        aligned.push_back(alignment_of(program.buffers[b]) == widest_access ? 1 : 0);
    return shape_threads(*step.nest, std::move(aligned));
}

Mapping map_threads(const NestShape& shape, int threads) {
    std::int64_t team = 1;
    for (const Stage& s : shape.nest.stages) {
        if (!is_spread(shape.nest, s)) continue;
        const std::int64_t width = accumulators_of(s);
        team = std::max(team, std::min(most_in_team, width * blocks_of(s)));
    }
    const bool half_warps = team == 16;
    if (team > 1 && !half_warps) team = (team + 63) / 64 * 64;
    if (threads == 0)
        threads = static_cast<int>(team == 1 ? 256 : half_warps ? 128 : team);
    else if (team > 64) // teams share the block
        team =
            std::min<std::int64_t>(threads, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(team))));
    const std::int64_t points = shape.empty() ? 0 : nest::product(shape.nest.grid) / shape.lanes;
    return map_points(points, static_cast<int>(team), threads);
}

void emit_threaded_nest(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                        llvm::ArrayRef<Value*> buffers, NestBody::Source source) {
    ThreadedNest(e, threads, shape, mapping, buffers, std::move(source)).run();
}

int nest_passes(const NestShape& shape) { return std::max(1, static_cast<int>(passes_of(shape).size())); }

std::int64_t nest_scratch_bytes(const NestShape& shape) { return PassMemory(shape).bytes(); }

Mapping map_nest_passes(const NestShape& shape) {
    const std::int64_t points = nest::product(shape.nest.grid);
    std::int64_t wanted = points; // of threads, or of teams
    for (const Pass& pass : passes_of(shape)) {
        const Stage& s = *pass.stages.front();
        if (pass.kind == Pass::Kind::turns) wanted = std::max(wanted, points * nest::product(s.loops));
        if (pass.kind == Pass::Kind::points) wanted = std::max(wanted, points * warp);
        if (pass.kind != Pass::Kind::blocks) continue;
        const int width = is_spread(shape.nest, s) ? accumulators_of(s) : 1;
        wanted = std::max(wanted, points * blocks_of(s) * width);
    }
    Mapping mapping = map_points(wanted, 1, threads_of_passes);
    mapping.meets = true;
    return mapping;
}

void emit_nest_passes(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                      llvm::ArrayRef<Value*> buffers) {
    Value* pass = e.b.CreatePtrToInt(buffers.back(), e.i64());
    ThreadedNest(e, threads, shape, mapping, buffers.drop_back(2), {}).run_passes(buffers[buffers.size() - 2], pass);
}

} // namespace pm::codegen
