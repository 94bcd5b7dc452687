#include "tests/gpu/driver/tests/gpu.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

using namespace pm::ptx;

namespace {

/// One thread per element: %t is its number in the block, %lane in the warp. The kernel stores %d in out[%t].
std::string thread_kernel(const std::string& body, const std::string& before = "") {
    return before + R"(
.visible .entry k(.param .u64 out, .param .u64 in)
{
.reg .b32 %r<9>, %t, %lane, %d;
.reg .b64 %x<9>, %out, %in, %to;
.reg .pred %p<9>;
ld.param.u64 %out, [out];
ld.param.u64 %in, [in];
mov.u32 %t, %tid.x;
mov.u32 %lane, %laneid;
mul.wide.u32 %to, %t, 4;
add.s64 %to, %out, %to;
mov.u32 %d, 0;
)" + body + "\nst.global.u32 [%to], %d;\nret;\n}\n";
}

using Words = std::vector<std::uint32_t>;

Words run(Gpu& g, const std::string& body, unsigned threads, const std::string& before = "") {
    const CUfunction k = g.function(thread_kernel(body, before));
    const CUdeviceptr out = g.memory(threads * 4);
    REQUIRE(g.run(k, 1, threads, {out, 0}) == CUDA_SUCCESS);
    return g.values<std::uint32_t>(out, threads);
}

/// The value f(lane) for each lane of a warp.
template <class F>
Words lanes(F f) {
    Words made;
    for (int lane = 0; lane < 32; ++lane) made.push_back(static_cast<std::uint32_t>(f(lane)));
    return made;
}

} // namespace

TEST_CASE("shuffles: up, down, across and from a lane, at the edges of segments") {
    Gpu g;
    // Segments of 8: the mask of c is 0x18, its clamp 0 for up and 31 for the others.
    const std::string pick = "selp.u32 %r2, 100, 0, %p1;\nadd.s32 %d, %d, %r2;";
    CHECK(run(g, "shfl.sync.up.b32 %d|%p1, %lane, 3, 0x1800, -1;" + pick, 32) ==
          lanes([](int n) { return n % 8 >= 3 ? n - 3 + 100 : n; }));
    CHECK(run(g, "shfl.sync.down.b32 %d|%p1, %lane, 3, 0x181f, -1;" + pick, 32) ==
          lanes([](int n) { return n % 8 < 5 ? n + 3 + 100 : n; }));
    CHECK(run(g, "shfl.sync.bfly.b32 %d|%p1, %lane, 4, 0x181f, -1;" + pick, 32) ==
          lanes([](int n) { return (n ^ 4) + 100; }));
    CHECK(run(g, "shfl.sync.bfly.b32 %d|%p1, %lane, 8, 0x181f, -1;" + pick, 32) ==
          lanes([](int n) { return (n & 8) != 0 ? (n ^ 8) + 100 : n; }));
    CHECK(run(g, "shfl.sync.idx.b32 %d|%p1, %lane, 13, 0x181f, -1;" + pick, 32) ==
          lanes([](int n) { return n / 8 * 8 + 5 + 100; }));
    CHECK(run(g, "shfl.sync.idx.b32 %d|%p1, %lane, 6, 0x1803, -1;" + pick, 32) ==
          lanes([](int n) { return n; }));                                         // beyond the clamp of 3
    CHECK(run(g, "shfl.sync.down.b32 %d, %t, 1, 31, -1;", 40)[39] == 0xBAD0'BAD0); // lane 8 of that warp does not exist
}

TEST_CASE("shuffles: threads with the same mask meet at different instructions") {
    Gpu g;
    const Words made = run(g, R"(
setp.lt.u32 %p1, %lane, 16;
@%p1 bra low;
shfl.sync.idx.b32 %d, %lane, 20, 31, 0xFFFF0000;
bra.uni done;
low:
shfl.sync.idx.b32 %d, %lane, 3, 31, 0xFFFF;
done:
bar.warp.sync -1;
)",
                           32);
    CHECK(made == lanes([](int n) { return n < 16 ? 3 : 20; }));
}

TEST_CASE("votes, matches and reductions of a warp") {
    Gpu g;
    const auto with = [&](const std::string& body, unsigned threads = 32) {
        return run(g, "and.b32 %r1, %lane, 3;\nsetp.eq.u32 %p1, %r1, 1;\n" + body, threads);
    };
    CHECK(with("vote.sync.ballot.b32 %d, %p1, -1;")[5] == 0x2222'2222);
    CHECK(with("vote.sync.ballot.b32 %d, %p1, -1;", 6)[5] == 0x22);
    CHECK(with("vote.sync.any.pred %p2, %p1, -1;\nselp.u32 %d, 1, 0, %p2;")[0] == 1);
    CHECK(with("vote.sync.all.pred %p2, %p1, -1;\nselp.u32 %d, 1, 0, %p2;")[1] == 0);
    CHECK(with("setp.lt.u32 %p3, %t, 99;\nvote.sync.uni.pred %p2, !%p3, -1;\nselp.u32 %d, 1, 0, %p2;")[1] == 1);
    CHECK(with("match.any.sync.b32 %d, %r1, -1;")[2] == 0x4444'4444);
    CHECK(with("match.all.sync.b32 %d|%p2, %r1, -1;\nselp.u32 %r2, 7, 0, %p2;\nor.b32 %d, %d, %r2;")[2] == 0);
    CHECK(with("mov.u64 %x1, 5;\nmatch.all.sync.b64 %d|%p2, %x1, -1;")[2] == 0xFFFF'FFFF);
    CHECK(with("redux.sync.add.u32 %d, %lane, -1;")[9] == 496);
    CHECK(with("sub.s32 %r1, 3, %lane;\nredux.sync.min.s32 %d, %r1, -1;")[9] == static_cast<std::uint32_t>(-28));
    CHECK(with("redux.sync.max.u32 %d, %lane, -1;")[9] == 31);
    CHECK(with("redux.sync.xor.b32 %d, %lane, -1;")[9] == 0);
    CHECK(with("activemask.b32 %r2;\nshr.u32 %r2, %r2, %lane;\nand.b32 %d, %r2, 1;")[9] == 1);
}

TEST_CASE("barriers: reductions, counts, arrivals, ended threads") {
    Gpu g;
    const std::string odd = "and.b32 %r1, %t, 1;\nsetp.eq.u32 %p1, %r1, 1;\n";
    CHECK(run(g, odd + "bar.red.popc.u32 %d, 0, %p1;", 100)[7] == 50);
    CHECK(run(g, odd + "bar.red.and.pred %p2, 0, %p1;\nselp.u32 %d, 1, 0, %p2;", 100)[7] == 0);
    CHECK(run(g, odd + "bar.red.or.pred %p2, 0, %p1;\nselp.u32 %d, 1, 0, %p2;", 100)[6] == 1);
    CHECK(run(g, "setp.gt.u32 %p1, %t, 50;\n@%p1 ret;\nbarrier.sync 3;\nmov.u32 %d, 5;", 64)[50] == 5);
    // The first warp arrives, the second one waits.
    const Words made = run(g, R"(
.shared .align 4 .u32 word;
setp.lt.u32 %p1, %t, 32;
@%p1 bra give;
bar.sync 1, 64;
ld.shared.u32 %d, [word];
bra.uni done;
give:
mov.u32 %r1, 77;
st.shared.u32 [word], %r1;
bar.arrive 1, 64;
done:
)",
                           64);
    CHECK(made[40] == 77);
}

TEST_CASE("threads that wait forever fail the launch") {
    for (const char* body :
         {"setp.lt.u32 %p1, %t, 16;\n@%p1 bra other;\nbar.warp.sync -1;\nbra.uni done;\nother:\nbar.sync 0;\ndone:\n",
          "setp.lt.u32 %p1, %t, 16;\n@%p1 bra other;\nbar.sync 1, 64;\nother:\n",
          "again:\nld.volatile.global.u32 %r1, [%out];\nsetp.ne.u32 %p1, %r1, 3;\n@%p1 bra again;",
          "again:\natom.global.cas.b32 %r1, [%out], 3, 4;\nsetp.ne.u32 %p1, %r1, 3;\n@%p1 bra again;"}) {
        Gpu g;
        CAPTURE(body);
        const CUfunction k = g.function(thread_kernel(body));
        CHECK(g.run(k, 1, 32, {g.memory(128), 0}) == CUDA_ERROR_LAUNCH_FAILED);
    }
}

TEST_CASE("threads may wait for each other through memory") {
    Gpu g;
    // Threads run one after another, from the last to the first.
    const Words made = run(g, R"(
sub.s32 %r1, 63, %t;
again:
ld.acquire.gpu.global.u32 %r2, [turn];
setp.ne.u32 %p1, %r1, %r2;
@%p1 bra again;
add.s32 %d, %r2, 1;
st.release.gpu.global.u32 [turn], %d;
)",
                           64, ".global .u32 turn = 0;");
    CHECK(made[0] == 64);
    CHECK(made[63] == 1);
}

TEST_CASE("blocks of a cooperative launch wait for each other") {
    Gpu g;
    const CUfunction k = g.function(thread_kernel(R"(
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %nctaid.x;
mov.u32 %r3, 1;
setp.ne.u32 %p1, %t, 0;
@%p1 bra joined;
red.release.gpu.global.add.u32 [count], 1;
again:
ld.acquire.gpu.global.u32 %r4, [count];
setp.lt.u32 %p2, %r4, %r2;
@%p2 bra again;
joined:
bar.sync 0;
ld.volatile.global.u32 %d, [count];
red.global.add.u32 [%in], %d;
)",
                                                  ".global .u32 count = 0;"));
    const CUdeviceptr out = g.memory(256), in = g.memory(std::vector<std::uint32_t>{0});
    std::uint64_t a = out, b = in;
    void* parameters[] = {&a, &b};
    REQUIRE(g.cuLaunchCooperativeKernel(k, 20, 1, 1, 64, 1, 1, 0, nullptr, parameters) == CUDA_SUCCESS);
    CHECK(g.values<std::uint32_t>(in, 1)[0] == 20 * 20 * 64);
    CHECK(g.cuLaunchCooperativeKernel(k, 1000, 1, 1, 64, 1, 1, 0, nullptr, parameters) ==
          CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    // A launch that is not cooperative runs one block after another, which would wait forever.
    CHECK(g.run(k, 25, 64, {out, in}) == CUDA_ERROR_LAUNCH_FAILED);
}

TEST_CASE("control: loops, tables of targets, calls within calls") {
    Gpu g;
    CHECK(run(g, R"(
mov.u32 %r1, 0;
again:
add.s32 %d, %d, %r1;
add.s32 %r1, %r1, 1;
setp.le.u32 %p1, %r1, %t;
@%p1 bra again;
)",
              5) == Words{0, 1, 3, 6, 10});
    CHECK(run(g, R"(
places: .branchtargets a, b, c;
brx.idx %t, places;
a: mov.u32 %d, 10;
bra.uni done;
b: mov.u32 %d, 11;
c: add.s32 %d, %d, 20;
done:
)",
              3) == Words{10, 31, 20});
    CHECK(run(g, R"(
{
.param .b32 given;
st.param.b32 [given+0], %t;
.param .b32 back;
call.uni (back), fibonacci, (given);
ld.param.b32 %d, [back+0];
}
)",
              11, R"(
.func (.param .b32 result) fibonacci(.param .b32 n)
{
.reg .b32 %r<6>;
.reg .pred %p;
.local .align 4 .b8 kept[4];
ld.param.u32 %r1, [n];
setp.lt.u32 %p, %r1, 2;
@%p bra small;
sub.s32 %r2, %r1, 1;
{ .param .b32 given; st.param.b32 [given], %r2; .param .b32 back; call.uni (back), fibonacci, (given); ld.param.b32 %r3, [back]; }
st.local.u32 [kept], %r3;
sub.s32 %r2, %r1, 2;
{ .param .b32 given; st.param.b32 [given], %r2; .param .b32 back; call.uni (back), fibonacci, (given); ld.param.b32 %r4, [back]; }
ld.local.u32 %r3, [kept];
add.s32 %r1, %r3, %r4;
small:
st.param.b32 [result], %r1;
ret;
}
)") == Words{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55});
}

TEST_CASE("invalid source is refused with its line") {
    Gpu g;
    CHECK(g.refusal(thread_kernel("frob.u32 %d, %t;")).find("line 17: frob.u32: no operation of this name") !=
          std::string::npos);
    CHECK(g.refusal(thread_kernel("add.f99.s32 %d, %t, 1;")).find("unknown modifier .f99") != std::string::npos);
    CHECK(g.refusal(thread_kernel("add.s32 %d, %nothing, 1;")).find("no name: %nothing") != std::string::npos);
    CHECK(g.refusal(thread_kernel("add.s64 %x1, %t, 1;")).find("%t is too narrow") != std::string::npos);
    CHECK(g.refusal(thread_kernel("add.s32 %d, %p1, 1;")).find("of another type") != std::string::npos);
    CHECK(g.refusal(thread_kernel("bra nowhere;")).find("no label: nowhere") != std::string::npos);
    CHECK(g.refusal(thread_kernel("add.s32 %d, %t;")).find("2 operands") != std::string::npos);
    CHECK(g.refusal(thread_kernel("call.uni missing;", ".extern .func missing;\n"))
              .find("no function is named missing") != std::string::npos);
    CHECK(g.refusal(".target sm_90").find("not an sm_90") != std::string::npos);
    CHECK(g.refusal("/* ").find("no end") != std::string::npos);
    CHECK_FALSE(g.refusal(thread_kernel("add.s32 %d, %t, 1")).empty());
}

TEST_CASE("the kernels of tests/gpu/golden can be loaded") {
    Gpu g;
    for (const char* name : {"columns", "dense", "elementwise", "rows", "short_rows"}) {
        std::ifstream file(std::string(PM_SOURCE_DIR "/tests/gpu/golden/") + name + ".ptx");
        std::ostringstream text;
        text << file.rdbuf();
        CAPTURE(name);
        REQUIRE(text.str().find(".entry") != std::string::npos);
        g.load_whole(text.str());
    }
}
