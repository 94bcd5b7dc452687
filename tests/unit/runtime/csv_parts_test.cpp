#include "runtime/io/formats/csv_parts.hpp"

#include "tests/unit/runtime/fails.hpp"
#include "tests/unit/runtime/temporary.hpp"

#include <fmt/format.h>

#include <algorithm>

// The parts of a CSV file together must have the rows of the whole file. The file is read in pieces, and a piece may
// end at any byte.

using namespace pm::runtime;

namespace {

/// Compares the rows of all parts with those of the whole file, and returns the number of parts.
std::size_t compared(const std::string& path, std::int64_t rows, const CsvOptions& options) {
    const std::vector<CsvColumn> whole = read_csv(path, options);
    const std::vector<CsvPart> parts = csv_parts(path, rows, options);
    std::size_t row = 0;
    for (const CsvPart& part : parts) {
        const std::vector<CsvColumn> columns = read_csv_part(path, part, options);
        REQUIRE(columns.size() == whole.size());
        for (std::size_t c = 0; c < columns.size(); ++c) {
            REQUIRE(columns[c].name == whole[c].name);
            REQUIRE(std::equal(columns[c].texts.begin(), columns[c].texts.end(),
                               whole[c].texts.begin() + static_cast<std::ptrdiff_t>(row)));
            for (std::int64_t i = 0; columns[c].values && i < columns[c].values.elements(); ++i)
                REQUIRE(columns[c].values.as_f64(i) == whole[c].values.as_f64(static_cast<std::int64_t>(row) + i));
        }
        row += columns[0].texts.size();
        REQUIRE((columns[0].texts.size() == static_cast<std::size_t>(rows) || row == whole[0].texts.size()));
    }
    CHECK(row == whole[0].texts.size());
    return parts.size();
}

CsvOptions texts(char comment = '\0') {
    CsvOptions options{.delimiter_named = true, .text_columns = true, .comment = comment};
    for (const char* name : {"a", "b", "column_1", "column_2"}) options.types[name] = {CsvKind::text};
    return options;
}

} // namespace

TEST_CASE("the parts of a file of several pieces have its rows") {
    const Temporary folder;
    const std::string path = folder / "t.csv";
    CsvOptions options = texts('#');
    options.types.erase("column_1");
    options.types.erase("column_2");
    options.types["c"] = {CsvKind::number, DType::f64};
    std::string text = "\xEF\xBB\xBF"
                       "a,b,c\r\n";
    for (int i = 0; text.size() < 9 << 20; ++i) {
        text += fmt::format("{},\"line {},\nand \"\"more\"\"\",{}\r\n", i, i, i * 0.1);
        if (i % 1000 == 0) text += "# a comment, with a \" in it\r\n\r\n";
    }
    folder.put("t.csv", text);
    CHECK(compared(path, 40'000, options) > 5);
    text += "x,\"" + std::string(9 << 20, 'y') + "\",1\nx,y,2"; // a field longer than a piece, and no line end
    folder.put("t.csv", text);
    CHECK(compared(path, 100'000, options) > 2);
}

TEST_CASE("the parts of small files") {
    const Temporary folder;
    const std::string path = folder / "t.csv";
    CsvOptions plain = texts();
    plain.header = false;
    plain.types.erase("a");
    plain.types.erase("b");
    for (const std::string end : {"\n", "\r\n", "\r"})
        for (const bool last : {false, true}) {
            std::string text;
            for (const std::string row : {"1,2", "3,4", "", "5,6", "7,8"}) text += row + end;
            if (last) text.resize(text.size() - end.size());
            folder.put("t.csv", text);
            for (const std::int64_t rows : {1, 2, 3, 4, 5}) CHECK(compared(path, rows, plain) == (3 + rows) / rows);
        }
    CHECK(csv_parts(path, 2, plain)[1].line == 3);
}

TEST_CASE("an error in a part has the line of the file") {
    const Temporary folder;
    const std::string path = folder / "t.csv";
    folder.put("t.csv", "a,b\n1,2\n3,4\n\n5,x\n");
    CsvOptions options{.delimiter_named = true};
    const std::vector<CsvPart> parts = csv_parts(path, 2, options);
    REQUIRE(parts.size() == 2);
    const auto failure = failure_of([&] { read_csv_part(path, parts[1], options); });
    REQUIRE(failure);
    CHECK(failure->line == 5);
    CHECK(failure->column == 3);
    folder.put("t.csv", "a,b\n1,2\n");
    CHECK(fails(FailureKind::file_malformed, [&] { read_csv_part(path, parts[1], options); }));
    CHECK(fails(FailureKind::bad_argument, [&] { csv_parts(path, 0, options); }));
    folder.put("t.csv", "a,b\n1,\"2\n");
    CHECK(fails(FailureKind::file_malformed, [&] { csv_parts(path, 1, options); }));
    folder.put("t.csv", std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
    CHECK(fails(FailureKind::file_unsupported, [&] { csv_parts(path, 1, options); }));
    CHECK(fails(FailureKind::file_unsupported, [&] { csv_parts("/dev/null", 1, options); }));
}
