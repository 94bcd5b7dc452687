#include "tests/unit/ops/apply.hpp"

// Threefry-2x32 with 20 rounds is compared with the known answers of its authors (Random123, kat_vectors).

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;

TEST_CASE("threefry has the published known answers") {
    const auto words = [](DType dtype, std::initializer_list<std::uint64_t> values) {
        Array x = Array::empty(dtype, {static_cast<std::int64_t>(values.size())});
        std::copy(values.begin(), values.end(), x.mutable_as<std::uint64_t>());
        return x;
    };
    const Array keys = words(DType::key, {0, ~0ULL, 0x13198a2e03707344});
    const Array counters = words(DType::u64, {0, ~0ULL, 0x243f6a8885a308d3});
    CHECK(runtime::identical(apply1(Op::threefry, {keys, counters}, {}),
                             words(DType::u64, {0x6b20015999ba4efe, 0x1cb996fcbb002be7, 0xc4923a9c483df7a0})));
}
