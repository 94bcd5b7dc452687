#include "tests/gpu/driver/tests/gpu.hpp"

#include <doctest/doctest.h>

#include <numeric>

using namespace pm::ptx;

namespace {

/// A kernel with the parameters out and in, which are in %out and %in. The thread's number is in %t, 8 times it in %t8.
std::string memory_kernel(const std::string& body, const std::string& before = "", const std::string& after = "") {
    return before + ".visible .entry k(.param .u64 out, .param .u64 in)" + after + R"(
{
.reg .b16 %h<9>;
.reg .b32 %r<9>, %t;
.reg .b64 %x<9>, %out, %in, %t8;
.reg .f32 %f<9>;
.reg .pred %p<9>;
ld.param.u64 %out, [out];
ld.param.u64 %in, [in];
mov.u32 %t, %tid.x;
mul.wide.u32 %t8, %t, 8;
)" + body + "\nret;\n}\n";
}

std::vector<std::uint64_t> count_to(std::size_t n) {
    std::vector<std::uint64_t> made(n);
    std::iota(made.begin(), made.end(), 0);
    return made;
}

} // namespace

TEST_CASE("memory: loads extend, stores truncate, vectors of all widths") {
    Gpu g;
    const CUfunction k = g.function(memory_kernel(R"(
ld.global.s8 %r1, [%in];
cvt.s64.s32 %x1, %r1;
st.global.u64 [%out], %x1;
ld.global.u8 %h1, [%in];
cvt.u64.u16 %x1, %h1;
st.global.u64 [%out+8], %x1;
ld.global.s32 %x1, [%in+8];
st.global.u64 [%out+16], %x1;
ld.global.v2.u32 {%r1, %r2}, [%in+8];
add.s32 %r1, %r1, %r2;
st.global.u32 [%out+24], %r1;
ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%in+16];
st.global.v4.f32 [%out+32], {%f4, %f3, %f2, %f1};
ld.global.v2.b64 {%x1, %x2}, [%in+16];
st.global.v2.u64 [%out+48], {%x2, %x1};
mov.u32 %r1, 258;
st.global.u8 [%out+28], %r1;
)"));
    const CUdeviceptr in = g.memory(std::vector<std::uint32_t>{0xFF, 0, 0xFFFF'FFFE, 3, 10, 20, 30, 40});
    const CUdeviceptr out = g.memory(std::vector<std::uint32_t>(16));
    REQUIRE(g.run(k, 1, 1, {out, in}) == CUDA_SUCCESS);
    CHECK(g.values<std::uint32_t>(out, 16) == std::vector<std::uint32_t>{0xFFFF'FFFF, 0xFFFF'FFFF, 0xFF, 0, 0xFFFF'FFFE,
                                                                         0xFFFF'FFFF, 1, 2, 40, 30, 20, 10, 30, 40, 10,
                                                                         20});
}

TEST_CASE("memory: unwritten memory is all ones") {
    Gpu g;
    const CUdeviceptr made = g.memory(16);
    CHECK(made % 256 == 0);
    CHECK((made >> 62 & 1) == 1);
    CHECK(g.values<std::uint64_t>(made, 2) == std::vector<std::uint64_t>{~0ULL, ~0ULL});
}

TEST_CASE("memory: shared memory, its generic addresses and barriers") {
    Gpu g;
    const CUfunction k = g.function(memory_kernel(R"(
mov.u64 %x1, words;
add.s64 %x2, %x1, %t8;
add.s64 %x3, %in, %t8;
ld.global.u64 %x4, [%x3];
st.shared.u64 [%x2], %x4;
bar.sync 0;
cvta.shared.u64 %x5, %x1;
isspacep.shared %p1, %x5;
isspacep.global %p2, %x5;
mov.u32 %r1, 255;
sub.s32 %r1, %r1, %t;
mul.wide.u32 %x6, %r1, 8;
add.s64 %x6, %x5, %x6;
ld.u64 %x7, [%x6];
@!%p1 mov.u64 %x7, 0;
@%p2 mov.u64 %x7, 0;
add.s64 %x8, %out, %t8;
st.global.u64 [%x8], %x7;
)",
                                                  ".shared .align 8 .b8 words[2048];\n"));
    auto values = count_to(256);
    const CUdeviceptr in = g.memory(values);
    const CUdeviceptr out = g.memory(256 * 8);
    REQUIRE(g.run(k, 1, 256, {out, in}) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(out, 256) == std::vector<std::uint64_t>(values.rbegin(), values.rend()));
}

TEST_CASE("memory: shared memory of the launch follows that of the kernel") {
    Gpu g;
    const CUfunction k = g.function(memory_kernel(R"(
.shared .align 4 .b8 own[4];
mov.u32 %r1, 7;
st.shared.u32 [own], %r1;
mov.u32 %r2, 8;
st.shared.u32 [more], %r2;
st.shared.u32 [more+4], %r2;
ld.shared.u32 %r3, [own];
st.global.u32 [%out], %r3;
mov.u64 %x1, more;
cvt.u32.u64 %r4, %x1;
st.global.u32 [%out+4], %r4;
mov.u32 %r5, %dynamic_smem_size;
st.global.u32 [%out+8], %r5;
)",
                                                  ".extern .shared .align 16 .b8 more[];\n"));
    const CUdeviceptr out = g.memory(12);
    REQUIRE(g.run(k, 1, 1, {out, 0}, nullptr, 8) == CUDA_SUCCESS);
    CHECK(g.values<std::uint32_t>(out, 3) == std::vector<std::uint32_t>{7, 16, 8});
    CHECK(g.run(k, 1, 1, {out, 0}, nullptr, 4) == CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_CASE("memory: local, constant and global variables") {
    Gpu g;
    const CUfunction k =
        g.function(memory_kernel(R"(
.local .align 8 .b8 depot[16];
mov.u64 %x1, depot;
cvta.local.u64 %x2, %x1;
st.u64 [%x2+8], %t8;
ld.local.u64 %x3, [depot+8];
ld.const.u64 %x4, [table+8];
add.s64 %x3, %x3, %x4;
mov.u64 %x5, counter;
ld.global.u32 %x6, [pointer];
ld.global.u64 %x6, [pointer];
atom.global.add.u32 %r1, [%x6], 1;
ld.global.f32 %f1, [half];
cvt.rzi.s64.f32 %x7, %f1;
add.s64 %x3, %x3, %x7;
add.s64 %x8, %out, %t8;
st.global.u64 [%x8], %x3;
bar.sync 0;
ld.global.u32 %r2, [%x5];
st.global.u32 [%in], %r2;
)",
                                 ".const .align 8 .b64 table[2] = {1, 100};\n.global .align 4 .u32 counter = "
                                 "5;\n.global .u64 pointer = counter;\n"
                                 ".global .align 4 .f32 half = 0f447A0000;\n"));
    const CUdeviceptr out = g.memory(32), in = g.memory(4);
    REQUIRE(g.run(k, 1, 4, {out, in}) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(out, 4) == std::vector<std::uint64_t>{1100, 1108, 1116, 1124});
    CHECK(g.values<std::uint32_t>(in, 1)[0] == 9);
}

TEST_CASE("memory: words are packed and unpacked") {
    Gpu g;
    CHECK(g.evaluate("mov.b64 %d64, {%a32, %b32};", 1, 2) == (2ULL << 32 | 1));
    CHECK(g.evaluate("mov.b64 {%d32, %b32}, %a64;", 2ULL << 32 | 1) == 1);
    CHECK(g.evaluate("mov.b64 {_, %d32}, %a64;", 2ULL << 32 | 1) == 2);
    CHECK(g.evaluate("mov.b32 %d32, {%a16, %b16};", 1, 2) == 0x2'0001);
    CHECK(g.evaluate("mov.b64 %d64, {%a16, %b16, %c16, %e16};", 1, 2, 3, 4) == 0x4'0003'0002'0001);
    CHECK(g.evaluate("{ .reg .b16 %own; mov.b32 {%own, %d16}, %a32; }", 0x7'0003) == 7);
}

TEST_CASE("memory: cp.async copies, and pads with zeros") {
    Gpu g;
    const CUfunction k = g.function(memory_kernel(R"(
.shared .align 16 .b8 words[32];
cp.async.cg.shared.global [words], [%in], 16;
cp.async.ca.shared.global [words+16], [%in+16], 8, 4;
cp.async.commit_group;
cp.async.wait_group 0;
ld.shared.v2.u64 {%x1, %x2}, [words];
ld.shared.u64 %x3, [words+16];
st.global.u64 [%out], %x2;
st.global.u64 [%out+8], %x3;
)"));
    const CUdeviceptr in = g.memory(std::vector<std::uint64_t>{1, 2, ~0ULL}), out = g.memory(16);
    REQUIRE(g.run(k, 1, 1, {out, in}) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(out, 2) == std::vector<std::uint64_t>{2, 0xFFFF'FFFF});
}

TEST_CASE("cp.async: a copy is not visible before the thread waits for it") {
    Gpu g;
    const CUfunction k = g.function(memory_kernel(R"(
.shared .align 16 .b8 words[24];
cp.async.ca.shared.global [words], [%in], 8;
cp.async.commit_group;
cp.async.ca.shared.global [words+8], [%in+8], 8;
cp.async.commit_group;
cp.async.ca.shared.global [words+16], [%in+16], 8, 0;
ld.shared.u64 %x1, [words];
st.global.u64 [%out], %x1;
cp.async.wait_group 1;
ld.shared.u64 %x1, [words];
ld.shared.u64 %x2, [words+8];
st.global.u64 [%out+8], %x1;
st.global.u64 [%out+16], %x2;
cp.async.wait_all;
ld.shared.u64 %x1, [words+8];
ld.shared.u64 %x2, [words+16];
st.global.u64 [%out+24], %x1;
st.global.u64 [%out+32], %x2;
)"));
    const CUdeviceptr in = g.memory(std::vector<std::uint64_t>{1, 2}), out = g.memory(40);
    REQUIRE(g.run(k, 1, 1, {out, in}) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(out, 5) == std::vector<std::uint64_t>{~0ULL, 1, ~0ULL, 2, 0});
}

TEST_CASE("atomics: the old value is returned") {
    Gpu g;
    const auto both = [&](const std::string& what, std::uint64_t old, const std::string& type = "u32") {
        const bool wide = type.substr(1) == "64";
        const std::string r = type == "f32" ? "%f1" : wide ? "%x1" : "%r1", t = wide ? "b64" : "b32";
        const CUfunction k = g.function(memory_kernel("atom.global." + what + "." + type + " " + r + ", [%in], " +
                                                      (what == "cas"   ? "5, 9"
                                                       : type == "f32" ? "0f3F800000"
                                                                       : "3") +
                                                      ";\nst.global." + t + " [%out], " + r + ";"));
        const CUdeviceptr in = g.memory(std::vector<std::uint64_t>{old}), out = g.memory(std::vector<std::uint64_t>{0});
        REQUIRE(g.run(k, 1, 1, {out, in}) == CUDA_SUCCESS);
        CHECK(g.values<std::uint64_t>(out, 1)[0] == old);
        return g.values<std::uint64_t>(in, 1)[0];
    };
    CHECK(both("add", 4) == 7);
    CHECK(both("add", 1ULL << 40, "u64") == (1ULL << 40) + 3);
    CHECK(both("add", bits(0.5F), "f32") == bits(1.5F));
    CHECK(both("min", 0xFFFF'FFFF, "u32") == 3);
    CHECK(both("min", 0xFFFF'FFFF, "s32") == 0xFFFF'FFFF);
    CHECK(both("max", 2) == 3);
    CHECK(both("and", 6, "b32") == 2);
    CHECK(both("or", 4, "b64") == 7);
    CHECK(both("xor", 1, "b32") == 2);
    CHECK(both("exch", 8, "b32") == 3);
    CHECK(both("cas", 5, "b32") == 9);
    CHECK(both("cas", 6, "b64") == 6);
    CHECK(both("inc", 3) == 0);
    CHECK(both("inc", 2) == 3);
    CHECK(both("dec", 0) == 3);
    CHECK(both("dec", 7) == 3);
}

TEST_CASE("atomics: the operations of all threads and blocks take effect") {
    Gpu g;
    const CUfunction k = g.function(memory_kernel(R"(
red.relaxed.gpu.global.add.u64 [%out], %t8;
.shared .align 4 .u32 count;
atom.shared.inc.u32 %r1, [count], 1000;
red.global.add.f32 [%in], 0f3F800000;
)"));
    const CUdeviceptr out = g.memory(std::vector<std::uint64_t>{0}), in = g.memory(std::vector<float>{0});
    REQUIRE(g.run(k, 10, 100, {out, in}) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(out, 1)[0] == 10 * 8 * 4950);
    CHECK(g.values<float>(in, 1)[0] == 1000.0F);
}

TEST_CASE("special registers: the position of a thread") {
    Gpu g;
    const CUfunction k = g.function(memory_kernel(R"(
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %ntid.x;
mad.lo.s32 %r3, %r1, %r2, %t;
mul.wide.u32 %x1, %r3, 16;
add.s64 %x2, %out, %x1;
mov.u32 %r4, %laneid;
mov.u32 %r5, %warpid;
mov.u32 %r6, %nctaid.x;
mov.u32 %r7, %lanemask_lt;
st.global.v4.u32 [%x2], {%r4, %r5, %r6, %r7};
mov.u64 %x3, %clock64;
mov.u64 %x4, %clock64;
setp.lt.u64 %p1, %x4, %x3;
@%p1 trap;
)"));
    const CUdeviceptr out = g.memory(3 * 40 * 16);
    REQUIRE(g.run(k, 3, 40, {out, 0}) == CUDA_SUCCESS);
    const auto made = g.values<std::uint32_t>(out, 3 * 40 * 4);
    CHECK(std::vector<std::uint32_t>(made.begin() + 79 * 4, made.begin() + 80 * 4) ==
          std::vector<std::uint32_t>{7, 1, 3, 127});
}
