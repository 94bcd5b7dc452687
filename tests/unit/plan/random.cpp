#include "compiler/ops/core/build.hpp"
#include "tests/unit/plan/harness.hpp"

#include <doctest/doctest.h>

#include <random>

// Random programs. For all choices of fusion, placement and updates in place, the results agree with the reference
// interpreter and have the same bits as without fusion.

using namespace pm;
using namespace pm::plan;
using namespace pm::plan::testing;
using ops::Build;
using ops::Op;
using ops::Shape;
using ops::Value;
using ops::Values;

namespace {

class Generator {
  public:
    explicit Generator(unsigned seed) : random_(seed) {}

    ir::BlockPtr program() {
        Build b("random");
        Values pool;
        for (int i = 0; i < 3; ++i) pool.push_back(b.param({ir::DType::f32, some_shape(2)}));
        pool.push_back(b.param({ir::DType::f32, {7}}));
        index_ = b.param({ir::DType::i32, {}});
        for (int i = 0; i < 14; ++i) step(b, pool, 2);
        return b.finish(some_results(pool, 4));
    }

    /// A body for a pmap over `lanes` slices of an f32[7].
    ir::BlockPtr lanes_program(std::int64_t lanes) {
        Build body("body");
        axis_size_ = lanes;
        Values pool{body.param({ir::DType::f32, {7}}), body.param({ir::DType::f32, {3}})};
        index_ = body.emit1(Op::axis_index, {}, {{ir::Attr::axis_id, std::int64_t{1}}});
        for (int i = 0; i < 10; ++i) step(body, pool, 1);
        const Values results = some_results(pool, 3);
        std::vector<ir::Type> types;
        for (const Value v : results) types.push_back(body.type(v));
        const ir::BlockPtr block = body.finish(results);
        Build b("lanes");
        const Value x = b.param({ir::DType::f32, {lanes, 7}});
        const Value w = b.param({ir::DType::f32, {3}});
        return b.finish(b.emit(Op::pmap, {x, w},
                               {{ir::Attr::axis_id, std::int64_t{1}},
                                {ir::Attr::axis_name, std::string("i")},
                                {ir::Attr::axis_size, lanes},
                                {ir::Attr::in_axes, ir::Integers{0, -1}},
                                {ir::Attr::out_axes, ir::Integers(types.size(), 0)},
                                {ir::Attr::tiled, std::int64_t{0}}},
                               {block}));
    }

  private:
    std::int64_t number(std::int64_t below) {
        return static_cast<std::int64_t>(random_() % static_cast<unsigned>(below));
    }
    template <class T>
    T pick(const std::vector<T>& from) {
        return from[static_cast<std::size_t>(number(static_cast<std::int64_t>(from.size())))];
    }

    Shape some_shape(int most_rank) {
        Shape shape;
        for (std::int64_t r = number(most_rank + 1); r > 0; --r) shape.push_back(pick<std::int64_t>({1, 2, 3, 5, 20}));
        return shape;
    }

    Values some_results(const Values& pool, int count) {
        Values results;
        for (int i = 0; i < count; ++i)
            results.push_back(pool[pool.size() - 1 -
                                   static_cast<std::size_t>(
                                       number(std::min<std::int64_t>(8, static_cast<std::int64_t>(pool.size()))))]);
        return results;
    }

    Value unary(Build& b, Value x) {
        switch (number(5)) {
        case 0: return b.neg(x);
        case 1: return b.unary(Op::tanh, x);
        case 2: return b.unary(Op::sin, x);
        case 3: return b.scale(x, 0.5);
        default: return b.unary(Op::abs, x);
        }
    }

    Value like(Build& b, const Values& pool, const Shape& shape) {
        Values same;
        for (const Value v : pool)
            if (b.shape(v) == shape) same.push_back(v);
        if (!same.empty() && number(4) != 0) return pick(same);
        return unary(b, b.convert(shape.empty() ? b.constant(ir::DType::f32, 0.25)
                                                : b.iota(shape, static_cast<int>(shape.size()) - 1, ir::DType::f32),
                                  ir::DType::f32));
    }

    Value binary(Build& b, const Values& pool, Value x) {
        const Value y = like(b, pool, b.shape(x));
        switch (number(5)) {
        case 0: return b.scale(b.add(x, y), 0.5);
        case 1: return b.sub(x, y);
        case 2: return b.binary(Op::max, x, y);
        case 3: return b.select(b.compare(Op::less, x, y), x, y);
        default: return b.unary(Op::tanh, b.mul(x, y));
        }
    }

    Value reshaped(Build& b, const Values& pool, Value x) {
        const Shape& shape = b.shape(x);
        const int rank = b.rank(x);
        switch (number(7)) {
        case 0: return b.broadcast(x, preceded(shape, 3), counting(1, rank));
        case 1: return b.reshape(x, {ir::product(shape)});
        case 2: return rank < 2 ? x : b.move_axis(x, rank - 1, 0);
        case 3: return rank < 1 ? x : b.reverse(x, {number(rank)});
        case 4: {
            if (rank < 1 || shape[0] < 2) return x;
            return b.slice_axis(x, 0, 1, shape[0]);
        }
        case 5:
            return rank < 1 ? x : b.concatenate({x, unary(b, like(b, pool, shape))}, static_cast<int>(number(rank)));
        default: {
            if (rank < 1) return x;
            return b.pad(x, b.constant(ir::DType::f32, 1), ir::Integers(shape.size(), 1),
                         ir::Integers(shape.size(), 0));
        }
        }
    }

    static Shape preceded(Shape shape, std::int64_t size) {
        shape.insert(shape.begin(), size);
        return shape;
    }
    static ir::Integers counting(std::int64_t from, int count) {
        ir::Integers result;
        for (int i = 0; i < count; ++i) result.push_back(from + i);
        return result;
    }

    Value reduced(Build& b, Value x) {
        const int rank = b.rank(x);
        if (rank == 0) return x;
        ir::Integers axes;
        for (int a = 0; a < rank; ++a)
            if (number(2) == 0) axes.push_back(a);
        const Value r = number(3) == 0 ? b.reduce(Op::reduce_max, x, axes) : b.scale(b.sum(x, axes), 0.1);
        if (number(2) == 0 || axes.empty()) return r;
        // Broadcasts the result of the reduction over the axes of its operand, as for the subtraction of a mean.
        ir::Integers kept;
        for (int a = 0; a < rank; ++a)
            if (std::find(axes.begin(), axes.end(), a) == axes.end()) kept.push_back(a);
        return b.sub(x, b.broadcast(r, b.shape(x), kept));
    }

    Value indexed(Build& b, const Values& pool, Value x) {
        const Shape shape = b.shape(x);
        if (shape.empty()) return x;
        Values starts;
        Shape window;
        for (const std::int64_t size : shape) {
            starts.push_back(number(2) == 0 ? index_ : b.constant_i(ir::DType::i32, number(3)));
            window.push_back(std::max<std::int64_t>(1, size - number(3)));
        }
        if (number(3) == 0) return b.dynamic_slice(x, starts, window);
        if (number(3) == 0) {
            const Value index = b.broadcast(index_, {4}, {});
            Shape part = shape;
            part[0] = 4;
            return b.scatter(x, unary(b, like(b, pool, part)), {b.add(index, b.iota({4}, 0, ir::DType::i32))}, {0},
                             number(2) == 0 ? "add" : "set");
        }
        const Value update =
            number(2) == 0 ? unary(b, like(b, pool, window)) : unary(b, b.dynamic_slice(x, starts, window));
        return b.dynamic_update(x, update, starts);
    }

    Value product(Build& b, const Values& pool, Value x) {
        if (b.rank(x) < 1) return x;
        const std::int64_t k = b.shape(x).back();
        const Value y = like(b, pool, {k, 4});
        return b.unary(Op::tanh, b.scale(b.dot(x, y, {{b.rank(x) - 1}, {0}}), 0.1));
    }

    void loop(Build& b, Values& pool, int depth) {
        const Value first = pick(pool);
        const Value second = pick(pool);
        const Value whole = pick(pool);
        const Value sliced = b.broadcast(whole, preceded(b.shape(whole), 3), counting(1, b.rank(whole)));
        Build body("body");
        const Value outer_index = index_;
        const Value i = body.param({ir::DType::i32, {}});
        Values inner{body.param(b.type(whole)), body.param(b.type(first)), body.param(b.type(second)),
                     body.param(b.type(whole))};
        const std::vector<ir::Type> types{b.type(first), b.type(second)};
        index_ = i;
        for (int n = 0; n < 5; ++n) step(body, inner, depth - 1);
        Values results;
        for (const ir::Type& type : types) results.push_back(fitting(body, inner, type));
        results.push_back(inner.back());
        index_ = outer_index;
        const Values made = b.emit(Op::scan, {whole, first, second, sliced},
                                   {{ir::Attr::whole, std::int64_t{1}},
                                    {ir::Attr::carried, std::int64_t{2}},
                                    {ir::Attr::length, std::int64_t{3}},
                                    {ir::Attr::reverse, number(2)}},
                                   {body.finish(results)});
        pool.insert(pool.end(), made.begin(), made.end());
    }

    Value fitting(Build& b, const Values& pool, const ir::Type& type) {
        for (std::size_t i = pool.size(); i-- > 0;)
            if (b.type(pool[i]) == type && number(3) != 0) return pool[i];
        return like(b, pool, type.shape);
    }

    void branch(Build& b, Values& pool, int depth) {
        const Value x = pick(pool);
        const Value y = pick(pool);
        const Value condition = b.compare(Op::less, index_, b.constant_i(ir::DType::i32, 2));
        const Value outer_index = index_;
        std::vector<ir::BlockPtr> sides;
        for (int side = 0; side < 2; ++side) {
            Build body("side");
            Values inner{body.param(b.type(x)), body.param(b.type(y))};
            index_ = body.param({ir::DType::i32, {}});
            for (int n = 0; n < 3; ++n) step(body, inner, depth - 1);
            const Value first = fitting(body, inner, b.type(x));
            const Value second = fitting(body, inner, b.type(y));
            sides.push_back(body.finish({first, second}));
        }
        index_ = outer_index;
        const Values made = b.emit(Op::if_, {condition, x, y, index_}, {}, std::move(sides));
        pool.insert(pool.end(), made.begin(), made.end());
    }

    Value collective(Build& b, Value x) {
        const ops::Attrs over{{ir::Attr::axes, ir::Integers{1}}, {ir::Attr::axis_size, axis_size_}};
        switch (number(4)) {
        case 0: return b.scale(b.emit1(Op::psum, {x}, over), 0.2);
        case 1: return b.emit1(Op::pmax, {x}, over);
        case 2: {
            ops::Attrs attrs = over;
            attrs.set(ir::Attr::pairs, ir::Integers{0, 1, 1, 0, 2, 3});
            return b.emit1(Op::ppermute, {x}, attrs);
        }
        default: {
            ops::Attrs attrs = over;
            attrs.set(ir::Attr::axis, std::int64_t{0});
            attrs.set(ir::Attr::tiled, std::int64_t{0});
            return b.scale(b.sum(b.emit1(Op::all_gather, {x}, attrs), {0}), 0.3);
        }
        }
    }

    void step(Build& b, Values& pool, int depth) {
        const Value x = pick(pool);
        if (b.type(x).elements() > 2000) {
            pool.push_back(b.sum(x, counting(0, b.rank(x))));
            return;
        }
        switch (number(axis_size_ > 0 ? 10 : 9)) {
        case 0: pool.push_back(unary(b, x)); return;
        case 1:
        case 2: pool.push_back(binary(b, pool, x)); return;
        case 3: pool.push_back(reshaped(b, pool, x)); return;
        case 4: pool.push_back(reduced(b, x)); return;
        case 5:
        case 6: pool.push_back(indexed(b, pool, x)); return;
        case 7: pool.push_back(product(b, pool, x)); return;
        case 8:
            if (depth <= 0) {
                pool.push_back(unary(b, x));
            } else if (number(3) != 0) {
                loop(b, pool, depth);
            } else {
                branch(b, pool, axis_size_ > 0 ? 0 : depth);
            }
            return;
        default: pool.push_back(allows_collectives(b) ? collective(b, x) : unary(b, x)); return;
        }
    }
    /// Whether collectives are allowed. They are not allowed in a branch, since its condition may differ between lanes.
    static bool allows_collectives(const Build& b) { return const_cast<Build&>(b).raw().block().name != "side"; }

    std::mt19937 random_;
    Value index_;
    std::int64_t axis_size_ = 0;
};

} // namespace

TEST_CASE("planned random programs agree with the reference interpreter") {
    for (unsigned seed = 1; seed <= 150; ++seed) {
        INFO("seed " << seed);
        agrees(ir::print(*Generator(seed).program()), {}, 2e-3);
    }
}

TEST_CASE("random pmaps agree with the reference interpreter on any number of devices") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        const std::string text = ir::print(*Generator(seed).lanes_program(4));
        for (const int devices : {1, 2, 4}) {
            INFO("seed " << seed << " devices " << devices);
            Options options;
            options.devices = devices;
            agrees(text, options, 2e-3);
        }
    }
}
