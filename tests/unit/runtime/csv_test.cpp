#include "runtime/io/file.hpp"
#include "runtime/io/formats/csv.hpp"
#include "tests/unit/runtime/fails.hpp"
#include "tests/unit/runtime/temporary.hpp"

#include <cmath>
#include <random>

using namespace pm::runtime;

namespace {

std::vector<CsvColumn> parse_text(std::string_view text, const CsvOptions& options = {}) {
    return parse_csv(text, "t.csv", options);
}

struct Place {
    std::int64_t line;
    std::int64_t column;
};

/// Whether parsing fails. If it fails, checks that the failure is `malformed` at `place`, and that its message contains
/// `message`.
bool fails_at(Place place, std::string_view text, std::string_view message, const CsvOptions& options = {}) {
    const auto failure = failure_of([&] { parse_text(text, options); });
    if (!failure) return false;
    INFO(failure->message());
    CHECK(failure->kind() == FailureKind::file_malformed);
    CHECK(failure->line == place.line);
    CHECK(failure->column == place.column);
    CHECK(failure->message().find(message) != std::string::npos);
    CHECK(failure->message().find("t.csv") != std::string::npos);
    return true;
}

} // namespace

TEST_CASE("columns of whole numbers are i32, others f32") {
    const auto columns = parse_text("a,b , c\n1,2.5,3\r\n-4,5,+6\n\n7,1e3,2147483648\n");
    REQUIRE(columns.size() == 3);
    CHECK(columns[0].name == "a");
    CHECK(columns[1].name == "b");
    CHECK(columns[2].name == "c");
    CHECK(columns[0].values.dtype() == DType::i32);
    CHECK(columns[0].values.shape() == Shape{3});
    CHECK(columns[0].values.as_i64(1) == -4);
    CHECK(columns[1].values.dtype() == DType::f32);
    CHECK(columns[1].values.as_f64(0) == 2.5);
    CHECK(columns[1].values.as_f64(2) == 1000);
    CHECK(columns[2].values.dtype() == DType::i64);
    CHECK(columns[2].values.as_f64(0) == 3);
    CHECK(columns[2].values.as_f64(2) == 2147483648.0);
}

TEST_CASE("a table that another delimiter divides evenly is not read as a column of text") {
    const CsvOptions texts{.text_columns = true};
    CHECK(fails_at({1, 2}, "a;b\n1;2\n3;4\n", "each line is one field, which ';' divides into 2", texts));
    CHECK(fails_at({1, 5}, "name\tx\ty\nann\t1\t2\n", "which '\\t' divides into 3", texts));
    CHECK(fails_at({1, 2}, "a|b|c", "which '|' divides into 3", texts));
    CHECK(fails_at({1, 4}, "\"a\";\"b\"\n", "text behind a closing quote", texts));
    const auto failure = failure_of([&] { parse_text("a;b\n1;2\n", texts); });
    REQUIRE(failure);
    CHECK(failure->help() ==
          "fields that are divided by ';' are read with delim=\";\"; delim=\",\" reads the lines as they are");
    const auto quoted = failure_of([] { parse_text("\"a\";\"b\"\n"); });
    REQUIRE(quoted);
    CHECK(quoted->help() == "fields that are divided by ';' are read with delim=\";\"");
    // Numbers with a decimal comma.
    CHECK(fails_at({1, 4}, "1,5;2,5\n3,5;4,5\n", "',' divides each line into 3 fields; ';' divides it into 2", texts));
    CHECK(parse_text("a,b\nx;y,z\n", texts).size() == 2);
    CHECK(parse_text("\"a;b\",c\nx;y,z\n", texts).size() == 2);
    // Accepted as columns of text: the delimiter is not in each line, is not equally often in each line, or is within
    // quotes, or the caller named another delimiter.
    CHECK(parse_text("a;b\nc;d\ne\n", texts).size() == 1);
    CHECK(parse_text("a;b\nc;d;e\n", texts).size() == 1);
    CHECK(parse_text("\"a;b\"\nc;d\n", texts).size() == 1);
    CHECK(parse_text("P(a|b)\n0.5\n", texts).size() == 1);
    CHECK(parse_text("a;b\n1;2\n", {.delimiter_named = true, .text_columns = true})[0].texts[0] == "1;2");
    std::vector<CsvColumn> columns(1);
    columns[0] = {"a;b", {}, {"1;2"}};
    CHECK(parse_text(format_csv(columns), texts)[0].texts[0] == "1;2");
}

TEST_CASE("a line ends with LF, CR LF, or CR alone") {
    for (const char* text : {"a,b\r1,2\r3,4\r", "a,b\r1,2\r\r3,4", "a,b\r\n1,2\r3,4\n", "a,b\r\"1\",2\r3,\"4\"\r"}) {
        const auto columns = parse_text(text);
        REQUIRE(columns.size() == 2);
        CHECK(columns[0].name == "a");
        CHECK(columns[0].values.shape() == Shape{2});
        CHECK(columns[1].values.as_i64(1) == 4);
    }
    CHECK(parse_csv_matrix("1,2\r3,4\r", "x").shape() == Shape{2, 2});
    // Within quotes a CR is part of the text. It is also written within quotes.
    const auto quoted = parse_text("t\n\"a\rb\"\n", {.text_columns = true});
    CHECK(quoted.at(0).texts == std::vector<std::string>{"a\rb"});
    CHECK(parse_text(format_csv(quoted), {.text_columns = true}).at(0).texts == quoted.at(0).texts);
}

TEST_CASE("special numbers, and numbers out of range") {
    const auto x = parse_text("x\nnan\n-inf\n1e50\n-1e-60\n1e400\n1e-400\n-1e400\n.5\n5.\n").at(0).values;
    CHECK(std::isnan(x.as_f64(0)));
    CHECK(x.as_f64(1) == -INFINITY);
    CHECK(x.as_f64(2) == 1e50);
    CHECK(x.as_f64(3) == -1e-60);
    CHECK(x.as_f64(4) == INFINITY);
    CHECK(x.as_f64(5) == 0);
    CHECK(x.as_f64(6) == -INFINITY);
    CHECK(x.as_f64(7) == 0.5);
    CHECK(x.as_f64(8) == 5);
}

TEST_CASE("quotes, delimiters within quotes, other delimiters, byte order mark") {
    const auto columns = parse_text("\xEF\xBB\xBF\"a \"\"b\"\"\";\"c;d\";\n\"1\";2;3\n 4 ;5;6", {.delimiter = ';'});
    REQUIRE(columns.size() == 3);
    CHECK(columns[0].name == "a \"b\"");
    CHECK(columns[1].name == "c;d");
    CHECK(columns[2].name == "column_3");
    CHECK(columns[0].values.as_i64(0) == 1);
    CHECK(columns[0].values.as_i64(1) == 4);
    CHECK(columns[2].values.as_i64(1) == 6);
    CHECK(parse_text("a\tb\n1\t2\n", {.delimiter = '\t'}).at(1).values.as_i64() == 2);
    CHECK(parse_text("\"line\nend\",b\n1,2\n").at(0).name == "line\nend");
}

TEST_CASE("a table with only a header, a table without a header, and a matrix") {
    const auto none = parse_text("a,b\n");
    CHECK(none.at(1).values.shape() == Shape{0});
    const auto plain = parse_text("1,2\n3,4.5\n", {.header = false});
    CHECK(plain.at(0).name == "column_1");
    CHECK(plain.at(0).values.dtype() == DType::i32);
    CHECK(plain.at(1).values.as_f64(1) == 4.5);
    const Array matrix = parse_csv_matrix("1,2,3\n4,5,6\n", "t.csv");
    CHECK(matrix.dtype() == DType::f32);
    CHECK(matrix.shape() == Shape{2, 3});
    CHECK(matrix.as_f64(5) == 6);
    CHECK(fails(FailureKind::file_malformed, [] { parse_csv_matrix("", "t.csv"); }));
    CHECK(fails(FailureKind::file_malformed, [] { parse_text("\n\r\n\n"); }));
}

TEST_CASE("errors have line and column") {
    CHECK(fails_at({3, 3}, "a,b\n1,2\n3,x4\n", "'x4' in b is not a number"));
    CHECK(fails_at({3, 1}, "a,b\n1,2\n1.5.2,4\n", "'1.5.2' in a"));
    CHECK(fails_at({3, 3}, "a,b\r\n1,2\r\n3,x4\r\n", "'x4' in b"));
    CHECK(fails_at({3, 3}, "a,b\r1,2\r3,x4\r", "'x4' in b"));
    CHECK(fails_at({2, 3}, "a,b\n1,\n", "the field of b is empty"));
    CHECK(fails_at({3, 5}, "a,b\n1,2\n3,4,5\n", "3 fields in this line, 2 in the first"));
    CHECK(fails_at({3, 1}, "a,b\n1,2\n3\n", "1 field in this line, 2 in the first"));
    CHECK(fails_at({2, 3}, "a,b\n1,\"2\n3,4\n", "quote is not closed"));
    CHECK(fails_at({2, 6}, "a,b\n1,\"2\"3\n", "behind a closing quote"));
    CHECK(fails_at({1, 3}, "a,a\n1,2\n", "two columns are named 'a'"));
    const std::string name(1000, 'n');
    CHECK(fails_at({2, 1}, name + "\n" + name + "\n",
                   "'" + name.substr(0, 40) + "...' in " + name.substr(0, 40) + "..."));
    CHECK(fails_at({1, 1}, "1,2\n3,4\n", "holds numbers"));
    CHECK(fails_at({2, 1}, "a,b\n\"1\n\n2\",2\n3,4\n", "is not a number"));
    CHECK(fails_at({4, 2}, "a,b\n\"1\n\n\"x,2\n3,4\n", "behind a closing quote"));
    CHECK(fails_at({2, 1}, std::string_view("a\n1\0002\n", 7), "is not a number"));
    CHECK(fails_at({5, 1}, "a\n\n\n1\nb\n", "'b' in a"));
    const auto failure = failure_of([] { parse_csv_matrix("a,b\n1,2\n", "t.csv"); });
    REQUIRE(failure);
    CHECK(failure->help().find("header=true") != std::string::npos);
    CHECK(fails(FailureKind::bad_argument, [] { parse_text("a\n", {.delimiter = '"'}); }));
}

TEST_CASE("decimals behind a comma") {
    const CsvOptions options{.delimiter = ';', .decimal = ',', .text_columns = true, .missing = {"NA"}};
    const auto columns = parse_text("x;y;name\n1,5;2;a,b\n\"-0,25\";NA;1,2,3\n7;3;c\n", options);
    CHECK(columns[0].values.as_f64(0) == 1.5);
    CHECK(columns[0].values.as_f64(1) == -0.25);
    CHECK(columns[0].values.as_f64(2) == 7);
    CHECK(std::isnan(columns[1].values.as_f64(1)));
    CHECK(columns[2].texts == std::vector<std::string>{"a,b", "1,2,3", "c"});
    CHECK(parse_csv_matrix("1,5;2\n3;4,25\n", "a.csv", {.header = false, .delimiter = ';', .decimal = ','}).as_f64(3) ==
          4.25);
}

TEST_CASE("a point in a file with decimal commas may separate thousands") {
    const CsvOptions options{.delimiter = ';', .decimal = ',', .text_columns = true};
    const auto failure = failure_of([&] { parse_text("preis;menge\n1.500;2\n", options); });
    REQUIRE(failure);
    CHECK(failure->message().find("'1.500' in preis has a point, but decimals are behind a comma") !=
          std::string::npos);
    CHECK(parse_text("v\nv1.500\n", options)[0].texts == std::vector<std::string>{"v1.500"});
}

TEST_CASE("the help distinguishes another delimiter from other errors") {
    const auto help = [](std::string_view text, const CsvOptions& options = {}) {
        const auto failure = failure_of([&] { parse_text(text, options); });
        return failure ? failure->help() : "";
    };
    const std::string semicolon = "fields that are divided by ';' are read with delim=\";\"";
    CHECK(help("x;y\n1,5;2,5\n") == semicolon);
    CHECK(help("x,y\n1;2\n") == semicolon);
    CHECK(help("x;y\n1;2\n") == semicolon);
    CHECK(help("1;2\n3;4\n", {.header = false}) == semicolon);
    CHECK(help("x;y\n1\t2\n", {.delimiter = ';'}) == "fields that are divided by '\\t' are read with delim=\"\\t\"");
    CHECK(help("x;y\n1,5;2\n", {.delimiter = ';'}) == "decimal=\",\" reads it as 1.5");
    CHECK(help("x;y\nann;1,5\n", {.delimiter = ';', .text_columns = true}) ==
          "decimal=\",\" reads it as 1.5; in quotes it is text");
    CHECK(help("1,5;2,5\n3,5;4,5\n", {.delimiter = ';', .text_columns = true}) == "read it with header=false");
    CHECK(parse_text("x;y\n\"1,5\";1,2,3\n", {.delimiter = ';', .text_columns = true})[0].texts ==
          std::vector<std::string>{"1,5"});
    CHECK(help("x,y\n1\n") == "write nan where a number is missing");
    CHECK(help("x,y\n1,2,3\n") == "put a field that holds the delimiter in quotes: \"1,5\"");
    CHECK(failure_of([] { parse_csv_matrix("1;2\n", "t.csv"); })->help() == semicolon);
    for (const char delimiter : {'"', '\n', '1', '.', '-', 'e', 'n'})
        CHECK(fails(FailureKind::bad_argument, [&] { format_csv_matrix(Array::zeros(DType::f32, {2}), delimiter); }));
}

TEST_CASE("the text of a table must be UTF-8") {
    const CsvOptions texts{.text_columns = true};
    CHECK(fails_at({1, 4}, "a,b\xE9\n1,2\n", "is not UTF-8 text (line 1, column 4)", texts));
    CHECK(fails_at({2, 6}, "a,b\n1,caf\xE9\n", "is not UTF-8 text (line 2, column 6)", texts));
    CHECK(failure_of([] { parse_csv_matrix("1,2\n\xA0,3\n", "t.csv"); })->line == 2);
    CHECK(parse_text("a,b\xC3\xA9\n1,caf\xC3\xA9\n", texts)[1].name == "b\xC3\xA9");
}

TEST_CASE("text columns are accepted if they are allowed") {
    CHECK(fails_at({2, 3}, "a,b\n1,sun\n", "'sun' in b is not a number"));
    const auto columns = parse_text("a,b\n1,sun\n2,\"rain, snow\"\n", {.text_columns = true});
    CHECK_FALSE(columns.at(1).values);
    CHECK(columns.at(1).texts == std::vector<std::string>{"sun", "rain, snow"});
    CHECK(fails_at({3, 3}, "a,b\n1,2\n1,sun\n", "'sun'", {.text_columns = true}));
    CHECK(fails_at({3, 3}, "a,b\n1,sun\n1,2\n", "'2' in b is a number", {.text_columns = true}));
}

TEST_CASE("texts that could be read as something else are quoted when written, and are read as texts") {
    const std::vector<std::vector<std::string>> all = {
        {"x", "", "y"}, {"", "", ""}, {"12", "-1.5e3", "nan"}, {"x", "12", "+inf"}, {"\t", " 7 ", "\"\""}};
    for (const std::vector<std::string>& texts : all) {
        std::vector<CsvColumn> columns(1);
        columns[0] = {"t", {}, texts};
        const auto single = parse_text(format_csv(columns), {.text_columns = true});
        CHECK_FALSE(single.at(0).values);
        CHECK(single.at(0).texts == texts);
        columns.push_back({"12", Array::zeros(DType::i32, {3}), {}});
        const auto with_numbers = parse_text(format_csv(columns), {.text_columns = true});
        CHECK(with_numbers.at(0).texts == texts);
        CHECK(with_numbers.at(1).name == "12");
        CHECK(identical(with_numbers.at(1).values, columns[1].values));
    }
    // Quotes have no effect if text columns are not allowed, or if the column has a number before.
    CHECK(parse_text("a\n\"1\"\n").at(0).values.as_i64(0) == 1);
    CHECK(parse_text("a\n1\n\"2\"\n", {.text_columns = true}).at(0).values.as_i64(1) == 2);
}

TEST_CASE("random bytes are read or refused") {
    std::mt19937 random(11);
    const std::string letters = "0123456789.,,,\n\n\r\"e-+ ax\t";
    int read = 0;
    for (int iteration = 0; iteration < 20000; ++iteration) {
        std::string text = iteration % 2 == 0 ? "a,b\n" : "";
        for (unsigned i = random() % 30; i > 0; --i) text += letters[random() % letters.size()];
        read +=
            !failure_of([&] { parse_text(text, {.header = iteration % 2 == 0, .text_columns = iteration % 3 == 0}); });
    }
    CHECK(read > 100);
    CHECK(read < 15000);
}

TEST_CASE("a written table is read back") {
    std::vector<CsvColumn> columns(3);
    columns[0] = {"n", Array::from_values<std::int32_t>(DType::i32, {3}, std::vector<std::int32_t>{1, -2, 3}), {}};
    columns[1] = {"x, \"y\"", Array::from_values<float>(DType::f32, {3}, std::vector<float>{0.1F, 1e-30F, NAN}), {}};
    columns[2] = {"t", {}, {"plain", " blanks ", "two\nlines"}};
    const std::string text = format_csv(columns);
    const auto back = parse_text(text, {.text_columns = true});
    REQUIRE(back.size() == 3);
    CHECK(identical(back[0].values, columns[0].values));
    CHECK(back[1].name == columns[1].name);
    CHECK(back[1].values.as_f64(0) == columns[1].values.as_f64(0));
    CHECK(back[1].values.as_f64(1) == columns[1].values.as_f64(1));
    CHECK(std::isnan(back[1].values.as_f64(2)));
    CHECK(back[2].texts == columns[2].texts);
    const Array matrix = Array::from_values<float>(DType::f32, {2, 2}, std::vector<float>{1, 2.5F, 3, 4});
    CHECK(format_csv_matrix(matrix) == "1,2.5\n3,4\n");
    CHECK(identical(parse_csv_matrix(format_csv_matrix(matrix), "x"), matrix));
    columns[0].values = Array::zeros(DType::i32, {4});
    CHECK(fails(FailureKind::bad_argument, [&] { format_csv(columns); }));
    CHECK(fails(FailureKind::bad_argument, [] { format_csv_matrix(Array::zeros(DType::f32, {2, 2, 2})); }));
    CHECK(fails(FailureKind::bad_argument, [] { format_csv_matrix(Array::zeros(DType::c64, {2})); }));
}

TEST_CASE("compressed and truncated files") {
    const Temporary here;
    std::string text = "a,b\n";
    for (int i = 0; i < 5000; ++i) text += std::to_string(i) + "," + std::to_string(i * 0.5) + "\n";
    write_file(here / "t.csv.gz", text);
    const auto columns = read_csv(here / "t.csv.gz");
    CHECK(columns.at(0).values.as_i64(4999) == 4999);
    CHECK(columns.at(1).values.as_f64(4999) == 2499.5);
    const std::string packed = Temporary::get(here / "t.csv.gz");
    here.put("cut.csv.gz", packed.substr(0, packed.size() / 2));
    CHECK(fails(FailureKind::file_truncated, [&] { read_csv(here / "cut.csv.gz"); }));
    CHECK(fails(FailureKind::file_missing, [&] { read_csv_matrix(here / "none.csv"); }));
}

TEST_CASE("reading and writing poll within long lines and long fields") {
    std::string one;
    for (int i = 0; i < 20000; ++i) one += "1,";
    const std::string field(100'000, 'x');
    std::string doubled;
    for (int i = 0; i < 50000; ++i) doubled += "\"\"";
    int polls = 0;
    const auto polls_of = [&](const auto& work) {
        polls = 0;
        work([&] { ++polls; });
        return polls;
    };
    CHECK(polls_of([&](const auto& poll) { parse_csv_matrix(one + "1", "t", {.poll = poll}); }) > 5);
    CHECK(polls_of([&](const auto& poll) { parse_text("a\n" + field, {.poll = poll, .text_columns = true}); }) > 5);
    CHECK(polls_of(
              [&](const auto& poll) { parse_text("a\n\"" + field + "\"", {.poll = poll, .text_columns = true}); }) > 5);
    const auto both = [&](const auto& poll) {
        parse_text("a\n\"" + doubled + "\"", {.poll = poll, .text_columns = true});
    };
    CHECK(polls_of(both) > 30); // polls while the field is read, and while doubled quotes in it are removed
    const Array row = Array::zeros(DType::f32, {1, 100'000});
    CHECK(polls_of([&](const auto& poll) { format_csv_matrix(row, ',', poll); }) > 5);
}

TEST_CASE("an exception of the poll ends a read") {
    const Temporary folder;
    std::string text = "a,b\n";
    for (int i = 0; i < 5000; ++i) text += "1,2\n";
    for (const char* name : {"t.csv", "t.csv.gz"}) {
        const std::string path = folder / name;
        write_file(path, text);
        struct Enough {};
        int polls = 0;
        const auto count = [&] { ++polls; };
        CHECK(read_csv(path, {.poll = count})[0].values.elements() == 5000);
        const int all = polls;
        CHECK(all > 4);
        // At each poll, the read can end.
        for (int at = 1; at <= all; ++at) {
            polls = 0;
            CHECK_THROWS_AS(read_csv(path, {.poll =
                                                [&] {
                                                    if (++polls == at) throw Enough{};
                                                }}),
                            Enough);
            CHECK(polls == at);
        }
        CHECK_THROWS_AS(read_csv_matrix(path, {.poll = [] { throw Enough{}; }}), Enough);
        CHECK_THROWS_AS(read_text(path, [] { throw Enough{}; }), Enough);
    }
}
