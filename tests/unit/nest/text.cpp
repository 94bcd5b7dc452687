#include "compiler/base/diagnostic.hpp"
#include "compiler/nest/nest.hpp"

#include <doctest/doctest.h>

using namespace pm::nest;

namespace {
constexpr const char* softmax = R"(nest "softmax" (b0: f32, b1: i32, b2: written f32) grid=[4] {
  stage loops=[16] order=lanes block=0 {
    %0: f32 = load b0[16*i0 + i1]
    %1: f32 = reduce max(%0)
  }
  stage loops=[16] order=sequential block=4 {
    %2: i32 = load b1[i0 + 3]
    %3: i64 = convert(%2)
    %4: i64 = index [16*i0 + i1 + -1]
    %5: i64 = constant 0x0
    %6: bool = less_equal(%5, %4)
    %7: f32 = load b0[i1 + %3] if %6
    %8: f32 = sub(%7, %1)
    store b2[16*i0 + i1] = %8 if %6
  }
}
)";
}

TEST_CASE("a nest is read back as it was printed") {
    const Nest nest = read_nest(softmax);
    verify(nest, "reading");
    CHECK(print(nest) == softmax);
}

TEST_CASE("invalid text is refused with its line") {
    const auto refuse = [](const char* text, const char* expected) {
        try {
            read_nest(text);
            FAIL("accepted: " << text);
        } catch (const pm::Error& e) {
            CHECK(std::string(e.what()).find(expected) != std::string::npos);
        }
    };
    refuse("", "nest");
    refuse("nest \"f\" (b0: f99) grid=[] {}", "a dtype");
    refuse("nest \"f\" (b0: f32) grid=[] {\n stage loops=[] order=lanes block=0 {\n %0: f32 = add(%1, %1) } }",
           "line 3");
    refuse("nest \"f\" (b0: f32) grid=[] { stage loops=[] order=lanes block=0 { %0: f32 = load b1[0] } }",
           "a buffer of the nest");
    refuse("nest \"f\" () grid=[] {} more", "the end");
    refuse("nest \"f", "the end of the text");
}

TEST_CASE("the verifier finds invalid nests") {
    const auto broken = [](std::string_view body) {
        const std::string text = "nest \"f\" (b0: f32, b1: written f32) grid=[4] {\n" + std::string(body) + "}\n";
        CHECK_THROWS(verify(read_nest(text), "test"));
    };
    broken("stage loops=[] order=lanes block=0 { %0: i32 = constant 0x1 %1: f32 = neg(%0) store b1[i0] = %1 }");
    broken("stage loops=[] order=lanes block=0 { %0: f32 = constant 0x1 store b0[i0] = %0 }");
    broken("stage loops=[] order=lanes block=0 { %0: f32 = constant 0x1 store b1[i1] = %0 }");
    broken("stage loops=[4] order=lanes block=0 { %0: f32 = load b0[i1] %1: f32 = reduce add(%0) store b1[i0] = %1 }");
    broken("stage loops=[4] order=lanes block=0 { %0: f32 = load b0[i1] } stage loops=[] order=lanes block=0 { store "
           "b1[i0] = %0 }");
}
