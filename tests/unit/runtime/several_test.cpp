// The device that combines several GPUs.
#include "runtime/gpu/device/peer_copies.hpp"
#include "runtime/gpu/host/host_copies.hpp"
#include "tests/unit/runtime/fake_gpus.hpp"

#include <array>
#include <atomic>
#include <thread>

using namespace pm::runtime;
using namespace pm::runtime::test;

TEST_CASE("several GPUs: a batch is uploaded in parts to the GPUs of its lanes, and stays there") {
    Several s(4);
    constexpr std::size_t bytes = std::size_t{4} << 20, shard = bytes / 8;
    const std::vector<unsigned char> batch(bytes, 3);
    std::byte* in = s.device->allocate(bytes);
    std::byte* out = s.device->allocate(bytes);
    s.device->upload(in, batch.data(), bytes);
    for (int call = 0; call < 2; ++call)
        for (std::int64_t lane = 0; lane < 8; ++lane)
            s.launch(lane, 8, {.n = shard, .by = 1}, {out + lane * shard, in + lane * shard},
                     {touch(MemoryAccess::writes, shard), touch(MemoryAccess::reads, shard)});
    CHECK(s.world.transfers == 0);
    for (std::size_t g = 0; g < 4; ++g) {
        CHECK(s.gpu(g).used == 2 * bytes / 4); // each GPU has memory only for the slices of its lanes
        CHECK(s.gpu(g).launches == 4);
        CHECK(s.gpu(g).loads == 1);
    }
    CHECK(s.read(out, bytes) == std::vector<unsigned char>(bytes, 4));
    CHECK(s.world.transfers == 0);
    s.device->release(in);
    s.device->release(out);
    for (std::size_t g = 0; g < 4; ++g) CHECK(s.gpu(g).used == 0);
}

TEST_CASE("several GPUs: an array that all lanes read is copied to each GPU once, and again after a change") {
    Several s(4);
    constexpr std::size_t bytes = 10000;
    const std::vector<unsigned char> values(bytes, 5);
    std::byte* weights = s.device->allocate(bytes);
    std::byte* out = s.device->allocate(8 * bytes);
    s.device->upload(weights, values.data(), bytes);
    const auto all = [&] {
        for (std::int64_t lane = 0; lane < 8; ++lane)
            s.launch(lane, 8, {.n = bytes, .by = 1}, {out + lane * bytes, weights},
                     {touch(MemoryAccess::writes, bytes), touch(MemoryAccess::reads, bytes)});
    };
    all();
    CHECK(s.world.transfers == 3);
    CHECK(s.world.transferred == 3 * bytes);
    all();
    CHECK(s.world.transfers == 3);
    s.launch(-1, 0, {.n = bytes, .by = 2}, {weights}, {touch(MemoryAccess::writes, bytes)});
    all();
    CHECK(s.world.transfers == 6);
    CHECK(s.read(out, 8 * bytes) == std::vector<unsigned char>(8 * bytes, 3));
}

TEST_CASE("several GPUs: the library of each GPU works on values of any GPU") {
    Several s(3);
    const FourierSpec spec{.rows = 5, .n = 7};
    std::byte* x = s.device->allocate(spec.bytes());
    std::byte* y = s.device->allocate(spec.bytes());
    const auto transform = [&](Device& device, std::byte* from, std::byte* to) {
        void* buffers[] = {from, to};
        CHECK(device.transforms()->run(spec, buffers, [] { return false; }));
    };
    s.launch(1, 3, {.n = spec.bytes(), .by = 4}, {x}, {touch(MemoryAccess::writes, spec.bytes())});
    transform(s.device->of_lane(2, 3), x, y); // the third GPU transforms a value that the second GPU has
    CHECK(s.world.transfers == 1);
    s.launch(2, 3, {.n = spec.bytes(), .by = 2, .adds = true}, {y}, {touch(MemoryAccess::changes, spec.bytes())});
    CHECK(s.world.transfers == 1);
    transform(*s.device, y, x); // work outside of lanes runs on the first GPU
    CHECK(s.world.transfers == 2);
    s.launch(1, 3, {.n = spec.bytes(), .adds = true}, {x}, {touch(MemoryAccess::changes, spec.bytes())});
    CHECK(s.world.transfers == 3); // the copy on this GPU had become out of date
    CHECK(s.read(x, spec.bytes()) == std::vector<unsigned char>(spec.bytes(), 8));
}

TEST_CASE("several GPUs: a product of a lane runs on its GPU, to which the factors are copied") {
    Several s(2);
    // A product 4 x 4 by 4 x 4; rows of the first factor and of the product have a stride of 5 elements.
    const ProductSpec spec{.m = 4, .n = 4, .k = 4, .a_m = 5, .a_k = 1, .b_k = 4, .b_n = 1, .out_m = 5, .out_n = 1};
    const ProductBytes bytes = product_bytes(spec);
    CHECK(bytes.a == 76);
    CHECK(bytes.b == 64);
    CHECK(bytes.out == 76);
    std::byte* a = s.device->allocate(100);
    std::byte* b = s.device->allocate(100);
    std::byte* out = s.device->allocate(100);
    for (std::byte* factor : {a, b}) s.launch(0, 2, {.n = 100, .by = 1}, {factor}, {touch(MemoryAccess::writes, 100)});
    s.launch(0, 2, {.n = 100, .by = 9}, {out}, {touch(MemoryAccess::writes, 100)});
    const auto multiply = [&] {
        return s.device->of_lane(1, 2).multiply(spec, {.a = a, .b = b, .out = out}, [] { return false; });
    };
    s.gpu(1).has_products = false;
    CHECK_FALSE(multiply());
    CHECK(s.read(out, 100) == std::vector<unsigned char>(100, 9));
    s.gpu(1).has_products = true;
    CHECK(multiply());
    CHECK(s.world.transferred == 76 + 64 + 76); // out is copied too, since bytes between its rows keep their values
    std::vector<unsigned char> expected(100, 9);
    std::fill_n(expected.begin(), 76, 2);
    CHECK(s.read(out, 100) == expected);
}

TEST_CASE("several GPUs: GPUs with a copy send it to others") {
    Several s(8);
    std::byte* weights = s.device->allocate(1000);
    std::byte* out = s.device->allocate(8000);
    s.launch(-1, 0, {.n = 1000, .by = 2}, {weights}, {touch(MemoryAccess::writes, 1000)});
    for (std::int64_t lane = 0; lane < 8; ++lane)
        s.launch(lane, 8, {.n = 1000, .by = 1}, {out + lane * 1000, weights},
                 {touch(MemoryAccess::writes, 1000), touch(MemoryAccess::reads, 1000)});
    const decltype(s.world.sent) expected{{0, 1}, {0, 2}, {1, 3}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    CHECK(s.world.sent == expected);
}

TEST_CASE("several GPUs: copies before a failed copy are valid and waited for") {
    Several s(2);
    for (unsigned char iteration = 0; iteration < 20; ++iteration) {
        std::byte* x = s.device->allocate(1000);
        std::byte* y = s.device->allocate(1000);
        std::byte* out = s.device->allocate(1000);
        for (std::byte* made : {x, y})
            s.launch(0, 2, {.n = 1000, .by = iteration}, {made}, {touch(MemoryAccess::writes, 1000)});
        const auto sum = [&](std::byte* from) {
            s.launch(1, 2, {.n = 1000, .by = 1, .adds = true}, {out, x, from},
                     {touch(MemoryAccess::changes, 1000), touch(MemoryAccess::reads, 1000),
                      touch(MemoryAccess::reads, 1000)});
        };
        s.launch(1, 2, {.n = 1000}, {out}, {touch(MemoryAccess::writes, 1000)});
        s.gpu(0).copies_until_failure = 1;
        CHECK_THROWS_AS(sum(y), Failure);
        s.world.sent.clear();
        sum(x);
        CHECK(s.world.sent.empty());
        CHECK(s.read(out, 1000) == std::vector<unsigned char>(1000, static_cast<unsigned char>(iteration + 1)));
        for (std::byte* block : {x, y, out}) s.device->release(block);
    }
}

TEST_CASE("several GPUs: if one fails, the kernels of the others are requested to end") {
    Several s(3);
    const auto stop = s.device->stop_when([] { return false; });
    s.device->wait_for(*stop);
    CHECK_FALSE(s.gpu(2).stop_requested);
    s.gpu(1).fails = true;
    CHECK_THROWS_AS(s.device->wait_for(*stop), Failure);
    CHECK(s.gpu(2).stop_requested);
}

TEST_CASE("several GPUs: arrays that are overwritten entirely or have no value are not copied") {
    Several s(2);
    std::byte* a = s.device->allocate(1000);
    s.launch(1, 2, {.n = 1000, .by = 1, .adds = true}, {a}, {touch(MemoryAccess::changes, 1000)});
    CHECK(s.world.transfers == 0);
    s.launch(0, 2, {.n = 1000, .by = 1}, {a}, {touch(MemoryAccess::writes, 1000)});
    CHECK(s.world.transfers == 0);
    s.launch(1, 2, {.n = 1000, .by = 1, .adds = true}, {a}, {touch(MemoryAccess::changes, 1000)});
    CHECK(s.world.transferred == 1000);
    CHECK(s.read(a, 1000) == std::vector<unsigned char>(1000, 2));
    // For a launch without an access set, whole allocations are copied.
    s.launch(0, 2, {.at = 10, .n = 1, .by = 1, .adds = true}, {a});
    CHECK(s.world.transferred == 1000 + 1000); // the remaining bytes of the 1024 have no value
    CHECK(s.read(a + 10, 2) == std::vector<unsigned char>{3, 2});
    CHECK_THROWS_AS(s.launch(0, 2, {.n = 1}, {a + 2000}), Failure);
}

TEST_CASE("several GPUs: lanes exchange values by copies between GPUs") {
    Several s(4);
    constexpr std::size_t bytes = 8 * 1000; // bytes of a lane
    std::byte* in = s.device->allocate(8 * bytes);
    std::byte* out = s.device->allocate(8 * bytes);
    for (std::int64_t lane = 0; lane < 8; ++lane)
        s.launch(lane, 8, {.n = bytes, .by = static_cast<unsigned char>(lane + 1)}, {in + lane * bytes},
                 {touch(MemoryAccess::writes, bytes)});
    const auto lane_of = [&](std::int64_t lane) { return s.read(out + lane * bytes, bytes); };
    // Each lane sends to the next lane. No lane sends to the first lane, so its result is zero.
    std::vector<Moves> next{{.lane = 0, .receivers = 1, .senders = 0, .bytes = bytes}};
    next.push_back({.lane = 1,
                    .receivers = 7,
                    .senders = 1,
                    .bytes = bytes,
                    .in_by_receiver = bytes,
                    .out = bytes,
                    .out_by_receiver = bytes});
    move_lanes(*s.device, 8, in, out, next);
    CHECK(s.world.transfers == 3); // each of the other lanes sends within one GPU
    CHECK(lane_of(0) == std::vector<unsigned char>(bytes, 0));
    for (std::int64_t lane = 1; lane < 8; ++lane)
        CHECK(lane_of(lane) == std::vector<unsigned char>(bytes, static_cast<unsigned char>(lane)));
    // Part j of lane i is sent to lane j, as part i there.
    s.world.transfers = 0;
    constexpr std::int64_t part = bytes / 8;
    const std::array<Moves, 1> all{{{.lane = 0,
                                     .receivers = 8,
                                     .senders = 8,
                                     .bytes = part,
                                     .in_by_sender = bytes,
                                     .in_by_receiver = part,
                                     .out_by_sender = part,
                                     .out_by_receiver = bytes}}};
    move_lanes(*s.device, 8, in, out, all);
    CHECK(s.world.transfers == 8 * 6);
    for (std::int64_t lane = 0; lane < 8; ++lane)
        for (std::size_t i = 0; const unsigned char value : lane_of(lane)) REQUIRE(value == 1 + i++ / part);
    // A move of values outside of lanes copies nothing between GPUs.
    s.world.transfers = 0;
    const std::array<Moves, 1> gathered{{{.lane = -1, .receivers = 1, .senders = 1, .bytes = 8 * bytes}}};
    move_lanes(*s.device, 8, in, out, gathered);
    CHECK(s.world.transfers == 0);
    CHECK(s.read(out, 8 * bytes) == s.read(in, 8 * bytes));
}

TEST_CASE("several GPUs: a library combines the values of lanes in place") {
    const auto never = [] { return false; };
    const auto written = [](Several& s, std::int64_t lanes) {
        std::byte* in = s.device->allocate(static_cast<std::size_t>(lanes) * page);
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            s.launch(lane, lanes, {.n = page, .by = static_cast<unsigned char>(lane + 1)}, {in + lane * page},
                     {touch(MemoryAccess::writes, page)});
        return in;
    };
    AllReduceSpec spec{.dtype = DType::u8, .lanes = 3, .count = page, .in_stride = page, .out_stride = page};
    Several s(3);
    std::byte* in = written(s, 3);
    std::byte* out = s.device->allocate(3 * page);
    CHECK(s.world.opened == 0);
    CHECK_FALSE(s.device->all_reduce(spec, in, out, [] { return true; }));
    s.world.full = true; // the library fails once, although there was room
    REQUIRE(s.device->all_reduce(spec, in, out, never));
    CHECK_FALSE(s.world.full);
    CHECK(s.read(out, 3 * page) == std::vector<unsigned char>(3 * page, 6));
    for (std::int64_t lane = 0; lane < 3; ++lane) // each lane has a separate result
        s.launch(lane, 3, {.n = page, .by = 1, .adds = true}, {out + lane * page},
                 {touch(MemoryAccess::changes, page)});
    CHECK(s.world.transfers == 0);
    spec.out_stride = 0; // all lanes share one result, of which each GPU has a copy
    REQUIRE(s.device->all_reduce(spec, in, out, never));
    for (std::int64_t lane = 0; lane < 3; ++lane)
        s.launch(lane, 3, {.n = page, .by = 1}, {in + lane * page, out},
                 {touch(MemoryAccess::writes, page), touch(MemoryAccess::reads, page)});
    CHECK(s.world.transfers == 0);
    CHECK(s.read(in, 3 * page) == std::vector<unsigned char>(3 * page, 7));
    CHECK(s.read(out, 2 * page)[page] == 7); // bytes after the result are unchanged
    spec.in_stride = 0;                      // one operand for all lanes, which two GPUs do not have
    s.launch(0, 3, {.n = page, .by = 5}, {in}, {touch(MemoryAccess::writes, page)});
    REQUIRE(s.device->all_reduce(spec, in, out, never));
    CHECK(s.world.transfers == 2);
    CHECK(s.read(out, page) == std::vector<unsigned char>(page, 15));
    CHECK(s.world.opened == 1);
    s.world.collective_failed = true;
    CHECK_THROWS_AS(s.read(out, page), Failure);

    Several more(2);
    CHECK_FALSE(more.device->all_reduce(spec, written(more, 3), written(more, 3), never)); // two lanes share a GPU
    CHECK(more.world.opened == 0);
    Several none(3, std::size_t{1} << 30, false);
    CHECK_FALSE(none.device->all_reduce(spec, written(none, 3), written(none, 3), never));
    CHECK_FALSE(none.device->all_reduce(spec, written(none, 3), written(none, 3), never));
    CHECK(none.world.opened == 1);
}

TEST_CASE("several GPUs: a GPU that is full or has failed throws, and the values of others are kept") {
    Several s(2, 10 * page);
    std::byte* a = s.device->allocate(4 * page);
    std::byte* b = s.device->allocate(8 * page);
    CHECK_THROWS_AS(s.device->allocate(20 * page + 1), Failure);
    s.launch(0, 2, {.n = 4 * page, .by = 1}, {a}, {touch(MemoryAccess::writes, 4 * page)});
    s.launch(1, 2, {.n = 8 * page, .by = 2}, {b}, {touch(MemoryAccess::writes, 8 * page)});
    CHECK_THROWS_AS(
        s.launch(1, 2, {.n = 4 * page, .by = 1, .adds = true}, {a}, {touch(MemoryAccess::changes, 4 * page)}), Failure);
    CHECK(s.read(a, 4 * page) == std::vector<unsigned char>(4 * page, 1));
    s.device->release(b);
    s.launch(1, 2, {.n = 4 * page, .by = 1, .adds = true}, {a}, {touch(MemoryAccess::changes, 4 * page)});
    CHECK(s.read(a, 4 * page) == std::vector<unsigned char>(4 * page, 2));
    s.gpu(0).fails = true;
    CHECK_THROWS_AS(s.launch(0, 2, {.n = page}, {a}, {touch(MemoryAccess::writes, page)}), Failure);
    CHECK(s.read(a, 4 * page) == std::vector<unsigned char>(4 * page, 2));
}

TEST_CASE("several GPUs: a full GPU drops copies, least recently used first, and keeps values that it owns") {
    Several s(2, 13 * page);
    std::vector<std::byte*> rows;
    const auto read_on = [&](std::int64_t lane, std::byte* row) {
        std::byte* out = s.device->allocate(8);
        s.launch(lane, 2, {.n = 8, .by = 1}, {out, row},
                 {touch(MemoryAccess::writes, 8), touch(MemoryAccess::reads, 2 * page)});
        CHECK(s.read(out, 1)[0] == s.read(row, 1)[0] + 1);
        s.device->release(out);
    };
    for (int i = 0; i < 8; ++i) {
        rows.push_back(s.device->allocate(2 * page));
        s.launch(i % 2, 2, {.n = 2 * page, .by = static_cast<unsigned char>(i)}, {rows.back()},
                 {touch(MemoryAccess::writes, 2 * page)});
    }
    for (const std::int64_t lane : {0, 1}) // each GPU owns 8 pages, and has room for two rows of the other GPU
        for (std::byte* row : rows) read_on(lane, row);
    s.world.transfers = 0;
    const auto last_two = [&] {
        read_on(1, rows[4]);
        read_on(1, rows[6]);
    };
    last_two();
    CHECK(s.world.transfers == 0);
    read_on(1, rows[0]); // this copy replaces the copy of rows[4]
    CHECK(s.world.transfers == 1);
    for (const std::size_t i : {6, 1, 3, 5, 7}) read_on(1, rows[i]);
    CHECK(s.world.transfers == 1);
    read_on(1, rows[4]);
    CHECK(s.world.transfers == 2);
    // A page can be dropped if another GPU has overwritten its value. A page with the only copy of a value is kept.
    s.launch(0, 2, {.n = 2 * page, .by = 9}, {rows[1]}, {touch(MemoryAccess::writes, 2 * page)});
    for (std::size_t i = 2; i < 8; ++i)
        CHECK(s.read(rows[i], 2 * page) == std::vector<unsigned char>(2 * page, static_cast<unsigned char>(i)));
    CHECK(s.read(rows[1], 2 * page) == std::vector<unsigned char>(2 * page, 9));
}

TEST_CASE("several GPUs: pages with a value on another GPU are dropped, pages with the only value are kept") {
    Several s(2, 8 * page);
    std::byte* a = s.device->allocate(6 * page);
    std::byte* b = s.device->allocate(6 * page);
    s.launch(0, 2, {.n = 6 * page, .by = 1}, {a}, {touch(MemoryAccess::writes, 6 * page)});
    s.launch(1, 2, {.at = 2 * page, .n = 4 * page, .by = 2}, {a},
             {{MemoryAccess::writes, static_cast<std::int64_t>(4 * page), 1, 0, static_cast<std::int64_t>(2 * page)}});
    s.launch(0, 2, {.n = 6 * page, .by = 3}, {b},
             {touch(MemoryAccess::writes, 6 * page)}); // replaces 4 pages of a, which were out of date
    CHECK(s.gpu(0).used == 8 * page);
    std::vector<unsigned char> expected(6 * page, 2);
    std::fill_n(expected.begin(), 2 * page, 1);
    CHECK(s.read(a, 6 * page) == expected);
    CHECK(s.read(b, 6 * page) == std::vector<unsigned char>(6 * page, 3));
    std::byte* c = s.device->allocate(page);
    CHECK_THROWS_AS(s.launch(0, 2, {.n = page, .by = 3}, {c}, {touch(MemoryAccess::writes, page)}), Failure);
}

TEST_CASE("several GPUs: a library without memory gets the memory of copies, except for its operands") {
    Several s(2, 9 * page);
    const FourierSpec spec{.rows = 1, .n = static_cast<std::int64_t>(2 * page / 8)};
    REQUIRE(spec.bytes() == 2 * page);
    std::vector<std::byte*> rows;
    for (unsigned char i = 0; i < 3; ++i) {
        rows.push_back(s.device->allocate(2 * page));
        s.launch(i == 2 ? 1 : 0, 2, {.n = 2 * page, .by = i}, {rows.back()}, {touch(MemoryAccess::writes, 2 * page)});
    }
    std::byte* out = s.device->allocate(2 * page);
    for (std::byte* row : rows) // the second GPU gets copies of all rows
        s.launch(1, 2, {.n = 1}, {out, row}, {touch(MemoryAccess::writes, 1), touch(MemoryAccess::reads, 2 * page)});
    REQUIRE(s.gpu(1).used == 7 * page);
    void* buffers[] = {rows[0], out};
    const auto transform = [&](std::size_t pages) {
        s.gpu(1).library_needs = pages * page;
        return s.device->of_lane(1, 2).transforms()->run(spec, buffers, [] { return false; });
    };
    s.world.transfers = 0;
    CHECK(transform(1));
    CHECK(s.gpu(1).used == 8 * page);
    CHECK(transform(3)); // the copy of rows[1] was dropped to make room
    CHECK(s.gpu(1).used == 6 * page);
    CHECK_THROWS_AS(transform(4), Failure); // its operands have four pages, the only value of rows[2] two
    CHECK(s.world.transfers == 0);
    CHECK(s.read(out, 2 * page) == std::vector<unsigned char>(2 * page, 1));
    for (unsigned char i = 0; i < 3; ++i) CHECK(s.read(rows[i], 2 * page) == std::vector<unsigned char>(2 * page, i));
}

TEST_CASE("several GPUs: buffers of a launch without an access set are not dropped to make room") {
    Several s(2, 8 * page);
    std::byte* a = s.device->allocate(4 * page);
    std::byte* b = s.device->allocate(6 * page);
    std::byte* out = s.device->allocate(page);
    s.launch(0, 2, {.n = 4 * page, .by = 1}, {a}, {touch(MemoryAccess::writes, 4 * page)});
    s.launch(1, 2, {.n = page}, {out, a}, {touch(MemoryAccess::writes, page), touch(MemoryAccess::reads, 4 * page)});
    CHECK_THROWS_AS(s.launch(1, 2, {.n = 4 * page}, {a, b}), Failure); // both GPUs have a, and there is no room for b
    CHECK(s.read(a, 4 * page) == std::vector<unsigned char>(4 * page, 1));
}

TEST_CASE("several GPUs: memory that a library or a download uses is not dropped to make room for others") {
    Several s(2, 8 * page);
    const ProductSpec spec{
        .m = 64, .n = 64, .k = 64, .a_m = 64, .a_k = 1, .b_k = 64, .b_n = 1, .out_m = 64, .out_n = 1};
    const std::size_t bytes = product_bytes(spec).a;
    REQUIRE(bytes == 4 * page);
    const FourierSpec transform{.rows = 1, .n = static_cast<std::int64_t>(bytes / 8)};
    REQUIRE(transform.bytes() == bytes);
    std::byte* x = s.device->allocate(bytes);
    std::byte* out = s.device->allocate(page);
    const auto bring = [&](std::int64_t lane) { // afterwards both GPUs have x
        s.launch(lane, 2, {.n = page, .by = 1}, {out, x},
                 {touch(MemoryAccess::writes, page), touch(MemoryAccess::reads, bytes)});
    };
    s.launch(0, 2, {.n = bytes, .by = 4}, {x}, {touch(MemoryAccess::writes, bytes)});
    int refused = 0;
    const auto fill = [&](std::int64_t lane) {
        s.gpu(static_cast<std::size_t>(lane)).before_library = [&s, &refused, lane] {
            std::byte* more = s.device->allocate(8 * page);
            try {
                s.launch(lane, 2, {.n = 8 * page}, {more}, {touch(MemoryAccess::writes, 8 * page)});
            } catch (const Failure& failure) {
                CHECK(failure.kind() == FailureKind::out_of_memory);
                ++refused;
            }
            s.device->release(more);
        };
    };
    bring(1);
    fill(1);
    CHECK(s.device->of_lane(1, 2).multiply(spec, {.a = x, .b = x, .out = x}, [] { return false; }));
    CHECK(refused == 1);
    CHECK(s.read(x, 1) == std::vector<unsigned char>{5});
    bring(0);
    bring(1);
    fill(1);
    void* buffers[] = {x, x};
    CHECK(s.device->of_lane(1, 2).transforms()->run(transform, buffers, [] { return false; }));
    CHECK(refused == 2);
    CHECK(s.read(x, 1) == std::vector<unsigned char>{6});
    bring(0);
    bring(1);
    fill(0);
    CHECK(s.read(x, bytes) == std::vector<unsigned char>(bytes, 6));
    CHECK(refused == 3);
}

TEST_CASE("several GPUs: an operation that finds a GPU full waits for the end of another operation") {
    constexpr std::size_t bytes = 4 * page;
    const FourierSpec transform{.rows = 1, .n = static_cast<std::int64_t>(bytes / 8)};
    for (const bool leaves : {false, true}) {
        Several s(2, 9 * page);
        std::byte* x = s.device->allocate(bytes);
        std::byte* y = s.device->allocate(bytes);
        std::byte* more = s.device->allocate(bytes);
        s.launch(0, 2, {.n = bytes, .by = 4}, {x}, {touch(MemoryAccess::writes, bytes)});
        std::atomic<bool> polled = false, refused = false;
        std::jthread other;
        // The library on the second GPU works on a copy of x, so there is no room for `more`.
        s.gpu(1).before_library = [&] {
            other = std::jthread([&] {
                const std::function<bool()> leave = [&] {
                    polled = true;
                    return leaves;
                };
                try {
                    s.launch(1, 2, {.n = bytes, .by = 7}, {more}, {touch(MemoryAccess::writes, bytes)}, &leave);
                } catch (const Failure& failure) {
                    refused = failure.kind() == FailureKind::out_of_memory;
                }
            });
            while (!polled && !refused) std::this_thread::yield();
            if (leaves) other.join();
        };
        void* buffers[] = {x, y};
        CHECK(s.device->of_lane(1, 2).transforms()->run(transform, buffers, [] { return false; }));
        if (other.joinable()) other.join();
        CHECK(polled);
        CHECK(refused == leaves);
        CHECK(s.read(y, bytes) == std::vector<unsigned char>(bytes, 5));
        if (!leaves) CHECK(s.read(more, bytes) == std::vector<unsigned char>(bytes, 7));
        CHECK(s.read(x, bytes) == std::vector<unsigned char>(bytes, 4));
    }
}

TEST_CASE("several GPUs: for random work of lanes and random order of queues, values agree with one memory") {
    int refused = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        // Half of the devices have little memory and drop copies. If an operation is refused, the bytes that it would
        // have written are undefined.
        const bool small = seed % 2 == 1;
        Several s(1 + seed % 5, small ? 12 * page : std::size_t{1} << 30);
        s.world.random.seed(seed);
        const auto below = [&](std::size_t n) { return s.world.below(n); };
        struct Known {
            std::byte* at;
            std::vector<unsigned char> value;
            std::vector<bool> defined;
        };
        std::vector<Known> known;
        const auto add = [&] {
            const std::size_t bytes = 1 + below(3 * page);
            known.push_back({s.device->allocate(bytes), std::vector<unsigned char>(bytes), std::vector<bool>(bytes)});
        };
        for (int i = 0; i < (small ? 7 : 3); ++i) add();
        for (int iteration = 0; iteration < 300; ++iteration) {
            const std::size_t which = below(known.size()), other = below(known.size());
            Known& k = known[which];
            const Known& from = known[other];
            const std::size_t at = below(std::min(k.value.size(), from.value.size()));
            const std::size_t n = below(std::min(k.value.size(), from.value.size()) - at) + 1;
            const std::int64_t lane = static_cast<std::int64_t>(below(9)) - 1;
            Device& device = s.device->of_lane(lane, 8);
            const auto by = static_cast<unsigned char>(below(256));
            const auto lost = [&](const Failure& failure) {
                REQUIRE((small && failure.kind() == FailureKind::out_of_memory));
                ++refused;
                for (std::size_t i = at; i < at + n; ++i) k.defined[i] = false;
            };
            try {
                switch (below(9)) {
                case 0: {
                    const std::vector<unsigned char> values(n, by);
                    device.upload(k.at + at, values.data(), n);
                    for (std::size_t i = at; i < at + n; ++i) k.value[i] = by, k.defined[i] = true;
                    break;
                }
                case 1: {
                    std::vector<unsigned char> made(n);
                    device.download(made.data(), k.at + at, n);
                    for (std::size_t i = 0; i < n; ++i) REQUIRE((!k.defined[at + i] || made[i] == k.value[at + i]));
                    break;
                }
                case 2:
                    if (which == other) break;
                    device.copy(k.at + at, from.at + at, n);
                    for (std::size_t i = at; i < at + n; ++i)
                        k.value[i] = from.value[i], k.defined[i] = from.defined[i];
                    break;
                case 3:
                    device.store(k.at + at, by, 1);
                    k.value[at] = by, k.defined[at] = true;
                    break;
                case 4:
                    s.device->release(k.at);
                    known.erase(known.begin() + static_cast<std::ptrdiff_t>(which));
                    add();
                    break;
                default: {
                    const bool adds = below(2) == 0;
                    // Adjacent pieces of 3 bytes; `left` is the number of remaining bytes.
                    const auto pieces = static_cast<std::int64_t>(n / 3), left = static_cast<std::int64_t>(n % 3);
                    const auto begin = static_cast<std::int64_t>(at);
                    const bool in_pieces = left == 0 && below(2) == 0;
                    const auto accesses = [&](MemoryAccess::Mode mode) {
                        return in_pieces ? MemoryAccess{mode, 3, pieces, 3, begin}
                                         : MemoryAccess{mode, static_cast<std::int64_t>(n), 1, 0, begin};
                    };
                    s.launch(
                        lane, 8, {at, n, by, adds}, {k.at, from.at},
                        {accesses(adds ? MemoryAccess::changes : MemoryAccess::writes), accesses(MemoryAccess::reads)});
                    for (std::size_t i = at; i < at + n; ++i) {
                        const bool defined = from.defined[i] && (!adds || k.defined[i]);
                        k.value[i] = static_cast<unsigned char>(by + from.value[i] + (adds ? k.value[i] : 0));
                        k.defined[i] = defined;
                    }
                }
                }
            } catch (const Failure& failure) {
                lost(failure);
            }
            s.world.run_some(below(4));
        }
        for (std::size_t g = 0; small && g < s.world.gpus.size(); ++g) CHECK(s.gpu(g).used <= 12 * page);
        for (const Known& k : known) {
            const auto made = s.read(k.at, k.value.size());
            for (std::size_t i = 0; i < made.size(); ++i) REQUIRE((!k.defined[i] || made[i] == k.value[i]));
        }
    }
    CHECK(refused > 0);
}

TEST_CASE("a partial change by the host keeps the other bytes, and an abandoned change has no effect") {
    Several s(2);
    std::byte* at = s.device->allocate(4);
    const std::vector<unsigned char> before{1, 2, 3, 4};
    s.device->upload(at, before.data(), 4);
    HostCopies copies(*s.device, Allocator::plain());
    const auto write = [&](HostCopies::Change change) {
        return static_cast<unsigned char*>(copies.write(at, 4, change));
    };
    write(HostCopies::Change::some)[1] = 9;
    copies.end(false);
    CHECK(s.read(at, 4) == before);
    write(HostCopies::Change::some)[1] = 9;
    copies.end(true);
    CHECK(s.read(at, 4) == std::vector<unsigned char>{1, 9, 3, 4});
    std::fill_n(write(HostCopies::Change::all), 4, static_cast<unsigned char>(7));
    copies.end(true);
    CHECK(s.read(at, 4) == std::vector<unsigned char>(4, 7));
}
