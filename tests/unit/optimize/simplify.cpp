#include "golden.hpp"

#include <array>

using namespace pm;
using namespace pm::optimize;

namespace {

std::string constant_line(const std::string& name, const std::string& dtype, const std::string& shape,
                          const std::string& value) {
    return "%" + name + ": " + dtype + (shape.empty() ? "" : "[" + shape + "]") + " = constant() shape=[" + shape +
           "] dtype=" + dtype + " value=" + dtype + ":" + value + " ";
}

/// A block with parameters %x and %y of `type` and one result %r of `result`.
std::string function(const std::string& type, const std::string& result, const std::string& body,
                     const std::string& value = "r") {
    return "fn f(%x: " + type + ", %y: " + type + ") -> (" + result + ") { " + body + " return %" + value + " }";
}

void becomes(const std::string& type, const std::string& result, const std::string& body, const std::string& due,
             const std::string& value = "r") {
    gives({"simplify", "dce"}, function(type, result, body), function(type, result, due, value));
}
void stays(const std::string& type, const std::string& result, const std::string& body) {
    becomes(type, result, body, body);
}
/// Checks that an operation on %x and this constant is replaced by %x.
void is_x(const std::string& dtype, const std::string& op, const std::string& value, bool left = false) {
    becomes(dtype, dtype,
            constant_line("k", dtype, "", value) + "%r: " + dtype + " = " + op + (left ? "(%k, %x)" : "(%x, %k)"), "",
            "x");
}
void is_not_x(const std::string& dtype, const std::string& op, const std::string& value) {
    stays(dtype, dtype, constant_line("k", dtype, "", value) + "%r: " + dtype + " = " + op + "(%x, %k)");
}

} // namespace

TEST_CASE("operations with neutral elements are removed, if zeros keep their signs") {
    is_x("f32", "add", "-0");
    is_x("f32", "add", "-0", true);
    is_not_x("f32", "add", "0"); // -0 + 0 is 0
    is_x("f32", "sub", "0");
    is_not_x("f32", "sub", "-0");
    is_x("f32", "mul", "1");
    is_x("f64", "mul", "1", true);
    is_x("f32", "div", "1");
    is_not_x("f32", "mul", "0"); // x * 0 is not 0 if x is NaN, an infinity or -0
    is_x("i32", "add", "0");
    is_x("i32", "mul", "1", true);
    is_x("u8", "shift_left", "0");
    is_x("i32", "or", "0");
    is_x("i32", "and", "-1");
    is_x("u16", "and", "65535");
    is_x("bool", "and", "true");
    is_x("bool", "or", "false", true);
    is_x("bool", "xor", "false");
}

TEST_CASE("negations are moved or removed") {
    becomes("f32", "f32", "%n: f32 = neg(%y) %r: f32 = sub(%x, %n)", "%r: f32 = add(%x, %y)");
    becomes("f32", "f32", "%n: f32 = neg(%y) %r: f32 = add(%x, %n)", "%r: f32 = sub(%x, %y)");
    becomes("f32", "f32", "%n: f32 = neg(%x) %r: f32 = add(%n, %y)", "%r: f32 = sub(%y, %x)");
    becomes("f32", "f32", "%n: f32 = neg(%x) %r: f32 = neg(%n)", "", "x");
    becomes("f32", "f32", "%n: f32 = neg(%x) %m: f32 = neg(%y) %r: f32 = mul(%n, %m)", "%r: f32 = mul(%x, %y)");
    becomes("f32", "f32", "%n: f32 = neg(%x) %r: f32 = abs(%n)", "%r: f32 = abs(%x)");
    becomes("f32", "f32", constant_line("k", "f32", "", "-1") + "%r: f32 = mul(%x, %k)", "%r: f32 = neg(%x)");
    becomes("f32", "f32", constant_line("k", "f32", "", "-0") + "%r: f32 = sub(%k, %x)", "%r: f32 = neg(%x)");
    stays("f32", "f32", constant_line("k", "f32", "", "0") + "%r: f32 = sub(%k, %x)"); // 0 - 0 is 0
    stays("f32", "f32", "%d: f32 = sub(%x, %y) %r: f32 = neg(%d)");                    // -(1 - 1) is -0
    stays("f32", "f32", "%r: f32 = sub(%x, %x)");
    becomes("i32", "i32", "%r: i32 = sub(%x, %x)", constant_line("r", "i32", "", "0"));
}

TEST_CASE("division by a power of two is a product") {
    becomes("f32", "f32", constant_line("k", "f32", "", "4") + "%r: f32 = div(%x, %k)",
            constant_line("k", "f32", "", "0.25") + "%r: f32 = mul(%x, %k)");
    stays("f32", "f32", constant_line("k", "f32", "", "3") + "%r: f32 = div(%x, %k)");
    stays("f32", "f32", constant_line("k", "f32", "", "0") + "%r: f32 = div(%x, %k)");
    stays("f32", "f32",
          constant_line("k", "f32", "", "1e-45") + "%r: f32 = div(%x, %k)"); // 2^-149 has an infinite reciprocal
    stays("i32", "i32", constant_line("k", "i32", "", "4") + "%r: i32 = div(%x, %k)");
}

TEST_CASE("comparisons of a value with itself are folded") {
    becomes("i32", "bool", "%r: bool = equal(%x, %x)", constant_line("r", "bool", "", "true"));
    becomes("i32", "bool", "%r: bool = less(%x, %x)", constant_line("r", "bool", "", "false"));
    stays("f32", "bool", "%r: bool = equal(%x, %x)"); // NaN is not equal to NaN
}

TEST_CASE("select") {
    becomes("f32", "f32", "%c: bool = less(%x, %y) %r: f32 = select(%c, %x, %x)", "", "x");
    becomes("f32", "f32", "%c: bool = less(%x, %y) %n: bool = not(%c) %r: f32 = select(%n, %x, %y)",
            "%c: bool = less(%x, %y) %r: f32 = select(%c, %y, %x)");
    becomes("bool", "bool",
            constant_line("t", "bool", "", "true") + constant_line("f", "bool", "", "false") +
                "%r: bool = select(%x, %t, %f)",
            "", "x");
    becomes("bool", "bool",
            constant_line("t", "bool", "", "true") + constant_line("f", "bool", "", "false") +
                "%r: bool = select(%x, %f, %t)",
            "%r: bool = not(%x)");
}

TEST_CASE("two conversions become one if the first is lossless") {
    const auto twice = [](const std::string& from, const std::string& through, const std::string& to) {
        return std::array<std::string, 3>{from, to,
                                          "%m: " + through + " = convert(%x) dtype=" + through + " %r: " + to +
                                              " = convert(%m) dtype=" + to};
    };
    const auto once = [&](const std::string& from, const std::string& through, const std::string& to) {
        const auto [type, result, body] = twice(from, through, to);
        if (from == to)
            becomes(type, result, body, "", "x");
        else
            becomes(type, result, body, "%r: " + to + " = convert(%x) dtype=" + to);
    };
    const auto both = [&](const std::string& from, const std::string& through, const std::string& to) {
        const auto [type, result, body] = twice(from, through, to);
        stays(type, result, body);
    };
    once("f32", "f64", "f32");
    once("f32", "f64", "f16");
    once("i32", "f64", "f32");
    once("i32", "f64", "i32");
    once("bool", "i32", "f32");
    once("u8", "bf16", "i32");
    once("f16", "f32", "i8");
    once("i8", "i64", "u16");
    both("f64", "f32", "f64");
    both("i32", "f32", "i32"); // f32 rounds the i32 2^24 + 1
    both("i32", "f64", "i8");  // 300 as an i32 wraps to 44 in i8; as an f64 it saturates to 127
    both("i32", "u32", "f32"); // -1 wraps to a large u32
    both("f32", "i32", "f32");
    both("f16", "bf16", "f32");
    both("u16", "bf16", "f32");
    both("i32", "bool", "i32");
}

TEST_CASE("rounding, bits, powers") {
    becomes("f32", "f32", "%a: f32 = floor(%x) %r: f32 = round(%a)", "%r: f32 = floor(%x)");
    becomes("f32", "f32", "%a: u32 = bitcast(%x) dtype=u32 %r: f32 = bitcast(%a) dtype=f32", "", "x");
    becomes("f32", "f32", "%r: f32 = integer_pow(%x) exponent=2", "%r: f32 = mul(%x, %x)");
    becomes("f32", "f32", "%r: f32 = integer_pow(%x) exponent=1", "", "x");
    becomes("f32", "f32", "%r: f32 = stop_gradient(%x)", "", "x");
    becomes("bool", "bool", "%a: bool = not(%x) %r: bool = not(%a)", "", "x");
    becomes("f32", "f32", "%r: f32 = max(%x, %x)", "", "x");
}

TEST_CASE("elementwise operations move before broadcasts") {
    becomes("f32", "f32[9]",
            "%a: f32[9] = broadcast(%x) shape=[9] dims=[] " + constant_line("k", "f32", "9", "3") +
                "%b: f32[9] = broadcast(%y) shape=[9] dims=[]"
                " %c: f32[9] = mul(%a, %k) %d: f32[9] = add(%c, %b) %r: f32[9] = exp(%d)",
            constant_line("k", "f32", "", "3") +
                "%c: f32 = mul(%x, %k) %d: f32 = add(%c, %y) %e: f32 = exp(%d) %r: f32[9] "
                "= broadcast(%e) shape=[9] dims=[]");
    stays("f32[3]", "f32[3, 3]",
          "%a: f32[3, 3] = broadcast(%x) shape=[3, 3] dims=[0] %b: f32[3, 3] = broadcast(%y) shape=[3, 3] dims=[1] %r: "
          "f32[3, 3] = add(%a, %b)");
}

TEST_CASE("shape operations on shape operations") {
    becomes("f32[3]", "f32[2, 3, 4]",
            "%a: f32[3, 4] = broadcast(%x) shape=[3, 4] dims=[0] %r: f32[2, 3, 4] = broadcast(%a) shape=[2, 3, 4] "
            "dims=[1, 2]",
            "%r: f32[2, 3, 4] = broadcast(%x) shape=[2, 3, 4] dims=[1]");
    becomes("f32[6]", "f32[6]", "%a: f32[2, 3] = reshape(%x) shape=[2, 3] %r: f32[6] = reshape(%a) shape=[6]", "", "x");
    becomes("f32[2, 3]", "f32[2, 3]",
            "%a: f32[3, 2] = transpose(%x) permutation=[1, 0] %r: f32[2, 3] = transpose(%a) permutation=[1, 0]", "",
            "x");
    becomes(
        "f32[2, 3, 4]", "f32[3, 4, 2]",
        "%a: f32[4, 2, 3] = transpose(%x) permutation=[2, 0, 1] %r: f32[3, 4, 2] = transpose(%a) permutation=[2, 0, 1]",
        "%r: f32[3, 4, 2] = transpose(%x) permutation=[1, 2, 0]");
    becomes("f32[1, 3]", "f32[3, 1]", "%r: f32[3, 1] = transpose(%x) permutation=[1, 0]",
            "%r: f32[3, 1] = reshape(%x) shape=[3, 1]");
    becomes("f32[3]", "f32[4, 3]",
            "%a: f32[3, 4] = broadcast(%x) shape=[3, 4] dims=[0] %r: f32[4, 3] = transpose(%a) permutation=[1, 0]",
            "%r: f32[4, 3] = broadcast(%x) shape=[4, 3] dims=[1]");
    becomes("f32[2, 3]", "f32[3, 4, 2]",
            "%a: f32[2, 4, 3] = broadcast(%x) shape=[2, 4, 3] dims=[0, 2] %r: f32[3, 4, 2] = transpose(%a) "
            "permutation=[2, 1, 0]",
            "%a: f32[3, 2] = transpose(%x) permutation=[1, 0] %r: f32[3, 4, 2] = broadcast(%a) shape=[3, 4, 2] "
            "dims=[0, 2]");
    becomes("f32[3]", "f32[3, 1, 4]",
            "%a: f32[3, 4] = broadcast(%x) shape=[3, 4] dims=[0] %r: f32[3, 1, 4] = reshape(%a) shape=[3, 1, 4]",
            "%r: f32[3, 1, 4] = broadcast(%x) shape=[3, 1, 4] dims=[0]");
    stays("f32[3]", "f32[12]",
          "%a: f32[3, 4] = broadcast(%x) shape=[3, 4] dims=[0] %r: f32[12] = reshape(%a) shape=[12]");
    becomes("f32", "f32[12]", "%a: f32[3, 4] = broadcast(%x) shape=[3, 4] dims=[] %r: f32[12] = reshape(%a) shape=[12]",
            "%r: f32[12] = broadcast(%x) shape=[12] dims=[]");
}

TEST_CASE("slices") {
    becomes(
        "f32[20]", "f32[3]",
        "%a: f32[6] = slice(%x) start=[2] limit=[19] stride=[3] %r: f32[3] = slice(%a) start=[1] limit=[6] stride=[2]",
        "%r: f32[3] = slice(%x) start=[5] limit=[18] stride=[6]");
    becomes("f32[10]", "f32[1]",
            "%a: f32[1] = slice(%x) start=[3] limit=[10] stride=[4611686018427387904] %r: f32[1] = slice(%a) start=[0] "
            "limit=[1] stride=[4]",
            "%r: f32[1] = slice(%x) start=[3] limit=[4] stride=[1]");
    becomes("f32[20]", "f32[20]", "%r: f32[20] = slice(%x) start=[0] limit=[20] stride=[1]", "", "x");
    becomes("f32[4]", "f32[2]",
            "%a: f32[8] = concatenate(%x, %y) axis=0 %r: f32[2] = slice(%a) start=[5] limit=[7] stride=[1]",
            "%r: f32[2] = slice(%y) start=[1] limit=[3] stride=[1]");
    stays("f32[4]", "f32[2]",
          "%a: f32[8] = concatenate(%x, %y) axis=0 %r: f32[2] = slice(%a) start=[3] limit=[5] stride=[1]");
    becomes(
        "f32[4]", "f32[2, 2]",
        "%a: f32[9, 4] = broadcast(%x) shape=[9, 4] dims=[1] %r: f32[2, 2] = slice(%a) start=[1, 0] limit=[3, 4] "
        "stride=[1, 2]",
        "%a: f32[2] = slice(%x) start=[0] limit=[4] stride=[2] %r: f32[2, 2] = broadcast(%a) shape=[2, 2] dims=[1]");
    becomes("f32[4]", "f32[2]", constant_line("k", "i32", "", "9") + "%r: f32[2] = dynamic_slice(%x, %k) sizes=[2]",
            "%r: f32[2] = slice(%x) start=[2] limit=[4] stride=[1]");
    gives({"simplify", "dce"},
          "fn f(%x: f32[4], %u: f32[2], %i: i32) -> (f32[2]) { %a: f32[4] = dynamic_update(%x, %u, %i) %r: f32[2] = "
          "dynamic_slice(%a, %i) sizes=[2] return %r }",
          "fn f(%x: f32[4], %u: f32[2], %i: i32) -> (f32[2]) { return %u }");
    becomes("f32[4]", "f32[4]", constant_line("k", "i32", "", "3") + "%r: f32[4] = dynamic_update(%x, %y, %k)", "",
            "y");
}

TEST_CASE("reverse, pad and concatenate without effect") {
    becomes("f32[2, 3]", "f32[2, 3]", "%a: f32[2, 3] = reverse(%x) axes=[0, 1] %r: f32[2, 3] = reverse(%a) axes=[1]",
            "%r: f32[2, 3] = reverse(%x) axes=[0]");
    becomes("f32[2, 3]", "f32[2, 3]", "%a: f32[2, 3] = reverse(%x) axes=[1] %r: f32[2, 3] = reverse(%a) axes=[1]", "",
            "x");
    becomes("f32[1, 3]", "f32[1, 3]", "%r: f32[1, 3] = reverse(%x) axes=[0]", "", "x");
    becomes("f32[3]", "f32[3]",
            constant_line("k", "f32", "", "0") + "%r: f32[3] = pad(%x, %k) low=[0] high=[0] interior=[0]", "", "x");
    gives({"simplify"},
          "fn f(%x: f32[3], %e: f32[0]) -> (f32[3]) { %r: f32[3] = concatenate(%e, %x, %e) axis=0 return %r }",
          "fn f(%x: f32[3], %e: f32[0]) -> (f32[3]) { return %x }");
}

TEST_CASE("concatenations of adjacent slices become one slice") {
    const std::string row0 = "%a: f32[1, 3] = slice(%x) start=[0, 0] limit=[1, 3] stride=[1, 1] ";
    const std::string row1 = "%b: f32[1, 3] = slice(%x) start=[1, 0] limit=[2, 3] stride=[1, 1] ";
    becomes("f32[2, 3]", "f32[2, 3]", row0 + row1 + "%r: f32[2, 3] = concatenate(%a, %b) axis=0", "", "x");
    becomes("f32[2, 3]", "f32[3, 3]", row0 + row1 + "%r: f32[3, 3] = concatenate(%a, %a, %b) axis=0",
            row0 + "%r: f32[3, 3] = concatenate(%a, %x) axis=0");
    stays("f32[2, 3]", "f32[2, 3]", row1 + row0 + "%r: f32[2, 3] = concatenate(%b, %a) axis=0");
    stays("f32[2, 3]", "f32[1, 6]", row0 + row1 + "%r: f32[1, 6] = concatenate(%a, %b) axis=1");
    stays("f32[2, 3]", "f32[2, 3]",
          row0 + "%b: f32[1, 3] = slice(%y) start=[1, 0] limit=[2, 3] stride=[1, 1] "
                 "%r: f32[2, 3] = concatenate(%a, %b) axis=0");
    stays("f32[9]", "f32[4]",
          "%a: f32[2] = slice(%x) start=[0] limit=[3] stride=[2] %b: f32[2] = slice(%x) start=[3] limit=[6] stride=[2] "
          "%r: f32[4] = concatenate(%a, %b) axis=0");
}

TEST_CASE("reductions of one element or of copies") {
    becomes("i32[3, 1]", "i32[3]", "%r: i32[3] = reduce_sum(%x) axes=[1]", "%r: i32[3] = reshape(%x) shape=[3]");
    becomes("f32[3, 1]", "f32[3]", "%r: f32[3] = reduce_prod(%x) axes=[1]", "%r: f32[3] = reshape(%x) shape=[3]");
    // A sum starts with 0, and 0 + -0 is 0, not -0.
    becomes("f32[3, 1]", "f32[3]", "%r: f32[3] = reduce_sum(%x) axes=[1]",
            "%a: f32[3] = reshape(%x) shape=[3] " + constant_line("z", "f32", "3", "0") + "%r: f32[3] = add(%a, %z)");
    becomes("f32[3]", "f32[3]",
            "%a: f32[3, 4] = broadcast(%x) shape=[3, 4] dims=[0] %r: f32[3] = reduce_max(%a) axes=[1]", "", "x");
    stays("f32[3]", "f32[3]",
          "%a: f32[3, 4] = broadcast(%x) shape=[3, 4] dims=[0] %r: f32[3] = reduce_sum(%a) axes=[1]");
    becomes("f32[1]", "f32[1]", "%r: f32[1] = cumsum(%x) axis=0 reverse=0", "", "x");
    becomes("f32[1, 2]", "i32[2]", "%r: i32[2] = argmax(%x) axis=0", constant_line("r", "i32", "2", "0"));
    stays("f32[2, 1]", "f32[2, 2]",
          "%t: f32[1, 2] = reshape(%y) shape=[1, 2] %r: f32[2, 2] = dot(%x, %t) lhs_contract=[1] rhs_contract=[0] "
          "lhs_batch=[] rhs_batch=[]");
}
