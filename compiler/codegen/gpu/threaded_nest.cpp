#include "compiler/codegen/gpu/threaded_nest.hpp"

#include "compiler/codegen/nest/emit_nest.hpp"

#include <algorithm>
#include <utility>

namespace pm::codegen {

using nest::Stage;

bool is_spread(const nest::Nest& nest, const Stage& s) {
    return NestShape::reduces(nest, s) && s.order == nest::Order::lanes && nest::product(s.loops) > 0;
}

ThreadedNest::ThreadedNest(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                           llvm::ArrayRef<Value*> buffers, NestBody::Source source)
    : e_(e), threads_(threads), shape_(shape), mapping_(mapping), body_(e, shape, buffers) {
    body_.replace_loads(std::move(source));
    for (const Stage& s : shape.nest.stages) stages_.push_back(&s);
}

void ThreadedNest::run() {
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

void ThreadedNest::point(Value* number) {
    Scope scope = enter_grid(number);
    for (const Stage* s : stages_) stage(scope, *s);
}

Scope ThreadedNest::enter_grid(Value* number) {
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

void ThreadedNest::stage(Scope& scope, const Stage& s) {
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
void ThreadedNest::meet() {
    if (mapping_.team == 1) return;
    if (mapping_.team <= warp || shares_block())
        threads_.meet(mapping_.team);
    else
        threads_.barrier();
}

/// The team shares the turns of the stage's own loops.
void ThreadedNest::map(const Scope& scope, const Stage& s) {
    Value* first = mapping_.team == 1 ? e_.int64(0) : member_;
    e_.loop(first, e_.int64(nest::product(s.loops)), mapping_.team, [&](Value* number) { turn(scope, s, number); });
}

void ThreadedNest::turn(Scope scope, const Stage& s, Value* number) {
    for (Value* index : digits(e_, number, s.loops)) {
        const Stage* own = &s;
        body_.enter(scope, index, own);
        body_.instructions(scope, s, static_cast<int>(scope.indices.size()));
    }
}

void ThreadedNest::reduce(Scope& scope, const Stage& s) {
    if (!is_spread(shape_.nest, s)) {
        // Each thread by itself, of a team all the same.
        std::vector<Scope> scopes{scope};
        emit_reductions(body_, scopes, s);
        scope = scopes.front();
        return;
    }
    const int width = accumulators_of(s);
    const std::int64_t parts = blocks_of(s);
    const std::vector<Reduction> reductions = block_results_of(shape_.nest, s);
    Accumulators sums(e_, shape_.nest, s);
    sums.append(1, 1);
    if (parts == 1) {
        part(scope, s, sums, width, member_, e_.int64(0), e_.int64(s.loops.front()));
        for (std::size_t i = 0; i < reductions.size(); ++i)
            publish_reduced(e_, scope, reductions[i], from_first(reductions[i], combined(sums.results()[i], width)));
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
        const auto [begin, end] = block_of(s, number);
        // Groups beyond the last part, and threads beyond the last group, take nothing.
        Value* mine = e_.b.CreateSelect(e_.b.CreateICmpULT(group, e_.int64(groups)), rank, e_.int64(width));
        part(scope, s, sums, width, mine, begin, end);
        for (std::size_t i = 0; i < reductions.size(); ++i) {
            const Reduction& r = reductions[i];
            const Ranked sum = combined(sums.results()[i], width);
            meet();
            e_.when(e_.b.CreateICmpEQ(rank, e_.int64(0)), [&] { put(group, r, sum); });
            meet();
            Value* here =
                e_.call(llvm::Intrinsic::smin, {e_.i64()}, {e_.int64(groups), e_.b.CreateSub(e_.int64(parts), round)});
            e_.loop(e_.int64(0), here, 1,
                    [&](Value* g) { totals[i].add(0, widened(e_, totals[i].reduction(), get(g, r)), nullptr); });
        }
    });
    for (std::size_t i = 0; i < totals.size(); ++i)
        publish_reduced(e_, scope, totals[i].reduction(), totals[i].read(0));
}

void ThreadedNest::part(const Scope& scope, const Stage& s, Accumulators& sums, int width, Value* rank, Value* begin,
                        Value* end) {
    sums.reset();
    const auto row = [&](const Scope& outer, Value* first, Value* last) {
        sums.chunks(s.loops.size() - 1, first, last, [&](Value* from, Value* to) {
            e_.loop(e_.add(from, rank), to, width, [&](Value* index) {
                Scope at = outer;
                body_.enter(at, index, &s);
                body_.instructions(at, s, static_cast<int>(shape_.loops(s)));
                for (Accumulator& sum : sums.parts()) sum.add(0, operand_of(body_, at, sum.reduction()), nullptr);
            });
        });
    };
    e_.when(e_.b.CreateICmpULT(rank, e_.int64(width)), [&] {
        if (s.loops.size() == 1) return row(scope, begin, end);
        const auto whole_row = [&](std::vector<Scope>& scopes) {
            row(scopes.front(), e_.int64(0), e_.int64(s.loops.back()));
        };
        OwnLoops{body_, s, 1, whole_row, &sums}.run({scope}, begin, end);
    });
}

Ranked ThreadedNest::combined(Accumulator& sum, int width) {
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

std::pair<Value*, Value*> ThreadedNest::block_of(const Stage& s, Value* number) {
    Value* begin = e_.mul(number, s.block);
    Value* end = e_.b.CreateAdd(begin, e_.int64(s.block));
    return {begin, e_.call(llvm::Intrinsic::smin, {e_.i64()}, {end, e_.int64(s.loops.front())})};
}

Ranked ThreadedNest::take(Ranked x, Value* source, int width) {
    return {threads_.take(x.value, source, width),
            x.position == nullptr ? nullptr : threads_.take(x.position, source, width)};
}

/// The team's first thread has it; then all have.
Ranked ThreadedNest::from_first(const Reduction& r, Ranked x) {
    if (mapping_.team <= warp) return take(x, word(0), mapping_.team);
    meet();
    e_.when(e_.b.CreateICmpEQ(member_, e_.int64(0)), [&] { put(member_, r, x); });
    meet();
    return get(e_.int64(0), r);
}

RankedPlace ThreadedNest::place(Value* slot, const Reduction& r) {
    Value* at = e_.byte_offset(scratch_, e_.mul(slot, slot_bytes));
    return {at, r.ranked ? e_.byte_offset(at, slot_bytes / 2) : nullptr};
}

void emit_threaded_nest(Emit& e, Threads& threads, const NestShape& shape, const Mapping& mapping,
                        llvm::ArrayRef<Value*> buffers, NestBody::Source source) {
    ThreadedNest(e, threads, shape, mapping, buffers, std::move(source)).run();
}

} // namespace pm::codegen
