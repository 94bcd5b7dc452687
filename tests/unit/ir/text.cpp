#include "compiler/ir/text.hpp"
#include "compiler/base/diagnostic.hpp"

#include <doctest/doctest.h>

using namespace pm;
using namespace pm::ir;

namespace {

/// Checks that reading and printing does not change the canonical text.
void round_trip(const std::string& text) {
    const BlockPtr block = read(text);
    CHECK(print(*block) == text);
}

std::string error_of(std::string_view text) {
    try {
        read(text);
    } catch (const Error& error) {
        return error.diagnostic().message;
    }
    return "no error";
}

AttrValue example(Attr attr) {
    using integer = std::int64_t;
    using integers = Integers;
    using dtype = DType;
    using text = std::string;
    using literal = Literal;
    const auto fill = [](AttrValue value) {
        if (auto* n = std::get_if<integer>(&value)) *n = -3;
        if (auto* n = std::get_if<integers>(&value)) *n = {1, -2, 3};
        if (auto* d = std::get_if<dtype>(&value)) *d = DType::bf16;
        if (auto* s = std::get_if<text>(&value)) *s = "a \"b\" \\ {}\n\x01 \xc3\xa9";
        if (auto* l = std::get_if<literal>(&value)) l->bytes = {0, 0, 192, 63};
        return value;
    };
    switch (attr) {
#define ATTR(name, kind)                                                                                               \
    case Attr::name: return fill(AttrValue{kind{}});
#include "compiler/ir/attrs.def"
#undef ATTR
    }
    return {};
}

} // namespace

TEST_CASE("the text in the comment of text.hpp is read and printed unchanged") {
    round_trip("fn f(%0: f32[3], %1: f32) -> (f32[3]) {\n"
               "  %2: f32[3] = broadcast(%1) shape=[3] dims=[]\n"
               "  %3: f32[3] = mul(%0, %2)\n"
               "  return %3\n"
               "}\n");
}

TEST_CASE("blocks with regions, with several results and with no results are printed and read") {
    round_trip("fn (%0: i32, %1: f32, %2: f32[3]) -> (f32, f32[3], f32[3]) {\n"
               "  %3: f32, %4: f32[3], %5: f32[3] = scan(%0, %1, %2) reverse=1 whole=1 carried=1 length=3 {\n"
               "    body(%0: i32, %1: i32, %2: f32, %3: f32) {\n"
               "      %4: f32 = add(%2, %3)\n"
               "      print(%4) text=\"x {}\"\n"
               "      return %4, %4, %3\n"
               "    }\n"
               "  }\n"
               "  return %3, %4, %5\n"
               "}\n");
    round_trip("fn none() -> () {\n  print() text=\"hello\"\n  return\n}\n");
}

TEST_CASE("equal callees are printed once, before the callers") {
    const auto callee = [](const char* name, Op op) {
        BlockBuilder b(name);
        const Value x = b.param({DType::f32, {}});
        return b.finish(b.append({op, {x}, {}, {}, {}, {}}, {{DType::f32, {}}}));
    };
    BlockBuilder b("main");
    Values v{b.param({DType::f32, {}})};
    for (const BlockPtr& f : {callee("g", Op::sin), callee("g", Op::sin), callee("g", Op::cos), callee("", Op::sin),
                              callee("a b", Op::sin)})
        v = b.append({Op::call, v, {}, {}, {f}, {}}, {{DType::f32, {}}});
    const std::string text = print(*b.finish(v));
    CHECK(text == "fn @g(%0: f32) -> (f32) {\n  %1: f32 = sin(%0)\n  return %1\n}\n\n"
                  "fn @g.1 g(%0: f32) -> (f32) {\n  %1: f32 = cos(%0)\n  return %1\n}\n\n"
                  "fn @f \"\"(%0: f32) -> (f32) {\n  %1: f32 = sin(%0)\n  return %1\n}\n\n"
                  "fn @f.1 \"a b\"(%0: f32) -> (f32) {\n  %1: f32 = sin(%0)\n  return %1\n}\n\n"
                  "fn main(%0: f32) -> (f32) {\n"
                  "  %1: f32 = call(%0) @g\n  %2: f32 = call(%1) @g\n  %3: f32 = call(%2) @g.1\n"
                  "  %4: f32 = call(%3) @f\n  %5: f32 = call(%4) @f.1\n  return %5\n}\n");
    const BlockPtr back = read(text);
    CHECK(print(*back) == text);
    CHECK(back->insts[0].regions[0] == back->insts[1].regions[0]);
    CHECK(back->insts[3].regions[0]->name.empty());
    CHECK(back->insts[4].regions[0]->name == "a b");
}

TEST_CASE("a callee that is called by a callee within a loop") {
    round_trip("fn @inner(%0: f32) -> (f32) {\n  return %0\n}\n\n"
               "fn @outer(%0: f32) -> (f32) {\n  %1: f32 = call(%0) text=\"inner\" @inner\n  return %1\n}\n\n"
               "fn m(%0: f32) -> (f32) {\n"
               "  %1: f32 = scan(%0) whole=0 carried=1 length=2 {\n"
               "    (%0: i32, %1: f32) {\n"
               "      %2: f32 = call(%1) @outer\n"
               "      %3: f32 = call(%2) @inner\n"
               "      return %3\n"
               "    }\n"
               "  }\n"
               "  return %1\n"
               "}\n");
}

TEST_CASE("values are numbered in the order in which they appear") {
    const BlockPtr block = read("fn f(%x: f32, %7: f32) -> (f32) { # a comment\n %a: f32 = add(%x, %7) return %a }");
    CHECK(print(*block) == "fn f(%0: f32, %1: f32) -> (f32) {\n  %2: f32 = add(%0, %1)\n  return %2\n}\n");
}

TEST_CASE("every operation and every attribute is printed and read") {
    for (int i = 0; i < op_count; ++i) {
        const auto op = static_cast<Op>(i);
        CHECK(op_named(info(op).name) == op);
        CHECK_FALSE(info(op).name.ends_with('_'));
        BlockBuilder inner("r");
        const Value p = inner.param({DType::c64, {2, 0}});
        const BlockPtr region = inner.finish({p});
        BlockBuilder b("f");
        const Value x = b.param({DType::f32, {3}});
        const OpInfo& shape = info(op);
        Inst inst;
        inst.op = op;
        inst.operands.assign(shape.operands < 0 ? 2U : static_cast<std::size_t>(shape.operands), x);
#define ATTR(name, kind) inst.attrs.set(Attr::name, example(Attr::name));
#include "compiler/ir/attrs.def"
#undef ATTR
        if (is_control(op)) inst.regions.assign(op == Op::call ? 1 : 2, region);
        const std::vector<Type> types(shape.results < 0 ? 2U : static_cast<std::size_t>(shape.results),
                                      Type{DType::f32, {3}});
        const Values results = b.append(inst, types);
        const BlockPtr block = b.finish(results);
        const BlockPtr back = read(print(*block));
        CHECK(print(*back) == print(*block));
        REQUIRE(back->insts.size() == 1);
        CHECK(back->insts[0].op == op);
        CHECK(back->insts[0].operands == block->insts[0].operands);
        CHECK(back->insts[0].results == block->insts[0].results);
        CHECK(back->insts[0].regions.size() == block->insts[0].regions.size());
        if (types.empty()) continue; // the dtype of a literal is that of the result
        CHECK(back->insts[0].attrs == block->insts[0].attrs);
    }
}

TEST_CASE("comments are printed after an instruction and are not read") {
    const BlockPtr block = read("fn f(%0: f32) -> (f32) {\n  %1: f32 = sin(%0)\n  return %1\n}\n");
    PrintOptions options;
    options.comment = [](const Block&, const Inst& inst) { return std::string(info(inst.op).name) + "!"; };
    const std::string text = print(*block, options);
    CHECK(text == "fn f(%0: f32) -> (f32) {\n  %1: f32 = sin(%0)  # sin!\n  return %1\n}\n");
    CHECK(print(*read(text)) == print(*block));
}

TEST_CASE("invalid text is refused with its line") {
    CHECK(error_of("") == "IR text, line 1: a word is due here");
    CHECK(error_of("fn f() -> () {\n  return\n}\nfn") == "IR text, line 4: the end of the text is due here");
    CHECK(error_of("fn f(%0: f33) -> () { return }") == "IR text, line 1: a type is due here");
    CHECK(error_of("fn f(%0: f32[-1]) -> () { return }") == "IR text, line 1: a size that is negative or too large");
    CHECK(error_of("fn f(%0: f32[9999999999, 9999999999]) -> () { return }") ==
          "IR text, line 1: a size that is negative or too large");
    CHECK(error_of("fn f(%0: f32) -> () {\n %1: f32 = sine(%0)\n return }") ==
          "IR text, line 2: unknown operation `sine`");
    CHECK(error_of("fn f(%0: f32) -> () {\n %1: f32 = sin(%2)\n return }") ==
          "IR text, line 2: %2 is used before it is defined");
    CHECK(error_of("fn f(%0: f32) -> () {\n %0: f32 = sin(%0)\n return }") == "IR text, line 3: %0 is defined twice");
    CHECK(error_of("fn f(%0: f32) -> () {\n %1: f32 = sin(%0) colour=1\n return }") ==
          "IR text, line 2: unknown attribute `colour`");
    CHECK(error_of("fn f(%0: f32) -> () {\n %1: f32 = sin(%0) axis=1 axis=2\n return }") ==
          "IR text, line 2: a second attribute `axis`");
    CHECK(error_of("fn f(%0: f32) -> () {\n %1: f32 = call(%0) @g\n return }") == "IR text, line 2: no function `@g`");
    CHECK(error_of("fn f(%0: f32) -> (i32) {\n return %0\n}") ==
          "IR text, line 3: the function returns other types than it says");
    CHECK(error_of("fn f() -> () { print() text=\"abc return }") == "IR text, line 1: a text without an end");
    CHECK(error_of("fn f() -> () { print() text=\"\\q\" return }") == "IR text, line 1: an unknown escape");
    std::string deep = "fn f() -> () {";
    for (int i = 0; i < 100000; ++i) deep += " scan() whole=0 carried=0 length=1 { (%0: i32) {";
    CHECK(error_of(deep) == "IR text, line 1: regions are nested too deep");
}

TEST_CASE("every prefix of a text and every text with one byte changed is read or refused") {
    const std::string text = "fn @g(%0: f32[2]) -> (f32[2]) {\n  return %0\n}\n\nfn f(%0: f32[2]) -> (f32[2]) {\n"
                             "  %1: f32[2] = constant() value=f32:[1, nan]\n"
                             "  %2: f32[2] = scan(%0) whole=0 carried=1 length=2 {\n    (%0: i32, %1: f32[2]) {\n      "
                             "return %1\n    }\n  }\n"
                             "  %3: f32[2] = call(%2) @g\n  print(%3) text=\"\\x01\"\n  return %3\n}\n";
    CHECK(print(*read(text)) == text);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto survives = [](const std::string& s) {
            try {
                print(*read(s));
            } catch (const Error&) {
            }
        };
        survives(text.substr(0, i));
        for (const char c : {'%', '}', '0', '"', 'x', '\0', '-'}) {
            std::string changed = text;
            changed[i] = c;
            survives(changed);
        }
    }
}
