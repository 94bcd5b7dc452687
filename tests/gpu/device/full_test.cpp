// Two GPUs with too little memory for all arrays that both read, and two threads that compute on them. On the driver
// that interprets PTX, with the stand-in of cuFFT.
#include "runtime/failure.hpp"
#include "runtime/gpu/device/collectives.hpp"
#include "runtime/gpu/device/convolutions.hpp"
#include "runtime/gpu/device/device.hpp"
#include "runtime/gpu/device/fourier_transforms.hpp"
#include "runtime/gpu/device/matrices.hpp"
#include "tests/gpu/device/library.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <complex>
#include <cstdlib>
#include <functional>
#include <list>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace pm::runtime;

namespace {

constexpr FourierSpec spec{.rows = 32768, .n = 8};
constexpr std::int64_t arrays = 6;
using Spectrum = std::vector<std::complex<float>>;

/// Rows with `value` in their first element and 0 in the others. All elements of their transform are `value`.
Spectrum impulses(float value) {
    Spectrum made(static_cast<std::size_t>(spec.rows * spec.n));
    for (std::size_t i = 0; i < made.size(); i += static_cast<std::size_t>(spec.n)) made[i] = value;
    return made;
}

/// The number of wrong transforms of a thread that uses one of the GPUs.
int wrong_transforms(const std::shared_ptr<Device>& device, std::int64_t lane, const std::vector<std::byte*>& given) {
    Device& gpu = device->of_lane(lane, 2);
    std::mt19937 random(static_cast<unsigned>(lane));
    int wrong = 0;
    for (int iteration = 0; iteration < 40; ++iteration) {
        const auto i = random() % given.size();
        const DeviceScratch out(device, spec.bytes());
        void* buffers[] = {given[i], out.data()};
        Spectrum found(static_cast<std::size_t>(spec.rows * spec.n));
        if (!gpu.transforms()->run(spec, buffers, [] { return false; })) ++wrong;
        gpu.download(found.data(), out.data(), spec.bytes());
        if (found != Spectrum(found.size(), static_cast<float>(i + 1))) ++wrong;
        gpu.download(found.data(), given[i], spec.bytes());
        if (found != impulses(static_cast<float>(i + 1))) ++wrong;
    }
    return wrong;
}

} // namespace

// Each GPU has six pages of 2 MB. A transform needs two, and one for the library. The other three can hold arrays that
// no other GPU has. A thread waits for pages that the other thread is using.
TEST_CASE("full GPUs: two threads use more memory than either GPU has" *
          doctest::skip(std::getenv("PM_INTERPRETER_MEMORY") == nullptr)) {
    const auto device = open_gpu(2);
    REQUIRE(device->is_several());
    if (!is_there(device->transforms(), "cuFFT")) return;
    REQUIRE(device->memory() < static_cast<std::size_t>(2 * (arrays + 2)) * spec.bytes());
    std::vector<std::byte*> given;
    for (std::int64_t i = 0; i < arrays; ++i) {
        given.push_back(device->allocate(spec.bytes()));
        device->of_lane(i, arrays).upload(given.back(), impulses(static_cast<float>(i + 1)).data(), spec.bytes());
    }
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (const std::int64_t lane : {0, 1})
            threads.emplace_back([&, lane] { wrong += wrong_transforms(device, lane, given); });
    }
    CHECK(wrong == 0);
    for (std::byte* one : given) device->release(one);
}

// Libraries that allocate memory on GPUs that are full of copies.

namespace {

constexpr std::size_t array_bytes = std::size_t{2} << 20;

const char* const reading = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry unit_0(.param .u64 p) { ret; }
)";

/// Arrays that both GPUs hold. The first half was written on one GPU, the second half on the other. They fill the
/// memory of each GPU except for less than `left` bytes.
class Filled {
  public:
    explicit Filled(const std::shared_ptr<Device>& device, std::size_t left = 2 * array_bytes) : device_(device) {
        const std::shared_ptr<const Kernels> kernels = device->load(reading, 1);
        const std::size_t count = device->of_lane(0, 2).memory() / 2 / array_bytes;
        for (std::size_t i = 0; i + left / array_bytes <= count; ++i) {
            std::byte* made = arrays_.emplace_back(device->allocate(array_bytes));
            const std::vector<unsigned char> values(array_bytes, static_cast<unsigned char>(i));
            device->of_lane(static_cast<std::int64_t>(2 * i / count), 2).upload(made, values.data(), array_bytes);
            for (const std::int64_t lane : {0, 1}) {
                void* buffers[] = {made};
                const MemoryAccess touch{MemoryAccess::reads, array_bytes};
                device->of_lane(lane, 2).launch(
                    {.kernel = kernels->handles()[0], .buffers = buffers, .accesses = &touch});
            }
        }
        device->wait();
    }
    ~Filled() {
        for (std::byte* one : arrays_) device_->release(one);
    }
    Filled(const Filled&) = delete;
    Filled& operator=(const Filled&) = delete;
    bool is_right() const {
        std::vector<unsigned char> found(array_bytes);
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            device_->download(found.data(), arrays_[i], array_bytes);
            if (found != std::vector<unsigned char>(array_bytes, static_cast<unsigned char>(i))) return false;
        }
        return true;
    }

  private:
    std::shared_ptr<Device> device_;
    std::vector<std::byte*> arrays_;
};

} // namespace

// With PM_CUDA_LIBRARIES_MEMORY of 10 MB.
TEST_CASE("GPUs full of copies: libraries open and compute" *
          doctest::skip(std::getenv("PM_CUDA_LIBRARIES_MEMORY") == nullptr)) {
    const auto never = [] { return false; };
    const auto opened = [&](const std::string& name, const auto& open) {
        CAPTURE(name);
        const auto device = open_gpu(2);
        REQUIRE(device->is_several());
        const Filled filled(device);
        for (const std::int64_t lane : {0, 1}) CHECK(open(device, device->of_lane(lane, 2)));
        CHECK(filled.is_right());
    };
    opened("cuSOLVER", [](const auto&, Device& gpu) { return gpu.matrices() != nullptr; });
    opened("cuFFT", [](const auto&, Device& gpu) { return gpu.transforms() != nullptr; });
    opened("cuDNN", [](const auto&, Device& gpu) { return gpu.convolutions() != nullptr; });
    opened("cuBLASLt", [&](const auto& device, Device& gpu) { // allocates 32 MB more while it computes
        const ProductSpec spec{.m = 8, .n = 8, .k = 8, .a_m = 8, .a_k = 1, .b_k = 8, .b_n = 1, .out_m = 8, .out_n = 1};
        const DeviceScratch a(device, 256), b(device, 256), out(device, 256);
        for (const DeviceScratch* factor : {&a, &b}) gpu.clear(factor->data(), 256);
        return gpu.multiply(spec, {.a = a.data(), .b = b.data(), .out = out.data()}, never);
    });
    opened("NCCL", [&](const auto& device, Device&) {
        const DeviceScratch in(device, 512), out(device, 512);
        for (const std::int64_t lane : {0, 1}) device->of_lane(lane, 2).clear(in.data() + lane * 256, 256);
        return device->all_reduce({DType::f32, AllReduceSpec::By::sum, 2, 64, 256, 256}, in.data(), out.data(), never);
    });
}

// The solution overwrites the right-hand sides, so a finished part must not be repeated.
TEST_CASE("GPUs full of copies: a system whose solver finds memory late is solved once" *
          doctest::skip(std::getenv("PM_CUDA_LIBRARIES_MEMORY") == nullptr)) {
    const auto device = open_gpu(2);
    REQUIRE(device->is_several());
    const TriangularSpec spec{.dtype = DType::f32, .lower = true, .batch = 2, .n = 4, .m = 4};
    const std::vector<float> ones(32, 1.0F);
    std::vector<float> factor(32, 0.0F), found(32);
    for (std::size_t i = 0; i < 32; i += i % 16 == 15 ? 1 : 5) factor[i] = 2;
    const DeviceScratch t(device, sizeof(float) * 32), b(device, sizeof(float) * 32);
    device->upload(t.data(), factor.data(), sizeof(float) * 32);
    device->upload(b.data(), ones.data(), sizeof(float) * 32);
    DeviceMatrices* const matrices = device->matrices();
    const Filled filled(device);
    ::setenv("PM_CUDA_LIBRARIES_FAIL", "cublasStrsm_v2:2:3,cublasStrsm_v2:3:3", 1);
    void* buffers[] = {t.data(), b.data(), b.data()};
    CHECK(matrices->run(spec, buffers, [] { return false; }));
    ::unsetenv("PM_CUDA_LIBRARIES_FAIL");
    device->download(found.data(), b.data(), sizeof(float) * 32);
    CHECK(found == std::vector<float>(32, 0.5F));
    CHECK(filled.is_right());
}

// The memory of one GPU is full except for the operand of a library, which another GPU has too, and the library's
// scratch.
TEST_CASE("GPUs full of copies: an allocation waits for memory that a library uses for a while" *
          doctest::skip(std::getenv("PM_CUDA_LIBRARIES_MEMORY") == nullptr)) {
    const auto device = open_gpu(2);
    REQUIRE(device->is_several());
    Device& gpu = device->of_lane(0, 2);
    const auto kernels = device->load(reading, 1);
    REQUIRE(spec.bytes() == array_bytes);
    const DeviceScratch x(device, spec.bytes()), y(device, spec.bytes()), more(device, 2 * array_bytes);
    const Spectrum given = impulses(3);
    device->of_lane(1, 2).upload(x.data(), given.data(), spec.bytes());
    void* buffers[] = {x.data(), y.data()};
    REQUIRE(gpu.transforms()->run(spec, buffers, [] { return false; })); // also creates the plan
    std::list<DeviceScratch> all;
    try {
        for (;;) gpu.upload(all.emplace_back(device, array_bytes).data(), given.data(), array_bytes);
    } catch (const Failure& failure) {
        REQUIRE(failure.kind() == FailureKind::out_of_memory);
    }
    for (int i = 0; i < 3; ++i)
        all.pop_back(); // frees two pages: for the copy of x, and for the scratch of the library
    std::atomic<bool> polled = false, refused = false;
    const std::function<bool()> poll = [&] {
        polled = true;
        return false;
    };
    std::jthread other;
    const auto before_library = [&] {
        if (other.joinable()) return false;
        other = std::jthread([&] {
            void* parameters[] = {more.data()};
            const MemoryAccess touch{MemoryAccess::writes, 2 * array_bytes};
            try {
                gpu.launch(
                    {.kernel = kernels->handles()[0], .buffers = parameters, .accesses = &touch, .leave = &poll});
            } catch (const Failure&) {
                refused = true;
            }
        });
        while (!polled && !refused) std::this_thread::yield();
        return false;
    };
    CHECK(gpu.transforms()->run(spec, buffers, before_library));
    REQUIRE(other.joinable());
    other.join();
    CHECK(polled);
    CHECK_FALSE(refused);
    Spectrum found(given.size());
    device->download(found.data(), y.data(), spec.bytes());
    CHECK(found == Spectrum(found.size(), 3.0F));
}

// The same on one GPU. No thread asks the waiting one to leave, so it leaves for a moment without being asked.
TEST_CASE("GPUs full of copies: an array waits for the scratch of a factorization" *
          doctest::skip(std::getenv("PM_CUDA_LIBRARIES_MEMORY") == nullptr)) {
    const auto device = open_gpu(1);
    const FactorizeSpec cholesky{.kind = Factorization::cholesky, .dtype = DType::f32, .m = 100, .n = 100};
    const std::vector<std::size_t> bytes = cholesky.bytes();
    const DeviceScratch in(device, bytes[0]), out(device, bytes[1]);
    device->clear(in.data(), bytes[0]);
    void* buffers[] = {in.data(), out.data()};
    DeviceMatrices* const matrices = device->matrices();
    REQUIRE(matrices->run(cholesky, buffers, [] { return false; }));
    device->wait();
    const std::size_t all_but_scratch = device->free_memory() - bytes[0] / 2;
    int there = 0;
    for (int iteration = 0; iteration < 50 && there == 0; ++iteration) { // a busy machine may take longer than a moment
        std::atomic<bool> through = false;
        std::jthread other;
        const auto before_library = [&] {
            if (other.joinable()) return false;
            device->wait(); // otherwise the allocation waits for the queue and then finds memory
            other = std::jthread([&] {
                try {
                    device->release(device->allocate(all_but_scratch));
                    ++there;
                } catch (const Failure& failure) {
                    CHECK(failure.kind() == FailureKind::out_of_memory);
                }
                through = true;
            });
            for (int i = 0; i < 20 && !through; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return false;
        };
        CHECK(matrices->run(cholesky, buffers, before_library));
        REQUIRE(other.joinable());
        other.join();
    }
    CHECK(there > 0);
}
