// Fourier transforms on a device's memory, by the stand-in of NVIDIA's library (tests/gpu/libraries).
#include "runtime/gpu/device/device.hpp"
#include "runtime/gpu/device/fourier_transforms.hpp"
#include "runtime/gpu/device/matrices.hpp"
#include "tests/gpu/device/library.hpp"

#include <cmath>
#include <complex>
#include <numbers>

using namespace pm::runtime;

namespace {

using Signal = std::vector<std::complex<double>>;

Signal wave(std::int64_t count) {
    Signal made;
    for (std::int64_t i = 0; i < count; ++i)
        made.emplace_back(std::sin(0.7 * static_cast<double>(i * i % 1009)), std::cos(1.3 * static_cast<double>(i)));
    return made;
}

/// The transform by its definition.
Signal transformed(const Signal& x, const FourierSpec& spec) {
    const auto n = static_cast<std::size_t>(spec.n);
    Signal made(x.size());
    for (std::size_t row = 0; row < x.size(); row += n)
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t j = 0; j < n; ++j)
                made[row + k] +=
                    x[row + j] * std::polar(1.0, (spec.inverse ? 2 : -2) * std::numbers::pi *
                                                     static_cast<double>(j * k % n) / static_cast<double>(n));
    return made;
}

template <class R>
Signal by_device(Device& device, const Signal& x, const FourierSpec& spec) {
    std::vector<std::complex<R>> pairs;
    for (const std::complex<double> z : x) pairs.emplace_back(static_cast<R>(z.real()), static_cast<R>(z.imag()));
    const std::size_t bytes = pairs.size() * sizeof(pairs[0]);
    const auto shared = device.shared_from_this();
    const DeviceScratch in(shared, bytes), out(shared, bytes);
    device.upload(in.data(), pairs.data(), bytes);
    void* buffers[] = {in.data(), out.data()};
    REQUIRE(device.transforms()->run(spec, buffers, never));
    std::vector<std::complex<R>> kept(pairs.size());
    device.download(kept.data(), in.data(), bytes);
    CHECK(kept == pairs);
    device.download(pairs.data(), out.data(), bytes);
    return {pairs.begin(), pairs.end()};
}

} // namespace

TEST_CASE("transforms of rows agree with the definition, in both directions and precisions") {
    const auto device = open_gpu();
    if (!is_there(device->transforms(), "cuFFT")) return;
    for (const DType part : {DType::f32, DType::f64})
        for (const bool inverse : {false, true})
            for (const auto& [rows, n] : {std::pair{1, 90}, {5, 64}, {3, 101}}) {
                const FourierSpec spec{part, inverse, rows, n};
                const Signal x = wave(rows * n), want = transformed(x, spec);
                const Signal got =
                    part == DType::f32 ? by_device<float>(*device, x, spec) : by_device<double>(*device, x, spec);
                double most = 0;
                for (std::size_t i = 0; i < want.size(); ++i) most = std::max(most, std::abs(want[i] - got[i]));
                CHECK(most < (part == DType::f32 ? 1e-4 : 1e-11));
            }
}

TEST_CASE("memory is freed after more sizes than there are cached plans") {
    const auto device = open_gpu();
    if (!is_there(device->transforms(), "cuFFT")) return;
    const std::size_t free = device->free_memory();
    for (int iteration = 0; iteration < 2; ++iteration)
        for (int n = 2; n < 24; ++n) {
            const FourierSpec spec{DType::f64, false, 2, n};
            const Signal x = wave(2 * n), want = transformed(x, spec), got = by_device<double>(*device, x, spec);
            for (std::size_t i = 0; i < want.size(); ++i) CHECK(std::abs(want[i] - got[i]) < 1e-11);
        }
    device->wait();
    PM_CHECK_INTERPRETED(device->free_memory() == free);
}

TEST_CASE("a stopped call queues no transform") {
    const auto device = open_gpu();
    if (!is_there(device->transforms(), "cuFFT")) return;
    CHECK_FALSE(device->transforms()->run({DType::f32, false, 1, 8}, nullptr, [] { return true; }));
}

TEST_CASE("attributes encode a transform, and large() needs long rows") {
    const FourierSpec spec{DType::f64, true, 7, 300};
    const FourierSpec again = fourier_spec(fourier_attributes(spec).data());
    CHECK((again.part == spec.part && again.inverse && again.rows == 7 && again.n == 300));
    CHECK_FALSE(spec.large());
    CHECK(FourierSpec{DType::f32, false, 1, 1 << 16}.large());
    CHECK_FALSE(FourierSpec{DType::f32, false, 1 << 20, 64}.large());
}
