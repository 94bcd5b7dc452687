#include "tests/unit/ops/apply.hpp"
#include "tests/unit/ops/harness.hpp"

#include "compiler/ops/core/axes.hpp"

// Cases that the generated tests do not contain: derivatives at ties and at zeros, indices out of range, cotangents
// that are added to an existing sum.

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;
using ir::Attr;

namespace {

/// The tangent of the first result for tangents of the floating operands.
Array tangent_of(Op op, const std::vector<Array>& in, const std::vector<Array>& tangents, const Attrs& attrs) {
    Sample sample;
    sample.attrs = attrs;
    std::vector<bool> active;
    for (const Array& x : in) {
        sample.operands.push_back({x.dtype(), x.shape()});
        active.push_back(runtime::is_float(x.dtype()));
    }
    std::vector<Array> arguments = in;
    arguments.insert(arguments.end(), tangents.begin(), tangents.end());
    return evaluate::evaluate(jvp_block(*primal_block(op, sample), active), arguments).at(0);
}

/// The cotangent sum of operand `linear` after the transpose. `begun` is the sum before the transpose; the values of
/// the other operands are known.
Array added(Op op, const std::vector<Array>& in, const Array& ct, const std::optional<Array>& begun, const Attrs& attrs,
            std::size_t linear = 0) {
    Build b("transpose");
    std::vector<Type> types;
    std::vector<std::optional<Value>> known;
    std::vector<Array> arguments;
    for (std::size_t i = 0; i < in.size(); ++i) {
        types.push_back({in[i].dtype(), in[i].shape()});
        known.emplace_back();
        if (i == linear) continue;
        known[i] = b.param(types[i]);
        arguments.push_back(in[i]);
    }
    const std::vector<std::optional<Value>> cotangents{b.param({ct.dtype(), ct.shape()})};
    arguments.push_back(ct);
    std::vector<std::optional<Value>> sums(in.size());
    if (begun) {
        sums[linear] = b.param(types[linear]);
        arguments.push_back(*begun);
    }
    const Inst inst{op, {}, {}, attrs, {}, {}};
    TransposeContext c{b, inst, known, types, cotangents, sums};
    rules(op).transpose.fn(c);
    const Value result = sums[linear] ? *sums[linear] : b.zeros(types[linear]);
    return evaluate::evaluate(b.finish({result}), arguments).at(0);
}

/// The first result of a batched instruction on these operands.
Array batch_of(Op op, const std::vector<Array>& in, const std::vector<bool>& batched, std::int64_t size,
               const Attrs& attrs) {
    Build b("batch");
    Values params;
    for (const Array& x : in) params.push_back(b.param({x.dtype(), x.shape()}));
    const std::unique_ptr<bool[]> flags(new bool[batched.size()]);
    std::copy(batched.begin(), batched.end(), flags.get());
    const Inst inst{op, {}, {}, attrs, {}, {}};
    BatchContext c{b, inst, size, params, std::span<const bool>(flags.get(), batched.size())};
    const Values results = rules(op).batch.fn(c);
    return evaluate::evaluate(b.finish(results), in).at(0);
}

Attrs indexed(Integers axes, const char* mode = nullptr) {
    Attrs attrs{{Attr::axes, std::move(axes)}, {Attr::batch, std::int64_t{0}}};
    if (mode != nullptr) attrs.set(Attr::mode, std::string(mode));
    return attrs;
}

} // namespace

TEST_CASE("ties share the tangent equally") {
    check_equal(tangent_of(Op::reduce_max, {doubles({4}, {3, 1, 3, 3})}, {doubles({4}, {6, 100, 3, 9})}, over({0})),
                doubles({}, {6}));
    check_equal(
        tangent_of(Op::reduce_min, {doubles({2, 2}, {1, 1, 2, 1})}, {doubles({2, 2}, {2, 4, 100, 7})}, over({1})),
        doubles({2}, {3, 7}));
    // As in jax.lax.cummax, each element of a pair of equal elements has half of the tangent.
    check_equal(tangent_of(Op::cummax, {doubles({3}, {1, 1, 1})}, {doubles({3}, {8, 0, 0})}, along(0)),
                doubles({3}, {8, 4, 2}));
    check_equal(tangent_of(Op::cummin, {doubles({3}, {2, 1, 3})}, {doubles({3}, {5, 6, 7})}, along(0)),
                doubles({3}, {5, 6, 6}));
    const Array x = doubles({2}, {5, 1});
    const Array u = doubles({3}, {5, 5, 0});
    check_equal(tangent_of(Op::scatter, {x, u, ints_of({3}, {0, 0, 1})},
                           {doubles({2}, {3, 4}), doubles({3}, {6, 9, 50})}, indexed({0}, "max")),
                doubles({2}, {6, 4}));
}

TEST_CASE("two equal operands of a maximum or minimum contribute half of their tangents") {
    const std::vector<Array> in = {doubles({3}, {1, 2, 3}), doubles({3}, {1, 5, 2})};
    const std::vector<Array> tangents = {doubles({3}, {6, 6, 6}), doubles({3}, {8, 8, 8})};
    check_equal(tangent_of(Op::max, in, tangents, {}), doubles({3}, {7, 8, 6}));
    check_equal(tangent_of(Op::min, in, tangents, {}), doubles({3}, {7, 6, 8}));
}

TEST_CASE("the derivative of a product with zero factors is correct") {
    check_equal(tangent_of(Op::reduce_prod, {doubles({3}, {2, 0, 5})}, {doubles({3}, {1, 1, 1})}, over({0})),
                doubles({}, {10}));
    check_equal(tangent_of(Op::reduce_prod, {doubles({3}, {0, 0, 5})}, {doubles({3}, {1, 1, 1})}, over({0})),
                doubles({}, {0}));
    check_equal(tangent_of(Op::cumprod, {doubles({4}, {2, 0, 5, 3})}, {doubles({4}, {1, 1, 1, 1})}, along(0)),
                doubles({4}, {1, 2, 10, 30}));
    check_equal(tangent_of(Op::cumprod, {doubles({3}, {5, 0, 2})}, {doubles({3}, {1, 1, 1})}, along(0, 1)),
                doubles({3}, {10, 2, 1}));
    const Array i = ints_of({3}, {0, 0, 7});
    check_equal(tangent_of(Op::scatter, {doubles({1}, {3}), doubles({3}, {0, 5, 9}), i},
                           {doubles({1}, {0}), doubles({3}, {1, 1, 1})}, indexed({0}, "mul")),
                doubles({1}, {15}));
    check_equal(tangent_of(Op::scatter, {doubles({1}, {3}), doubles({3}, {2, 5, 9}), i},
                           {doubles({1}, {1}), doubles({3}, {1, 1, 1})}, indexed({0}, "mul")),
                doubles({1}, {10 + 15 + 6}));
}

TEST_CASE("an empty reduction has no tangent") {
    check_equal(tangent_of(Op::reduce_max, {doubles({0, 2}, {})}, {doubles({0, 2}, {})}, over({0})),
                doubles({2}, {0, 0}));
    check_equal(tangent_of(Op::reduce_prod, {doubles({0, 2}, {})}, {doubles({0, 2}, {})}, over({0})),
                doubles({2}, {0, 0}));
}

TEST_CASE("a sort of equal elements moves tangents as stably as elements, also with a permutation as payload") {
    const Attrs attrs{{Attr::axis, std::int64_t{0}}, {Attr::keys, std::int64_t{1}}};
    check_equal(tangent_of(Op::sort, {doubles({3}, {2, 1, 2})}, {doubles({3}, {10, 20, 30})}, attrs),
                doubles({3}, {20, 10, 30}));
    Build b("argsort");
    const Value x = b.param({DType::f64, {3}});
    const Values out = b.emit(Op::sort, {x, b.iota({3}, 0, DType::i32)}, attrs);
    const ir::BlockPtr block = b.finish({out[0]});
    const ir::BlockPtr forward = jvp_block(*block, {true});
    std::int64_t sorts = 0;
    for (const Inst& inst : forward->insts) sorts += inst.op == Op::sort ? 1 : 0;
    CHECK(sorts == 1); // no further sort: the permutation in the payload is reused
    check_equal(evaluate::evaluate(forward, {doubles({3}, {2, 1, 2}), doubles({3}, {10, 20, 30})}).at(0),
                doubles({3}, {20, 10, 30}));
}

TEST_CASE("the transpose of a read is an update of the existing cotangent sum") {
    const Attrs block{{Attr::start, Integers{1}}, {Attr::limit, Integers{3}}, {Attr::stride, Integers{1}}};
    const Attrs strided{{Attr::start, Integers{1, 0}}, {Attr::limit, Integers{4, 3}}, {Attr::stride, Integers{2, 1}}};
    const Array x4 = Array::zeros(DType::f64, {4});
    const Array x43 = Array::zeros(DType::f64, {4, 3});
    check_equal(added(Op::slice, {x4}, doubles({2}, {5, 6}), {}, block), doubles({4}, {0, 5, 6, 0}));
    check_equal(added(Op::slice, {x4}, doubles({2}, {5, 6}), doubles({4}, {1, 2, 3, 4}), block),
                doubles({4}, {1, 7, 9, 4}));
    check_equal(added(Op::slice, {x43}, doubles({2, 3}, {1, 2, 3, 4, 5, 6}), count_of({4, 3}, DType::f64), strided),
                doubles({4, 3}, {0, 1, 2, 4, 6, 8, 6, 7, 8, 13, 15, 17}));
    const Attrs corner{{Attr::start, Integers{0, 1}}, {Attr::limit, Integers{4, 2}}, {Attr::stride, Integers{3, 1}}};
    check_equal(added(Op::slice, {x43}, doubles({2, 1}, {100, 200}), count_of({4, 3}, DType::f64), corner),
                doubles({4, 3}, {0, 101, 2, 3, 4, 5, 6, 7, 8, 9, 210, 11}));
    check_equal(added(Op::slice, {x4}, doubles({0}, {}), doubles({4}, {1, 2, 3, 4}),
                      {{Attr::start, Integers{2}}, {Attr::limit, Integers{2}}, {Attr::stride, Integers{3}}}),
                doubles({4}, {1, 2, 3, 4}));
}

TEST_CASE("the transpose of a clamped read updates the elements that were read") {
    const Array x = Array::zeros(DType::f64, {4});
    check_equal(added(Op::gather, {x, ints_of({3}, {-7, 1, 99})}, doubles({3}, {1, 2, 4}), {}, indexed({0})),
                doubles({4}, {1, 2, 0, 4}));
    check_equal(added(Op::dynamic_slice, {x, ints_of({}, {99})}, doubles({2}, {1, 2}), doubles({4}, {1, 1, 1, 1}),
                      {{Attr::sizes, Integers{2}}}),
                doubles({4}, {1, 1, 2, 3}));
}

TEST_CASE("updates that are dropped or overwritten get no cotangent") {
    const Array x = Array::zeros(DType::f64, {3});
    const Array u = Array::zeros(DType::f64, {4});
    const Array i = ints_of({4}, {1, 5, 1, -1});
    const Array ct = doubles({3}, {10, 20, 30});
    check_equal(added(Op::scatter, {x, u, i}, ct, {}, indexed({0}, "set"), 1), doubles({4}, {0, 0, 20, 0}));
    check_equal(added(Op::scatter, {x, u, i}, ct, {}, indexed({0}, "add"), 1), doubles({4}, {20, 0, 20, 0}));
    check_equal(added(Op::scatter, {x, u, i}, ct, {}, indexed({0}, "set"), 0), doubles({3}, {10, 0, 30}));
    check_equal(added(Op::scatter, {Array::zeros(DType::f64, {0}), u, i}, doubles({0}, {}), {}, indexed({0}, "add"), 1),
                doubles({4}, {0, 0, 0, 0}));
}

TEST_CASE("the fill of pad gets exactly the cotangents of the elements that it fills") {
    const Attrs attrs{{Attr::low, Integers{1}}, {Attr::high, Integers{-1}}, {Attr::interior, Integers{1}}};
    const Array x = Array::zeros(DType::f64, {3}); // the result is: fill, x0, fill, x1, fill; x2 is cut off
    const Array ct = doubles({5}, {1, INFINITY, 3, 4, 5});
    check_equal(added(Op::pad, {x, doubles({}, {0})}, ct, {}, attrs, 1), doubles({}, {1 + 3 + 5}));
    check_equal(added(Op::pad, {x, doubles({}, {0})}, ct, {}, attrs, 0), doubles({3}, {INFINITY, 4, 0}));
}

TEST_CASE("of several batched starts each is clamped separately") {
    const Attrs sizes{{Attr::sizes, Integers{2, 3}}};
    const Array starts = ints_of({3}, {-4, 1, 50});
    const Array x = count_of({4, 3});
    check_equal(batch_of(Op::dynamic_slice, {x, starts, ints_of({}, {7})}, {false, true, false}, 3, sizes),
                ints_of({3, 2, 3}, {0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 8, 6, 7, 8, 9, 10, 11}));
    check_equal(
        batch_of(Op::dynamic_update, {count_of({3}), ints_of({2}, {70, 71}), starts}, {false, false, true}, 3, {}),
        ints_of({3, 3}, {70, 71, 2, 0, 70, 71, 0, 70, 71}));
    const Array pairs = ints_of({3, 2}, {9, -9, 0, 1, 1, 2});
    check_equal(batch_of(Op::scatter, {Array::zeros(DType::i32, {3}), ints_of({2}, {5, 6}), pairs},
                         {false, false, true}, 3, indexed({0}, "set")),
                ints_of({3, 3}, {0, 0, 0, 5, 6, 0, 0, 5, 6}));
}
