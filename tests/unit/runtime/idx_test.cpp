#include "runtime/io/file.hpp"
#include "runtime/io/formats/idx.hpp"
#include "tests/unit/runtime/fails.hpp"
#include "tests/unit/runtime/temporary.hpp"

using namespace pm::runtime;

namespace {

std::string bytes(std::initializer_list<int> values) {
    std::string out;
    for (const int value : values) out += static_cast<char>(value);
    return out;
}

} // namespace

TEST_CASE("IDX files of every type") {
    const Array images = parse_idx(bytes({0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 10, 20, 30, 255}), "x");
    CHECK(images.dtype() == DType::u8);
    CHECK(images.shape() == Shape{2, 1, 2});
    CHECK(images.as_i64(3) == 255);
    CHECK(parse_idx(bytes({0, 0, 9, 1, 0, 0, 0, 1, 255}), "x").as_i64() == -1);
    CHECK(parse_idx(bytes({0, 0, 0xB, 1, 0, 0, 0, 1, 1, 2}), "x").as_i64() == 258);
    CHECK(parse_idx(bytes({0, 0, 0xC, 1, 0, 0, 0, 1, 255, 255, 255, 254}), "x").as_i64() == -2);
    CHECK(parse_idx(bytes({0, 0, 0xD, 1, 0, 0, 0, 1, 0x3F, 0x80, 0, 0}), "x").as_f64() == 1);
    CHECK(parse_idx(bytes({0, 0, 0xE, 0, 0x40, 0, 0, 0, 0, 0, 0, 0}), "x").as_f64() == 2);
    CHECK(parse_idx(bytes({0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0, 9}), "x").shape() == Shape{0, 9});
}

TEST_CASE("broken IDX files") {
    const std::string good = bytes({0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4});
    for (std::size_t length = 0; length < good.size(); ++length)
        CHECK(fails(FailureKind::file_truncated, [&] { parse_idx(good.substr(0, length), "x"); }));
    CHECK(fails(FailureKind::file_malformed, [&] { parse_idx(good + "!", "x"); }));
    CHECK(fails(FailureKind::file_malformed, [&] { parse_idx(bytes({1, 0, 8, 0, 1}), "x"); }));
    CHECK(fails(FailureKind::file_malformed, [&] { parse_idx(bytes({0, 0, 7, 0, 1}), "x"); }));
    CHECK(fails(FailureKind::file_truncated, [&] { parse_idx(bytes({0, 0, 8, 1, 255, 255, 255, 255, 1}), "x"); }));
    // Sizes whose product overflows.
    std::string huge = bytes({0, 0, 0xE, 3});
    huge += std::string(12, '\xFF');
    CHECK(fails(FailureKind::file_malformed, [&] { parse_idx(huge, "x"); }));
    std::string axes = bytes({0, 0, 8, 255});
    axes += std::string(255 * 4, '\xFF');
    CHECK(fails(FailureKind::file_malformed, [&] { parse_idx(axes, "x"); }));
}

TEST_CASE("packed IDX files") {
    const Temporary here;
    const std::string good = bytes({0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9});
    write_file(here / "labels.gz", good);
    CHECK(load_idx(here / "labels.gz").as_i64(2) == 9);
    CHECK(load_idx(here.put("labels", good)).as_i64(0) == 7);
    const std::string packed = Temporary::get(here / "labels.gz");
    here.put("cut.gz", packed.substr(0, packed.size() - 5));
    CHECK(fails(FailureKind::file_truncated, [&] { load_idx(here / "cut.gz"); }));
    CHECK(fails(FailureKind::file_missing, [&] { load_idx(here / "none"); }));
}
