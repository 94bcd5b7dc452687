#include "compiler/codegen/gpu/dot/product_epilogue.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

using namespace pm;
using codegen::LibraryProduct;
using runtime::DType;
using runtime::ProductEpilogue;

namespace {

/// The library product of 2 x (64 x 32 x 16) with the epilogue `body`. Buffer 0 is the product, buffer 1 the result;
/// `others` declares the buffers after buffer 1.
std::optional<LibraryProduct> read(const std::string& body, const std::string& others = "", DType dtype = DType::f32,
                                   const std::string& stored = "", const std::string& precision = "default") {
    const std::string type(runtime::name(dtype));
    plan::Step dot{plan::DotStep{.precision = precision}};
    dot.buffers = {0, 1, 2, 2, 3, 4};
    dot.nest = std::make_shared<const nest::Nest>(nest::read_nest(fmt::format(
        "nest \"epilogue\" (b0: {}, b1: written {}{}) grid=[2, 64, 32] {{\n  stage loops=[] order=lanes block=0 "
        "{{\n    %0: {} = load b0[2048*i0 + 32*i1 + i2]\n{}  }}\n}}\n",
        type, stored.empty() ? type : stored, others, type, body)));
    const runtime::ProductSpec spec{dtype, dtype, 2, 64, 32, 16, 1024, 16, 1, 512, 32, 1, 2048, 32, 1};
    REQUIRE(library_multiplies(spec));
    return codegen::product_with_epilogue(dot, spec);
}

const std::string store = "    store b1[2048*i0 + 32*i1 + i2] = %{}\n";
std::string stored(int value) { return fmt::format(fmt::runtime(store), value); }

/// The first instructions of gelu(x), where x = %1 = product + bias; `cubic` is the constant of the cubic term of gelu.
std::string gelu(const std::string& cubic = "0x3d372713") {
    return "    %2: f32 = load b2[i2]\n    %1: f32 = add(%0, %2)\n"
           "    %3: f32 = constant 0x3f000000\n    %4: f32 = constant 0x3f800000\n"
           "    %5: f32 = constant 0x3f4c422a\n    %6: f32 = constant " +
           cubic +
           "\n    %7: f32 = mul(%1, %1)\n    %8: f32 = mul(%1, %7)\n    %9: f32 = fma(%6, %8, %1)\n"
           "    %10: f32 = mul(%5, %9)\n    %11: f32 = tanh(%10)\n    %12: f32 = add(%4, %11)\n";
}

} // namespace

TEST_CASE("epilogues of products on the library: a bias, an added matrix, factors") {
    const std::string bias = "    %1: f32 = load b2[i2]\n";
    const std::string matrix = "    %2: f32 = load b3[4096*i0 + 40*i1 + i2 + 8]\n";
    const std::string two = ", b2: f32, b3: f32";
    const std::string half = "    %3: f32 = constant 0x3f000000\n";

    auto made = read(bias + "    %4: f32 = add(%0, %1)\n" + stored(4), ", b2: f32");
    REQUIRE(made);
    ProductEpilogue epilogue;
    epilogue.has_bias = true;
    CHECK(made->spec.epilogue == epilogue);
    CHECK(made->out.buffer == 3);
    CHECK(made->bias->buffer == 4);
    CHECK_FALSE(made->added);
    CHECK_FALSE(made->epilogue);

    made = read(bias + matrix + half + "    %4: f32 = fma(%3, %0, %2)\n    %5: f32 = add(%1, %4)\n" + stored(5), two);
    REQUIRE(made);
    epilogue.scale = 0.5F;
    epilogue.added_scale = 1;
    epilogue.added_b = 4096;
    epilogue.added_m = 40;
    epilogue.added_n = 1;
    CHECK(made->spec.epilogue == epilogue);
    CHECK(made->added->buffer == 5);
    CHECK(made->added->element == 8);

    // the epilogue is -(matrix - product / 0.5)
    made = read(matrix + half + "    %4: f32 = div(%0, %3)\n    %5: f32 = sub(%2, %4)\n    %6: f32 = neg(%5)\n" +
                    stored(6),
                two);
    REQUIRE(made);
    epilogue.has_bias = false;
    epilogue.scale = 2;
    epilogue.added_scale = -1;
    CHECK(made->spec.epilogue == epilogue);

    // a bias along the rows of each product of the batch; the result is in column-major order
    made =
        read("    %1: f32 = load b2[64*i0 + i1]\n    %2: f32 = add(%1, %0)\n    store b1[2048*i0 + i1 + 64*i2] = %2\n",
             ", b2: f32");
    REQUIRE(made);
    CHECK(made->spec.epilogue.bias_b == 64);
    CHECK(made->spec.out_m == 1);
    CHECK(made->spec.out_n == 64);

    // bf16 operands and an f32 result
    made = read("    %1: f32 = convert(%0)\n    %2: f32 = load b2[i2]\n    %3: f32 = add(%1, %2)\n" + stored(3),
                ", b2: f32", DType::bf16, "f32");
    REQUIRE(made);
    CHECK(made->spec.in == DType::bf16);
    CHECK(made->spec.out == DType::f32);
}

TEST_CASE("epilogues of products on the library: gelu") {
    const std::string others = ", b2: f32";
    auto made = read(gelu() + "    %13: f32 = mul(%3, %12)\n    %14: f32 = mul(%1, %13)\n" + stored(14), others);
    REQUIRE(made);
    CHECK(made->spec.epilogue.function == ProductEpilogue::Function::gelu);
    CHECK(made->spec.epilogue.has_bias);
    CHECK(read(gelu() + "    %13: f32 = mul(%1, %3)\n    %14: f32 = mul(%12, %13)\n" + stored(14), others));
    CHECK_FALSE(read(gelu() + "    %13: f32 = mul(%1, %12)\n" + stored(13), others)); // the factor 0.5 is missing
    CHECK_FALSE(read(gelu() + "    %13: f32 = mul(%3, %12)\n    %14: f32 = mul(%0, %13)\n" + stored(14), others));
    CHECK_FALSE(
        read(gelu("0x3d372f00") + "    %13: f32 = mul(%3, %12)\n    %14: f32 = mul(%1, %13)\n" + stored(14), others));
    // gelu that is computed by erf
    CHECK_FALSE(read("    %1: f32 = erf(%0)\n    %2: f32 = mul(%0, %1)\n" + stored(2)));
    // In bf16 each constant has to be the nearest value; the two neighbours of this value are refused.
    const auto in_bf16 = [](std::string text, const std::string& root) {
        const std::pair<std::string, std::string> changes[] = {{": f32", ": bf16"},
                                                               {"0x3f000000", "0x3f00"},
                                                               {"0x3f800000", "0x3f80"},
                                                               {"0x3f4c422a", root},
                                                               {"0x3d372713", "0x3d37"}};
        for (const auto& [from, to] : changes)
            for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
                text.replace(at, from.size(), to);
        return text;
    };
    const std::string whole = gelu() + "    %13: f32 = mul(%3, %12)\n    %14: f32 = mul(%1, %13)\n" + stored(14);
    CHECK(read(in_bf16(whole, "0x3f4c"), ", b2: bf16", DType::bf16));       // 0.796875
    CHECK_FALSE(read(in_bf16(whole, "0x3f4d"), ", b2: bf16", DType::bf16)); // 0.80078125
}

TEST_CASE("epilogues of products that the library does not compute: the compiler emits them") {
    const std::string matrix = "    %1: f32 = load b2[2048*i0 + 32*i1 + i2]\n";
    const std::string sum = "    %2: f32 = add(%0, %1)\n";
    const std::string other = ", b2: f32";
    CHECK(read(matrix + sum + stored(2), other));
    CHECK_FALSE(read(matrix + sum + stored(2), other, DType::f32, "", "high"));
    CHECK_FALSE(read(matrix + sum + stored(2) + "    store b2[2048*i0 + 32*i1 + i2] = %0\n", ", b2: written f32"));
    CHECK_FALSE(read(matrix + "    %2: f32 = mul(%0, %1)\n" + stored(2), other));
    CHECK_FALSE(read(matrix + sum + "    %3: f32 = add(%2, %1)\n" + stored(3), other)); // the matrix is added twice
    CHECK_FALSE(read("    %1: f32 = add(%0, %0)\n" + stored(1)));
    CHECK_FALSE(read("    %1: f32 = constant 0x3f800000\n" + sum + stored(2)));               // a constant is added
    CHECK_FALSE(read("    %1: f32 = constant 0x0\n    %2: f32 = mul(%0, %1)\n" + stored(2))); // 0 * NaN is NaN
    CHECK_FALSE(read("    %1: f32 = constant 0x0\n    %2: f32 = fma(%0, %1, %0)\n" + stored(2)));
    CHECK_FALSE(read("    %1: f32 = constant 0x7f800000\n    %2: f32 = mul(%0, %1)\n" + stored(2)));
    CHECK_FALSE(read("    %1: f32 = constant 0x7f800000\n    %2: f32 = div(%0, %1)\n" + stored(2)));
    CHECK_FALSE(read("    %1: f32 = constant 0x0\n    %2: f32 = max(%0, %1)\n" + stored(2))); // relu
    CHECK_FALSE(read("    %1: f32 = constant 0x0\n    %2: f32 = div(%0, %1)\n" + stored(2)));
    CHECK_FALSE(read("    %1: f32 = load b2[i1]\n" + sum + stored(2), other)); // an array along the rows of one product
    CHECK_FALSE(read("    %1: f32 = load b2[0]\n" + sum + stored(2), other));  // a scalar
    CHECK_FALSE(read("    %1: f32 = load b2[2048*i0 + i1 + 64*i2]\n" + sum + stored(2), other)); // transposed
    CHECK_FALSE(read("    %1: f32 = load b2[-1*i2 + 31]\n" + sum + stored(2), other));           // backwards
    CHECK_FALSE(read("    %1: f32 = load b2[i2]\n" + sum +
                         "    %3: f32 = constant 0x3f000000\n    %4: f32 = mul(%2, %3)\n" + stored(4),
                     other)); // the factor scales the bias too
    // an intermediate value has another dtype than the result
    CHECK_FALSE(read("    %1: bf16 = load b2[i2]\n    %2: bf16 = add(%0, %1)\n    %3: f32 = convert(%2)\n" + stored(3),
                     ", b2: bf16", DType::bf16, "f32"));
    CHECK_FALSE(read("    %1: bf16 = convert(%0)\n    %2: f32 = convert(%1)\n" + stored(2)));
}

namespace {

/// The library convolution of 2 x 5 positions with 3 features and the epilogue `body`. Buffer 0 is the convolution,
/// buffer 1 the result.
std::optional<codegen::LibraryConvolution::Whole>
read_convolution(const std::string& body, const std::string& others, DType dtype = DType::f32,
                 const std::string& stored = "", const std::string& grid = "[10, 3]",
                 runtime::ConvolutionSpec::Kind kind = runtime::ConvolutionSpec::Kind::forward) {
    const std::string type(runtime::name(dtype));
    const runtime::ConvolutionSpec spec{
        .kind = kind, .dtype = dtype, .axes = 1, .batch = 2, .in = 4, .out = 3, .x = {5, 1, 1}, .y = {5, 1, 1}};
    plan::Step step{plan::MatricesStep{"convolution", runtime::convolution_attributes(spec)}};
    step.buffers = {0, 1, 2, 3, 4, 5};
    step.nest = std::make_shared<const nest::Nest>(nest::read_nest(
        fmt::format("nest \"epilogue\" (b0: {}, b1: written {}{}) grid={} {{\n  stage loops=[] order=lanes block=0 {{\n"
                    "    %0: {} = load b0[3*i0 + i1]\n{}  }}\n}}\n",
                    type, stored.empty() ? type : stored, others, grid, type, body)));
    const codegen::LibraryConvolution made = codegen::convolution_with_epilogue(step);
    CHECK(made.epilogue.nest == step.nest); // the nest is kept, in case the library refuses the convolution
    CHECK(made.epilogue.buffers == std::vector<plan::BufferId>{2, 3, 4, 5});
    return made.whole;
}

} // namespace

TEST_CASE("epilogues of convolutions on the library: a bias, an added array") {
    const std::string bias = "    %1: f32 = load b2[i1]\n", one = ", b2: f32", two = ", b2: f32, b3: f32";
    const std::string sum = "    %2: f32 = add(%0, %1)\n", store = "    store b1[3*i0 + i1] = %2\n";
    const std::string added = "    %3: f32 = load b3[3*i0 + i1 + 6]\n", half = "    %4: f32 = constant 0x3f000000\n";
    auto made = read_convolution(bias + sum + store, one);
    REQUIRE(made);
    CHECK(made->epilogue == runtime::ConvolutionEpilogue{});
    CHECK(made->out.buffer == 3);
    CHECK(made->bias.buffer == 4);
    CHECK_FALSE(made->added);
    made =
        read_convolution(bias + added + half +
                             "    %5: f32 = fma(%4, %0, %1)\n    %6: f32 = sub(%5, %3)\n    store b1[3*i0 + i1] = %6\n",
                         two);
    REQUIRE(made);
    CHECK(made->epilogue == runtime::ConvolutionEpilogue{.scale = 0.5F, .added_scale = -1});
    REQUIRE(made->added);
    CHECK(made->added->buffer == 5);
    CHECK(made->added->element == 6);

    using Kind = runtime::ConvolutionSpec::Kind;
    CHECK_FALSE(read_convolution(bias + sum + store, one, DType::f32, "", "[10, 3]", Kind::data));
    CHECK_FALSE(read_convolution(bias + sum + store, one, DType::f32, "", "[10, 2]"));
    CHECK_FALSE(read_convolution("    %1: f32 = load b2[i2]\n    %2: f32 = add(%0, %1)\n    store b1[3*i1 + i2] = %2\n",
                                 one, DType::f32, "", "[1, 10, 3]"));
    CHECK_FALSE(read_convolution("    %1: f32 = constant 0x0\n    %2: f32 = max(%0, %1)\n" + store, ""));
    CHECK_FALSE(read_convolution("    %1: f32 = load b2[3*i0 + i1]\n" + sum + store, one)); // an array, not a bias
    CHECK_FALSE(read_convolution("    %1: f32 = load b2[i0]\n" + sum + store, one));    // one value for each position
    CHECK_FALSE(read_convolution(bias + sum + "    store b1[i0 + 10*i1] = %2\n", one)); // transposed
    CHECK_FALSE(read_convolution(bias + sum +
                                     "    %3: f32 = load b3[6*i0 + i1]\n    %5: f32 = add(%2, %3)\n"
                                     "    store b1[3*i0 + i1] = %5\n",
                                 two)); // the rows are not adjacent in memory
    CHECK_FALSE(read_convolution(bias + sum + store + "    store b3[3*i0 + i1] = %0\n", ", b2: f32, b3: written f32"));
    CHECK_FALSE(
        read_convolution("    %3: f32 = convert(%0)\n    %1: f32 = load b2[i1]\n    %2: f32 = add(%3, %1)\n" + store,
                         one, DType::bf16, "f32"));
}
