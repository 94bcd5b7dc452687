#include "runtime/io/formats/png.hpp"
#include "runtime/io/gzip.hpp"
#include "tests/unit/runtime/fails.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

using namespace pm::runtime;

namespace {

std::uint32_t big(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

Array pixels(Shape shape) {
    std::vector<std::uint8_t> values;
    std::int64_t count = 1;
    for (const std::int64_t n : shape) count *= n;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<std::uint8_t>(i * 7));
    return Array::from_values(DType::u8, std::move(shape), values);
}

} // namespace

TEST_CASE("a PNG file has the header, the packed rows and the checksums of a picture") {
    for (const auto& [shape, color] : std::vector<std::pair<Shape, char>>{
             {{2, 3}, 0}, {{3, 2, 1}, 0}, {{2, 3, 2}, 4}, {{4, 5, 3}, 2}, {{100, 100, 4}, 6}}) {
        const Array picture = pixels(shape);
        const std::string file = png_of(picture);
        REQUIRE(file.substr(0, 8) == "\x89PNG\r\n\x1a\n");
        std::vector<std::pair<std::string, std::string>> chunks;
        for (std::size_t at = 8; at < file.size(); at += 12 + big(file, at)) {
            const std::uint32_t size = big(file, at);
            REQUIRE(at + 12 + size <= file.size());
            CHECK(big(file, at + 8 + size) == crc32_of(std::string_view(file).substr(at + 4, 4 + size)));
            chunks.emplace_back(file.substr(at + 4, 4), file.substr(at + 8, size));
        }
        REQUIRE(chunks.size() == 3);
        CHECK(chunks[2] == std::pair<std::string, std::string>("IEND", ""));
        REQUIRE(chunks[0].first == "IHDR");
        CHECK(big(chunks[0].second, 0) == static_cast<std::uint32_t>(shape[1]));
        CHECK(big(chunks[0].second, 4) == static_cast<std::uint32_t>(shape[0]));
        CHECK(chunks[0].second.substr(8) == std::string({8, color, 0, 0, 0}));
        REQUIRE(chunks[1].first == "IDAT");
        const std::string& packed = chunks[1].second;
        const auto height = static_cast<std::size_t>(shape[0]);
        const std::size_t width = static_cast<std::size_t>(picture.elements()) / height;
        const std::string rows = inflate_raw(std::string_view(packed).substr(2), height * (width + 1), "rows");
        const std::string bytes(static_cast<const char*>(picture.data()), height * width);
        for (std::size_t row = 0; row < height; ++row) {
            CHECK(rows[row * (width + 1)] == 0);
            CHECK(rows.substr(row * (width + 1) + 1, width) == bytes.substr(row * width, width));
        }
        std::uint32_t a = 1;
        std::uint32_t b = 0;
        for (const char c : rows) {
            a = (a + static_cast<unsigned char>(c)) % 65521;
            b = (b + a) % 65521;
        }
        CHECK(big(packed, packed.size() - 4) == (b << 16 | a));
    }
}

TEST_CASE("other arrays are no pictures") {
    for (const Array& other : {pixels({6}), pixels({2, 3, 5}), pixels({0, 3}), Array::zeros(DType::f32, {2, 2})})
        CHECK(fails(FailureKind::bad_argument, [&] { png_of(other); }));
}
