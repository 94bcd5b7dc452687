#include "compiler/codegen/nest/emit_nest.hpp"
#include "compiler/codegen/nest/reduction.hpp"

#include <algorithm>
#include <numeric>

// Reductions, exactly in the order of nest::Stage. In the order `lanes`, the 64 or 16 accumulators are vectors of the
// machine's width. If vectors lie along the grid, each lane is a separate reduction, in sequential order.

namespace pm::codegen {
namespace {

using nest::Stage;

Value* part(Emit& e, Value* v, int from, int count, Value* fill) {
    std::vector<int> lanes(static_cast<std::size_t>(count));
    const int have = Emit::lanes_of(v);
    for (int i = 0; i < count; ++i)
        // An index that is out of range selects the first lane of `fill`.
        lanes[static_cast<std::size_t>(i)] = from + i < have ? from + i : have;
    return e.b.CreateShuffleVector(v, fill == nullptr ? v : fill, lanes);
}

/// Combines the lanes of a vector in halves, as if the vector had `width` lanes. Missing lanes count as the identity.
Ranked halves(Emit& e, const Reduction& r, Ranked v, int width) {
    for (int half = width / 2; half >= 1; half /= 2) {
        const int have = Emit::lanes_of(v.value);
        if (have <= half) continue;
        const Ranked none = identity(e, r, have);
        const auto cut = [&](int from) {
            return Ranked{part(e, v.value, from, half, none.value),
                          r.ranked ? part(e, v.position, from, half, none.position) : nullptr};
        };
        v = merge(e, r, cut(0), cut(half));
    }
    if (Emit::lanes_of(v.value) == 1 && !v.value->getType()->isVectorTy()) return v;
    return {e.b.CreateExtractElement(v.value, std::uint64_t{0}),
            r.ranked ? e.b.CreateExtractElement(v.position, std::uint64_t{0}) : nullptr};
}

class StageReduction {
  public:
    StageReduction(NestBody& body, std::vector<Scope>& scopes, const Stage& stage)
        : body_(body), e_(body.e), shape_(body.shape), scopes_(scopes), stage_(stage) {
        reductions_ = reductions_of(shape_.nest, stage);
        block_results_ = block_results_of(shape_.nest, stage);
        vectors_ = !shape_.along_grid && shape_.vector_loop(stage) >= 0;
        n_ = stage.loops.back();
        width_ = accumulators_of(stage);
        empty_ = std::any_of(stage.loops.begin(), stage.loops.end(), [](std::int64_t n) { return n == 0; });
    }

    void run() {
        if (empty_) {
            for (Scope& scope : scopes_)
                for (const Reduction& r : reductions_) publish_reduced(e_, scope, r, identity(e_, r, scope.lanes));
            return;
        }
        const std::int64_t extent = stage_.loops.front();
        if (blocks_of(stage_) == 1) {
            const std::vector<Ranked> results = range(e_.int64(0), extent);
            std::size_t i = 0;
            for (Scope& scope : scopes_)
                for (const Reduction& r : block_results_) publish_reduced(e_, scope, r, results[i++]);
            return;
        }
        blocks(extent);
    }

  private:
    /// Combines blocks of the outermost own loop in order. The initial identity does not change the result, since every
    /// block also starts from the identity.
    void blocks(std::int64_t extent) {
        const std::int64_t whole = extent / stage_.block;
        std::vector<Accumulator> totals;
        for (const Scope& scope : scopes_)
            for (const Reduction& r : reductions_) totals.emplace_back(e_, total_of(r), scope.lanes, 1);
        for (Accumulator& total : totals) total.reset();
        const auto more = [&](Value* begin, std::int64_t count) {
            const auto results = range(begin, count);
            for (std::size_t i = 0; i < totals.size(); ++i)
                totals[i].add(0, widened(e_, totals[i].reduction(), results[i]), nullptr);
        };
        // A reduction of about 20 ms or more polls between blocks whether the call must stop.
        const bool polls = whole > 1024;
        e_.loop(0, whole, 1, [&](Value* block) {
            const auto iteration = [&] { more(e_.mul(block, stage_.block), stage_.block); };
            if (polls)
                e_.unless_stopped(iteration);
            else
                iteration();
        });
        if (extent % stage_.block != 0) more(e_.int64(whole * stage_.block), extent % stage_.block);
        for (std::size_t i = 0; i < totals.size(); ++i)
            publish_reduced(e_, scopes_[i / reductions_.size()], totals[i].reduction(), totals[i].read(0));
    }

    /// Reduces the iterations begin .. begin + count of the outermost own loop. Returns a result per scope and
    /// reduction.
    std::vector<Ranked> range(Value* begin, std::int64_t count) {
        return vectors_ ? lanes_range(begin, count) : plain_range(begin, count);
    }

    /// Reduces every iteration in order. Each lane of a scope is a separate reduction.
    std::vector<Ranked> plain_range(Value* begin, std::int64_t count) {
        const bool spread = stage_.order == nest::Order::lanes;
        Accumulators sums(e_, shape_.nest, stage_);
        for (const Scope& scope : scopes_) sums.append(scope.lanes, 1);
        PM_CHECK(!spread || n_ == 1 || shape_.lanes == 1);
        sums.reset();
        const auto add = [&](std::vector<Scope>& inner) {
            std::size_t i = 0;
            for (const Scope& scope : inner)
                for (const Reduction& r : reductions_) sums.parts()[i++].add(0, operand_of(body_, scope, r), nullptr);
        };
        OwnLoops{body_, stage_, 0, add, &sums}.run(scopes_, begin, e_.b.CreateAdd(begin, e_.int64(count)));
        std::vector<Ranked> results;
        for (Accumulator& sum : sums.results()) results.push_back(sum.read(0));
        return results;
    }

    /// Reduces the innermost own loop in vectors. There is only one scope.
    std::vector<Ranked> lanes_range(Value* begin, std::int64_t count) {
        const bool only = stage_.loops.size() == 1; // if true, `begin` and `count` are the range of the innermost loop
        const std::int64_t n = only ? count : n_;
        const int lanes = static_cast<int>(std::min<std::int64_t>({shape_.lanes, n, width_}));
        const int vectors = n <= lanes ? 1 : width_ / lanes;
        Accumulators sums(e_, shape_.nest, stage_);
        sums.append(lanes, vectors);
        sums.reset();
        const bool light =
            shape_.weights[static_cast<std::size_t>(&stage_ - shape_.nest.stages.data())] * vectors <= 64;
        const auto inner = [&](const Scope& scope, Value* from) {
            if (light || n <= lanes)
                unrolled(scope, sums, from, n, lanes, vectors);
            else
                rolled(scope, sums, from, n, lanes, vectors);
        };
        if (only) {
            inner(scopes_.front(), begin);
        } else {
            const auto row = [&](std::vector<Scope>& scopes) { inner(scopes.front(), e_.int64(0)); };
            OwnLoops{body_, stage_, 1, row, &sums}.run(scopes_, begin, e_.b.CreateAdd(begin, e_.int64(count)));
        }
        std::vector<Ranked> results;
        for (Accumulator& sum : sums.results()) results.push_back(total(sum));
        return results;
    }

    void iteration(const Scope& scope, std::vector<Accumulator>& sums, Value* index, int lanes, std::size_t vector,
                   Value* mask) {
        Scope inner = scope;
        inner.lanes = lanes;
        inner.mask = mask;
        body_.enter(inner, index, &stage_);
        body_.instructions(inner, stage_, static_cast<int>(shape_.loops(stage_)));
        for (Accumulator& sum : sums) sum.add(vector, operand_of(body_, inner, sum.reduction()), mask);
    }

    /// Adds to all vectors of accumulators in each iteration. The remainder is emitted without a loop.
    void unrolled(const Scope& scope, Accumulators& sums, Value* from, std::int64_t n, int lanes, int vectors) {
        const std::int64_t step = std::int64_t{lanes} * vectors;
        const std::int64_t whole = n / step * step;
        const auto at = [&](Value* index, std::int64_t more) {
            return more == 0 ? index : e_.b.CreateAdd(index, e_.int64(more));
        };
        const std::size_t innermost = stage_.loops.size() - 1;
        const auto steps = [&](Value* begin, Value* end) {
            e_.loop(begin, end, step, [&](Value* index) {
                for (int j = 0; j < vectors; ++j)
                    iteration(scope, sums.parts(), at(index, std::int64_t{j} * lanes), lanes,
                              static_cast<std::size_t>(j), nullptr);
            });
        };
        sums.chunks(innermost, from, at(from, whole), steps, n > whole);
        for (int j = 0; j < vectors; ++j) {
            const std::int64_t left = n - whole - std::int64_t{j} * lanes;
            if (left <= 0) break;
            Value* mask = nullptr;
            if (left < lanes) {
                std::vector<llvm::Constant*> bits;
                for (int l = 0; l < lanes; ++l) bits.push_back(e_.b.getInt1(l < left));
                mask = llvm::ConstantVector::get(bits);
            }
            iteration(scope, sums.parts(), at(from, whole + std::int64_t{j} * lanes), lanes,
                      static_cast<std::size_t>(j), mask);
        }
        if (n > whole && stage_.chunk.loop == innermost) sums.flush();
    }

    /// Adds to one vector of accumulators in each iteration. The index of the vector is computed at run time, so a long
    /// body is emitted only once.
    void rolled(const Scope& scope, Accumulators& sums, Value* from, std::int64_t n, int lanes, int vectors) {
        std::vector<Value*> arrays;
        for (const Reduction& r : reductions_) {
            arrays.push_back(e_.slot(
                llvm::ArrayType::get(stored_type(e_, r, lanes), static_cast<std::uint64_t>(vectors)), "accs", 64));
            arrays.push_back(r.ranked ? e_.slot(llvm::ArrayType::get(e_.vector(e_.i64(), lanes),
                                                                     static_cast<std::uint64_t>(vectors)),
                                                "ats", 64)
                                      : nullptr);
        }
        std::vector<Accumulator> one;
        for (const Reduction& r : reductions_) one.emplace_back(e_, r, lanes, 1);
        const auto all = [&](bool out) {
            for (int v = 0; v < vectors; ++v)
                exchange(sums.parts(), arrays, e_.int64(v), lanes, static_cast<std::size_t>(v), out);
        };
        sums.chunks(stage_.loops.size() - 1, e_.int64(0), e_.int64(n), [&](Value* begin, Value* end) {
            all(true);
            e_.loop(begin, end, lanes, [&](Value* r) {
                Value* mask = n % lanes == 0 ? nullptr : e_.lanes_below(e_.b.CreateSub(e_.int64(n), r), lanes);
                Value* vector = e_.b.CreateAnd(e_.b.CreateUDiv(r, e_.int64(lanes)), e_.int64(vectors - 1));
                exchange(one, arrays, vector, lanes, 0, false);
                iteration(scope, one, e_.add(from, r), lanes, 0, mask);
                exchange(one, arrays, vector, lanes, 0, true);
            });
            all(false);
        });
    }

    /// Stores accumulators to the arrays if `out` is true, otherwise loads them.
    void exchange(std::vector<Accumulator>& sums, const std::vector<Value*>& arrays, Value* vector, int lanes,
                  std::size_t slot, bool out) {
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const Reduction& r = sums[i].reduction();
            const RankedPlace place{e_.b.CreateGEP(stored_type(e_, r, lanes), arrays[2 * i], vector),
                                    r.ranked ? e_.b.CreateGEP(e_.vector(e_.i64(), lanes), arrays[2 * i + 1], vector)
                                             : nullptr};
            if (out)
                store_ranked(e_, r, place, sums[i].read(slot));
            else
                sums[i].write(slot, load_ranked(e_, r, place, lanes));
        }
    }

    /// Combines the accumulators in halves: first whole vectors, then the lanes of one vector.
    Ranked total(Accumulator& sum) {
        std::vector<Ranked> parts;
        for (std::size_t i = 0; i < sum.count(); ++i) parts.push_back(sum.read(i));
        for (std::size_t half = parts.size() / 2; half >= 1; half /= 2)
            for (std::size_t i = 0; i < half; ++i) parts[i] = merge(e_, sum.reduction(), parts[i], parts[i + half]);
        return halves(e_, sum.reduction(), parts.front(), parts.size() == 1 && sum.lanes() < 16 ? 16 : sum.lanes());
    }

    NestBody& body_;
    Emit& e_;
    const NestShape& shape_;
    std::vector<Scope>& scopes_;
    const Stage& stage_;
    std::vector<Reduction> reductions_;
    std::vector<Reduction> block_results_;
    bool vectors_ = false;
    bool empty_ = false;
    std::int64_t n_ = 0;
    int width_ = 16;
};

} // namespace

void emit_reductions(NestBody& body, std::vector<Scope>& scopes, const Stage& stage) {
    StageReduction(body, scopes, stage).run();
}

} // namespace pm::codegen
