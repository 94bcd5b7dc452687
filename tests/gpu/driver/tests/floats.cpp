#include "tests/gpu/driver/tests/gpu.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace pm::ptx;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr std::uint64_t nan32 = 0x7FFF'FFFF;
constexpr std::uint64_t any_nan = 0x7FC0'1234;
constexpr std::uint64_t one = 0x3C00; // in f16
std::uint64_t packed(std::uint64_t high, std::uint64_t low) { return high << 16 | low; }

} // namespace

TEST_CASE("floats: arithmetic of f32 and f64") {
    Gpu g;
    CHECK(g.evaluate("add.rn.f32 %df, %af, %bf;", bits(1.5F), bits(2.25F)) == bits(3.75F));
    CHECK(g.evaluate("add.f32 %df, %af, %bf;", bits(16777216.0F), bits(1.0F)) == bits(16777216.0F));
    CHECK(g.evaluate("add.rp.f32 %df, %af, %bf;", bits(16777216.0F), bits(1.0F)) == bits(16777218.0F));
    CHECK(g.evaluate("add.rm.f64 %dd, %ad, %bd;", bits(1.0), bits(-0x1p-80)) == bits(std::nextafter(1.0, 0.0)));
    CHECK(g.evaluate("add.rz.f64 %dd, %ad, %bd;", bits(-1.0), bits(0x1p-80)) == bits(std::nextafter(-1.0, 0.0)));
    CHECK(g.evaluate("sub.rn.f64 %dd, %ad, %bd;", bits(1.0), bits(0.5)) == bits(0.5));
    CHECK(g.evaluate("mul.rz.f32 %df, %af, %bf;", bits(1.1F), bits(1.1F)) == bits(1.21F));
    CHECK(g.evaluate("mul.rp.f32 %df, %af, %bf;", bits(1.1F), bits(1.1F)) == bits(std::nextafter(1.21F, 2.0F)));
    CHECK(g.evaluate("add.f32 %df, %af, %bf;", bits(inf), bits(-inf)) == nan32);
    CHECK(g.evaluate("mul.f32 %df, %af, %bf;", any_nan, bits(1.0F)) == nan32);
    CHECK(g.evaluate("fma.rn.f32 %df, %af, %bf, %cf;", bits(1 + 0x1p-23F), bits(1 - 0x1p-23F), bits(-1.0F)) ==
          bits(-0x1p-46F));
    CHECK(g.evaluate("fma.rn.f64 %dd, %ad, %bd, %cd;", bits(1 + 0x1p-52), bits(1 - 0x1p-52), bits(-1.0)) ==
          bits(-0x1p-104));
    CHECK(g.evaluate("fma.rz.f32 %df, %af, %bf, %cf;", bits(1.0F), bits(1.0F), bits(-0x1p-60F)) ==
          bits(std::nextafter(1.0F, 0.0F)));
    CHECK(g.evaluate("mad.rn.f64 %dd, %ad, %bd, %cd;", bits(2.0), bits(3.0), bits(4.0)) == bits(10.0));
    CHECK(g.evaluate("div.rn.f32 %df, %af, %bf;", bits(1.0F), bits(3.0F)) == bits(1.0F / 3.0F));
    CHECK(g.evaluate("div.rp.f64 %dd, %ad, %bd;", bits(2.0), bits(3.0)) == bits(std::nextafter(2.0 / 3.0, 1.0)));
    CHECK(g.evaluate("div.rn.f32 %df, %af, %bf;", bits(0.0F), bits(0.0F)) == nan32);
    CHECK(g.evaluate("sqrt.rn.f64 %dd, %ad;", bits(2.0)) == bits(std::sqrt(2.0)));
    CHECK(g.evaluate("sqrt.rn.f32 %df, %af;", bits(-1.0F)) == nan32);
    CHECK(g.evaluate("rcp.rn.f32 %df, %af;", bits(-0.0F)) == bits(-inf));
    CHECK(g.evaluate("rcp.rn.f64 %dd, %ad;", bits(3.0)) == bits(1.0 / 3.0));
}

TEST_CASE("floats: .ftz and .sat") {
    Gpu g;
    const auto small = bits(0x1p-130F);
    CHECK(g.evaluate("add.f32 %df, %af, %bf;", small, small) == bits(0x1p-129F));
    CHECK(g.evaluate("add.ftz.f32 %df, %af, %bf;", small, small) == 0);
    CHECK(g.evaluate("mul.ftz.f32 %df, %af, %bf;", bits(-0x1p-100F), bits(0x1p-30F)) == bits(-0.0F));
    CHECK(g.evaluate("add.sat.f32 %df, %af, %bf;", bits(1.0F), bits(1.0F)) == bits(1.0F));
    CHECK(g.evaluate("fma.rn.sat.f32 %df, %af, %bf, %cf;", any_nan, bits(1.0F), bits(1.0F)) == 0);
    CHECK(g.evaluate("mul.rn.ftz.sat.f32 %df, %af, %bf;", bits(-3.0F), bits(0.25F)) == 0);
}

TEST_CASE("floats: minimum, maximum, signs") {
    Gpu g;
    CHECK(g.evaluate("min.f32 %df, %af, %bf;", any_nan, bits(2.0F)) == bits(2.0F));
    CHECK(g.evaluate("max.f32 %df, %af, %bf;", any_nan, any_nan) == nan32);
    CHECK(g.evaluate("max.NaN.f32 %df, %af, %bf;", bits(2.0F), any_nan) == nan32);
    CHECK(g.evaluate("min.f32 %df, %af, %bf;", bits(0.0F), bits(-0.0F)) == bits(-0.0F));
    CHECK(g.evaluate("max.f64 %dd, %ad, %bd;", bits(-0.0), bits(0.0)) == bits(0.0));
    CHECK(g.evaluate("max.f64 %dd, %ad, %bd;", bits(-1.0), bits(-2.0)) == bits(-1.0));
    CHECK(g.evaluate("neg.f32 %df, %af;", bits(0.0F)) == bits(-0.0F));
    CHECK(g.evaluate("abs.f64 %dd, %ad;", bits(-2.5)) == bits(2.5));
    CHECK(g.evaluate("copysign.f32 %df, %af, %bf;", bits(-1.0F), bits(3.0F)) == bits(-3.0F));
    CHECK(g.evaluate("testp.infinite.f32 %dp, %af;", bits(-inf)) == 1);
    CHECK(g.evaluate("testp.subnormal.f64 %dp, %ad;", 1) == 1);
    CHECK(g.evaluate("testp.normal.f32 %dp, %af;", bits(0.0F)) == 0);
    CHECK(g.evaluate("testp.notanumber.f32 %dp, %af;", any_nan) == 1);
    CHECK(g.evaluate("testp.finite.f64 %dp, %ad;", bits(0.0)) == 1);
}

TEST_CASE("floats: approximations") {
    Gpu g;
    CHECK(g.evaluate("ex2.approx.f32 %df, %af;", bits(3.0F)) == bits(8.0F));
    CHECK(g.evaluate("lg2.approx.ftz.f32 %df, %af;", bits(32.0F)) == bits(5.0F));
    CHECK(g.evaluate("sin.approx.f32 %df, %af;", bits(0.5F)) == bits(static_cast<float>(std::sin(0.5))));
    CHECK(g.evaluate("cos.approx.f32 %df, %af;", bits(0.0F)) == bits(1.0F));
    CHECK(g.evaluate("tanh.approx.f32 %df, %af;", bits(0.0F)) == bits(0.0F));
    CHECK(g.evaluate("rsqrt.approx.f32 %df, %af;", bits(4.0F)) == bits(0.5F));
    CHECK(g.evaluate("sqrt.approx.f32 %df, %af;", bits(4.0F)) == bits(2.0F));
    CHECK(g.evaluate("div.full.f32 %df, %af, %bf;", bits(6.0F), bits(2.0F)) == bits(3.0F));
    CHECK(g.evaluate("rcp.approx.ftz.f64 %dd, %ad;", bits(4.0)) == bits(0.25));
}

TEST_CASE("floats: halves are rounded once") {
    Gpu g;
    CHECK(g.evaluate("add.rn.f16 %d16, %a16, %b16;", one, 0x1000) == one);      // 1 + 2^-11: a tie, to even
    CHECK(g.evaluate("add.f16 %d16, %a16, %b16;", one + 1, 0x1000) == one + 2); // the next tie rounds up
    CHECK(g.evaluate("mul.f16 %d16, %a16, %b16;", 0x7BFF, 0x4000) == 0x7C00);   // 65504 * 2
    CHECK(g.evaluate("sub.f16 %d16, %a16, %b16;", 0x0001, 0x0002) == 0x8001);   // of the least subnormal numbers
    CHECK(g.evaluate("add.f16 %d16, %a16, %b16;", 0x7C00, 0xFC00) == 0x7FFF);
    // fma rounds once: 1 + 2^-48 is 1, and 5 * 3 + 1 is 16.
    CHECK(g.evaluate("fma.rn.f16 %d16, %a16, %b16, %c16;", 0x0001, 0x0001, one) == one);
    CHECK(g.evaluate("fma.rn.f16 %d16, %a16, %b16, %c16;", 0x4500, 0x4200, one) == 0x4C00);
    CHECK(g.evaluate("fma.rn.relu.f16 %d16, %a16, %b16, %c16;", one, 0xBC00, 0) == 0);
    CHECK(g.evaluate("neg.bf16 %d16, %a16;", 0x3F80) == 0xBF80);
    CHECK(g.evaluate("fma.rn.bf16 %d16, %a16, %b16, %c16;", 0x3F80, 0x4000, 0x3F80) == 0x4040);
    CHECK(g.evaluate("add.f16x2 %d32, %a32, %b32;", packed(one, 0x4000), packed(one, one)) == packed(0x4000, 0x4200));
    CHECK(g.evaluate("fma.rn.f16x2 %d32, %a32, %b32, %c32;", packed(one, 0x4000), packed(one, 0x4000), 0) ==
          packed(one, 0x4400));
    CHECK(g.evaluate("max.NaN.f16 %d16, %a16, %b16;", 0x7E00, one) == 0x7FFF);
    CHECK(g.evaluate("min.bf16x2 %d32, %a32, %b32;", packed(0x3F80, 0x7FC0), packed(0x4000, 0x4000)) ==
          packed(0x3F80, 0x4000));
    CHECK(g.evaluate("ex2.approx.f16 %d16, %a16;", 0x4000) == 0x4400);
}

TEST_CASE("floats: comparisons with NaN are true only in the unordered forms") {
    Gpu g;
    const auto holds = [&](const char* how, std::uint64_t a, std::uint64_t b) {
        return g.evaluate("setp." + std::string(how) + ".f32 %dp, %af, %bf;", a, b) == 1;
    };
    for (const char* how : {"eq", "ne", "lt", "le", "gt", "ge", "num"}) CHECK_FALSE(holds(how, any_nan, bits(1.0F)));
    for (const char* how : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"}) CHECK(holds(how, bits(1.0F), any_nan));
    CHECK(holds("eq", bits(0.0F), bits(-0.0F)));
    CHECK_FALSE(holds("ltu", bits(2.0F), bits(1.0F)));
    CHECK(holds("leu", bits(1.0F), bits(1.0F)));
    CHECK_FALSE(holds("equ", bits(2.0F), bits(1.0F)));
    CHECK(g.evaluate("setp.lt.f16 %dp, %a16, %b16;", 0xBC00, one) == 1);
    CHECK(g.evaluate("setp.lt.ftz.f32 %dp, %af, %bf;", 0, bits(0x1p-130F)) == 0);
}

TEST_CASE("comparisons: signs, joined predicates, selections") {
    Gpu g;
    CHECK(g.evaluate("setp.lt.s32 %dp, %a32, %b32;", 0xFFFF'FFFF, 0) == 1);
    CHECK(g.evaluate("setp.lt.u32 %dp, %a32, %b32;", 0xFFFF'FFFF, 0) == 0);
    CHECK(g.evaluate("setp.hs.u64 %dp, %a64, %b64;", ~0ULL, 0) == 1);
    CHECK(g.evaluate("setp.eq.s16 %dp, %a16, %b16;", 0x1'0001, 1) == 1);
    CHECK(g.evaluate("setp.eq.and.b32 %dp, %a32, %b32, %cp;", 1, 1, 0) == 0);
    CHECK(g.evaluate("setp.eq.or.b32 %dp, %a32, %b32, !%cp;", 1, 2, 0) == 1);
    CHECK(g.evaluate("setp.eq.xor.b32 %dp, %a32, %b32, %cp;", 1, 1, 1) == 0);
    CHECK(g.evaluate("setp.lt.s32 %ap|%dp, %a32, %b32;", 1, 2) == 0);
    CHECK(g.evaluate("setp.gt.and.s32 %ap|%dp, %a32, %b32, %cp;", 1, 2, 1) == 1);
    CHECK(g.evaluate("set.lt.u32.f32 %d32, %af, %bf;", bits(1.0F), bits(2.0F)) == 0xFFFF'FFFF);
    CHECK(g.evaluate("set.lt.f32.s32 %df, %a32, %b32;", 1, 2) == bits(1.0F));
    CHECK(g.evaluate("selp.f64 %dd, %ad, %bd, %cp;", bits(1.0), bits(2.0), 0) == bits(2.0));
    CHECK(g.evaluate("selp.b16 %d16, %a16, 7, %cp;", 3, 0, 1) == 3);
    CHECK(g.evaluate("slct.u32.s32 %d32, %a32, %b32, %c32;", 1, 2, 0xFFFF'FFFF) == 2);
    CHECK(g.evaluate("slct.f32.f32 %df, %af, %bf, %cf;", 1, 2, bits(-0.0F)) == 1);
    CHECK(g.evaluate("@%ap mov.u32 %d32, 7;", 0) == 0);
    CHECK(g.evaluate("@!%ap mov.u32 %d32, 7;", 0) == 7);
}

TEST_CASE("conversions: between integers") {
    Gpu g;
    CHECK(g.evaluate("cvt.s64.s32 %d64, %a32;", 0xFFFF'FFFF) == ~0ULL);
    CHECK(g.evaluate("cvt.u64.u32 %d64, %a32;", ~0ULL) == 0xFFFF'FFFF);
    CHECK(g.evaluate("cvt.s64.s8 %d64, %a64;", 0x80) == ~0ULL - 127);
    CHECK(g.evaluate("cvt.s16.s8 %d16, %a16;", 0xFF) == 0xFFFF);
    CHECK(g.evaluate("cvt.s8.s32 %d32, %a32;", 0x1FF) == 0xFFFF'FFFF);
    CHECK(g.evaluate("cvt.u8.u32 %d32, %a32;", 0x1FF) == 0xFF);
    CHECK(g.evaluate("cvt.sat.u8.s32 %d32, %a32;", 0xFFFF'FFFF) == 0);
    CHECK(g.evaluate("cvt.sat.s16.s64 %d16, %a64;", 1ULL << 40) == 0x7FFF);
    CHECK(g.evaluate("cvt.sat.s32.u32 %d32, %a32;", 0xFFFF'FFFF) == 0x7FFF'FFFF);
}

TEST_CASE("conversions: floats to integers saturate") {
    Gpu g;
    CHECK(g.evaluate("cvt.rzi.s32.f32 %d32, %af;", bits(-1.9F)) == 0xFFFF'FFFF);
    CHECK(g.evaluate("cvt.rni.s32.f32 %d32, %af;", bits(2.5F)) == 2);
    CHECK(g.evaluate("cvt.rmi.s32.f64 %d32, %ad;", bits(-1.1)) == 0xFFFF'FFFE);
    CHECK(g.evaluate("cvt.rpi.u32.f32 %d32, %af;", bits(1.1F)) == 2);
    CHECK(g.evaluate("cvt.rzi.s32.f32 %d32, %af;", bits(3e9F)) == 0x7FFF'FFFF);
    CHECK(g.evaluate("cvt.rzi.s32.f32 %d32, %af;", bits(-inf)) == 0x8000'0000);
    CHECK(g.evaluate("cvt.rzi.u32.f32 %d32, %af;", bits(-5.0F)) == 0);
    CHECK(g.evaluate("cvt.rzi.u64.f32 %d64, %af;", bits(inf)) == ~0ULL);
    CHECK(g.evaluate("cvt.rzi.s64.f64 %d64, %ad;", bits(9.3e18)) == 0x7FFF'FFFF'FFFF'FFFF);
    CHECK(g.evaluate("cvt.rzi.s64.f32 %d64, %af;", any_nan) == 0);
    CHECK(g.evaluate("cvt.rzi.s8.f32 %d32, %af;", bits(200.0F)) == 127);
    CHECK(g.evaluate("cvt.rzi.u16.f64 %d16, %ad;", bits(70000.0)) == 0xFFFF);
    CHECK(g.evaluate("cvt.rni.s32.f16 %d32, %a16;", 0x4100) == 2);
}

TEST_CASE("conversions: integers to floats, in each rounding") {
    Gpu g;
    CHECK(g.evaluate("cvt.rn.f32.s32 %df, %a32;", 16777217) == bits(16777216.0F));
    CHECK(g.evaluate("cvt.rp.f32.s32 %df, %a32;", 16777217) == bits(16777218.0F));
    CHECK(g.evaluate("cvt.rz.f32.u64 %df, %a64;", ~0ULL) == bits(18446742974197923840.0F));
    CHECK(g.evaluate("cvt.rn.f32.u64 %df, %a64;", ~0ULL) == bits(18446744073709551616.0F));
    CHECK(g.evaluate("cvt.rm.f64.s64 %dd, %a64;", static_cast<std::uint64_t>(-9007199254740993)) ==
          bits(-9007199254740994.0));
    CHECK(g.evaluate("cvt.rn.f64.u64 %dd, %a64;", 1ULL << 63) == bits(0x1p63));
    CHECK(g.evaluate("cvt.rn.f16.s32 %d16, %a32;", 2049) == 0x6800);
    CHECK(g.evaluate("cvt.rn.f16.u32 %d16, %a32;", 70000) == 0x7C00);
    CHECK(g.evaluate("cvt.rn.f32.s16 %df, %a16;", 0xFFFF) == bits(-1.0F));
    CHECK(g.evaluate("cvt.rn.f32.u8 %df, %a32;", 0x1FF) == bits(255.0F));
}

TEST_CASE("conversions: between floats") {
    Gpu g;
    CHECK(g.evaluate("cvt.f64.f32 %dd, %af;", bits(0.1F)) == bits(static_cast<double>(0.1F)));
    CHECK(g.evaluate("cvt.rn.f32.f64 %df, %ad;", bits(0.1)) == bits(0.1F));
    CHECK(g.evaluate("cvt.rz.f32.f64 %df, %ad;", bits(1e300)) == bits(std::numeric_limits<float>::max()));
    CHECK(g.evaluate("cvt.rn.f32.f64 %df, %ad;", bits(1e300)) == bits(inf));
    CHECK(g.evaluate("cvt.rp.f32.f64 %df, %ad;", bits(1e-300)) == 1);
    CHECK(g.evaluate("cvt.rn.f16.f32 %d16, %af;", bits(65520.0F)) == 0x7C00);
    CHECK(g.evaluate("cvt.rz.f16.f32 %d16, %af;", bits(65520.0F)) == 0x7BFF);
    CHECK(g.evaluate("cvt.rn.f16.f32 %d16, %af;", bits(0x1p-25F)) == 0);
    CHECK(g.evaluate("cvt.rn.f16.f32 %d16, %af;", bits(0x1.8p-25F)) == 1);
    CHECK(g.evaluate("cvt.rn.f16.f32 %d16, %af;", any_nan) == 0x7FFF);
    // A conversion to f32 first would make this a tie.
    CHECK(g.evaluate("cvt.rn.f16.f64 %d16, %ad;", bits(1 + 0x1p-11 + 0x1p-40)) == one + 1);
    CHECK(g.evaluate("cvt.f32.f16 %df, %a16;", 0x8001) == bits(-0x1p-24F));
    CHECK(g.evaluate("cvt.f64.f16 %dd, %a16;", 0x7C00) == bits(static_cast<double>(inf)));
    CHECK(g.evaluate("cvt.rn.bf16.f32 %d16, %af;", bits(1.00390625F)) == 0x3F80);
    CHECK(g.evaluate("cvt.f32.bf16 %df, %a16;", 0x3F81) == bits(1.0078125F));
    CHECK(g.evaluate("cvt.rn.f16x2.f32 %d32, %af, %bf;", bits(2.0F), bits(1.0F)) == packed(0x4000, one));
    CHECK(g.evaluate("cvt.rn.bf16x2.f32 %d32, %af, %bf;", bits(2.0F), bits(1.0F)) == packed(0x4000, 0x3F80));
    CHECK(g.evaluate("cvt.rna.tf32.f32 %d32, %af;", bits(1 + 0x1p-11F)) == bits(1 + 0x1p-10F));
    CHECK(g.evaluate("cvt.rmi.f64.f64 %dd, %ad;", bits(-0.5)) == bits(-1.0));
    CHECK(g.evaluate("cvt.rni.f32.f32 %df, %af;", bits(-0.4F)) == bits(-0.0F));
    CHECK(g.evaluate("cvt.rpi.f32.f32 %df, %af;", bits(1.25F)) == bits(2.0F));
    CHECK(g.evaluate("cvt.sat.f32.f32 %df, %af;", bits(3.0F)) == bits(1.0F));
    CHECK(g.evaluate("cvt.rn.sat.f32.f64 %df, %ad;", bits(-3.0)) == 0);
    CHECK(g.evaluate("cvt.ftz.f64.f32 %dd, %af;", bits(0x1p-140F)) == 0);
    CHECK(g.evaluate("cvt.rn.relu.f16.f32 %d16, %af;", bits(-3.0F)) == 0);
}
