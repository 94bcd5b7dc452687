#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/literal_text.hpp"
#include "compiler/ir/text.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <random>

using namespace pm;
using namespace pm::ir;

namespace {

template <class T>
Literal literal(const std::vector<T>& values) {
    Literal made;
    made.bytes.resize(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
    return made;
}

Literal read_literal(DType dtype, const std::string& text) {
    const Type type{dtype, {}};
    const BlockPtr block = read("fn () -> () { %0: " + to_string(type) + " = constant() value=" + text + " return }");
    return block->insts[0].attrs.literal(Attr::value);
}

template <class T>
void exact(DType dtype, const std::vector<T>& values, const std::string& text) {
    const Literal made = literal(values);
    CHECK(literal_text(dtype, made) == text);
    CHECK(read_literal(dtype, text) == made);
}

} // namespace

TEST_CASE("literals are printed readably and read back exactly") {
    exact<float>(DType::f32, {1.5F}, "f32:1.5");
    exact<float>(DType::f32, {1, 2, 0.1F}, "f32:[1, 2, 0.1]");
    exact<float>(DType::f32, {-0.0F, 1e-45F, 3.4028235e38F, 1e10F}, "f32:[-0, 1e-45, 3.4028235e+38, 10000000000]");
    exact<float>(DType::f32, {}, "f32:[]");
    const float inf = std::numeric_limits<float>::infinity();
    exact<float>(DType::f32, {inf, -inf, std::numeric_limits<float>::quiet_NaN()}, "f32:[inf, -inf, nan]");
    exact<std::uint32_t>(DType::f32, {0xFFC00000U, 0x7F800001U}, "f32:[0xffc00000, 0x7f800001]");
    exact<double>(DType::f64, {0.1, 1e300, 5e-324}, "f64:[0.1, 1e+300, 5e-324]");
    exact<std::uint16_t>(DType::f16, {0x2E66, 0x7BFF, 0x7E00, 0x7E01, 0xFC00},
                         "f16:[0.1, 6.55e+04, nan, 0x7e01, -inf]");
    exact<std::uint16_t>(DType::bf16, {0x3F80, 0x7FC0, 0xFFC0}, "bf16:[1, nan, 0xffc0]");
    exact<std::int8_t>(DType::i8, {-128, 127}, "i8:[-128, 127]");
    exact<std::int64_t>(DType::i64, {std::numeric_limits<std::int64_t>::min(), -1}, "i64:[-9223372036854775808, -1]");
    exact<std::uint64_t>(DType::u64, {~std::uint64_t{0}}, "u64:18446744073709551615");
    exact<std::uint8_t>(DType::b1, {0, 1, 7}, "bool:[false, true, 0x7]");
    exact<float>(DType::c64, {1, -0.0F}, "c64:(1, -0)");
    exact<double>(DType::c128, {1, 2, 3, 4}, "c128:[(1, 2), (3, 4)]");
    exact<std::uint64_t>(DType::key, {42}, "key:0x000000000000002a");
}

TEST_CASE("bytes that are not a multiple of the dtype's size are printed as u8") {
    CHECK(literal_text(DType::f32, literal<std::uint8_t>({1, 2, 3})) == "u8:[1, 2, 3]");
    CHECK(read_literal(DType::f32, "u8:[1, 2, 3]") == literal<std::uint8_t>({1, 2, 3}));
}

TEST_CASE("numbers out of range and invalid words are refused in literals") {
    for (const char* text :
         {"i8:128", "i8:-129", "u8:-1", "u8:256", "f32:", "f32:x", "f32:infinity", "f32:1e99", "i32:1.5", "bool:2",
          "u8:0x100", "key:1", "c64:1", "c64:(1)", "f32:nan(3)", "i32:-", "f32:[1, 2"})
        CHECK_THROWS_AS(read_literal(DType::f32, text), Error);
}

TEST_CASE("random bits of every dtype are read back exactly") {
    std::mt19937_64 random(20240607);
    for (int d = 0; d < runtime::dtype_count; ++d) {
        const auto dtype = static_cast<DType>(d);
        Literal made;
        for (std::size_t i = 0; i < 300 * runtime::size_of(dtype); ++i)
            made.bytes.push_back(static_cast<std::uint8_t>(random()));
        CHECK_MESSAGE(read_literal(dtype, literal_text(dtype, made)) == made, runtime::name(dtype));
    }
    for (const DType dtype : {DType::f16, DType::bf16}) { // every bit pattern of the dtype
        std::vector<std::uint16_t> all(65536);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
        CHECK(read_literal(dtype, literal_text(dtype, literal(all))) == literal(all));
    }
}
