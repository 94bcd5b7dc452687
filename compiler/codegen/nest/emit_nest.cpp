#include "compiler/codegen/nest/emit_nest.hpp"

#include "compiler/codegen/scalar/emit_scalar.hpp"

#include <algorithm>

namespace pm::codegen {

using nest::Stage;

namespace {

class NestLoops {
  public:
    NestLoops(Emit& e, const NestShape& shape, llvm::ArrayRef<Value*> buffers)
        : e_(e), shape_(shape), body_(e, shape, buffers) {
        for (const Stage& s : shape.nest.stages) stages_.push_back(&s);
    }

    void run(Value* begin, Value* end) {
        if (shape_.empty()) return;
        if (shape_.transposed_loop >= 0) {
            emit_transposed(e_, body_, begin, end);
            return;
        }
        Scope scope = body_.outermost();
        if (begin == nullptr || shape_.chunk_loops == 0) {
            grid(scope, nullptr, nullptr);
            return;
        }
        if (shape_.chunk_loops == 1) {
            grid(scope, begin, end);
            return;
        }
        // Several loops are iterated as one range. The loop indices are computed from the unit number.
        e_.loop(begin, end, 1, [&](Value* unit) {
            Scope at = scope;
            std::vector<Value*> digits;
            for (int l = shape_.chunk_loops - 1; l > 0; --l) {
                Value* extent = e_.int64(shape_.nest.grid[static_cast<std::size_t>(l)]);
                digits.push_back(e_.b.CreateURem(unit, extent));
                unit = e_.b.CreateUDiv(unit, extent);
            }
            digits.push_back(unit);
            for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
                hoisted(at);
                body_.enter(at, *digit, stages_);
            }
            grid(at, nullptr, nullptr);
        });
    }

  private:
    /// Computes the values that depend only on the loops entered so far.
    void hoisted(Scope& scope) {
        const auto depth = static_cast<int>(scope.indices.size());
        if (depth >= static_cast<int>(shape_.grid())) return;
        for (const Stage* s : stages_) body_.instructions(scope, *s, depth);
    }

    /// Emits the remaining loops of the grid. The first of these loops has the range begin .. end, unless `begin` and
    /// `end` are null.
    void grid(Scope& scope, Value* begin, Value* end) {
        const std::size_t loop = scope.indices.size();
        if (loop == shape_.grid()) {
            std::vector<Scope> scopes{scope};
            point(scopes);
            return;
        }
        hoisted(scope);
        if (begin == nullptr) begin = e_.int64(0);
        if (end == nullptr) end = e_.int64(shape_.nest.grid[loop]);
        if (shape_.along_grid && loop + 1 == shape_.grid() && shape_.lanes > 1) {
            vectors(scope, begin, end);
            return;
        }
        e_.loop(begin, end, 1, [&](Value* index) {
            Scope inner = scope;
            body_.enter(inner, index, stages_);
            grid(inner, nullptr, nullptr);
        });
    }

    /// Emits one iteration with one vector for each mask.
    void vector_iteration(const Scope& scope, Value* index, const std::vector<Value*>& masks) {
        std::vector<Scope> scopes;
        for (std::size_t i = 0; i < masks.size(); ++i) {
            Scope inner = scope;
            inner.lanes = shape_.lanes;
            inner.mask = masks[i];
            body_.enter(inner,
                        i == 0 ? index : e_.b.CreateAdd(index, e_.int64(static_cast<std::int64_t>(i) * shape_.lanes)),
                        stages_);
            scopes.push_back(std::move(inner));
        }
        point(scopes);
    }

    /// Emits the loop that vectors lie along: iterations of `unroll` vectors, then single vectors with a mask. If the
    /// body is long, `unroll` is 1 and the body is emitted only once. The body then has a mask, unless the extent of
    /// the loop is a multiple of the number of lanes.
    void vectors(const Scope& scope, Value* begin, Value* end) {
        const std::int64_t lanes = shape_.lanes;
        const std::int64_t step = lanes * shape_.unroll;
        const std::int64_t extent = shape_.nest.grid.back();
        Value* rest = begin;
        if (shape_.unroll > 1 && extent >= step) {
            Value* whole = e_.b.CreateSub(end, begin);
            whole = e_.b.CreateSub(whole, e_.b.CreateURem(whole, e_.int64(step)));
            rest = e_.b.CreateAdd(begin, whole);
            e_.loop(begin, rest, step, [&](Value* index) {
                vector_iteration(scope, index, std::vector<Value*>(static_cast<std::size_t>(shape_.unroll), nullptr));
            });
            if (extent % step == 0 && shape_.chunk_grain % step == 0) return;
        }
        const bool even = extent % lanes == 0 && (shape_.chunk_loops != 1 || shape_.chunk_grain % lanes == 0);
        if (extent == lanes) {
            vector_iteration(scope, begin, {nullptr});
            return;
        }
        // The remainder of wide sums over columns also processes several vectors at a time. With one vector, each
        // addition would wait for the previous addition.
        const int copies = shape_.unroll > 4 ? 4 : 1;
        e_.loop(rest, end, lanes * copies, [&](Value* index) {
            std::vector<Value*> masks(static_cast<std::size_t>(copies), nullptr);
            if (!even || copies > 1) {
                Value* left = e_.b.CreateSub(end, index);
                for (int i = 0; i < copies; ++i)
                    masks[static_cast<std::size_t>(i)] = e_.lanes_below(left, shape_.lanes, i * shape_.lanes);
            }
            vector_iteration(scope, index, masks);
        });
    }

    /// Emits all stages at the points of the scopes.
    void point(std::vector<Scope>& scopes) {
        const auto depth = static_cast<int>(shape_.grid());
        for (const Stage* s : stages_) {
            for (Scope& scope : scopes) body_.instructions(scope, *s, depth);
            if (NestShape::reduces(shape_.nest, *s))
                emit_reductions(body_, scopes, *s);
            else if (!s->loops.empty() && std::find(s->loops.begin(), s->loops.end(), 0) == s->loops.end())
                map(scopes, *s);
        }
    }

    void map(const std::vector<Scope>& scopes, const Stage& stage) {
        const bool vector = !shape_.along_grid && shape_.vector_loop(stage) >= 0;
        const auto inner = [&](std::vector<Scope>& entered) {
            if (vector) map_vectors(entered.front(), stage);
        };
        OwnLoops{body_, stage, vector ? 1U : 0U, inner}.run(scopes);
    }

    void map_vectors(const Scope& scope, const Stage& stage) {
        const std::int64_t n = stage.loops.back();
        const auto depth = static_cast<int>(shape_.loops(stage));
        const auto lanes = std::min<std::int64_t>(shape_.lanes, n);
        const auto iteration = [&](Value* index, Value* mask) {
            Scope inner = scope;
            inner.lanes = static_cast<int>(lanes);
            inner.mask = mask;
            body_.enter(inner, index, &stage);
            body_.instructions(inner, stage, depth);
        };
        const bool light = shape_.weights[static_cast<std::size_t>(&stage - shape_.nest.stages.data())] <= 24;
        const std::int64_t whole = n % lanes == 0 || light ? n / lanes * lanes : 0;
        e_.loop(0, whole, lanes, [&](Value* index) { iteration(index, nullptr); });
        e_.loop(whole, n, lanes, [&](Value* index) {
            iteration(index, e_.lanes_below(e_.b.CreateSub(e_.int64(n), index), static_cast<int>(lanes)));
        });
    }

    Emit& e_;
    const NestShape& shape_;
    NestBody body_;
    std::vector<const Stage*> stages_;
};

} // namespace

void OwnLoops::run(const std::vector<Scope>& scopes) const {
    if (stage.loops.size() > left_out) return run(scopes, 0, body.e.int64(0), body.e.int64(stage.loops.front()));
    std::vector<Scope> copy = scopes;
    inner(copy);
}

void OwnLoops::run(const std::vector<Scope>& scopes, std::size_t loop, Value* begin, Value* end) const {
    const auto iteration = [&](Value* index) {
        std::vector<Scope> entered = scopes;
        for (Scope& scope : entered) {
            body.enter(scope, index, &stage);
            body.instructions(scope, stage, static_cast<int>(scope.indices.size()));
        }
        if (loop + 1 + left_out == stage.loops.size())
            inner(entered);
        else
            run(entered, loop + 1, body.e.int64(0), body.e.int64(stage.loops[loop + 1]));
    };
    const auto part = [&](Value* from, Value* to) { body.e.loop(from, to, 1, iteration); };
    if (sums == nullptr)
        part(begin, end);
    else
        sums->chunks(loop, begin, end, part);
}

namespace {

void points(NestBody& body, const Scope& scope, llvm::ArrayRef<Value*> begin, llvm::ArrayRef<Value*> end, bool even) {
    Emit& e = body.e;
    const NestShape& shape = body.shape;
    const Stage* stage = &shape.nest.stages.front();
    const std::size_t loop = scope.indices.size();
    const bool last = loop + 1 == shape.grid();
    e.loop(begin[loop], end[loop], last ? shape.lanes : 1, [&](Value* index) {
        Scope inner = scope;
        if (last) {
            inner.lanes = shape.lanes;
            if (!even && shape.lanes > 1) inner.mask = e.lanes_below(e.b.CreateSub(end[loop], index), shape.lanes);
        }
        body.enter(inner, index, stage);
        body.instructions(inner, *stage, static_cast<int>(loop) + 1);
        if (!last) points(body, inner, begin, end, even);
    });
}

} // namespace

void emit_points(NestBody& body, llvm::ArrayRef<Value*> begin, llvm::ArrayRef<Value*> end, bool even) {
    Scope scope = body.outermost();
    body.instructions(scope, body.shape.nest.stages.front(), 0);
    points(body, scope, begin, end, even);
}

void emit_nest(Emit& e, const NestShape& shape, llvm::ArrayRef<Value*> buffers, Value* begin, Value* end) {
    NestLoops(e, shape, buffers).run(begin, end);
}

} // namespace pm::codegen
