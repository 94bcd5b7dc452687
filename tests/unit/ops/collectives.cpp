#include "tests/unit/ops/apply.hpp"

#include "compiler/ir/text.hpp"

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;
using ir::Attr;

namespace {

constexpr std::int64_t devices = 4;
Attrs named(std::initializer_list<std::pair<Attr, ir::AttrValue>> more = {}) {
    Attrs attrs{{Attr::axes, Integers{0}}, {Attr::axis_size, devices}};
    for (const auto& [key, value] : more) attrs.set(key, value);
    return attrs;
}
Attrs gathered(std::int64_t axis, std::int64_t tiled) { return named({{Attr::axis, axis}, {Attr::tiled, tiled}}); }
Attrs exchanged(std::int64_t split, std::int64_t concat, std::int64_t tiled) {
    return named({{Attr::split_axis, split}, {Attr::concat_axis, concat}, {Attr::tiled, tiled}});
}
Attrs permuted(Integers pairs) { return named({{Attr::pairs, std::move(pairs)}}); }

Shape shape_of(Op op, const Shape& x, const Attrs& attrs) {
    const Type type{DType::f32, x};
    return rules(op).type.fn(Inst{op, {}, {}, attrs, {}, {}}, std::span<const Type>(&type, 1)).at(0).shape;
}

/// The single instruction that the transpose of an operation applies to the cotangent.
Inst transposed(Op op, const Shape& x, const Attrs& attrs) {
    Build b("transpose");
    const std::vector<Type> types{Type{DType::f32, x}};
    const Inst inst{op, {}, {}, attrs, {}, {}};
    const std::vector<std::optional<Value>> operands(1);
    const std::vector<std::optional<Value>> cotangents{b.param(rules(op).type.fn(inst, types).at(0))};
    std::vector<std::optional<Value>> sums(1);
    TransposeContext c{b, inst, operands, types, cotangents, sums};
    rules(op).transpose.fn(c);
    const ir::BlockPtr block = b.finish({sums[0].value()});
    CHECK(block->result_types() == types);
    REQUIRE(block->insts.size() == 1);
    return block->insts[0];
}

} // namespace

TEST_CASE("the results of collectives have the shapes of those of jax.lax") {
    CHECK(shape_of(Op::psum, {3, 8}, named()) == Shape{3, 8});
    CHECK(shape_of(Op::all_gather, {3, 8}, gathered(1, 0)) == Shape{3, 4, 8});
    CHECK(shape_of(Op::all_gather, {3, 8}, gathered(2, 0)) == Shape{3, 8, 4});
    CHECK(shape_of(Op::all_gather, {3, 8}, gathered(1, 1)) == Shape{3, 32});
    CHECK(shape_of(Op::psum_scatter, {4, 8}, gathered(0, 0)) == Shape{8});
    CHECK(shape_of(Op::psum_scatter, {3, 8}, gathered(1, 1)) == Shape{3, 2});
    CHECK(shape_of(Op::all_to_all, {4, 3}, exchanged(0, 1, 0)) == Shape{3, 4});
    CHECK(shape_of(Op::all_to_all, {8, 3}, exchanged(0, 1, 1)) == Shape{2, 12});
    CHECK(shape_of(Op::ppermute, {3}, permuted({0, 1, 1, 0})) == Shape{3});
    CHECK(rules(Op::axis_index).type.fn(Inst{Op::axis_index, {}, {}, named(), {}, {}}, {}).at(0) ==
          Type{DType::i32, {}});
}

TEST_CASE("collectives refuse sizes, axes and pairs that do not fit") {
    const Type f38{DType::f32, {3, 8}};
    CHECK(refusal(Op::psum_scatter, {f38}, gathered(0, 0)) == "PM0350");
    CHECK(refusal(Op::psum_scatter, {f38}, gathered(0, 1)) == "PM0351");
    CHECK(refusal(Op::psum_scatter, {f38}, gathered(2, 1)) == "PM0230");
    CHECK(refusal(Op::all_to_all, {f38}, exchanged(1, 0, 0)) == "PM0350");
    CHECK(refusal(Op::all_to_all, {f38}, exchanged(0, 1, 1)) == "PM0351");
    CHECK(refusal(Op::all_to_all, {Type{DType::f32, {4}}}, exchanged(0, 1, 0)) == "PM0230");
    CHECK(refusal(Op::all_gather, {f38}, gathered(3, 0)) == "PM0230");
    CHECK(refusal(Op::all_gather, {f38}, gathered(2, 1)) == "PM0230");
    CHECK(refusal(Op::ppermute, {f38}, permuted({0, 4})) == "PM0352");
    CHECK(refusal(Op::ppermute, {f38}, permuted({0, 1, 0, 2})) == "PM0353");
    CHECK(refusal(Op::ppermute, {f38}, permuted({0, 1, 2, 1})) == "PM0353");
    CHECK(refusal(Op::psum_scatter, {f38}, Attrs(gathered(0, 1)).set(Attr::axis_size, std::int64_t{0})) ==
          "PM0351"); // the named axis of a vmap over no elements
    CHECK(refusal(Op::psum, {Type{DType::b1, {}}}, named()) == "PM0203");
    CHECK(refusal(Op::pmax, {Type{DType::key, {}}}, named()) == "PM0203");
}

TEST_CASE("the transposes of collectives are those of JAX's pmap") {
    CHECK(transposed(Op::psum, {3}, named()).op == Op::psum);
    CHECK(transposed(Op::all_gather, {3, 8}, gathered(1, 0)).op == Op::psum_scatter);
    CHECK(transposed(Op::all_gather, {3, 8}, gathered(1, 1)).op == Op::psum_scatter);
    CHECK(transposed(Op::psum_scatter, {4, 8}, gathered(0, 0)).op == Op::all_gather);
    CHECK(transposed(Op::psum_scatter, {8}, gathered(0, 1)).op == Op::all_gather);
    CHECK(transposed(Op::ppermute, {3}, permuted({0, 1, 1, 3})).attrs.integers(Attr::pairs) == Integers{1, 0, 3, 1});
    const Inst back = transposed(Op::all_to_all, {4, 3}, exchanged(0, 1, 0));
    CHECK(back.op == Op::all_to_all);
    CHECK(back.attrs.integer(Attr::split_axis) == 1);
    CHECK(back.attrs.integer(Attr::concat_axis) == 0);
    transposed(Op::all_to_all, {8, 3}, exchanged(0, 1, 1));
}

TEST_CASE("batching over an axis other than the named axis moves positional axes by one") {
    const auto batched = [](Op op, const Shape& x, const Attrs& attrs) {
        Build b("batch");
        const Values operands{b.param({DType::f32, x})};
        const bool flags[] = {true};
        const Inst inst{op, {}, {}, attrs, {}, {}};
        BatchContext c{b, inst, x[0], operands, flags};
        const Values made = rules(op).batch.fn(c);
        return b.shape(made.at(0));
    };
    CHECK(batched(Op::psum, {5, 3}, named()) == Shape{5, 3});
    CHECK(batched(Op::ppermute, {5, 3}, permuted({0, 1})) == Shape{5, 3});
    CHECK(batched(Op::all_gather, {5, 3}, gathered(0, 0)) == Shape{5, 4, 3});
    CHECK(batched(Op::all_gather, {5, 3}, gathered(0, 1)) == Shape{5, 12});
    CHECK(batched(Op::psum_scatter, {5, 4, 3}, gathered(0, 0)) == Shape{5, 3});
    CHECK(batched(Op::all_to_all, {5, 4, 3}, exchanged(0, 1, 0)) == Shape{5, 3, 4});
}

TEST_CASE("pmax shares its tangent equally among ties, by two sums") {
    Build b("jvp");
    const Value x = b.param({DType::f32, {3}});
    const Value t = b.param({DType::f32, {3}});
    const Inst inst{Op::pmax, {}, {}, named(), {}, {}};
    const Values in{x};
    const Values out = b.copy(inst, in);
    const std::vector<std::optional<Value>> tangents{t};
    JvpContext c{b, inst, in, out, tangents};
    const auto made = rules(Op::pmax).jvp.fn(c);
    const ir::BlockPtr block = b.finish({made.at(0).value()});
    std::int64_t sums = 0;
    for (const Inst& i : block->insts) sums += i.op == Op::psum ? 1 : 0;
    CHECK(sums == 2);
    CHECK(block->result_types() == std::vector<Type>{Type{DType::f32, {3}}});
}
