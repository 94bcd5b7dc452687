#include "tests/gpu/driver/tests/gpu.hpp"

#include <doctest/doctest.h>

using namespace pm::ptx;

namespace {
constexpr std::uint64_t u32 = 0xFFFF'FFFF;
constexpr std::uint64_t least32 = 0x8000'0000;
} // namespace

TEST_CASE("integers: sums and products") {
    Gpu g;
    CHECK(g.evaluate("add.s32 %d32, %a32, %b32;", u32, 2) == 1);
    CHECK(g.evaluate("add.s16 %d16, %a16, 1;", 0xFFFF) == 0);
    CHECK(g.evaluate("sub.s64 %d64, %a64, %b64;", 1, 2) == ~0ULL);
    CHECK(g.evaluate("add.sat.s32 %d32, %a32, %b32;", 0x7FFF'FFFF, 1) == 0x7FFF'FFFF);
    CHECK(g.evaluate("sub.sat.s32 %d32, %a32, %b32;", least32, 1) == least32);
    CHECK(g.evaluate("mul.lo.s32 %d32, %a32, %b32;", 0x10001, 0x10001) == 0x20001);
    CHECK(g.evaluate("mul.hi.u32 %d32, %a32, %b32;", u32, u32) == 0xFFFF'FFFE);
    CHECK(g.evaluate("mul.hi.s32 %d32, %a32, %b32;", u32, u32) == 0);
    CHECK(g.evaluate("mul.hi.u64 %d64, %a64, %b64;", ~0ULL, ~0ULL) == ~0ULL - 1);
    CHECK(g.evaluate("mul.hi.s64 %d64, %a64, %b64;", ~0ULL, 5) == ~0ULL);
    CHECK(g.evaluate("mul.wide.s32 %d64, %a32, %b32;", u32, 3) == static_cast<std::uint64_t>(-3));
    CHECK(g.evaluate("mul.wide.u32 %d64, %a32, 8;", u32) == u32 * 8);
    CHECK(g.evaluate("mul.wide.s16 %d32, %a16, %b16;", 0xFFFF, 2) == 0xFFFF'FFFE);
    CHECK(g.evaluate("mul.lo.s16 %d16, %a16, %b16;", 0x8000, 0x8001) == 0x8000);
    CHECK(g.evaluate("mad.lo.s32 %d32, %a32, %b32, %c32;", 3, 4, u32) == 11);
    CHECK(g.evaluate("mad.hi.u32 %d32, %a32, %b32, %c32;", u32, u32, 1) == u32);
    CHECK(g.evaluate("mad.wide.u32 %d64, %a32, %b32, %c64;", u32, 2, 5) == 2 * u32 + 5);
    CHECK(g.evaluate("mad.hi.sat.s32 %d32, %a32, %b32, %c32;", 0x7FFF'FFFF, 0x7FFF'FFFF, 0x7FFF'FFFF) == 0x7FFF'FFFF);
    CHECK(g.evaluate("mul24.lo.u32 %d32, %a32, %b32;", 0xFF00'0003, 5) == 15);
    CHECK(g.evaluate("mul24.hi.s32 %d32, %a32, %b32;", 0x80'0000, 0x80'0000) == 1ULL << 30);
    CHECK(g.evaluate("mad24.lo.s32 %d32, %a32, %b32, 1;", 0xFF'FFFF, 7) == 0xFFFF'FFFA);
    CHECK(g.evaluate("sad.u32 %d32, %a32, %b32, %c32;", 3, 10, 100) == 107);
    CHECK(g.evaluate("sad.s32 %d32, %a32, %b32, %c32;", u32, 1, 0) == 2);
    CHECK(g.evaluate("dp4a.u32.s32 %d32, %a32, %b32, %c32;", 0x0102'03FF, 0xFF01'0101, 10) == 10 + 255 + 3 + 2 - 1);
}

TEST_CASE("integers: quotients, minimum and maximum") {
    Gpu g;
    CHECK(g.evaluate("div.s32 %d32, %a32, %b32;", static_cast<std::uint64_t>(-7), 2) == 0xFFFF'FFFD);
    CHECK(g.evaluate("rem.s32 %d32, %a32, %b32;", static_cast<std::uint64_t>(-7), 2) == u32);
    CHECK(g.evaluate("div.u32 %d32, %a32, %b32;", 7, 0) == u32);
    CHECK(g.evaluate("rem.u64 %d64, %a64, %b64;", 7, 0) == 7);
    CHECK(g.evaluate("div.s32 %d32, %a32, %b32;", least32, u32) == least32);
    CHECK(g.evaluate("rem.s64 %d64, %a64, %b64;", 1ULL << 63, ~0ULL) == 0);
    CHECK(g.evaluate("div.u16 %d16, %a16, %b16;", 0xFFFF, 10) == 6553);
    CHECK(g.evaluate("min.s32 %d32, %a32, %b32;", u32, 1) == u32);
    CHECK(g.evaluate("min.u32 %d32, %a32, %b32;", u32, 1) == 1);
    CHECK(g.evaluate("max.s16 %d16, %a16, %b16;", 0x8000, 3) == 3);
    CHECK(g.evaluate("max.u64 %d64, %a64, %b64;", 1ULL << 63, 3) == 1ULL << 63);
    CHECK(g.evaluate("abs.s32 %d32, %a32;", least32) == least32);
    CHECK(g.evaluate("neg.s16 %d16, %a16;", 1) == 0xFFFF);
}

TEST_CASE("integers: carries are added to the next word") {
    Gpu g;
    const auto sum = [&](const char* last, std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t e) {
        return g.evaluate("add.cc.u32 %a32, %a32, %b32;\naddc.cc.u32 %c32, %c32, %e32;\naddc.u32 %e32, 0, 0;\nmov.b64 "
                          "%d64, {%a32, %c32};" +
                              std::string(last),
                          a, b, c, e);
    };
    CHECK(sum("", u32, 1, u32, 0) == 0);
    CHECK(sum("cvt.u64.u32 %d64, %e32;", u32, 1, u32, 0) == 1);
    CHECK(g.evaluate("sub.cc.s64 %a64, %a64, %b64;\nsubc.s64 %d64, %c64, %e64;", 0, 1, 5, 2) == 2);
    CHECK(g.evaluate("mad.lo.cc.u32 %a32, %a32, %b32, %c32;\nmadc.hi.u32 %d32, %b32, %b32, 0;", u32, 1, 1) == 1);
}

TEST_CASE("logic: bits and shifts beyond the width") {
    Gpu g;
    CHECK(g.evaluate("and.b32 %d32, %a32, 12;", 10) == 8);
    CHECK(g.evaluate("xor.b64 %d64, %a64, -1;", 1) == ~1ULL);
    CHECK(g.evaluate("not.b16 %d16, %a16;", 1) == 0xFFFE);
    CHECK(g.evaluate("cnot.b32 %d32, %a32;", 0) == 1);
    CHECK(g.evaluate("not.pred %dp, %ap;", 0) == 1);
    CHECK(g.evaluate("and.pred %dp, %ap, !%bp;", 1, 0) == 1);
    CHECK(g.evaluate("shl.b32 %d32, %a32, %b32;", 1, 31) == least32);
    CHECK(g.evaluate("shl.b32 %d32, %a32, %b32;", 1, 32) == 0);
    CHECK(g.evaluate("shl.b64 %d64, %a64, %b32;", 1, 63) == 1ULL << 63);
    CHECK(g.evaluate("shl.b16 %d16, %a16, %b32;", 3, 15) == 0x8000);
    CHECK(g.evaluate("shr.s32 %d32, %a32, %b32;", least32, 40) == u32);
    CHECK(g.evaluate("shr.u32 %d32, %a32, %b32;", least32, 40) == 0);
    CHECK(g.evaluate("shr.s16 %d16, %a16, %b32;", 0x8000, 1) == 0xC000);
    CHECK(g.evaluate("shr.s64 %d64, %a64, 4;", 1ULL << 63) == 0xF8ULL << 56);
    CHECK(g.evaluate("shf.l.wrap.b32 %d32, %a32, %b32, %c32;", least32, 1, 33) == 3);
    CHECK(g.evaluate("shf.l.clamp.b32 %d32, %a32, %b32, %c32;", 5, 1, 33) == 5);
    CHECK(g.evaluate("shf.r.wrap.b32 %d32, %a32, %b32, %c32;", 0, 1, 1) == least32);
    CHECK(g.evaluate("shf.r.clamp.b32 %d32, %a32, %b32, %c32;", 0, 7, 99) == 7);
    CHECK(g.evaluate("lop3.b32 %d32, %a32, %b32, %c32, 0x96;", 0xF0F0, 0xFF00, 0xAAAA) == (0xF0F0 ^ 0xFF00 ^ 0xAAAA));
    CHECK(g.evaluate("lop3.b32 %d32, %a32, %b32, %c32, 0xCA;", 0xF0, 0x3C, 0x55) == ((0xF0 & 0x3C) | (~0xF0 & 0x55)));
}

TEST_CASE("logic: fields, counts and bytes") {
    Gpu g;
    CHECK(g.evaluate("bfe.u32 %d32, %a32, 4, 8;", 0xABCD) == 0xBC);
    CHECK(g.evaluate("bfe.s32 %d32, %a32, 4, 8;", 0xABCD) == 0xFFFF'FFBC);
    CHECK(g.evaluate("bfe.s32 %d32, %a32, 28, 8;", least32) == 0xFFFF'FFF8);
    CHECK(g.evaluate("bfe.u32 %d32, %a32, 40, 8;", u32) == 0);
    CHECK(g.evaluate("bfe.s64 %d64, %a64, 0, 0;", ~0ULL) == 0);
    CHECK(g.evaluate("bfe.u64 %d64, %a64, 32, 64;", 5ULL << 32) == 5);
    CHECK(g.evaluate("bfi.b32 %d32, %a32, %b32, 4, 8;", 0x12, 0xFFFF'FFFF) == 0xFFFF'F12F);
    CHECK(g.evaluate("bfi.b64 %d64, %a64, %b64, 60, 8;", 0xFF, 0) == 0xFULL << 60);
    CHECK(g.evaluate("popc.b64 %d32, %a64;", ~0ULL) == 64);
    CHECK(g.evaluate("clz.b32 %d32, %a32;", 0) == 32);
    CHECK(g.evaluate("clz.b64 %d32, %a64;", 1) == 63);
    CHECK(g.evaluate("brev.b32 %d32, %a32;", 1) == least32);
    CHECK(g.evaluate("bfind.u32 %d32, %a32;", 0x100) == 8);
    CHECK(g.evaluate("bfind.s32 %d32, %a32;", 0xFFFF'FEFF) == 8);
    CHECK(g.evaluate("bfind.shiftamt.u64 %d32, %a64;", 1) == 63);
    CHECK(g.evaluate("bfind.u32 %d32, %a32;", 0) == u32);
    CHECK(g.evaluate("fns.b32 %d32, %a32, 3, 2;", 0b1011'1000) == 4);
    CHECK(g.evaluate("fns.b32 %d32, %a32, 5, -2;", 0b1011'1000) == 4);
    CHECK(g.evaluate("fns.b32 %d32, %a32, 0, 9;", 0b1011'1000) == u32);
    CHECK(g.evaluate("bmsk.clamp.b32 %d32, %a32, %b32;", 4, 8) == 0xFF0);
    CHECK(g.evaluate("szext.clamp.s32 %d32, %a32, %b32;", 0x1FF, 8) == u32);
    CHECK(g.evaluate("prmt.b32 %d32, %a32, %b32, 0x7531;", 0x3322'1100, 0x7766'5544) == 0x7755'3311);
    CHECK(g.evaluate("prmt.b32 %d32, %a32, %b32, 0x000C;", 0, 0x80) == 0x0000'00FF);
    CHECK(g.evaluate("prmt.b32.f4e %d32, %a32, %b32, 1;", 0x3322'1100, 0x7766'5544) == 0x4433'2211);
    CHECK(g.evaluate("prmt.b32.rc16 %d32, %a32, %b32, 1;", 0x3322'1100, 0x7766'5544) == 0x3322'3322);
}
