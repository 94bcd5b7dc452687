#include "runtime/io/formats/npy.hpp"
#include "runtime/io/formats/npz_parts.hpp"
#include "runtime/io/formats/zip.hpp"
#include "runtime/io/gzip.hpp"
#include "tests/unit/runtime/fails.hpp"
#include "tests/unit/runtime/temporary.hpp"

#include <cstring>
#include <numeric>
#include <random>

using namespace pm::runtime;

namespace {

/// An .npy file with this header and these data.
std::string npy(const std::string& header, const std::string& data, int version = 1) {
    std::string out = "\x93NUMPY";
    out += static_cast<char>(version);
    out += '\0';
    const auto length = static_cast<std::uint32_t>(header.size());
    out.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
    return out + header + data;
}

std::string header(const std::string& descr, const std::string& shape, const char* fortran = "False") {
    return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

Array parse(const std::string& bytes) { return parse_npy(bytes, "x.npy"); }

} // namespace

TEST_CASE("every dtype and shape is read back from .npy") {
    for (int d = 0; d < named_dtype_count; ++d)
        for (const Shape& shape : {Shape{}, Shape{0}, Shape{3}, Shape{2, 0, 4}, Shape{2, 3, 4}, Shape(40, 1)}) {
            const auto dtype = static_cast<DType>(d);
            CAPTURE(type_text(dtype, shape));
            Array array = Array::zeros(dtype, shape);
            for (std::int64_t i = 0; i < array.elements(); ++i) write_i64(dtype, array.mutable_data(), i, i % 2);
            const std::string bytes = format_npy(array);
            CHECK((bytes.size() - static_cast<std::size_t>(array.bytes())) % 64 == 0);
            CHECK(identical(parse(bytes), array));
        }
}

TEST_CASE("files as NumPy writes them") {
    const std::string data(
        std::string_view("\0\0\x80\x3F\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xA0\x40\0\0\xC0\x40", 24));
    for (const int version : {1, 2, 3}) {
        const Array a = parse(npy(header("<f4", "(2, 3)"), data, version));
        CHECK(a.dtype() == DType::f32);
        CHECK(a.shape() == Shape{2, 3});
        CHECK(a.as_f64(1) == 2);
        CHECK(a.as_f64(5) == 6);
    }
    const Array f = parse(npy(header("<f4", "(2, 3)", "True"), data));
    CHECK(f.shape() == Shape{2, 3});
    CHECK(f.as_f64(1) == 3); // element (0, 1) of a row-major array
    CHECK(f.as_f64(3) == 2); // element (1, 0)
    CHECK(parse(npy(header("<f4", "(3,)", "True"), data)).as_f64(2) == 3);
    CHECK(parse(npy(header(">i2", "(2,)"), std::string("\x01\x02\xFF\xFE", 4))).as_i64(0) == 0x0102);
    CHECK(parse(npy(header(">i2", "(2,)"), std::string("\x01\x02\xFF\xFE", 4))).as_i64(1) == -2);
    CHECK(parse(npy(header(">c8", "()"), std::string("\x3F\x80\0\0\x40\0\0\0", 8))).as_c128() ==
          std::complex<double>(1, 2));
    CHECK(parse(npy(header("|b1", "(2,)"), std::string("\x07\0", 2))).as<std::uint8_t>()[0] == 1);
    CHECK(parse(npy(header("=u1", "(1L,)"), "A")).as_i64() == 65);
    CHECK(parse(npy("{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"u1\"}", "A")).as_i64() == 65);
    CHECK(parse(npy(header("|u1", "(1,)"), "A and more behind it")).elements() == 1);
    CHECK(parse(npy(header("<V2", "()"), "\x80\x3F")).as_f64() == 1);
    // A header of more than 256 bytes, which was the buffer size of old readers.
    CHECK(parse(npy(header("<f4", "(2, 3)") + std::string(1000, ' '), data)).as_f64(5) == 6);
    CHECK(parse(npy(header("<f8", "(0, 7)", "True"), "")).shape() == Shape{0, 7});
}

TEST_CASE("reordering and conversion of elements poll") {
    constexpr std::int64_t rows = 300000;
    const std::string data(rows * 2 * 4, '\x01');
    const auto polls_of = [&](const char* descr, const char* shape, const char* fortran) {
        int polls = 0;
        parse_npy(npy(header(descr, shape, fortran), data), "x.npy", {}, [&] { ++polls; });
        return polls;
    };
    CHECK(polls_of("<f4", "(300000, 2)", "False") == 0);
    CHECK(polls_of(">f4", "(300000, 2)", "False") > 5);
    CHECK(polls_of("|b1", "(300000, 2)", "False") > 5);
    CHECK(polls_of("<f4", "(300000, 2)", "True") > 5);
    CHECK(polls_of("<f4", "(2, 300000)", "True") > 5);
}

TEST_CASE("broken headers are malformed") {
    const char* bad[] = {
        "",
        "{",
        "{}",
        "[]",
        "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,)}",
        "{'descr' '<f4'}",
        "{'descr': '<f4'; 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,}",
    };
    for (const char* text : bad) {
        CAPTURE(text);
        CHECK(fails(FailureKind::file_malformed, [&] { parse(npy(text, "abcd")); }));
    }
    const std::string many = "(" + std::string(400, '1') + ")";
    CHECK(failure_of([&] { parse(npy(header("<f4", many), "abcd")); }));
    std::string axes = "(";
    for (int i = 0; i < 100; ++i) axes += "1,";
    CHECK(fails(FailureKind::file_malformed, [&] { parse(npy(header("<f4", axes + ")"), "abcd")); }));
    CHECK(fails(FailureKind::file_malformed, [&] { parse("not an array"); }));
    CHECK(fails(FailureKind::file_malformed, [&] { parse(""); }));
    CHECK(fails(FailureKind::file_unsupported, [&] { parse(npy(header("<f4", "()"), "abcd", 4)); }));
    for (const char* type : {"<U5", "|O", "|S3", "<M8[ns]", "<f16", "<V3"})
        CHECK(fails(FailureKind::file_unsupported, [&] { parse(npy(header(type, "()"), "abcd")); }));
    CHECK(fails(FailureKind::file_unsupported,
                [&] { parse(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd")); }));
}

TEST_CASE("messages show the beginning of long words of a header") {
    const std::string word(100000, 'w');
    for (const std::string& text : {"{'" + word + "': 1}", header(word, "()"), header("<" + word, "()")}) {
        const auto failure = failure_of([&] { parse(npy(text, "abcd", 2)); });
        REQUIRE(failure);
        CHECK(failure->message().size() < 150);
        CHECK(failure->message().find("www...'") != std::string::npos);
    }
}

TEST_CASE("an .npy file cut at any position is truncated, and never read past its end") {
    const std::string whole = format_npy(Array::full(DType::f32, {3, 5}, 2));
    for (std::size_t length = 1; length < whole.size(); ++length) {
        CAPTURE(length);
        REQUIRE(fails(FailureKind::file_truncated, [&] { parse(whole.substr(0, length)); }));
    }
    CHECK(fails(FailureKind::file_truncated, [&] { parse(npy(header("<f4", "(1000000000000,)"), "abcd")); }));
    CHECK(fails(FailureKind::file_truncated, [&] { parse(std::string("\x93NUMPY\2\0\xFF\xFF\xFF\xFF", 12)); }));
}

TEST_CASE("rows of an .npy file are read alone") {
    const Temporary folder;
    Array whole = Array::zeros(DType::i16, {5, 3});
    for (int i = 0; i < 15; ++i) whole.mutable_as<std::int16_t>()[i] = static_cast<std::int16_t>(i);
    const std::string bytes = format_npy(whole);
    std::int64_t count = 0;
    const auto wanted = [&](std::int64_t rows) {
        count = rows;
        return Rows{1, 3};
    };
    const auto rows_are_right = [&](const std::string& file, DType dtype) {
        const std::optional<Array> read = load_npy_rows(file, wanted);
        return read && count == 5 && read->dtype() == dtype && read->shape() == Shape{5, 3} && read->as_i64(3) == 3 &&
               read->as_i64(8) == 8;
    };
    CHECK(rows_are_right(folder.put("a.npy", bytes), DType::i16));
    // the other byte order; a file in which a bool is another number than 0 and 1
    const std::string swapped{"\0\0\0\1\0\2\0\3\0\4\0\5\0\6\0\7\0\10\0\11\0\12\0\13\0\14\0\15\0\16", 30};
    CHECK(rows_are_right(folder.put("b.npy", npy(header(">i2", "(5, 3)"), swapped)), DType::i16));
    const auto bools = load_npy_rows(folder.put("c.npy", npy(header("|b1", "(5,)"), std::string(5, 'x'))), wanted);
    CHECK((bools && bools->as<std::uint8_t>()[2] == 1));
    // files that are read as a whole
    CHECK(!load_npy_rows(folder.put("d.npy", npy(header("<i2", "(5, 3)", "True"), std::string(30, 'x'))), wanted));
    CHECK(!load_npy_rows(folder.put("e.npy", npy(header("<i2", "()"), "ab")), wanted));
    CHECK(!load_npy_rows(folder.put("f.npy", "no array"), wanted));
    const auto none = load_npy_rows(folder.put("g.npy", npy(header("<i2", "(0, 3)"), "")), wanted);
    CHECK((none && none->shape() == Shape{0, 3}));
    // files that are cut, also behind the rows
    for (const std::size_t left : {bytes.size() - 1, bytes.size() - 13, std::size_t{70}, std::size_t{20}}) {
        CAPTURE(left);
        const std::string file = folder.put("h.npy", bytes.substr(0, left));
        CHECK(fails(FailureKind::file_truncated, [&] { load_npy_rows(file, wanted); }));
    }
    CHECK(fails(FailureKind::file_missing, [&] { load_npy_rows(folder / "none.npy", wanted); }));
}

TEST_CASE("several processes write an .npz file together, and read their rows of it") {
    constexpr int count = 3;
    const Temporary folder;
    std::vector<std::int32_t> numbers(20);
    std::iota(numbers.begin(), numbers.end(), 1);
    const Array rows = Array::from_values(DType::i32, {5, 4}, numbers);
    const NamedArrays whole = {{"rows", rows}, {"one", Array::full(DType::f32, {}, 2)}, {"same", rows}};
    const std::vector<std::int64_t> first = {0, 32, 32, 80}; // bytes. The process in the middle has none
    // Each process has the array with its own bytes only.
    std::vector<NamedArrays> arrays(count, whole);
    for (std::size_t p = 0; p < count; ++p) {
        Array own = Array::full(DType::i32, {5, 4}, -1);
        std::copy(numbers.begin() + first[p] / 4, numbers.begin() + first[p + 1] / 4,
                  own.mutable_as<std::int32_t>() + first[p] / 4);
        own.divide({1, first}, [](std::byte*) { FAIL("no other parts are needed"); });
        arrays[p][0].second = own;
    }
    const std::string file = folder.put("together.npz", "");
    const std::string mark = NpzParts::mark(file);
    CHECK((mark.size() == 16 && mark != NpzParts::mark(folder.put("other", ""))));
    std::vector<NpzParts::Checksums> checksums;
    for (int p = count; p-- > 0;) {
        const auto own = NpzParts(arrays[static_cast<std::size_t>(p)], p).write_own(file, mark, {});
        REQUIRE(own);
        checksums.insert(checksums.begin(), *own);
    }
    // a file of the same name that another process has made
    CHECK(!NpzParts(arrays[0], 0).write_own(folder / "other", mark, {}));
    CHECK(!NpzParts(arrays[0], 0).write_own(folder.put("empty", ""), mark, {}));
    CHECK(!NpzParts(arrays[0], 0).write_own(folder / "none", mark, {}));
    NpzParts(arrays[0], 0).write_rest(file, checksums);
    CHECK(Temporary::get(file) == format_npz(whole));
    CHECK(fails(FailureKind::file_unwritable, [&] { NpzParts(arrays[0], 0).write_rest(folder / "none", checksums); }));
    CHECK(fails(FailureKind::bad_argument, [&] { NpzParts({whole[0], whole[0]}, 0); }));

    std::uint32_t joined = 0;
    for (const Rows part : {Rows{0, 2}, Rows{2, 2}, Rows{2, 5}}) {
        const auto wanted = [&](const std::string& name, std::int64_t) {
            return name == "rows" ? std::optional(part) : std::nullopt;
        };
        const std::vector<NpzRows> read = load_npz_rows(file, wanted);
        REQUIRE(read.size() == 3);
        CHECK((read[0].name == "rows" && read[0].in_parts && !read[1].in_parts && !read[2].in_parts));
        CHECK(identical(read[1].array, whole[1].second));
        CHECK(identical(read[2].array, rows));
        for (std::int64_t i = 4 * part.begin; i < 4 * part.end; ++i) CHECK(read[0].array.as_i64(i) == i + 1);
        if (part.begin == 0) joined = read[0].header;
        joined = crc32_joined(joined, read[0].own, static_cast<std::uint64_t>(16 * (part.end - part.begin)));
        if (part.end == 5) CHECK(joined == read[0].expected);
    }
    // packed entries are read as a whole, and a damaged or truncated archive is refused
    const auto all = [](const std::string&, std::int64_t rows) { return std::optional(Rows{0, rows}); };
    const std::string packed = folder.put("packed.npz", format_npz({{"x", Array::zeros(DType::f32, {1000})}}, true));
    CHECK(!load_npz_rows(packed, all)[0].in_parts);
    const std::string bytes = Temporary::get(file);
    for (std::size_t length = 0; length < bytes.size(); length += 7)
        CHECK(failure_of([&] { load_npz_rows(folder.put("cut.npz", bytes.substr(0, length)), all); }));
    CHECK(fails(FailureKind::file_missing, [&] { load_npz_rows(folder / "none.npz", all); }));
}

TEST_CASE("arrays with changed bytes are read or refused") {
    const std::string whole = format_npy(Array::full(DType::f32, {3, 5}, 2));
    std::mt19937 random(7);
    int refused = 0;
    for (int iteration = 0; iteration < 3000; ++iteration) {
        std::string bytes = whole;
        for (int change = 0; change < 3; ++change) bytes[random() % 128] = static_cast<char>(random());
        refused += failure_of([&] { parse(bytes); }).has_value();
    }
    CHECK(refused > 1000);
}

TEST_CASE("an .npz file holds its arrays in order") {
    const Temporary here;
    const NamedArrays arrays{{"w", Array::full(DType::f32, {100, 10}, 3)},
                             {"b/0", Array::scalar(DType::key, 5U)},
                             {"empty", Array::zeros(DType::bf16, {0})}};
    for (const bool compress : {false, true}) {
        const std::string path = here / "m.npz";
        save_npz(path, arrays, compress);
        if (compress) CHECK(Temporary::get(path).size() < 2000);
        const NamedArrays back = load_npz(path);
        REQUIRE(back.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(back[i].first == arrays[i].first);
            CHECK(identical(back[i].second, arrays[i].second));
        }
    }
    CHECK(load_npz(here.put("none.npz", format_npz({}))).empty());
    CHECK(fails(FailureKind::bad_argument, [&] { format_npz({arrays[0], arrays[0]}); }));
    CHECK(fails(FailureKind::file_missing, [&] { load_npz(here / "absent.npz"); }));
    save_npy(here / "a.npy.gz", arrays[0].second);
    CHECK(identical(load_npy(here / "a.npy.gz"), arrays[0].second));
}

TEST_CASE("reading and writing of an .npz file poll and charge the account") {
    const NamedArrays arrays{{"a", Array::zeros(DType::f32, {1 << 20})}, {"b", Array::zeros(DType::f32, {1 << 20})}};
    struct Enough {};
    for (const bool compress : {false, true}) {
        const int most = compress ? 25 : 1;
        int calls = 0;
        const auto poll = [&] {
            if (++calls > most) throw Enough();
        };
        CHECK_THROWS_AS(format_npz(arrays, compress, poll), Enough);
        const std::string bytes = format_npz(arrays, compress);
        calls = compress ? 17 : 0;
        CHECK_THROWS_AS(parse_npz(bytes, "x", {}, poll), Enough);
        const auto account = Allocator::create({.limit = 3 << 20});
        CHECK(fails(FailureKind::memory_limit, [&] { format_npz(arrays, compress, {}, account); }));
        CHECK(account->in_use() == 0);
    }
}

TEST_CASE("an .npz file cut or damaged at any position is refused or read unchanged") {
    const NamedArrays arrays{{"a", Array::full(DType::i32, {20}, 3)}, {"b", Array::full(DType::f64, {3}, 4)}};
    for (const bool compress : {false, true}) {
        const std::string whole = format_npz(arrays, compress);
        for (std::size_t length = 0; length < whole.size(); ++length)
            REQUIRE(failure_of([&] { parse_npz(whole.substr(0, length), "x"); }));
        std::mt19937 random(9);
        for (std::size_t at = 0; at < whole.size(); ++at)
            for (int iteration = 0; iteration < 4; ++iteration) {
                std::string bytes = whole;
                bytes[at] = static_cast<char>(random());
                NamedArrays back;
                if (failure_of([&] { back = parse_npz(bytes, "x"); })) continue;
                // Accepted arrays have passed the checksums. Names and unused fields may differ from the original.
                for (const auto& [name, array] : back)
                    REQUIRE((identical(array, arrays[0].second) || identical(array, arrays[1].second)));
            }
    }
    CHECK(fails(FailureKind::file_truncated, [&] { parse_npz(format_npz(arrays).substr(0, 100), "x"); }));
    CHECK(fails(FailureKind::file_malformed, [&] { parse_npz("no zip at all, but long enough to look at", "x"); }));
    ZipWriter text(false);
    text.add("readme.txt", "not an array");
    CHECK(fails(FailureKind::file_malformed, [&] { parse_npz(text.finish(), "x"); }));
}

TEST_CASE("one file of a multi-part zip is refused") {
    ZipWriter zip(false);
    zip.add("x.npy", "content");
    const std::string whole = zip.finish();
    CHECK(list_zip(zip_in_memory(whole, "x")).size() == 1);
    for (const std::size_t field : {std::size_t{4}, std::size_t{6}}) {
        std::string part = whole;
        part[part.size() - 22 + field] = 1;
        CHECK(fails(FailureKind::file_unsupported, [&] { list_zip(zip_in_memory(part, "x")); }));
    }
}

TEST_CASE("wrong sizes and unsupported entries in a zip are refused") {
    ZipWriter zip(true);
    zip.add("a.npy", std::string(10000, 'x'));
    std::string bytes = zip.finish();
    const std::size_t directory = bytes.find("PK\1\2");
    REQUIRE(directory != std::string::npos);
    const std::uint32_t huge = 0xFFFFFFF0U;
    std::string larger = bytes;
    std::memcpy(larger.data() + directory + 24, &huge, 4); // unpacked size
    CHECK(fails(FailureKind::file_malformed, [&] { parse_npz(larger, "x"); }));
    larger = bytes;
    std::memcpy(larger.data() + directory + 20, &huge, 4); // packed size
    CHECK(fails(FailureKind::file_malformed, [&] { parse_npz(larger, "x"); }));
    larger = bytes;
    larger[directory + 8] = 1; // encrypted
    CHECK(fails(FailureKind::file_unsupported, [&] { parse_npz(larger, "x"); }));
    larger = bytes;
    larger[directory + 10] = 12; // bzip2
    CHECK(fails(FailureKind::file_unsupported, [&] { parse_npz(larger, "x"); }));
}

TEST_CASE("the help for a file of zeros does not propose IDX") {
    const auto help = [](std::string_view bytes) { return failure_of([&] { parse_npy(bytes, "t", {}); })->help(); };
    CHECK(help(std::string(16, '\0')).find("read it with") == std::string::npos);
    CHECK(help(std::string_view("\0\0\x08\1\0\0\0\0", 8)) == "read it with load_idx(\"t\")");
}
