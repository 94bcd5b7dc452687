#include "tests/gpu/driver/tests/gpu.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace pm::ptx;

namespace {

/// One warp: %frag is the address of the lane's 6 words in `in`, %to that of its 4 words in `out`.
std::string kernel(const std::string& body, const std::string& before = "") {
    return before + R"(
.visible .entry k(.param .u64 out, .param .u64 in)
{
.reg .b32 %r<9>, %t;
.reg .b64 %x<9>, %to, %frag;
.reg .f32 %f<9>;
ld.param.u64 %to, [out];
ld.param.u64 %frag, [in];
mov.u32 %t, %tid.x;
mul.wide.u32 %x1, %t, 16;
add.s64 %to, %to, %x1;
mul.wide.u32 %x1, %t, 24;
add.s64 %frag, %frag, %x1;
)" + body + "\nret;\n}\n";
}

std::string multiply(const std::string& shape_and_types) {
    return kernel(R"(
ld.global.v2.b32 {%r1, %r2}, [%frag];
ld.global.v2.b32 {%r3, %r4}, [%frag+8];
ld.global.v2.b32 {%r5, %r6}, [%frag+16];
mov.f32 %f1, 0f42C80000;
mov.f32 %f2, 0f00000000;
mma.sync.aligned.)" +
                  shape_and_types +
                  R"( {%f5, %f6, %f7, %f8}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f1, %f2};
st.global.v4.f32 [%to], {%f5, %f6, %f7, %f8};
)");
}

/// Small integers, which every type represents.
int a_at(int line, int k) { return (3 * line + 5 * k) % 7 - 3; }
int b_at(int k, int column) { return (2 * column + k) % 5 - 2; }

/// The words of each lane in the layout of the PTX manual; a word has `each` numbers.
template <class Word>
std::vector<std::uint32_t> fragments(int each, Word word) {
    std::vector<std::uint32_t> made;
    for (int lane = 0; lane < 32; ++lane) {
        const int group = lane / 4, in_group = lane % 4;
        for (int i = 0; i < 4; ++i) {
            const int line = group + (i % 2) * 8, k = each * (in_group + (i / 2) * 4);
            made.push_back(word([&](int n) { return a_at(line, k + n); }));
        }
        for (int i = 0; i < 2; ++i) {
            const int k = each * (in_group + i * 4);
            made.push_back(word([&](int n) { return b_at(k + n, group); }));
        }
    }
    return made;
}

void check_product(const std::vector<float>& found, int depth) {
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i) {
            const int line = lane / 4 + (i / 2) * 8, column = 2 * (lane % 4) + i % 2;
            int sum = i % 2 == 0 ? 100 : 0;
            for (int k = 0; k < depth; ++k) sum += a_at(line, k) * b_at(k, column);
            CHECK(found[static_cast<std::size_t>(4 * lane + i)] == static_cast<float>(sum));
        }
}

std::uint32_t word_of(float value) { return std::bit_cast<std::uint32_t>(value); }

} // namespace

TEST_CASE("mma: TF32 ignores the low 13 bits") {
    Gpu g;
    const CUfunction k = g.function(multiply("m16n8k8.row.col.f32.tf32.tf32.f32"));
    const auto words = fragments(1, [](auto number) { return word_of(static_cast<float>(number(0))) | 0x1FFF; });
    const CUdeviceptr out = g.memory(512);
    REQUIRE(g.run(k, 1, 32, {out, g.memory(words)}) == CUDA_SUCCESS);
    check_product(g.values<float>(out, 128), 8);
}

TEST_CASE("mma: f16 and bf16") {
    Gpu g;
    const CUdeviceptr out = g.memory(512);
    const auto both = [](auto number, auto half) { return half(number(0)) | half(number(1)) << 16; };
    const auto bf16 = [](int n) { return word_of(static_cast<float>(n)) >> 16; };
    const auto f16 = [](int n) -> std::uint32_t {
        static constexpr std::uint32_t magnitudes[] = {0, 0x3C00, 0x4000, 0x4200};
        return magnitudes[n < 0 ? -n : n] | (n < 0 ? 0x8000U : 0U);
    };
    CUfunction k = g.function(multiply("m16n8k16.row.col.f32.bf16.bf16.f32"));
    REQUIRE(g.run(k, 1, 32, {out, g.memory(fragments(2, [&](auto n) { return both(n, bf16); }))}) == CUDA_SUCCESS);
    check_product(g.values<float>(out, 128), 16);
    k = g.function(multiply("m16n8k16.row.col.f32.f16.f16.f32"));
    REQUIRE(g.run(k, 1, 32, {out, g.memory(fragments(2, [&](auto n) { return both(n, f16); }))}) == CUDA_SUCCESS);
    check_product(g.values<float>(out, 128), 16);
}

TEST_CASE("mma: an incomplete warp is an error") {
    Gpu g;
    const CUfunction k = g.function(multiply("m16n8k8.row.col.f32.tf32.tf32.f32"));
    CHECK(g.run(k, 1, 31, {g.memory(512), g.memory(768)}) != CUDA_SUCCESS);
}

TEST_CASE("ldmatrix: rows at the addresses of the lanes, direct and transposed") {
    Gpu g;
    const auto loaded = [&](const std::string& operation, const std::string& registers) {
        // Element c of row r of matrix m is 64 m + 8 r + c; the rows are in reverse order.
        const CUfunction k = g.function(kernel(R"(
.shared .align 16 .b8 rows[512];
mov.u32 %r1, rows;
sub.s32 %r2, 31, %t;
shl.b32 %r2, %r2, 4;
add.s32 %r1, %r1, %r2;
shl.b32 %r2, %t, 3;
shl.b32 %r3, %r2, 16;
or.b32 %r2, %r2, %r3;
add.s32 %r2, %r2, 0x10000;
add.s32 %r3, %r2, 0x20002;
add.s32 %r4, %r3, 0x20002;
add.s32 %r5, %r4, 0x20002;
st.shared.v4.b32 [%r1], {%r2, %r3, %r4, %r5};
bar.warp.sync -1;
mov.u32 %r5, 0;
mov.u32 %r6, 0;
mov.u32 %r7, 0;
mov.u32 %r8, 0;
)" + operation + " " + registers + R"(, [%r1];
st.global.v4.b32 [%to], {%r5, %r6, %r7, %r8};
)"));
        const CUdeviceptr out = g.memory(512);
        REQUIRE(g.run(k, 1, 32, {out, g.memory(768)}) == CUDA_SUCCESS);
        return g.values<std::uint32_t>(out, 128);
    };
    const auto straight = loaded("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "{%r5, %r6, %r7, %r8}");
    const auto transposed = loaded("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "{%r5, %r6, %r7, %r8}");
    const auto two = loaded("ldmatrix.sync.aligned.m8n8.x2.shared.b16", "{%r5, %r6}");
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        for (std::uint32_t m = 0; m < 4; ++m) {
            const std::uint32_t row = lane / 4, column = 2 * (lane % 4);
            const std::uint32_t first = 64 * m + 8 * row + column;
            CHECK(straight[4 * lane + m] == (first | (first + 1) << 16));
            const std::uint32_t other = 64 * m + 8 * column + row;
            CHECK(transposed[4 * lane + m] == (other | (other + 8) << 16));
            CHECK(two[4 * lane + m] == (m < 2 ? straight[4 * lane + m] : 0));
        }
}

TEST_CASE("mma and ldmatrix: unknown forms are refused") {
    Gpu g;
    CHECK(g.refusal(multiply("m16n8k4.row.col.f32.tf32.tf32.f32")) != "");
    CHECK(g.refusal(multiply("m16n8k16.row.col.f32.f16.bf16.f32")) != "");
    CHECK(g.refusal(kernel("ldmatrix.sync.aligned.m8n8.x4.b16 {%r1, %r2, %r3, %r4}, [%x1];")) != "");
}
