#include "tests/unit/plan/harness.hpp"

#include <doctest/doctest.h>

using namespace pm::plan;
using namespace pm::plan::testing;

TEST_CASE("a chain of elementwise operations is one nest of one loop") {
    const Program p = agrees(R"(fn f(%0: f32[3, 4], %1: f32[3, 4]) -> (f32[3, 4]) {
  %2: f32[3, 4] = mul(%0, %1)
  %3: f32[3, 4] = exp(%2)
  %4: f32[3, 4] = add(%3, %0)
  return %4
})");
    CHECK(print(p) == R"(program "f" arena=0 {
  buffer 0: f32[3, 4] argument 0
  buffer 1: f32[3, 4] argument 1
  buffer 2: f32[3, 4] result 0
  arguments=[0, 1] results=[2] forwarded=[-1]
  steps {
    nest [2, 0, 1]
      nest "add" (b0: written f32, b1: f32, b2: f32) grid=[12] {
        stage loops=[] order=lanes block=0 {
          %0: f32 = load b1[i0]
          %1: f32 = load b2[i0]
          %2: f32 = mul(%0, %1)
          %3: f32 = exp(%2)
          %4: f32 = add(%3, %0)
          store b0[i0] = %4
        }
      }
  }
}
)");
}

TEST_CASE("several results of one shape share a nest") {
    const Program p = agrees(R"(fn f(%0: f32[100], %1: f32[100]) -> (f32[100], f32[100], f32[100]) {
  %2: f32[100] = exp(%0)
  %3: f32[100] = mul(%2, %1)
  %4: f32[100] = sub(%2, %1)
  %5: f32[100] = neg(%0)
  return %3, %4, %5
})");
    CHECK(nests(p) == 1);
    CHECK(p.arena_bytes == 0);
}

TEST_CASE("softmax over rows is one nest") {
    const Program p = agrees(R"(fn softmax(%0: f32[40, 70]) -> (f32[40, 70]) {
  %1: f32[40] = reduce_max(%0) axes=[1]
  %2: f32[40, 70] = broadcast(%1) shape=[40, 70] dims=[0]
  %3: f32[40, 70] = sub(%0, %2)
  %4: f32[40, 70] = exp(%3)
  %5: f32[40] = reduce_sum(%4) axes=[1]
  %6: f32[40, 70] = broadcast(%5) shape=[40, 70] dims=[0]
  %7: f32[40, 70] = div(%4, %6)
  return %7
})");
    CHECK(nests(p) == 1);
    CHECK(p.arena_bytes == 0);
    CHECK(p.steps[0].nest->stages.size() == 3);
    CHECK(p.steps[0].nest->grid == std::vector<std::int64_t>{40});
}

TEST_CASE("layer normalisation over rows is one nest, also if axes of size 1 are kept") {
    const Program p = agrees(R"(fn norm(%0: f32[40, 70], %1: f32[70]) -> (f32[40, 70]) {
  %2: f32[40] = reduce_sum(%0) axes=[1]
  %3: f32[40, 1] = reshape(%2) shape=[40, 1]
  %4: f32[40, 1] = constant() shape=[40, 1] dtype=f32 value=f32:0.015
  %5: f32[40, 1] = mul(%3, %4)
  %6: f32[40] = reshape(%5) shape=[40]
  %7: f32[40, 70] = broadcast(%6) shape=[40, 70] dims=[0]
  %8: f32[40, 70] = sub(%0, %7)
  %9: f32[40, 70] = mul(%8, %8)
  %10: f32[40] = reduce_sum(%9) axes=[1]
  %11: f32[40, 1] = reshape(%10) shape=[40, 1]
  %12: f32[40, 1] = mul(%11, %4)
  %13: f32[40, 1] = add(%12, %4)
  %14: f32[40, 1] = rsqrt(%13)
  %15: f32[40] = reshape(%14) shape=[40]
  %16: f32[40, 70] = broadcast(%15) shape=[40, 70] dims=[0]
  %17: f32[40, 70] = mul(%8, %16)
  %18: f32[40, 70] = broadcast(%1) shape=[40, 70] dims=[1]
  %19: f32[40, 70] = mul(%17, %18)
  return %19
})");
    CHECK(nests(p) == 1);
    CHECK(p.arena_bytes == 0);
}

TEST_CASE("a loss is one nest, with operations before and after the reduction") {
    const Program p = agrees(R"(fn mse(%0: f32[300], %1: f32[300]) -> (f32) {
  %2: f32[300] = sub(%0, %1)
  %3: f32[300] = mul(%2, %2)
  %4: f32 = reduce_sum(%3) axes=[0]
  %5: f32 = constant() shape=[] dtype=f32 value=f32:0.25
  %6: f32 = mul(%4, %5)
  return %6
})");
    CHECK(nests(p) == 1);
    CHECK(p.buffers.size() == 3);
}

TEST_CASE("a long reduction is divided into blocks, by its shape") {
    const Program p = agrees(R"(fn f(%0: f32[40000]) -> (f32) {
  %1: f32[40000] = exp(%0)
  %2: f32 = reduce_sum(%1) axes=[0]
  return %2
})");
    CHECK(p.steps[0].nest->stages[0].block == 16384);
}

TEST_CASE("reductions of every kind, over every choice of axes, are planned") {
    for (const char* axes : {"[0]", "[1]", "[2]", "[0, 1]", "[1, 2]", "[0, 2]", "[0, 1, 2]", "[]"}) {
        std::string shape;
        const std::string text(axes);
        const std::string sizes[3] = {"3", "5", "70"};
        for (char d = '0'; d < '3'; ++d)
            if (text.find(d) == std::string::npos) shape += (shape.empty() ? "" : ", ") + sizes[d - '0'];
        const std::string type = shape.empty() ? "" : "[" + shape + "]";
        agrees("fn f(%0: f32[3, 5, 70]) -> (f32" + type + ", f32" + type + ", f32" + type + ") {\n  %1: f32" + type +
               " = reduce_sum(%0) axes=" + text + "\n  %2: f32" + type + " = reduce_max(%0) axes=" + text +
               "\n  %3: f32" + type + " = reduce_prod(%0) axes=" + text + "\n  return %1, %2, %3\n}");
    }
}

TEST_CASE("argmax and the maximum share a nest") {
    const Program p = agrees(R"(fn f(%0: f32[8, 33]) -> (i32[8], f32[8]) {
  %1: i32[8] = argmax(%0) axis=1
  %2: f32[8] = reduce_max(%0) axes=[1]
  return %1, %2
})");
    CHECK(nests(p) == 1);
}

TEST_CASE("the column sums and the row sums of one array") {
    agrees(R"(fn f(%0: f32[9, 33]) -> (f32[33], f32[9], f32[9, 33]) {
  %1: f32[9, 33] = tanh(%0)
  %2: f32[33] = reduce_sum(%1) axes=[0]
  %3: f32[9] = reduce_sum(%1) axes=[1]
  %4: f32[9, 33] = broadcast(%2) shape=[9, 33] dims=[1]
  %5: f32[9, 33] = broadcast(%3) shape=[9, 33] dims=[0]
  %6: f32[9, 33] = add(%4, %5)
  return %2, %3, %6
})");
}

TEST_CASE("an expensive value that is read at another index is stored") {
    const Program p = agrees(R"(fn f(%0: f32[50]) -> (f32[50]) {
  %1: f32[50] = exp(%0)
  %2: f32[50] = reverse(%1) axes=[0]
  %3: f32[50] = add(%1, %2)
  return %3
})");
    CHECK(nests(p) == 2);
    const Program cheap = agrees(R"(fn f(%0: f32[50]) -> (f32[50]) {
  %1: f32[50] = neg(%0)
  %2: f32[50] = reverse(%1) axes=[0]
  %3: f32[50] = add(%1, %2)
  return %3
})");
    CHECK(nests(cheap) == 1);
}

TEST_CASE("shape operations, gathers and constants are fused into their uses") {
    const Program p = agrees(R"(fn f(%0: f32[4, 6], %1: i32[5]) -> (f32[5, 6]) {
  %2: f32[6, 4] = transpose(%0) permutation=[1, 0]
  %3: f32[24] = reshape(%2) shape=[24]
  %4: f32[4, 6] = reshape(%3) shape=[4, 6]
  %5: f32[5, 6] = gather(%4, %1) axes=[0] batch=0
  %6: i32[5, 6] = iota() axis=1 shape=[5, 6] dtype=i32
  %7: f32[5, 6] = convert(%6) dtype=f32
  %8: f32[5, 6] = mul(%5, %7)
  return %8
})");
    CHECK(nests(p) == 1);
}

TEST_CASE("a reshape of a stored value is a view") {
    const Program p = agrees(R"(fn f(%0: f32[4, 6], %1: f32[24, 2]) -> (f32[6, 4], f32[24, 2]) {
  %2: f32[24] = reshape(%0) shape=[24]
  %3: f32[4, 6] = tanh(%0)
  %4: f32[6, 4] = reshape(%3) shape=[6, 4]
  return %4, %1
})");
    CHECK(nests(p) == 1);
    CHECK(copies(p) == 0);
    CHECK(p.forwarded == std::vector<std::int64_t>{-1, 1});
}

TEST_CASE("one value is two results") {
    const Program p = agrees(R"(fn f(%0: f32[6]) -> (f32[6], f32[6], f32[3, 2]) {
  %1: f32[6] = neg(%0)
  %2: f32[3, 2] = reshape(%0) shape=[3, 2]
  return %1, %1, %2
})");
    CHECK(copies(p) == 2);
}

TEST_CASE("each part of a large concatenation is a separate nest without selects") {
    const Program p = agrees(R"(fn f(%0: f32[10, 30], %1: f32[10, 40], %2: f32[10, 0]) -> (f32[10, 70], f32[10, 70]) {
  %3: f32[10, 30] = exp(%0)
  %4: f32[10, 70] = concatenate(%3, %2, %1) axis=1
  %5: f32[10, 70] = neg(%4)
  return %4, %5
})");
    CHECK(nests(p) == 3);
    for (const Step& s : p.steps)
        for (const pm::nest::Inst& inst : s.nest->insts) CHECK(inst.op != pm::nest::ScalarOp::select);
    agrees(R"(fn f(%0: f32[3], %1: f32[4]) -> (f32[7], f32[2]) {
  %2: f32[7] = concatenate(%0, %1) axis=0
  %3: f32[2] = slice(%2) start=[1] limit=[3] stride=[1]
  %4: f32[2] = neg(%3)
  return %2, %4
})");
}

TEST_CASE("huge expressions are split, and operands with several uses do not multiply the code") {
    std::string text = "fn f(%0: f32[10]) -> (f32[10]) {\n";
    for (int i = 0; i < 400; ++i)
        text += "  %" + std::to_string(i + 1) + ": f32[10] = " + (i % 2 == 0 ? "sin" : "neg") + "(%" +
                std::to_string(i) + ")\n";
    const Program deep = agrees(text + "  return %400\n}");
    CHECK(nests(deep) > 1);
    CHECK(nests(deep) < 12);
    text = "fn f(%0: f32[10]) -> (f32[10]) {\n";
    for (int i = 0; i < 60; ++i)
        text +=
            "  %" + std::to_string(i + 1) + ": f32[10] = add(%" + std::to_string(i) + ", %" + std::to_string(i) + ")\n";
    agrees(text + "  return %60\n}");
}

TEST_CASE("a matrix product has an epilogue, and reads transposed operands by strides") {
    const Program p = agrees(R"(fn layer(%0: f32[8, 5], %1: f32[7, 5], %2: f32[7]) -> (f32[8, 7]) {
  %3: f32[5, 7] = transpose(%1) permutation=[1, 0]
  %4: f32[8, 7] = dot(%0, %3) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %5: f32[8, 7] = broadcast(%2) shape=[8, 7] dims=[1]
  %6: f32[8, 7] = add(%4, %5)
  %7: f32[8, 7] = tanh(%6)
  return %7
})");
    CHECK(nests(p) == 0);
    REQUIRE(p.steps.size() == 1);
    CHECK(p.steps[0].kind() == StepKind::dot);
    CHECK(p.steps[0].nest != nullptr);
    CHECK(attributes_text(p.steps[0]) == " integers=[1, 8, 7, 5, 0, 5, 1, 0, 1, 5, 0, 7, 1]");
}

TEST_CASE("a product with rows, columns or a batch of several axes has an epilogue") {
    // Rows that are two axes, a bias, and an array with the layout of the product.
    Program p = agrees(R"(fn f(%0: f32[4, 6, 5], %1: f32[5, 7], %2: f32[7], %3: f32[4, 6, 7]) -> (f32[4, 6, 7]) {
  %4: f32[4, 6, 7] = dot(%0, %1) lhs_contract=[2] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %5: f32[4, 6, 7] = broadcast(%2) shape=[4, 6, 7] dims=[2]
  %6: f32[4, 6, 7] = add(%4, %5)
  %7: f32[4, 6, 7] = tanh(%6)
  %8: f32[4, 6, 7] = add(%7, %3)
  return %8
})");
    REQUIRE(p.steps.size() == 1);
    REQUIRE(p.steps[0].nest != nullptr);
    CHECK(p.steps[0].nest->grid == std::vector<std::int64_t>{1, 24, 7});
    CHECK(attributes_text(p.steps[0]) == " integers=[1, 24, 7, 5, 0, 5, 1, 0, 7, 1, 0, 7, 1]");

    // A batch that is two axes, rows of one axis, and columns of three axes, one of size 1; a bias for each column.
    p = agrees(R"(fn f(%0: f32[2, 3, 4, 5], %1: f32[2, 3, 5, 6, 1, 7], %2: f32[6, 7]) -> (f32[2, 3, 4, 6, 1, 7]) {
  %3: f32[2, 3, 4, 6, 1, 7] = dot(%0, %1) lhs_contract=[3] rhs_contract=[2] lhs_batch=[0, 1] rhs_batch=[0, 1]
  %4: f32[2, 3, 4, 6, 1, 7] = broadcast(%2) shape=[2, 3, 4, 6, 1, 7] dims=[3, 5]
  %5: f32[2, 3, 4, 6, 1, 7] = sub(%3, %4)
  return %5
})");
    REQUIRE(p.steps.size() == 1);
    REQUIRE(p.steps[0].nest != nullptr);
    CHECK(p.steps[0].nest->grid == std::vector<std::int64_t>{6, 4, 42});

    // An epilogue with two results; with a scalar; with an iota over all elements.
    p = agrees(R"(fn f(%0: i32[3, 4, 5], %1: i32[5, 6], %2: i32) -> (i32[3, 4, 6], i32[3, 4, 6]) {
  %3: i32[3, 4, 6] = dot(%0, %1) lhs_contract=[2] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %4: i32[3, 4, 6] = broadcast(%2) shape=[3, 4, 6] dims=[]
  %5: i32[3, 4, 6] = mul(%3, %4)
  %6: i32[72] = iota() axis=0 shape=[72] dtype=i32
  %7: i32[3, 4, 6] = reshape(%6) shape=[3, 4, 6]
  %8: i32[3, 4, 6] = add(%3, %7)
  return %5, %8
})");
    REQUIRE(p.steps.size() == 1);
    CHECK(p.steps[0].nest != nullptr);
}

TEST_CASE("an operation is a separate step if it cannot index the row axes of a product as one axis") {
    // An array that varies along one of the two row axes.
    for (const char* dims : {"[0, 2]", "[1, 2]"}) {
        std::string text = R"(fn f(%0: f32[6, 6, 5], %1: f32[5, 7], %2: f32[6, 7]) -> (f32[6, 6, 7]) {
  %3: f32[6, 6, 7] = dot(%0, %1) lhs_contract=[2] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %4: f32[6, 6, 7] = broadcast(%2) shape=[6, 6, 7] dims=DIMS
  %5: f32[6, 6, 7] = add(%3, %4)
  return %5
})";
        text.replace(text.find("DIMS"), 4, dims);
        const Program p = agrees(text);
        REQUIRE(p.steps.size() == 2);
        CHECK(p.steps[0].nest == nullptr);
        CHECK(nests(p) == 1);
    }
}

TEST_CASE("an epilogue of a product reads one large array, or several arrays that fit into a cache") {
    const auto steps = [](int rows, const char* expression) {
        std::string text =
            R"(fn f(%0: f32[R, 4, 8], %1: f32[8, 512], %2: f32[R, 4, 512], %3: f32[R, 4, 512]) -> (f32[R, 4, 512]) {
  %4: f32[R, 4, 512] = dot(%0, %1) lhs_contract=[2] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %5: f32[R, 4, 512] = add(%4, %2)
  %6: f32[R, 4, 512] = mul(%5, EXPRESSION)
  return %6
})";
        text.replace(text.find("EXPRESSION"), 10, expression);
        for (std::size_t at = text.find('R'); at != std::string::npos; at = text.find('R'))
            text.replace(at, 1, std::to_string(rows));
        return planned(text).steps.size();
    };
    CHECK(steps(1024, "%3") == 1); // 16 MB
    CHECK(steps(1025, "%3") == 2);
    CHECK(steps(1025, "%5") == 1);
}

namespace {

/// Plans with a library for all convolutions. Returns the number of steps, and for each epilogue its number of loops.
std::pair<std::size_t, std::vector<std::size_t>> convolved(const std::string& body, const std::string& results) {
    Options options;
    options.target = &with_convolutions();
    const Program p = agrees("fn f(%0: f32[4, 6, 5], %1: f32[3, 2, 5], %2: f32[3], %3: f32[4, 5, 3]) -> (" + results +
                                 ") {\n"
                                 "  %4: f32[4, 5, 3] = convolution(%0, %1) shape=[4, 5, 3] kind=\"forward\" stride=[1] "
                                 "dilation=[1] padding=[0] groups=1\n"
                                 "  %5: f32[4, 5, 3] = broadcast(%2) shape=[4, 5, 3] dims=[2]\n" +
                                 body,
                             options);
    std::vector<std::size_t> loops;
    for (const Step& s : p.steps)
        if (s.kind() == StepKind::matrices && s.nest) loops.push_back(s.nest->grid.size());
    return {p.steps.size(), loops};
}
using Loops = std::vector<std::size_t>;

} // namespace

TEST_CASE("the epilogue of a convolution consists of the elementwise operations that alone read the convolution") {
    const std::string y = "f32[4, 5, 3]";
    CHECK(convolved("  %6: f32[4, 5, 3] = add(%4, %5)\n  return %6\n}", y) == std::pair(1UL, Loops{2}));
    CHECK(
        convolved("  %6: f32[4, 5, 3] = add(%4, %5)\n  %7: f32[4, 5, 3] = add(%6, %3)\n  %8: f32[4, 5, 3] = tanh(%7)\n"
                  "  return %7, %8\n}",
                  y + ", " + y) == std::pair(1UL, Loops{2}));
    // The epilogue reads a reshape of the convolution.
    CHECK(convolved("  %6: f32[2, 2, 5, 3] = reshape(%4) shape=[2, 2, 5, 3]\n"
                    "  %7: f32[2, 2, 5, 3] = broadcast(%2) shape=[2, 2, 5, 3] dims=[3]\n"
                    "  %8: f32[2, 2, 5, 3] = add(%6, %7)\n  return %8\n}",
                    "f32[2, 2, 5, 3]") == std::pair(1UL, Loops{2}));
    // The sum of two convolutions is an epilogue of the later convolution.
    CHECK(
        convolved(
            "  %7: f32[3, 1, 3] = broadcast(%2) shape=[3, 1, 3] dims=[2]\n"
            "  %6: f32[4, 5, 3] = convolution(%3, %7) shape=[4, 5, 3] kind=\"forward\" stride=[1] dilation=[1] "
            "padding=[0] groups=1\n  %8: f32[4, 5, 3] = add(%4, %6)\n  %9: f32[4, 5, 3] = add(%8, %5)\n  return %9\n}",
            y) == std::pair(3UL, Loops{2}));
}

TEST_CASE("a convolution has no epilogue if it has other uses or other indices, or if an operand is computed later") {
    const std::string y = "f32[4, 5, 3]", added = "  %6: f32[4, 5, 3] = add(%4, %5)\n";
    CHECK(convolved(added + "  return %4, %6\n}", y + ", " + y) == std::pair(2UL, Loops{}));
    CHECK(convolved(added + "  %7: f32[4, 5, 3] = cumsum(%4) axis=1\n  return %6, %7\n}", y + ", " + y) ==
          std::pair(3UL, Loops{}));
    CHECK(convolved("  %6: f32[4, 5, 3] = reverse(%4) axes=[1]\n  %7: f32[4, 5, 3] = add(%6, %5)\n  return %7\n}", y) ==
          std::pair(2UL, Loops{}));
    CHECK(
        convolved("  %6: f32[4, 15] = reshape(%4) shape=[4, 15]\n  %7: f32[15, 4] = transpose(%6) permutation=[1, 0]\n"
                  "  return %7\n}",
                  "f32[15, 4]") == std::pair(2UL, Loops{}));
    CHECK(convolved(added + "  %7: f32[4, 3] = reduce_sum(%6) axes=[1]\n  return %7\n}", "f32[4, 3]") ==
          std::pair(2UL, Loops{}));
    CHECK(convolved("  %6: f32[4, 5, 3] = cumsum(%3) axis=1\n  %7: f32[4, 5, 3] = add(%4, %6)\n  return %7\n}", y) ==
          std::pair(3UL, Loops{}));
    // The convolution is read at its own indices and, by a transpose of a reshape, at other indices.
    CHECK(
        convolved("  %6: f32[20, 3] = reshape(%4) shape=[20, 3]\n  %7: f32[3, 20] = transpose(%6) permutation=[1, 0]\n"
                  "  %8: f32[20, 3] = reshape(%7) shape=[20, 3]\n  %9: f32[20, 3] = add(%6, %8)\n  return %9\n}",
                  "f32[20, 3]")
            .second == Loops{});
}

TEST_CASE("products of every form") {
    agrees(
        R"(fn f(%0: f32[3, 4, 5], %1: f32[3, 5, 6], %2: f32[5], %3: f32[4, 3, 5]) -> (f32[3, 4, 6], f32[3, 4], f32, f32[3, 4, 3, 4], f32[4, 6]) {
  %4: f32[3, 4, 6] = dot(%0, %1) lhs_contract=[2] rhs_contract=[1] lhs_batch=[0] rhs_batch=[0]
  %5: f32[3, 4] = dot(%0, %2) lhs_contract=[2] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %6: f32 = dot(%2, %2) lhs_contract=[0] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %7: f32[3, 4, 4, 3] = dot(%0, %3) lhs_contract=[2] rhs_contract=[2] lhs_batch=[] rhs_batch=[]
  %8: f32[3, 4, 3, 4] = transpose(%7) permutation=[0, 1, 3, 2]
  %9: f32[4, 6] = dot(%0, %1) lhs_contract=[0, 2] rhs_contract=[0, 1] lhs_batch=[] rhs_batch=[]
  return %4, %5, %6, %8, %9
})");
    // The two contracted axes have different orders in the two operands, so one operand is copied.
    const Program p = agrees(R"(fn f(%0: f32[3, 4, 5], %1: f32[5, 4, 6]) -> (f32[3, 6]) {
  %2: f32[3, 6] = dot(%0, %1) lhs_contract=[1, 2] rhs_contract=[1, 0] lhs_batch=[] rhs_batch=[]
  return %2
})");
    CHECK(nests(p) == 1);
}

TEST_CASE("sort, cumulative and scatter operations are kernels") {
    agrees(R"(fn f(%0: f32[5, 7], %1: i32[5, 7]) -> (f32[5, 7], i32[5, 7], f32[5, 7], f32[5, 7]) {
  %2: f32[5, 7], %3: i32[5, 7] = sort(%0, %1) axis=0 keys=1
  %4: f32[5, 7] = cumsum(%0) axis=1 reverse=1
  %5: f32[5, 7] = cummax(%0) axis=0 reverse=0
  return %2, %3, %4, %5
})");
    agrees(
        R"(fn f(%0: f32[5, 7], %1: f32[4, 7], %2: i32[4], %3: f32[5, 3], %4: i32[3]) -> (f32[5, 7], f32[5, 7], f32[5, 7]) {
  %5: f32[5, 7] = scatter(%0, %1, %2) axes=[0] mode="add" batch=0
  %6: f32[3, 5] = transpose(%3) permutation=[1, 0]
  %7: f32[5, 7] = scatter(%0, %6, %4) axes=[1] mode="set" batch=0
  %8: f32[5, 7] = scatter(%5, %1, %2) axes=[0] mode="max" batch=0
  return %5, %7, %8
})");
}

TEST_CASE("arrays without elements") {
    agrees(R"(fn f(%0: f32[0, 3], %1: f32[3, 0]) -> (f32[0, 3], f32[3], f32, f32[3, 3]) {
  %2: f32[0, 3] = neg(%0)
  %3: f32[3] = reduce_sum(%0) axes=[0]
  %4: f32 = reduce_max(%0) axes=[0, 1]
  %5: f32[3, 3] = dot(%1, %0) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  return %2, %3, %4, %5
})");
}

TEST_CASE("temporaries that are not live at the same time share bytes") {
    const Program p = agrees(R"(fn f(%0: f32[64, 64]) -> (f32[64, 64]) {
  %1: f32[64, 64] = dot(%0, %0) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %2: f32[64, 64] = dot(%1, %0) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %3: f32[64, 64] = dot(%2, %0) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %4: f32[64, 64] = dot(%3, %0) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %5: f32[64, 64] = dot(%4, %0) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  return %5
})",
                             {}, 1e-2);
    CHECK(p.arena_bytes == 2 * 64 * 64 * 4);
}

TEST_CASE("checks and prints have sites with their text and shapes") {
    const Program p = planned(R"(fn f(%0: i32[3], %1: f32) -> (i32[3]) {
  %2: i32[3] = constant() shape=[3] dtype=i32 value=i32:2
  %3: bool[3] = less(%0, %2)
  check(%3, %0) text="index {}"
  print(%1) text="{:.2f}"
  return %0
})");
    REQUIRE(p.sites.size() == 2);
    CHECK(p.sites[0].text == "index {}");
    CHECK(p.sites[0].kind == SiteKind::check);
    CHECK(p.sites[0].shapes == std::vector<std::vector<std::int64_t>>{{}}); // the element that failed
    CHECK(p.sites[1].kind == SiteKind::print);
    const auto run = [&](std::int32_t last) {
        const std::vector<std::int32_t> values{0, 1, last};
        const std::vector<float> x{1};
        interpret(p, {pm::runtime::Array::from_values<std::int32_t>(DType::i32, {3}, values),
                      pm::runtime::Array::from_values<float>(DType::f32, {}, x)});
    };
    CHECK_NOTHROW(run(1));
    CHECK_THROWS_AS(run(2), CheckFailed);
}
