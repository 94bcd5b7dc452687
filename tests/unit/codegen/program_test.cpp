#include "runtime/element.hpp"
#include "tests/unit/codegen/harness.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>

using namespace pm;
using namespace pm::codegen::test;
using plan::Space;
using plan::Step;
using plan::StepKind;

namespace {

/// Builds a program.
struct Maker {
    plan::Program p;
    plan::BufferId buffer(DType dtype, Shape shape, Space space, std::int64_t offset = 0,
                          std::vector<plan::Stride> strides = {}) {
        plan::Buffer b;
        b.dtype = dtype;
        b.shape = std::move(shape);
        b.space = space;
        b.offset = offset;
        b.strides = std::move(strides);
        if (space == Space::local) b.index = locals_++;
        p.buffers.push_back(b);
        return static_cast<plan::BufferId>(p.buffers.size() - 1);
    }
    plan::BufferId argument(DType dtype, Shape shape) {
        const auto id = buffer(dtype, std::move(shape), Space::argument);
        p.buffers[id].index = static_cast<std::uint32_t>(p.arguments.size());
        p.arguments.push_back(id);
        return id;
    }
    plan::BufferId result(DType dtype, Shape shape) {
        const auto id = buffer(dtype, std::move(shape), Space::result);
        p.buffers[id].index = static_cast<std::uint32_t>(p.results.size());
        p.results.push_back(id);
        p.forwarded.push_back(-1);
        return id;
    }
    /// A view of the bytes of a result or argument, with a different shape and strides.
    plan::BufferId view(plan::BufferId of, Shape shape, std::vector<plan::Stride> strides) {
        plan::Buffer b = p.buffers[of];
        b.shape = std::move(shape);
        b.strides = std::move(strides);
        p.buffers.push_back(b);
        return static_cast<plan::BufferId>(p.buffers.size() - 1);
    }
    static Step nest(const std::string& text, std::vector<plan::BufferId> buffers, bool parallel = false) {
        Step s{plan::NestStep{}};
        s.nest = std::make_shared<nest::Nest>(nest::read_nest(text));
        s.buffers = std::move(buffers);
        s.parallel = parallel;
        return s;
    }
    static Step simple(StepKind kind, std::vector<plan::BufferId> buffers = {}) {
        Step s = plan::step_of(kind);
        s.buffers = std::move(buffers);
        return s;
    }

  private:
    std::uint32_t locals_ = 0;
};

std::string scalar_nest(const std::string& dtype, const std::string& body, int inputs) {
    std::string text = "nest \"s\" (";
    for (int i = 0; i < inputs; ++i) text += "b" + std::to_string(i) + ": " + dtype + ", ";
    return text + "b" + std::to_string(inputs) + ": written " +
           (body.find("less") != std::string::npos ? "bool" : dtype) +
           ") grid=[] {\n  stage loops=[] order=lanes block=0 {\n" + body + "  }\n}\n";
}

} // namespace

TEST_CASE("a while runs in compiled code, with its values in registers") {
    // n = x; steps = 0; while 1 < n { n = n % 2 == 0 ? n / 2 : 3 * n + 1; steps += 1 }
    Maker m;
    const auto x = m.argument(DType::i64, {});
    const auto out = m.result(DType::i64, {});
    const auto n = m.buffer(DType::i64, {}, Space::local);
    const auto c = m.buffer(DType::b1, {}, Space::local);
    m.p.steps.push_back(Maker::simple(StepKind::copy, {x, n}));
    m.p.steps.push_back(
        Maker::nest(scalar_nest("i64", "    %0: i64 = constant 0x0\n    store b0[0] = %0\n", 0), {out}));
    Step loop = Maker::simple(StepKind::while_, {c});
    loop.children.resize(2);
    loop.children[0].push_back(Maker::nest(
        scalar_nest(
            "i64",
            "    %0: i64 = constant 0x1\n    %1: i64 = load b0[0]\n    %2: bool = less(%0, %1)\n    store b1[0] = %2\n",
            1),
        {n, c}));
    loop.children[1].push_back(
        Maker::nest(scalar_nest("i64",
                                "    %0: i64 = load b0[0]\n    %1: i64 = constant 0x2\n    %2: i64 = constant 0x3\n    "
                                "%3: i64 = constant 0x1\n    %4: i64 = constant 0x0\n"
                                "    %5: i64 = rem(%0, %1)\n    %6: bool = equal(%5, %4)\n    %7: i64 = div(%0, %1)\n  "
                                "  %8: i64 = mul(%0, %2)\n    %9: i64 = add(%8, %3)\n"
                                "    %10: i64 = select(%6, %7, %9)\n    store b1[0] = %10\n",
                                1),
                    {n, n}));
    loop.children[1].push_back(Maker::nest(
        scalar_nest(
            "i64",
            "    %0: i64 = load b0[0]\n    %1: i64 = constant 0x1\n    %2: i64 = add(%0, %1)\n    store b1[0] = %2\n",
            1),
        {out, out}));
    loop.children[1].push_back(Maker::simple(StepKind::poll));
    m.p.steps.push_back(loop);
    const auto outcome = run(m.p, {Array::scalar(DType::i64, 27)});
    REQUIRE(outcome.call);
    CHECK(outcome.results[0].as_i64() == 111);
}

TEST_CASE("a loop moves through slices, forwards and backwards") {
    // carry = 0; for i in 0..6 { carry += x[i]; out[i] = carry * i }, and the same loop from the last index to the
    // first.
    for (const bool reverse : {false, true}) {
        Maker m;
        const auto x = m.argument(DType::f32, {6, 20});
        const auto out = m.result(DType::f32, {6, 20});
        const auto carry = m.buffer(DType::f32, {20}, Space::arena, 64);
        m.p.arena_bytes = 256;
        const auto i = m.buffer(DType::i32, {}, Space::local);
        const auto slice = m.view(x, {20}, {{7, 80}});
        const auto part = m.view(out, {20}, {{7, 80}});
        m.p.steps.push_back(Maker::nest("nest \"z\" (b0: written f32) grid=[20] {\n  stage loops=[] order=lanes "
                                        "block=0 {\n    %0: f32 = constant 0x0\n    store b0[i0] = %0\n  }\n}",
                                        {carry}));
        Step loop{plan::LoopStep{.id = 7, .iterations = 6, .reverse = reverse}, {i}};
        loop.children.resize(1);
        loop.children[0].push_back(
            Maker::nest("nest \"b\" (b0: f32, b1: f32, b2: i32, b3: written f32, b4: written f32) grid=[20] {\n  stage "
                        "loops=[] order=lanes block=0 {\n"
                        "    %0: f32 = load b0[i0]\n    %1: f32 = load b1[i0]\n    %2: f32 = add(%0, %1)\n    %3: i32 "
                        "= load b2[0]\n    %4: f32 = convert(%3)\n"
                        "    %5: f32 = mul(%2, %4)\n    store b3[i0] = %2\n    store b4[i0] = %5\n  }\n}",
                        {carry, slice, i, carry, part}));
        m.p.steps.push_back(loop);
        const Array input = random_array(DType::f32, {6, 20}, 1);
        const auto outcome = run(m.p, {input});
        REQUIRE(outcome.call);
        for (int c = 0; c < 20; ++c) {
            float sum = 0;
            for (int t = 0; t < 6; ++t) {
                const int row = reverse ? 5 - t : t;
                sum += input.as<float>()[row * 20 + c];
                CHECK(outcome.results[0].as<float>()[row * 20 + c] == sum * static_cast<float>(row));
            }
        }
    }
}

TEST_CASE("branches, copies and prints") {
    for (const bool yes : {false, true}) {
        Maker m;
        const auto condition = m.argument(DType::b1, {});
        const auto x = m.argument(DType::f32, {5});
        const auto out = m.result(DType::f32, {5});
        Step branch = Maker::simple(StepKind::if_, {condition});
        branch.children.resize(2);
        branch.children[0].push_back(Maker::simple(StepKind::copy, {x, out}));
        branch.children[1].push_back(
            Maker::nest("nest \"n\" (b0: f32, b1: written f32) grid=[5] {\n  stage loops=[] order=lanes block=0 {\n    "
                        "%0: f32 = load b0[-1*i0 + 4]\n    store b1[i0] = %0\n  }\n}",
                        {x, out}));
        m.p.steps.push_back(branch);
        Step print = Maker::simple(StepKind::print, {out});
        m.p.sites.push_back({plan::SiteKind::print, {}, "{}", {DType::f32}, {{5}}});
        m.p.steps.push_back(print);
        runtime::CallOptions options;
        std::string text;
        options.format = [](std::string& to, std::int64_t site, std::int64_t lane, const void* const* pointers) {
            to += std::to_string(site) + "," + std::to_string(lane) + ":" +
                  std::to_string(static_cast<const float*>(pointers[0])[0]);
        };
        options.output = [&](std::string_view s) { text += s; };
        const Array input = Array::from_values(DType::f32, {5}, std::vector<float>{1, 2, 3, 4, 5});
        const auto outcome = run(m.p, {Array::scalar(DType::b1, yes ? 1 : 0), input}, 0, 1, options);
        CHECK(values<float>(outcome.results[0]) ==
              (yes ? std::vector<float>{1, 2, 3, 4, 5} : std::vector<float>{5, 4, 3, 2, 1}));
        CHECK(text == (yes ? "0,0:1.000000" : "0,0:5.000000"));
    }
}

TEST_CASE("a failed check reports the first element that is false") {
    for (const std::int64_t n : {1, 7, 64, 200}) {
        Maker m;
        const auto ok = m.argument(DType::b1, {n});
        const auto index = m.argument(DType::i32, {n});
        const auto rows = m.argument(DType::i32, {n, 2});
        const auto size = m.argument(DType::f32, {});
        m.p.sites.push_back({plan::SiteKind::check,
                             {},
                             "index {} row {} size {}",
                             {DType::i32, DType::i32, DType::f32},
                             {{}, {2}, {}}});
        Step check = Maker::simple(StepKind::check, {ok, index, rows, size});
        m.p.steps.push_back(check);
        Array flags = Array::full(DType::b1, {n}, 1);
        const Array numbers = random_array(DType::i32, {n}, 3);
        const Array pairs = random_array(DType::i32, {n, 2}, 4);
        const Array size_value = Array::scalar(DType::f32, 2.5);
        CHECK(run(m.p, {flags, numbers, pairs, size_value}).call);
        runtime::CallOptions options;
        options.format = [](std::string& text, std::int64_t, std::int64_t, const void* const* pointers) {
            const auto* row = static_cast<const std::int32_t*>(pointers[1]);
            text = std::to_string(*static_cast<const std::int32_t*>(pointers[0])) + " " + std::to_string(row[0]) + "," +
                   std::to_string(row[1]) + " " + std::to_string(*static_cast<const float*>(pointers[2]));
        };
        for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
            Array broken = flags;
            broken.mutable_as<std::uint8_t>()[at] = 0;
            broken.mutable_as<std::uint8_t>()[n - 1] = 0;
            const auto outcome = run(m.p, {broken, numbers, pairs, size_value}, 0, 1, options);
            CHECK(outcome.call.status == runtime::CallStatus::check_failed);
            CHECK(outcome.call.code != 0);
            CHECK(outcome.call.failure.element == at);
            CHECK(outcome.call.failure.text == std::to_string(numbers.as_i64(at)) + " " +
                                                   std::to_string(pairs.as_i64(2 * at)) + "," +
                                                   std::to_string(pairs.as_i64(2 * at + 1)) + " 2.500000");
        }
    }
}

TEST_CASE("sums of halves over lanes are rounded once") {
    constexpr std::int64_t lanes = 5;
    constexpr std::int64_t n = 33;
    for (const DType dtype : {DType::f16, DType::bf16}) {
        for (const nest::Combine how : {nest::Combine::add, nest::Combine::mul}) {
            Maker m;
            const auto x_all = m.argument(dtype, {lanes, n});
            const auto sum = m.result(dtype, {n});
            m.p.steps.push_back({plan::CollectiveStep{.lanes = lanes, .combine = how},
                                 {m.view(x_all, {n}, {{plan::lane, n * 2}}), sum}});
            const Array x = random_array(dtype, {lanes, n}, 3);
            const auto outcome = run(m.p, {x}, 0, 2);
            REQUIRE(outcome.call);
            Array expected = Array::empty(dtype, {n});
            for (int i = 0; i < n; ++i) {
                float total = static_cast<float>(x.as_f64(i));
                for (int l = 1; l < lanes; ++l) {
                    const auto next = static_cast<float>(x.as_f64(l * n + i));
                    total = how == nest::Combine::add ? total + next : total * next;
                }
                runtime::write_f64(dtype, expected.mutable_data(), i, total);
            }
            CHECK(identical(outcome.results[0], expected));
        }
    }
}

TEST_CASE("lanes run on their own parts of the data, between collectives") {
    // Every lane computes y = 2 x. A collective computes s, the sum of y over all lanes. Every lane computes out = y -
    // s. Then collectives gather, permute and exchange (all_to_all) out.
    constexpr std::int64_t lanes = 4;
    constexpr std::int64_t n = 40;
    Maker m;
    const auto x_all = m.argument(DType::f32, {lanes, n});
    const auto gathered = m.result(DType::f32, {lanes, n});
    const auto exchanged_all = m.result(DType::f32, {lanes, n});
    const auto swapped_all = m.result(DType::f32, {lanes, n});
    const std::int64_t bytes = n * 4;
    const auto x = m.view(x_all, {n}, {{plan::lane, bytes}});
    const auto exchanged = m.view(exchanged_all, {n}, {{plan::lane, bytes}});
    const auto swapped = m.view(swapped_all, {n}, {{plan::lane, bytes}});
    const auto y = m.buffer(DType::f32, {n}, Space::arena, 0, {{plan::lane, bytes}});
    const auto s = m.buffer(DType::f32, {n}, Space::arena, lanes * bytes);
    const auto out = m.buffer(DType::f32, {n}, Space::arena, (lanes + 1) * bytes, {{plan::lane, bytes}});
    const auto ok = m.buffer(DType::b1, {}, Space::local);
    m.p.arena_bytes = (2 * lanes + 1) * bytes;
    const auto in_lanes = [&](std::vector<Step> body) {
        Step step{plan::LanesStep{lanes}};
        step.children.push_back(std::move(body));
        m.p.steps.push_back(step);
    };
    using Work = plan::CollectiveWork;
    const auto collective = [&](Work work, plan::BufferId from, plan::BufferId to,
                                std::vector<std::int64_t> receivers = {}) {
        m.p.steps.push_back(
            {plan::CollectiveStep{.work = work, .lanes = lanes, .to = std::move(receivers)}, {from, to}});
    };
    Step check = Maker::simple(StepKind::check, {ok, ok});
    m.p.sites.push_back({plan::SiteKind::check, {}, "{}", {DType::b1}, {{}}});
    in_lanes(
        {Maker::nest("nest \"d\" (b0: f32, b1: written f32) grid=[40] {\n  stage loops=[] order=lanes block=0 {\n    "
                     "%0: f32 = load b0[i0]\n    %1: f32 = add(%0, %0)\n    store b1[i0] = %1\n  }\n}",
                     {x, y}),
         Maker::nest(
             "nest \"c\" (b0: f32, b1: written bool) grid=[] {\n  stage loops=[] order=lanes block=0 {\n    %0: f32 = "
             "load b0[0]\n    %1: f32 = constant 0x42c80000\n    %2: bool = less(%0, %1)\n    store b1[0] = %2\n  }\n}",
             {x, ok}),
         check, Maker::simple(StepKind::poll)});
    collective(Work::reduce, y, s);
    in_lanes({Maker::nest(
        "nest \"e\" (b0: f32, b1: f32, b2: written f32) grid=[40] {\n  stage loops=[] order=lanes block=0 {\n    %0: "
        "f32 = load b0[i0]\n    %1: f32 = load b1[i0]\n    %2: f32 = sub(%0, %1)\n    store b2[i0] = %2\n  }\n}",
        {y, s, out})});
    collective(Work::gather, out, gathered);
    collective(Work::exchange, out, exchanged, {1, 2, -1, 0});
    collective(Work::all_to_all, out, swapped);
    const Array input = random_array(DType::f32, {lanes, n}, 1);
    for (const int workers : {1, 2}) {
        const auto outcome = run(m.p, {input}, 0, workers);
        REQUIRE(outcome.call);
        std::vector<float> expected(lanes * n);
        for (int i = 0; i < n; ++i) {
            float sum = 2 * input.as<float>()[i];
            for (int l = 1; l < lanes; ++l) sum += 2 * input.as<float>()[l * n + i];
            for (int l = 0; l < lanes; ++l)
                expected[static_cast<std::size_t>(l * n + i)] = 2 * input.as<float>()[l * n + i] - sum;
        }
        CHECK(values<float>(outcome.results[0]) == expected);
        const std::vector<int> from{3, 0, 1, -1};
        for (int l = 0; l < lanes; ++l)
            for (int i = 0; i < n; ++i) {
                const auto at = static_cast<std::size_t>(l * n + i);
                const int source = from[static_cast<std::size_t>(l)];
                CHECK(outcome.results[1].as<float>()[at] ==
                      (source < 0 ? 0 : expected[static_cast<std::size_t>(source * n + i)]));
                CHECK(outcome.results[2].as<float>()[at] ==
                      expected[static_cast<std::size_t>(i / 10 * n + l * 10 + i % 10)]);
            }
        Array bad = input.clone();
        bad.mutable_as<float>()[2 * n] = 200;
        bad.mutable_as<float>()[3 * n] = 300;
        const auto failed = run(m.p, {bad}, 0, workers);
        CHECK(failed.call.status == runtime::CallStatus::check_failed);
        CHECK(failed.call.failure.lane == 2);
    }
}

TEST_CASE("sort, scatter and cumulative steps") {
    Maker m;
    const auto keys = m.argument(DType::f32, {2, 5});
    const auto index = m.argument(DType::i32, {2, 5});
    const auto sorted = m.result(DType::f32, {2, 5});
    const auto order = m.result(DType::i32, {2, 5});
    const auto scattered = m.result(DType::f32, {2, 4});
    const auto sums = m.result(DType::f32, {2, 5});
    m.p.steps.push_back({plan::SortStep{.rows = 2, .n = 5, .arrays = 2, .keys = 1}, {keys, index, sorted, order}});
    m.p.steps.push_back(
        {plan::ScatterStep{.batch = 2, .count = 5, .window = 1, .sizes = {4}}, {keys, index, scattered}});
    m.p.steps.push_back({plan::CumulativeStep{.outer = 2, .n = 5, .inner = 1, .reverse = true}, {keys, sums}});
    const Array k = Array::from_values(DType::f32, {2, 5}, std::vector<float>{3, 1, 2, 1, 0, 5, 4, 3, 2, 1});
    const Array i = Array::from_values(DType::i32, {2, 5}, std::vector<std::int32_t>{0, 1, 2, 3, 4, 3, 3, -1, 0, 9});
    const auto outcome = run(m.p, {k, i});
    REQUIRE(outcome.call);
    CHECK(values<float>(outcome.results[0]) == std::vector<float>{0, 1, 1, 2, 3, 1, 2, 3, 4, 5});
    CHECK(values<std::int32_t>(outcome.results[1]) == std::vector<std::int32_t>{4, 1, 3, 2, 0, 9, 0, -1, 3, 3});
    CHECK(values<float>(outcome.results[2]) == std::vector<float>{3, 1, 2, 1, 2, 0, 0, 9});
    CHECK(values<float>(outcome.results[3]) == std::vector<float>{7, 4, 3, 1, 0, 15, 10, 6, 3, 1});
}

TEST_CASE("a call can be cancelled at any poll") {
    Maker m;
    const auto forever = m.argument(DType::b1, {});
    Step loop = Maker::simple(StepKind::while_, {forever});
    loop.children.resize(2);
    loop.children[1].push_back(Maker::simple(StepKind::poll));
    m.p.steps.push_back(loop);
    runtime::CallOptions options;
    options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    CHECK(run(m.p, {Array::scalar(DType::b1, 1)}, 0, 1, options).call.status == runtime::CallStatus::deadline);
}

namespace {

/// A call that the host cancels 20 ms after the program's first step, a print.
class Cancelled {
  public:
    static void print_first(Maker& m) {
        m.p.sites.push_back({plan::SiteKind::print, {}, "", {}, {}});
        m.p.steps.push_back(Maker::simple(StepKind::print));
    }
    Outcome run(const plan::Program& program, const std::vector<Array>& arguments) {
        runtime::CallOptions options;
        options.cancel = cancel_;
        options.format = [this](std::string&, std::int64_t, std::int64_t, const void* const*) {
            timer_ = std::jthread([this] {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                *cancel_ = true;
            });
        };
        return pm::codegen::test::run(program, arguments, 0, 1, options);
    }

  private:
    std::shared_ptr<std::atomic<bool>> cancel_ = std::make_shared<std::atomic<bool>>(false);
    std::jthread timer_;
};

} // namespace

TEST_CASE("a cancelled product ends between two of its tiles and within a tile") {
    // Because of strides of 0, a product of small memory takes seconds.
    const std::vector<plan::DotStep> products = {
        {.m = 2048, .n = 2048, .k = 200'000, .a_m = 1, .b_n = 1, .out_m = 2048, .out_n = 1},
        {.k = 20'000'000'000},
    };
    for (const plan::DotStep& product : products) {
        Maker m;
        Cancelled::print_first(m);
        const auto a = m.argument(DType::f32, {product.m});
        const auto b = m.argument(DType::f32, {product.n});
        const auto out = m.result(DType::f32, {product.m, product.n});
        m.p.steps.push_back({product, {a, b, out}});
        const Array rows = random_array(DType::f32, {product.m}, 1);
        const Array columns = random_array(DType::f32, {product.n}, 2);
        const Outcome outcome = Cancelled().run(m.p, {rows, columns});
        CHECK(outcome.call.status == runtime::CallStatus::cancelled);
        if (product.m > 1) CHECK(outcome.results[0].as_f64(2048 * 2048 - 1) == 0); // the last element is not computed
    }
}

TEST_CASE("cancelled cumulative and scatter steps end before they are complete") {
    constexpr std::int64_t n = std::int64_t{1} << 28;
    Array ones = Array::empty(DType::i8, {n});
    std::memset(ones.mutable_data(), 1, static_cast<std::size_t>(n));
    {
        Maker m;
        Cancelled::print_first(m);
        const auto x = m.argument(DType::i8, {n});
        const auto out = m.result(DType::i8, {n});
        m.p.steps.push_back({plan::CumulativeStep{.n = n, .combine = nest::Combine::max}, {x, out}});
        const Outcome outcome = Cancelled().run(m.p, {ones});
        CHECK(outcome.call.status == runtime::CallStatus::cancelled);
        CHECK(outcome.results[0].as<std::int8_t>()[0] == 1);
        CHECK(outcome.results[0].as<std::int8_t>()[n - 1] == 0);
    }
    ones.mutable_as<std::int8_t>()[n - 1] = 2;
    Maker m;
    Cancelled::print_first(m);
    const auto index = m.argument(DType::i8, {n});
    const auto out = m.result(DType::i8, {4});
    m.p.steps.push_back({plan::ScatterStep{.count = n, .sizes = {4}, .replaces = true}, {index, index, out}});
    const Outcome outcome = Cancelled().run(m.p, {ones});
    CHECK(outcome.call.status == runtime::CallStatus::cancelled);
    CHECK(values<std::int8_t>(outcome.results[0]) == std::vector<std::int8_t>{0, 1, 0, 0});
}

TEST_CASE("many short steps in sequence end between two steps when the call is cancelled") {
    constexpr std::int64_t n = 100'000;
    Maker m;
    Cancelled::print_first(m);
    const auto x = m.argument(DType::f32, {n});
    const auto y = m.result(DType::f32, {n});
    const auto last = m.result(DType::f32, {n});
    const auto step = [&](plan::BufferId to) {
        Step work = Maker::simple(StepKind::nest, {x, to});
        work.nest = std::make_shared<nest::Nest>(elementwise(nest::ScalarOp::tanh, DType::f32, {DType::f32}, n));
        m.p.steps.push_back(work);
    };
    for (int i = 0; i < 12; ++i) step(y);
    step(last);
    pm::codegen::Options whole;
    whole.function_size = 1'000'000; // all steps are in one function, since the end of each function polls too
    const auto compiler = pm::codegen::make_jit(whole);
    const auto code = compiler->compile(m.p);
    runtime::CallOptions options;
    const auto cancel = std::make_shared<std::atomic<bool>>(false);
    options.cancel = cancel;
    options.format = [&](std::string&, std::int64_t, std::int64_t, const void* const*) { *cancel = true; };
    const Array input = Array::from_values(DType::f32, {n}, std::vector<float>(n, 1.0F));
    const Outcome outcome = run_code(m.p, *code, {input}, 1, options);
    CHECK(outcome.call.status == runtime::CallStatus::cancelled);
    CHECK(outcome.results[0].as_f64(0) != 0);
    CHECK(outcome.results[1].as_f64(0) == 0); // the last step is not reached
}

TEST_CASE("a loop of long iterations polls more often than in every 64th iteration") {
    constexpr std::int64_t n = 1'000'000; // an iteration takes some milliseconds
    Maker m;
    Cancelled::print_first(m);
    const auto x = m.argument(DType::f32, {n});
    const auto y = m.result(DType::f32, {n});
    const auto iterations = m.result(DType::i64, {});
    Step loop{plan::LoopStep{.iterations = 1'000'000}};
    loop.children.resize(1);
    Step work = Maker::simple(StepKind::nest, {x, y});
    work.nest = std::make_shared<nest::Nest>(elementwise(nest::ScalarOp::lgamma, DType::f32, {DType::f32}, n));
    loop.children[0].push_back(work);
    loop.children[0].push_back(Maker::nest(
        scalar_nest(
            "i64",
            "    %0: i64 = load b0[0]\n    %1: i64 = constant 0x1\n    %2: i64 = add(%0, %1)\n    store b1[0] = %2\n",
            1),
        {iterations, iterations}));
    loop.children[0].push_back(Maker::simple(StepKind::poll));
    m.p.steps.push_back(loop);
    const Array input = random_array(DType::f32, {n}, 1);
    const Outcome outcome = Cancelled().run(m.p, {input});
    CHECK(outcome.call.status == runtime::CallStatus::cancelled);
    CHECK(outcome.results[1].as_i64() < 32);
}

TEST_CASE("the code of exchanges does not grow with the number of lanes") {
    const auto make = [](std::int64_t lanes) {
        Maker m;
        const auto x_all = m.argument(DType::f32, {lanes, lanes, 3});
        const auto swapped_all = m.result(DType::f32, {lanes, lanes, 3});
        const auto gathered_all = m.result(DType::f32, {lanes, lanes, lanes, 3});
        const std::int64_t bytes = lanes * 3 * 4;
        const auto x = m.view(x_all, {lanes, 3}, {{plan::lane, bytes}});
        const auto swapped = m.view(swapped_all, {lanes, 3}, {{plan::lane, bytes}});
        const auto gathered = m.view(gathered_all, {lanes, lanes, 3}, {{plan::lane, lanes * bytes}});
        using Work = plan::CollectiveWork;
        for (const auto& [work, to] : {std::pair{Work::all_to_all, swapped}, {Work::gather, gathered}})
            m.p.steps.push_back({plan::CollectiveStep{.work = work, .lanes = lanes}, {x, to}});
        return m.p;
    };
    std::size_t code_bytes = 0;
    for (const std::int64_t lanes : {3, 12, 48}) {
        const auto program = make(lanes);
        const auto code = jit().compile(program);
        if (lanes > 12) CHECK(code->bytes() < code_bytes + 200);
        code_bytes = code->bytes();
        const Array x = random_array(DType::f32, {lanes, lanes, 3}, 1);
        const auto outcome = run_code(program, *code, {x}, 1);
        REQUIRE(outcome.call);
        const auto at = [&](std::int64_t from, std::int64_t part, std::int64_t i) {
            return x.as<float>()[(from * lanes + part) * 3 + i];
        };
        bool right = true;
        for (std::int64_t to = 0; to < lanes; ++to)
            for (std::int64_t from = 0; from < lanes; ++from)
                for (std::int64_t i = 0; i < 3; ++i) {
                    right = right && outcome.results[0].as<float>()[(to * lanes + from) * 3 + i] == at(from, to, i);
                    for (std::int64_t part = 0; part < lanes; ++part)
                        right = right && outcome.results[1].as<float>()[((to * lanes + from) * lanes + part) * 3 + i] ==
                                             at(from, part, i);
                }
        CHECK(right);
    }
}

TEST_CASE("steps that differ only in their buffers are emitted as one loop") {
    constexpr std::int64_t n = 300;
    std::size_t code_bytes = 0;
    for (const std::int64_t count : {40, 400}) {
        Maker m;
        m.p.arena_bytes = n * 4;
        plan::BufferId between = m.argument(DType::f32, {n});
        std::vector<plan::BufferId> to;
        for (std::int64_t i = 0; i < count; ++i) to.push_back(m.result(DType::f32, {n}));
        for (std::int64_t i = 0; i < count; ++i) {
            Step step = Maker::simple(StepKind::nest, {between, to[static_cast<std::size_t>(i)]});
            step.nest = std::make_shared<nest::Nest>(elementwise(nest::ScalarOp::tanh, DType::f32, {DType::f32}, n));
            step.parallel = true; // a parallel step is not emitted inline
            m.p.steps.push_back(step);
            if (i > 0) between = to[static_cast<std::size_t>(i)]; // each step reads the result of the step before
        }
        const auto code = jit().compile(m.p);
        constexpr std::size_t bytes_of_row = 2 * 16;
        if (code_bytes > 0) CHECK(code->bytes() < code_bytes + 360 * bytes_of_row + 500);
        code_bytes = code->bytes();
        const auto outcome = run_code(m.p, *code, {random_array(DType::f32, {n}, 1)}, 1);
        REQUIRE(outcome.call);
        bool right = true;
        for (std::size_t r = 2; r < outcome.results.size(); ++r)
            for (std::int64_t i = 0; i < n; ++i)
                right = right &&
                        std::abs(outcome.results[r].as_f64(i) - std::tanh(outcome.results[r - 1].as_f64(i))) < 1e-6;
        CHECK(right);
    }
}

TEST_CASE("many steps are divided among several modules") {
    Maker m;
    const auto x = m.argument(DType::f32, {1000});
    const auto out = m.result(DType::f32, {1000});
    m.p.steps.push_back(Maker::simple(StepKind::copy, {x, out}));
    for (int i = 0; i < 40; ++i) {
        auto nest = nest::read_nest(
            "nest \"n\" (b0: f32, b1: written f32) grid=[1000] {\n  stage loops=[] order=lanes block=0 {\n    %0: f32 "
            "= load b0[i0]\n    %1: f32 = tanh(%0)\n    %2: f32 = tanh(%1)\n"
            "    %3: f32 = constant 0x3f800000\n    %4: f32 = add(%2, %3)\n    store b1[i0] = %4\n  }\n}");
        nest.insts[3].bits += static_cast<std::uint64_t>(i);
        Step s = Maker::simple(StepKind::nest, {out, out});
        s.nest = std::make_shared<nest::Nest>(nest);
        m.p.steps.push_back(s);
    }
    const Array input = random_array(DType::f32, {1000}, 1);
    const auto outcome = run(m.p, {input});
    REQUIRE(outcome.call);
    for (int i = 0; i < 1000; ++i) {
        double v = input.as_f64(i);
        for (int t = 0; t < 40; ++t) v = std::tanh(std::tanh(v)) + 1;
        CHECK(outcome.results[0].as_f64(i) == doctest::Approx(v).epsilon(1e-5));
    }
}
