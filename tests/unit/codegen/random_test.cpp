#include "compiler/nest/builder.hpp"
#include "tests/unit/codegen/harness.hpp"
#include "tests/unit/plan/interpret_program.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace pm;
using namespace pm::codegen::test;
using nest::Builder;
using nest::Combine;
using nest::Index;
using nest::Indices;
using nest::Ref;
using nest::ScalarOp;

namespace {

/// Random nests. They contain every kind of read (permuted, reversed, strided, broadcast, out of range under a mask, by
/// a loaded index), several stages, and reductions in either order. The results must have the bits of the oracle.
class RandomNest {
  public:
    explicit RandomNest(unsigned seed) : engine_(seed) {}

    plan::Program make() {
        static const std::vector<DType> dtypes{DType::f32, DType::f32,  DType::f64, DType::i32,
                                               DType::f16, DType::bf16, DType::i64, DType::i8};
        dtype_ = dtypes[below(dtypes.size())];
        const std::size_t rank = below(4);
        for (std::size_t i = 0; i < rank; ++i) grid_.push_back(extent());
        while (product(grid_) > 20000) grid_[below(grid_.size())] = 3;
        Builder b("random", grid_);
        for (int i = 0; i < 2; ++i) inputs_.push_back(b.buffer(dtype_, false));
        index_ = b.buffer(DType::i32, false);
        const bool reduces = below(2) == 0;
        out_ = b.buffer(dtype_, true);
        shapes_ = {{input_size}, {input_size}, {input_size}, grid_};
        std::vector<Ref> carried;
        if (reduces) {
            for (std::size_t s = 0; s <= below(2); ++s) carried.push_back(reduction(b, carried));
        }
        b.begin_stage({});
        Ref value = expression(b, b.grid_indices(), 3);
        for (const Ref r : carried) value = combine(b, value, r);
        b.store(out_, grid_, b.grid_indices(), value);
        if (reduces && below(2) == 0) {
            const std::vector<std::int64_t> own{extent()};
            b.begin_stage(own);
            Shape shape = grid_;
            shape.push_back(own[0]);
            const std::uint32_t wide = b.buffer(dtype_, true);
            shapes_.push_back(shape);
            Ref v = expression(b, b.stage_indices(), 2);
            for (const Ref r : carried) v = combine(b, v, r);
            b.store(wide, shape, b.stage_indices(), v);
        }
        nest = b.finish();
        return nest_program(nest, shapes_, below(2) == 0);
    }

    std::vector<Array> arguments() {
        Array index = Array::empty(DType::i32, {input_size});
        for (std::int64_t i = 0; i < input_size; ++i)
            index.mutable_as<std::int32_t>()[i] = static_cast<std::int32_t>(below(400)) - 100;
        return {random_array(dtype_, {input_size}, 1), random_array(dtype_, {input_size}, 2), index};
    }

    nest::Nest nest;

  private:
    static constexpr std::int64_t input_size = 5000;

    std::size_t below(std::size_t n) { return engine_() % n; }
    std::int64_t extent() {
        static const std::vector<std::int64_t> sizes{1, 2, 3, 5, 8, 13, 16, 17, 33, 40, 64, 70, 130};
        return sizes[below(sizes.size())];
    }
    static std::int64_t product(const std::vector<std::int64_t>& v) {
        std::int64_t p = 1;
        for (const std::int64_t n : v) p *= n;
        return p;
    }

    Ref reduction(Builder& b, const std::vector<Ref>& carried) {
        std::vector<std::int64_t> own;
        for (std::size_t i = 0; i <= below(2); ++i) own.push_back(extent());
        constexpr std::int64_t most = 1 << 20; // the oracle runs this number of iterations in a second
        while (product(grid_) * product(own) > most) *std::max_element(own.begin(), own.end()) = 3;
        const bool lanes = below(3) != 0;
        const std::int64_t block =
            below(3) == 0 ? 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(own[0]))) : 0;
        nest::Chunk chunk;
        if (below(2) == 0) {
            chunk.loop = below(own.size());
            chunk.iterations = 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(own[chunk.loop])));
            // With Order::lanes, the chunk of the innermost loop is a multiple of 64, the number of accumulators.
            if (lanes && chunk.loop + 1 == own.size()) chunk.iterations = (chunk.iterations + 63) / 64 * 64;
        }
        b.begin_stage(own, {lanes ? nest::Order::lanes : nest::Order::sequential, block, chunk});
        Ref value = expression(b, b.stage_indices(), 2);
        for (const Ref r : carried) value = combine(b, value, r);
        static const std::vector<Combine> combines{Combine::add, Combine::add, Combine::max, Combine::min,
                                                   Combine::argmax};
        const Combine how = combines[below(combines.size())];
        if (how != Combine::argmax) return b.reduce(how, value);
        const Indices at = b.stage_indices();
        const Ref position = b.reduce(how, value, b.value(at.back()));
        return position;
    }

    /// Combines `value` with the result `r` of an earlier stage. `r` may be a position.
    Ref combine(Builder& b, Ref value, Ref r) {
        if (b.dtype(r) != dtype_) r = b.op(ScalarOp::convert, dtype_, {r});
        return b.op(below(2) == 0 ? ScalarOp::add : ScalarOp::max, dtype_, {value, r});
    }

    Ref leaf(Builder& b, const Indices& at) {
        Index sum = Index::constant(static_cast<std::int64_t>(below(5)));
        for (const Index& i : at) {
            static const std::vector<std::int64_t> steps{0, 1, 1, 1, 2, 3, 7, 17, 40, 64, -1, -2};
            sum = b.add(sum, b.mul(i, steps[below(steps.size())]));
        }
        const std::size_t kind = below(6);
        if (kind == 0 && !at.empty()) sum = b.add(b.rem(at.back(), 3), b.mul(b.div(at.back(), 3), 5));
        if (kind == 1) sum = b.from(b.load(index_, {input_size}, {b.clamp(sum, 0, input_size - 1)}));
        const auto inside = b.within(sum, 0, input_size);
        if (kind == 2 && inside) return b.load(inputs_[0], {input_size}, {sum}, inside);
        return b.load(inputs_[below(2)], {input_size}, {b.clamp(sum, 0, input_size - 1)});
    }

    Ref expression(Builder& b, const Indices& at, int depth) {
        if (depth == 0 || below(5) == 0) return leaf(b, at);
        static const std::vector<ScalarOp> both{ScalarOp::add, ScalarOp::sub, ScalarOp::mul, ScalarOp::max,
                                                ScalarOp::min};
        const Ref a = expression(b, at, depth - 1);
        if (below(6) == 0) return b.op(below(2) == 0 ? ScalarOp::neg : ScalarOp::abs, dtype_, {a});
        const Ref c = expression(b, at, depth - 1);
        if (below(5) == 0) return b.op(ScalarOp::select, dtype_, {b.op(ScalarOp::less, DType::b1, {a, c}), a, c});
        return b.op(both[below(both.size())], dtype_, {a, c});
    }

    std::mt19937 engine_;
    DType dtype_{};
    Shape grid_;
    std::vector<Shape> shapes_;
    std::vector<std::uint32_t> inputs_;
    std::uint32_t index_ = 0;
    std::uint32_t out_ = 0;
};

bool same(const Array& a, const Array& b) {
    if (identical(a, b)) return true;
    for (std::int64_t i = 0; i < a.elements(); ++i) {
        if (runtime::is_float(a.dtype()) && std::isnan(a.as_f64(i)) && std::isnan(b.as_f64(i))) continue;
        const std::size_t w = runtime::size_of(a.dtype());
        if (std::memcmp(static_cast<const char*>(a.data()) + static_cast<std::size_t>(i) * w,
                        static_cast<const char*>(b.data()) + static_cast<std::size_t>(i) * w, w) != 0) {
            MESSAGE("element " << i << ": " << a.as_f64(i) << " instead of " << b.as_f64(i));
            return false;
        }
    }
    return true;
}

} // namespace

TEST_CASE("random nests have the oracle's bits at every vector width and number of workers") {
    const char* chosen = std::getenv("PM_RANDOM_NESTS");
    const unsigned count = chosen != nullptr ? static_cast<unsigned>(std::atoi(chosen)) : 60;
    const char* first = std::getenv("PM_RANDOM_FIRST");
    const unsigned begin = first != nullptr ? static_cast<unsigned>(std::atoi(first)) : 1;
    for (unsigned seed = begin; seed < begin + count; ++seed) {
        RandomNest random(seed);
        const plan::Program program = random.make();
        const std::vector<Array> arguments = random.arguments();
        const std::vector<Array> expected = plan::testing::interpret(program, arguments);
        for (const int bits : {128, 256, 512}) {
            const Outcome got = run(program, arguments, bits, bits == 256 ? 2 : 1);
            for (std::size_t i = 0; i < expected.size(); ++i)
                REQUIRE_MESSAGE(same(got.results[i], expected[i]),
                                fmt::format("seed {} width {} result {}\n{}", seed, bits, i, nest::print(random.nest)));
        }
    }
}
