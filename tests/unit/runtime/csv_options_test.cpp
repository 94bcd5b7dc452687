#include "runtime/io/formats/csv.hpp"
#include "tests/unit/runtime/fails.hpp"
#include "tests/unit/runtime/temporary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

using namespace pm::runtime;

namespace {

std::vector<CsvColumn> parsed(std::string_view text, const CsvOptions& options) {
    return parse_csv(text, "t.csv", options);
}
std::string error(std::string_view text, const CsvOptions& options) {
    const auto failure = failure_of([&] { parsed(text, options); });
    return failure ? failure->message() : "";
}
bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
CsvOptions typed(CsvType type) {
    CsvOptions made{.text_columns = true, .missing = {"", "NA"}};
    made.types["a"] = type;
    return made;
}
CsvOptions number(DType dtype) { return typed({CsvKind::number, dtype}); }

} // namespace

TEST_CASE("a comment that is read as a line of names is found") {
    for (const std::string_view text : {"# made up\na,b\n1,2\n", "a,b\n# made up\n1,2\n"}) {
        const auto failure = failure_of([&] { parsed(text, {}); });
        REQUIRE(failure);
        CHECK(holds(failure->help(), "comment=\"#\""));
    }
}

TEST_CASE("whole numbers beyond 32 bits are read as i64") {
    const CsvColumn column = parsed("a\n1\n3000000001\n-9223372036854775808\n", {})[0];
    CHECK(column.values.dtype() == DType::i64);
    CHECK(column.values.as_i64(0) == 1);
    CHECK(column.values.as_i64(1) == 3000000001);
    CHECK(column.values.as_i64(2) == std::numeric_limits<std::int64_t>::min());
    CHECK(parsed("a\n2147483647\n-2147483648\n", {})[0].values.dtype() == DType::i32);
    CHECK(parsed("a\n1e39\n1.5\n", {})[0].values.dtype() == DType::f64);
    CHECK(parsed("a\n1e-50\n", {})[0].values.dtype() == DType::f32);
    // The text is not the mean of two f32, but its f64 is.
    const std::string_view near_mean = "a\n1.0000000596046447753906250000000001\n0.5\n";
    for (const CsvOptions& options : {CsvOptions{}, number(DType::f32)})
        CHECK(parsed(near_mean, options)[0].values.as_f64(0) == static_cast<double>(std::nextafter(1.0F, 2.0F)));
}

TEST_CASE("columns of only bools are bools") {
    const CsvOptions guessed{.text_columns = true, .missing = {"", "NA"}};
    for (const std::string_view text : {"a\ntrue\nfalse\n", "a\nTrue\n False \n", "a\nTRUE\nFALSE\n"}) {
        const CsvColumn column = parsed(text, guessed)[0];
        REQUIRE(column.kind == CsvKind::number);
        CHECK(column.values.dtype() == DType::b1);
        CHECK(column.values.as_i64(0) == 1);
        CHECK(column.values.as_i64(1) == 0);
        CHECK(format_csv(std::vector{column}) == "a\ntrue\nfalse\n");
    }
    for (const std::string_view text :
         {"a\ntrue\nmaybe\n", "a\n\"true\"\nfalse\n", "a\nNA\ntrue\n", "a\ntrue\nNA\n", "a\ntrue\ntRUE\n"}) {
        const CsvColumn column = parsed(text, guessed)[0];
        CHECK(column.kind == CsvKind::text);
        CHECK(parsed(format_csv(std::vector{column}), guessed)[0].texts == column.texts);
    }
    const CsvColumn texts{.name = "a", .values = {}, .texts = {"true", "False"}, .kind = CsvKind::text};
    CHECK(parsed(format_csv(std::vector{texts}), guessed)[0].texts == texts.texts);
    CHECK(parsed("a\nTRUE\n0\n", number(DType::b1))[0].values.as_i64(0) == 1);
}

TEST_CASE("a column is chosen once") {
    CHECK(parsed("a,b\n1,2\n", {.columns = {"b", "a"}})[0].name == "b");
    CHECK(fails(FailureKind::bad_argument, [] { parsed("a,b\n1,2\n", {.columns = {"a", "a"}}); }));
}

TEST_CASE("missing entries are NaN in columns of floats") {
    const CsvOptions options{.text_columns = true, .missing = {"", "NA"}};
    const auto columns = parsed("a,b,c,d\n1,,x,\n, 2 ,,NA\nNA,3.5,\"NA\",\n", options);
    CHECK(columns[0].values.dtype() == DType::f32);
    CHECK(columns[0].values.as_f64(0) == 1);
    CHECK(std::isnan(columns[0].values.as_f64(1)));
    CHECK(std::isnan(columns[0].values.as_f64(2)));
    CHECK(std::isnan(columns[1].values.as_f64(0)));
    CHECK(columns[1].values.as_f64(2) == 3.5);
    CHECK(columns[2].texts == std::vector<std::string>{"x", "", "NA"});
    CHECK(columns[3].values.dtype() == DType::f32);
    CHECK(std::isnan(columns[3].values.as_f64(2)));
    // Missing entries before the first text are kept as they are.
    CHECK(parsed("a,b\n,1\nNA,2\nx,3\n", options)[0].texts == std::vector<std::string>{"", "NA", "x"});
    // A whole number that f32 cannot hold is not changed.
    for (const std::string_view text : {"a,b\n16777217,1\n,2\n", "a,b\n,1\n16777217,2\n", "a\n0.5\n16777217\n",
                                        "a\n-3000000001\nNA\n", "a\n18446744073709551616\n"})
        CHECK(parsed(text, options)[0].values.dtype() == DType::f64);
    CHECK(parsed("a\n16777217\nNA\n", options)[0].values.as_f64(0) == 16777217);
    CHECK(parsed("a,b\n16777216,1\n,2\n", options)[0].values.dtype() == DType::f32);
    for (const std::string_view text :
         {"a\n9007199254740993\nNA\n", "a\n0.5\n9007199254740993\n", "a\n18446744073709551615\n"})
        CHECK(holds(error(text, options), "f64 cannot hold"));
    // In a column of f64 each number is the nearest one.
    CHECK(parsed("a\n16777217\n1.00000005960464477539\nNA\n", options)[0].values.as_f64(1) == 1.00000005960464477539);
    CHECK(holds(error("a,b\n1,1\n,2\n", {}), "is empty"));
    CHECK(std::isnan(parse_csv_matrix("1,NA\n2,3\n", "t.csv", {.missing = {"NA"}}).as_f64(1)));
}

TEST_CASE("columns have the types that are given") {
    const auto values = [](std::string_view text, DType dtype) { return parsed(text, number(dtype))[0].values; };
    CHECK(values("a\n9007199254740993\n", DType::i64).as_i64(0) == 9007199254740993);
    CHECK(values("a\n18446744073709551615\n", DType::u64).as_u64(0) == 18446744073709551615U);
    CHECK(values("a\n0.1\n", DType::f64).as_f64(0) == 0.1);
    CHECK(std::isnan(values("a\n\"1\"\nNA\n", DType::f64).as_f64(1)));
    CHECK(values("a\n1e400\n", DType::f64).as_f64(0) == std::numeric_limits<double>::infinity());
    CHECK(values("a\ntrue\n0\n", DType::b1).as_bool(0));
    CHECK(!values("a\ntrue\n0\n", DType::b1).as_bool(1));
    CHECK(values("a\n-128\n", DType::i8).as_i64(0) == -128);
    CHECK(holds(error("a\n128\n", number(DType::i8)), "does not fit i8"));
    CHECK(holds(error("a\n-1\n", number(DType::u64)), "does not fit u64"));
    CHECK(holds(error("a\n2\n", number(DType::b1)), "does not fit bool"));
    CHECK(holds(error("a\n1.5\n", number(DType::i32)), "does not fit i32"));
    CHECK(holds(error("a\nx\n", number(DType::i32)), "not a whole number"));
    CHECK(holds(error("a\nx\n", number(DType::f64)), "not a number"));
    CHECK(holds(error("a,b\n,1\n", number(DType::i32)), "has no NaN"));
    CHECK(parsed("a\n1\n2\n", typed({CsvKind::text}))[0].texts == std::vector<std::string>{"1", "2"});
    CHECK(holds(error("b\n1\n", number(DType::i32)), "no column 'a', only b"));
}

TEST_CASE("categories are codes of sorted names") {
    const auto column = parsed("a,b\nz,1\nä,2\nz,3\n,4\n\"a,b\",5\n", typed({CsvKind::category}))[0];
    CHECK(column.kind == CsvKind::category);
    CHECK(column.texts == std::vector<std::string>{"", "a,b", "z", "ä"});
    for (int i = 0; const std::int64_t code : {2, 3, 2, 0, 1}) CHECK(column.values.as_i64(i++) == code);
}

TEST_CASE("dates are days") {
    const CsvOptions dates = typed({CsvKind::date});
    const Array days = parsed("a\n1970-01-01\n 2024-02-29 \n0001-01-01\n", dates)[0].values;
    CHECK(days.dtype() == DType::i32);
    CHECK(days.as_i64(0) == 0);
    CHECK(days.as_i64(1) == 19782);
    CHECK(days.as_i64(2) == -719162);
    for (const char* text : {"2023-02-29", "2024-13-01", "2024-00-01", "24-01-01", "2024/01/01", "2024-1-01",
                             "-024-01-01", "2024-01-01T00", "2024-01- 1", "x"})
        CHECK(holds(error(fmt::format("a\n{}\n", text), dates), "is not a date"));
    CHECK(holds(error("a,b\n,1\n", dates), "has no value"));
}

TEST_CASE("parts of a file") {
    const std::string text = "about\n\"this, file\n# a comment\nb,a\n# another, \"one\n1,x\n2,y\n#\n3,z\n";
    CsvOptions options{.text_columns = true, .skip = 2, .comment = '#'};
    CHECK(parsed(text, options)[1].texts == std::vector<std::string>{"x", "y", "z"});
    options.columns = {"a", "b"};
    const auto both = parsed(text, options);
    CHECK(both[0].name == "a");
    CHECK(both[1].values.as_i64(2) == 3);
    options.columns = {"b"};
    options.first = 1;
    options.rows = 1;
    const auto part = parsed(text, options);
    REQUIRE(part.size() == 1);
    CHECK(part[0].values.elements() == 1);
    CHECK(part[0].values.as_i64(0) == 2);
    options.first = 9;
    CHECK(parsed(text, options)[0].values.elements() == 0);
    options.columns = {"c"};
    CHECK(holds(error(text, options), "no column 'c', only b, a"));
    options.skip = 99;
    CHECK(holds(error(text, options), "fewer than the 99 to skip"));
    CHECK(parse_csv_matrix("x\n1,2\n3,4\n5,6\n", "t", {.skip = 1, .first = 1, .rows = 1}).as_f64(1) == 4);
}

TEST_CASE("what is written is read back") {
    std::vector<CsvColumn> columns(3);
    columns[0].name = "day";
    columns[0].kind = CsvKind::date;
    columns[0].values = Array::from_values(DType::i32, {2}, std::vector<std::int32_t>{19782, -1});
    columns[1].name = "city";
    columns[1].kind = CsvKind::category;
    columns[1].texts = {"NA", "a,b"};
    columns[1].values = Array::from_values(DType::i32, {2}, std::vector<std::int32_t>{0, 1});
    columns[2].name = "note";
    columns[2].texts = {"NA", ""};
    const std::string text = format_csv(columns);
    CHECK(text == "day,city,note\n2024-02-29,\"NA\",\"NA\"\n1969-12-31,\"a,b\",\"\"\n");
    CsvOptions options{.text_columns = true, .missing = {"", "NA"}};
    options.types["day"] = {CsvKind::date};
    options.types["city"] = {CsvKind::category};
    const auto back = parsed(text, options);
    CHECK(back[0].values.as_i64(1) == -1);
    CHECK(back[1].texts == columns[1].texts);
    CHECK(back[2].texts == columns[2].texts);
    columns[1].values = Array::from_values(DType::i32, {2}, std::vector<std::int32_t>{0, 2});
    CHECK(fails(FailureKind::bad_argument, [&] { format_csv(columns); }));
    columns[0].values = Array::from_values(DType::i32, {2}, std::vector<std::int32_t>{0, 1 << 30});
    CHECK(fails(FailureKind::bad_argument, [&] { format_csv(columns); }));
}
