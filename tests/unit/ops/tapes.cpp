#include "tests/unit/ops/apply.hpp"

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;
using ir::Attr;

namespace {

Array indices(Shape shape, const std::vector<std::int64_t>& values) {
    Array x = Array::empty(DType::i64, std::move(shape));
    for (std::size_t i = 0; i < values.size(); ++i)
        runtime::write_i64(DType::i64, x.mutable_data(), static_cast<std::int64_t>(i), values[i]);
    return x;
}

Attrs element(Shape shape) { return {{Attr::shape, std::move(shape)}, {Attr::dtype, DType::f32}}; }

ir::BlockPtr block_of(Op op, const std::vector<Type>& operands, const Attrs& attrs) {
    Build b("f");
    Values in;
    for (const Type& type : operands) in.push_back(b.param(type));
    const Value made = b.emit1(op, in, attrs);
    return b.finish({made});
}

} // namespace

TEST_CASE("several tapes in one array, each with its own index and its own array") {
    runtime::Tapes tapes(nullptr);
    const Array none = Array::zeros(DType::tape, {2});
    const Array x = floats_of({2, 3}, {1, 2, 3, 4, 5, 6});
    Array handles = apply(Op::tape_set, {none, x, indices({2}, {0, 7})}, {}, &tapes).at(0);
    // An index below 0 adds nothing.
    handles = apply(Op::tape_add, {handles, x, indices({2}, {0, -1})}, {}, &tapes).at(0);
    check_equal(apply1(Op::tape_get, {handles, indices({2}, {0, 7})}, element({3})),
                floats_of({2, 3}, {2, 4, 6, 4, 5, 6}));
    check_equal(apply1(Op::tape_get, {handles, indices({2}, {7, 1000000})}, element({3})),
                floats_of({2, 3}, {0, 0, 0, 0, 0, 0}));
    check_equal(apply1(Op::tape_get, {none, indices({2}, {0, 0})}, element({3})),
                floats_of({2, 3}, {0, 0, 0, 0, 0, 0}));
    Array more = apply(Op::tape_set, {none, x, indices({2}, {0, 0})}, {}, &tapes).at(0);
    more = apply(Op::tape_sum, {more, handles}, {}, &tapes).at(0);
    check_equal(apply1(Op::tape_get, {more, indices({2}, {0, 0})}, element({3})),
                floats_of({2, 3}, {3, 6, 9, 4, 5, 6}));
}

TEST_CASE("a tape of scalars, and of arrays without elements") {
    runtime::Tapes tapes(nullptr);
    const Array none = Array::zeros(DType::tape, {});
    const Array one = apply(Op::tape_set, {none, floats_of({}, {5}), indices({}, {3})}, {}, &tapes).at(0);
    check_equal(apply1(Op::tape_get, {one, indices({}, {3})}, element({})), floats_of({}, {5}));
    const Array empty = apply(Op::tape_set, {none, floats_of({0}, {}), indices({}, {3})}, {}, &tapes).at(0);
    check_equal(apply1(Op::tape_get, {empty, indices({}, {3})}, element({0})), floats_of({0}, {}));
}

TEST_CASE("the type rules of tapes") {
    const Type tape{DType::tape, {4}};
    const Type index{DType::i64, {4}};
    CHECK(block_of(Op::tape_set, {tape, {DType::f32, {4, 2}}, index}, {})->result_types() == std::vector<Type>{tape});
    CHECK(block_of(Op::tape_get, {tape, index}, element({2}))->result_types() ==
          std::vector<Type>{{DType::f32, {4, 2}}});
    CHECK(refusal(Op::tape_get, {{DType::u64, {4}}, index}, element({2})) == "PM0203");
}
