#include "compiler/ops/core/overflow.hpp"

#include "tests/unit/ops/apply.hpp"
#include "tests/unit/ops/harness.hpp"

#include <array>
#include <limits>

// Compares has_not_wrapped with exact arithmetic. For the types of 8 bits, all values are tested. For the other types,
// values such as those at the ends of the range are tested.

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;
using ir::Attr;

namespace {

__extension__ using Exact = __int128;

constexpr std::array integers = {DType::i8, DType::i16, DType::i32, DType::i64,
                                 DType::u8, DType::u16, DType::u32, DType::u64};

struct Limits {
    Exact least;
    Exact greatest;
    bool contain(Exact x) const { return least <= x && x <= greatest; }
};
Limits limits_of(DType dtype) {
    const Exact values = Exact{1} << (8 * runtime::size_of(dtype));
    return runtime::is_signed_integer(dtype) ? Limits{-values / 2, values / 2 - 1} : Limits{0, values - 1};
}

/// All values of a type of 8 bits; for the others, the values next to 0, to the ends of the range, to half of it and to
/// its square root.
std::vector<Exact> values_of(DType dtype) {
    const Limits limits = limits_of(dtype);
    std::vector<Exact> all;
    if (runtime::size_of(dtype) == 1) {
        for (Exact x = limits.least; x <= limits.greatest; ++x) all.push_back(x);
        return all;
    }
    const Exact root = Exact{1} << (4 * runtime::size_of(dtype));
    for (const Exact centre :
         {Exact{0}, limits.least, limits.greatest, limits.greatest / 2, limits.least / 2, root, -root})
        for (int offset = -2; offset <= 2; ++offset)
            if (limits.contain(centre + offset)) all.push_back(centre + offset);
    return all;
}

Array array_of(DType dtype, const std::vector<Exact>& values) {
    Array x = Array::empty(dtype, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        runtime::write_i64(dtype, x.mutable_data(), static_cast<std::int64_t>(i), static_cast<std::int64_t>(values[i]));
    return x;
}

/// has_not_wrapped of an operation on these arrays, one per element of the result.
std::vector<bool> not_wrapped(Op op, const std::vector<Array>& in, const Attrs& attrs = {}) {
    Build b("overflow");
    Values params;
    for (const Array& x : in) params.push_back(b.param({x.dtype(), x.shape()}));
    const Values results = b.emit(op, params, attrs);
    const Inst inst = *b.definition(results[0]);
    const Value ok = has_not_wrapped(b, inst, params, results[0]);
    const Array found = evaluate::evaluate(b.finish({ok}), in).at(0);
    std::vector<bool> all;
    for (std::int64_t i = 0; i < found.elements(); ++i) all.push_back(found.as_bool(i));
    return all;
}

/// x to the power n. A power beyond 2^64 is replaced by a lower one that is beyond 2^64 too.
Exact power(Exact x, int n) {
    constexpr Exact greatest = Exact{1} << 64;
    Exact made = 1;
    for (int i = 0; i < n && -greatest <= made && made <= greatest; ++i) made *= x;
    return made;
}

using Unary = Exact(Exact);
using Binary = Exact(Exact, Exact);

void test_unary(Op op, Unary* exact, const Attrs& attrs = {}) {
    for (const DType dtype : integers) {
        const std::vector<Exact> values = values_of(dtype);
        std::vector<bool> expected;
        for (const Exact x : values) expected.push_back(limits_of(dtype).contain(exact(x)));
        CHECK_MESSAGE(not_wrapped(op, {array_of(dtype, values)}, attrs) == expected, ir::info(op).name, " of ",
                      runtime::name(dtype));
    }
}

void test_binary(Op op, const std::vector<Exact>& seconds, Binary* exact) {
    for (const DType dtype : integers) {
        if (op == Op::div && !runtime::is_signed_integer(dtype)) continue;
        std::vector<Exact> a;
        std::vector<Exact> b;
        std::vector<bool> expected;
        const std::vector<Exact> values = values_of(dtype);
        for (const Exact x : values)
            for (const Exact y : seconds.empty() ? values : seconds) {
                a.push_back(x);
                b.push_back(y);
                expected.push_back(limits_of(dtype).contain(exact(x, y)));
            }
        CHECK_MESSAGE(not_wrapped(op, {array_of(dtype, a), array_of(dtype, b)}) == expected, ir::info(op).name, " of ",
                      runtime::name(dtype));
    }
}

} // namespace

TEST_CASE("a wrapped result of an elementwise operation is found, and no other result") {
    test_unary(Op::neg, [](Exact x) { return -x; });
    test_unary(Op::abs, [](Exact x) { return x < 0 ? -x : x; });
    test_unary(Op::integer_pow, [](Exact x) { return power(x, 2); }, {{Attr::exponent, std::int64_t{2}}});
    test_unary(Op::integer_pow, [](Exact x) { return power(x, 5); }, {{Attr::exponent, std::int64_t{5}}});
    test_binary(Op::add, {}, [](Exact x, Exact y) { return x + y; });
    test_binary(Op::sub, {}, [](Exact x, Exact y) { return x - y; });
    test_binary(Op::mul, {}, [](Exact x, Exact y) { return x * y; });
    test_binary(Op::div, {-1, 1, 2, 3, -2}, [](Exact x, Exact y) { return x / y; });
    test_binary(Op::pow, {0, 1, 2, 3, 7, 63, 64}, [](Exact x, Exact n) { return power(x, static_cast<int>(n)); });
}

TEST_CASE("a wrapped conversion is found, and no other conversion") {
    for (const DType from : integers)
        for (const DType to : integers) {
            Build b("convert");
            b.convert(b.param({from, {}}), to);
            const Limits range = limits_of(from);
            const auto is_for_bits = [](DType dtype) { return dtype == DType::u32 || dtype == DType::u64; };
            const bool possible = !is_for_bits(from) && !is_for_bits(to) &&
                                  (!limits_of(to).contain(range.least) || !limits_of(to).contain(range.greatest));
            const ir::BlockPtr block = b.finish({});
            CHECK((!block->insts.empty() && may_wrap(*block, block->insts[0])) == possible);
            if (from == to) continue;
            const std::vector<Exact> values = values_of(from);
            std::vector<bool> expected;
            for (const Exact x : values) expected.push_back(limits_of(to).contain(x));
            CHECK(not_wrapped(Op::convert, {array_of(from, values)}, {{Attr::dtype, to}}) == expected);
        }
}

TEST_CASE("a wrapped sum, product or update is found") {
    for (const DType dtype : integers) {
        const Exact greatest = limits_of(dtype).greatest;
        const Exact half = greatest / 2;
        const Array fits = array_of(dtype, {half, half, 1});
        const Array exceeds = array_of(dtype, {half, half, 2});
        CHECK(not_wrapped(Op::reduce_sum, {fits}, over({0})) == std::vector{true});
        CHECK(not_wrapped(Op::reduce_sum, {exceeds}, over({0})) == std::vector{false});
        CHECK(not_wrapped(Op::reduce_prod, {array_of(dtype, {half, 2})}, over({0})) == std::vector{true});
        CHECK(not_wrapped(Op::reduce_prod, {array_of(dtype, {half, 3})}, over({0})) == std::vector{false});
        CHECK(not_wrapped(Op::cumsum, {exceeds}, along(0)) == std::vector{true, true, false});
        CHECK(not_wrapped(Op::cumprod, {exceeds}, along(0)) == std::vector{true, false, false});
        const Attrs product{{Attr::lhs_contract, ir::Integers{0}},
                            {Attr::rhs_contract, ir::Integers{0}},
                            {Attr::lhs_batch, ir::Integers{}},
                            {Attr::rhs_batch, ir::Integers{}}};
        const Array ones = array_of(dtype, {1, 1, 1});
        CHECK(not_wrapped(Op::dot, {fits, ones}, product) == std::vector{true});
        CHECK(not_wrapped(Op::dot, {exceeds, ones}, product) == std::vector{false});
    }
}

TEST_CASE("an elementwise operation whose results of i8 differ from those of f64 has the column `wraps`") {
    std::vector<Exact> a;
    std::vector<Exact> b;
    for (const Exact x : values_of(DType::i8))
        for (const Exact y : values_of(DType::i8)) {
            if (y == 0) continue; // a division by zero
            a.push_back(x);
            b.push_back(y);
        }
    for (const Op op : every_op()) {
        const ir::OpInfo& about = ir::info(op);
        if (!about.has(ir::elementwise) || about.has(ir::boolean) || !rules(op).eval || op == Op::integer_pow) continue;
        if (op == Op::convert || op == Op::bitcast) continue; // they need a dtype
        const auto operands = static_cast<std::size_t>(about.operands);
        const auto takes = [&](DType dtype) {
            return refusal(op, std::vector<Type>(operands, {dtype, {}}), {}).empty();
        };
        if (operands > 2 || !takes(DType::i8) || !takes(DType::f64)) continue;
        const auto results = [&](DType dtype) {
            std::vector<Array> in{array_of(DType::i8, a).convert(dtype)};
            if (operands == 2) in.push_back(array_of(DType::i8, b).convert(dtype));
            return apply(op, in, {}).at(0);
        };
        const Array narrow = results(DType::i8);
        const Array exact = results(DType::f64);
        bool differs = false;
        for (std::int64_t i = 0; i < narrow.elements(); ++i)
            differs = differs || std::abs(narrow.as_f64(i) - exact.as_f64(i)) >= 128;
        CHECK_MESSAGE(differs == (rules(op).wraps > 0), about.name);
    }
}
