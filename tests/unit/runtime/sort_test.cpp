#include "runtime/array.hpp"
#include "runtime/call.hpp"
#include "runtime/kernels/kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <numeric>
#include <random>
#include <thread>

using namespace pm::runtime;

namespace {

struct Sorted {
    std::vector<Array> arrays;
    CallStatus status;
};

Sorted sort(std::vector<Array> operands, int keys, int workers, bool descending = false, bool in_place = false,
            bool cancel = false) {
    SortSpec spec;
    spec.n = operands[0].shape().back();
    spec.batch = spec.n == 0 ? 0 : operands[0].elements() / spec.n;
    spec.keys = keys;
    spec.descending = descending;
    spec.parallel = workers > 1;
    for (const Array& a : operands) spec.operands.push_back(a.dtype());
    Sorted made{{}, CallStatus::done};
    std::vector<void*> buffers;
    for (Array& a : operands) {
        made.arrays.push_back(in_place ? a.clone() : Array::zeros(a.dtype(), a.shape()));
        buffers.push_back(in_place ? made.arrays.back().mutable_data() : a.mutable_data());
    }
    for (Array& a : made.arrays) buffers.push_back(a.mutable_data());
    const std::vector<std::int64_t> attributes = sort_attributes(spec);
    const Scratch workspace({}, static_cast<std::size_t>(sort_workspace_bytes(spec)));
    Workers pool(workers);
    CallOptions options;
    options.workers = &pool;
    CallState state(options);
    const void* constants[] = {attributes.data(), workspace.data(), cancel ? "cancel" : nullptr};
    const PmEntry entry = [](PmCall* call) {
        if (call->constants[2] != nullptr) set_stop(call, stop_cancelled);
        return pm_kernel_sort(call, call->arguments, static_cast<const std::int64_t*>(call->constants[0]),
                              const_cast<void*>(call->constants[1]));
    };
    const CallResult result = state.run(entry, buffers, {}, constants, 0);
    made.status = result.status;
    CHECK(result.code == (cancel ? 1 : 0));
    return made;
}

Array iota(std::int64_t batch, std::int64_t n) {
    Array made = Array::empty(DType::i32, {batch, n});
    for (std::int64_t i = 0; i < batch * n; ++i) made.mutable_as<std::int32_t>()[i] = static_cast<std::int32_t>(i % n);
    return made;
}

/// Random elements, many of them equal. If the dtype has them, they include zeros of both signs, infinities and NaNs.
Array random_array(DType dtype, std::int64_t batch, std::int64_t n, unsigned seed) {
    std::mt19937_64 random(seed);
    Array made = Array::empty(dtype, {batch, n});
    for (std::int64_t i = 0; i < batch * n; ++i) {
        double value = static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) / 8;
        const auto choice = random() % 40;
        if (choice == 0) value = std::nan("");
        if (choice == 1) value = -0.0;
        if (choice == 2) value = 0.0;
        if (choice == 3) value = INFINITY;
        if (choice == 4) value = -INFINITY;
        if (choice == 5) value = -std::nan("");
        if (is_complex(dtype))
            write_c128(dtype, made.mutable_data(), i, {std::floor(value / 40), static_cast<double>(random() % 5) - 2});
        else if (is_float(dtype))
            write_f64(dtype, made.mutable_data(), i, value);
        else
            write_u64(dtype, made.mutable_data(), i, choice < 30 ? random() : random() % 7);
    }
    return made;
}

/// Compares elements in JAX's order; returns -1, 0 or 1.
int compare(const Array& a, std::int64_t i, std::int64_t j) {
    const auto real = [](double x, double y) {
        if (std::isnan(x) || std::isnan(y)) return static_cast<int>(std::isnan(x)) - static_cast<int>(std::isnan(y));
        return (x > y) - (x < y);
    };
    if (is_complex(a.dtype())) {
        const int first = real(a.as_c128(i).real(), a.as_c128(j).real());
        return first != 0 ? first : real(a.as_c128(i).imag(), a.as_c128(j).imag());
    }
    if (is_float(a.dtype())) return real(a.as_f64(i), a.as_f64(j));
    if (is_signed_integer(a.dtype())) return (a.as_i64(i) > a.as_i64(j)) - (a.as_i64(i) < a.as_i64(j));
    return (a.as_u64(i) > a.as_u64(j)) - (a.as_u64(i) < a.as_u64(j));
}

void check_against_standard(const std::vector<Array>& keys, const Sorted& sorted, bool descending = false) {
    const std::int64_t n = keys[0].shape().back();
    int wrong = 0;
    for (std::int64_t row = 0; row < keys[0].elements() / n; ++row) {
        std::vector<std::int64_t> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
            for (const Array& key : keys)
                if (const int c = compare(key, row * n + i, row * n + j); c != 0) return descending ? c > 0 : c < 0;
            return false;
        });
        const Array& indices = sorted.arrays.back();
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t want = order[static_cast<std::size_t>(i)];
            wrong += indices.as_i64(row * n + i) != want;
            for (std::size_t k = 0; k < keys.size(); ++k) // compares bits, so the sort must not change -0 and NaNs
                wrong += !identical(sorted.arrays[k].at(row).at(i), keys[k].at(row).at(want));
        }
    }
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE("every type sorts stably, NaNs last, as a standard stable sort in JAX's order") {
    for (int d = 0; d < dtype_count; ++d)
        for (const auto& [batch, n] :
             {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 2}, {5, 97}, {1, 1535}, {2, 1536}, {3, 4001}}) {
            const auto dtype = static_cast<DType>(d);
            CAPTURE(name(dtype));
            CAPTURE(n);
            const Array keys = random_array(dtype, batch, n, static_cast<unsigned>(d * 100 + n));
            check_against_standard({keys}, sort({keys, iota(batch, n)}, 1, 2));
        }
}

TEST_CASE("several keys of different types, descending, in place") {
    for (const std::int64_t n : {50, 5000}) {
        const std::vector<Array> keys{random_array(DType::b1, 2, n, 1), random_array(DType::f16, 2, n, 2),
                                      random_array(DType::c128, 2, n, 3)};
        std::vector<Array> operands = keys;
        operands.push_back(iota(2, n));
        check_against_standard(keys, sort(operands, 3, 2));
        check_against_standard(keys, sort(operands, 3, 1, true), true);
        check_against_standard(keys, sort(operands, 3, 2, false, true));
    }
}

TEST_CASE("a large row sorted in parallel has the bits of one worker") {
    const std::int64_t n = 300007; // not a multiple of the block size
    for (const DType dtype : {DType::f32, DType::i64, DType::f64}) {
        const Array keys = random_array(dtype, 1, n, 5);
        const Sorted one = sort({keys, iota(1, n)}, 1, 1);
        const Sorted three = sort({keys, iota(1, n)}, 1, 3);
        CHECK(identical(one.arrays[0], three.arrays[0]));
        CHECK(identical(one.arrays[1], three.arrays[1]));
        if (dtype == DType::f32) check_against_standard({keys}, three);
    }
}

TEST_CASE("many short rows are sorted in groups") {
    const Array keys = random_array(DType::f32, 1000, 9, 8);
    check_against_standard({keys}, sort({keys, iota(1000, 9)}, 1, 3));
}

TEST_CASE("the size of the workspace depends on the keys and the groups") {
    const std::int64_t n = 1000000;
    const auto bytes = [&](bool parallel, DType key, DType payload, std::int64_t batch) {
        return sort_workspace_bytes({batch, n, 1, false, parallel, {key, payload}});
    };
    const std::int64_t counts = 16 * 2048 * 8;
    const auto about = [](std::int64_t value, std::int64_t expected) {
        return value >= expected && value < expected + 1000;
    };
    CHECK(about(bytes(false, DType::f32, DType::i32, 4), 16 * n + counts + 4 * n + 4 * n));
    CHECK(about(bytes(false, DType::f64, DType::i32, 4), 32 * n + counts + 4 * n + 8 * n));
    // Payloads need no memory for key words.
    CHECK(about(bytes(false, DType::f32, DType::f64, 4), 16 * n + counts + 4 * n + 8 * n));
    CHECK(bytes(true, DType::f32, DType::i32, 4) == 4 * bytes(false, DType::f32, DType::i32, 4));
    CHECK(bytes(true, DType::f32, DType::i32, 1) == bytes(false, DType::f32, DType::i32, 4));
}

TEST_CASE("equal, sorted and empty inputs") {
    const Array equal = Array::full(DType::f32, {1, 5000}, 2);
    check_against_standard({equal}, sort({equal, iota(1, 5000)}, 1, 2));
    const Array ascending = iota(1, 5000);
    check_against_standard({ascending}, sort({ascending, iota(1, 5000)}, 1, 2));
    CHECK(sort({Array::empty(DType::f32, {3, 0})}, 1, 2).status == CallStatus::done);
    CHECK(sort({Array::empty(DType::f32, {0, 3})}, 1, 2).status == CallStatus::done);
}

TEST_CASE("a cancelled call ends the sort") {
    const Array keys = random_array(DType::f32, 4, 5000, 3);
    CHECK(sort({keys.rows(0, 1)}, 1, 2, false, false, true).status == CallStatus::cancelled);
    CHECK(sort({keys}, 1, 2, false, false, true).status == CallStatus::cancelled);
}

TEST_CASE("a running sort is cancelled") {
    // On one thread the sort polls after each piece. The flag is set some time after the entry has begun; otherwise the
    // call would end before the entry. The entry repeats the sort, so even a slow host interrupts a running sort.
    const std::int64_t n = 4 << 20;
    Array values = random_array(DType::f32, 1, n, 3);
    const SortSpec spec{1, n, 1, false, false, {DType::f32}};
    const std::vector<std::int64_t> attributes = sort_attributes(spec);
    const Scratch workspace({}, static_cast<std::size_t>(sort_workspace_bytes(spec)));
    Array out = Array::zeros(DType::f32, {1, n});
    for (const int milliseconds : {0, 1, 3, 5, 8}) {
        std::atomic<bool> cancel{false};
        std::atomic<bool> begun{false};
        CallOptions options;
        options.cancel = std::shared_ptr<const std::atomic<bool>>(std::shared_ptr<void>(), &cancel);
        CallState state(options);
        void* arguments[] = {values.mutable_data(), out.mutable_data(), &begun};
        const void* constants[] = {attributes.data(), workspace.data()};
        std::jthread host([&] {
            begun.wait(false);
            std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
            cancel = true;
        });
        const CallResult result = state.run(
            [](PmCall* call) {
                auto& under_way = *static_cast<std::atomic<bool>*>(call->arguments[2]);
                under_way = true;
                under_way.notify_one();
                std::int32_t code = 0;
                for (int i = 0; i < 1000 && code == 0; ++i) // repeats until one of the sorts is cancelled
                    code = pm_kernel_sort(call, call->arguments, static_cast<const std::int64_t*>(call->constants[0]),
                                          const_cast<void*>(call->constants[1]));
                return code;
            },
            arguments, {}, constants, 0);
        CHECK(result.status == CallStatus::cancelled);
        CHECK(result.code == 1);
    }
}
