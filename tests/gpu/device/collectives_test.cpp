// Collectives of several GPUs by a library, here the stand-in of NCCL (tests/gpu/libraries).
#include "runtime/failure.hpp"
#include "runtime/gpu/device/collectives.hpp"
#include "runtime/gpu/device/device.hpp"
#include "tests/gpu/device/library.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace pm::runtime;
using By = AllReduceSpec::By;

namespace {

constexpr std::int64_t gpus = 3; // PM_INTERPRETER_DEVICES

std::size_t communicators() {
    void* const library = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    return reinterpret_cast<std::size_t (*)()>(::dlsym(library, "pm_nccl_communicators"))();
}

/// Makes each call of a function fail while the object lives. Names all numbers, since the counts of calls continue
/// from test to test.
class Failing {
  public:
    Failing(const std::string& function, int code, int first = 1) {
        std::string all;
        for (int i = first; i < 500; ++i)
            all += (all.empty() ? "" : ",") + function + ":" + std::to_string(i) + ":" + std::to_string(code);
        ::setenv("PM_CUDA_LIBRARIES_FAIL", all.c_str(), 1);
    }
    ~Failing() { ::unsetenv("PM_CUDA_LIBRARIES_FAIL"); }
    Failing(const Failing&) = delete;
    Failing& operator=(const Failing&) = delete;
};

/// Arrays of T on the GPUs of that many lanes. Unwritten elements are NaN or have all bits set.
template <class T>
struct OnLanes {
    OnLanes(const std::shared_ptr<Device>& on, std::int64_t lanes, std::int64_t count)
        : device(on), n(static_cast<std::size_t>(count)), memory(on, static_cast<std::size_t>(lanes) * n * sizeof(T)) {}
    std::byte* lane(std::int64_t l) const { return memory.data() + static_cast<std::size_t>(l) * n * sizeof(T); }
    void write(std::int64_t lane, const std::vector<T>& values) const {
        device->of_lane(lane, gpus).upload(this->lane(lane), values.data(), n * sizeof(T));
    }
    std::vector<T> read(std::int64_t lane) const {
        std::vector<T> made(n);
        device->of_lane(lane, gpus).download(made.data(), this->lane(lane), n * sizeof(T));
        return made;
    }
    std::shared_ptr<Device> device;
    std::size_t n;
    DeviceScratch memory;
};

template <class T>
T value(std::int64_t lane, std::size_t i) {
    return static_cast<T>(static_cast<std::int64_t>(i % 11) - 4 + 3 * lane * (i % 2 == 0 ? 1 : -1));
}
template <class T>
void fill(const OnLanes<T>& in) {
    for (std::int64_t lane = 0; lane < gpus; ++lane) {
        std::vector<T> values(in.n);
        for (std::size_t i = 0; i < in.n; ++i) values[i] = value<T>(lane, i);
        in.write(lane, values);
    }
}
template <class T>
std::vector<T> expected(By by, std::size_t n) {
    std::vector<T> made(n);
    for (std::size_t i = 0; i < n; ++i) {
        T x = value<T>(0, i);
        for (std::int64_t lane = 1; lane < gpus; ++lane) {
            const T y = value<T>(lane, i);
            x = by == By::sum ? static_cast<T>(x + y) : by == By::greatest ? std::max(x, y) : std::min(x, y);
        }
        made[i] = x;
    }
    return made;
}

template <class T>
AllReduceSpec spec_of(DType dtype, By by, std::size_t n) {
    const auto bytes = static_cast<std::int64_t>(n * sizeof(T));
    return {dtype, by, gpus, static_cast<std::int64_t>(n), bytes, bytes};
}

template <class T>
void check_all(const std::shared_ptr<Device>& device, DType dtype) {
    CAPTURE(name(dtype));
    for (const By by : {By::sum, By::greatest, By::least}) {
        if (!library_reduces(dtype, by)) continue;
        for (const std::int64_t n : {1, 1001, 70000}) {
            const OnLanes<T> in(device, gpus, n), out(device, gpus, n), shared(device, 1, n);
            const std::vector<T> right = expected<T>(by, in.n);
            AllReduceSpec s = spec_of<T>(dtype, by, in.n);
            fill(in);
            REQUIRE(device->all_reduce(s, in.lane(0), out.lane(0), never));
            for (std::int64_t lane = 0; lane < gpus; ++lane) CHECK(out.read(lane) == right);
            s.out_stride = 0; // one result for all lanes
            REQUIRE(device->all_reduce(s, in.lane(0), shared.lane(0), never));
            CHECK(shared.read(0) == right);
            s.out_stride = s.in_stride; // in place
            REQUIRE(device->all_reduce(s, in.lane(0), in.lane(0), never));
            for (std::int64_t lane = 0; lane < gpus; ++lane) CHECK(in.read(lane) == right);
        }
    }
}

} // namespace

PM_TEST_OF_INTERPRETER("collectives by a library: types, operations, addresses of the result") {
    const auto device = open_gpu(gpus);
    REQUIRE(device->is_several());
    check_all<std::int8_t>(device, DType::i8);
    check_all<std::uint8_t>(device, DType::u8);
    check_all<std::int32_t>(device, DType::i32);
    check_all<std::uint32_t>(device, DType::u32);
    check_all<std::int64_t>(device, DType::i64);
    check_all<std::uint64_t>(device, DType::u64);
    check_all<float>(device, DType::f32);
    check_all<double>(device, DType::f64);
    // Arrays are copied to the GPU of each lane first. Lanes may share an operand.
    const OnLanes<float> in(device, 1, 1000), out(device, gpus, 1000);
    in.write(0, std::vector<float>(1000, 2));
    AllReduceSpec s = spec_of<float>(DType::f32, By::sum, 1000);
    s.in_stride = 0;
    REQUIRE(device->all_reduce(s, in.lane(0), out.lane(0), never));
    CHECK(out.read(2) == std::vector<float>(1000, 6));
}

PM_TEST_OF_INTERPRETER("collectives by a library: unsupported collectives are refused") {
    CHECK(library_reduces(DType::f64, By::sum));
    CHECK(library_reduces(DType::i8, By::least));
    CHECK_FALSE(library_reduces(DType::f32, By::greatest)); // the library ignores NaN
    CHECK_FALSE(library_reduces(DType::bf16, By::sum));     // rounded more than once
    CHECK_FALSE(library_reduces(DType::i16, By::sum));
    CHECK_FALSE(library_reduces(DType::b1, By::greatest));
    CHECK_FALSE(library_reduces(DType::c64, By::sum));
    const AllReduceSpec s{DType::i64, By::least, 5, 77, 616, 0};
    CHECK(all_reduce_spec(all_reduce_attributes(s).data()) == s);

    const auto device = open_gpu(gpus);
    const OnLanes<float> in(device, gpus, 100);
    fill(in);
    AllReduceSpec other = spec_of<float>(DType::f32, By::sum, 100);
    other.lanes = gpus - 1; // a GPU without a lane
    CHECK_FALSE(device->all_reduce(other, in.lane(0), in.lane(0), never));
    other.lanes = gpus;
    CHECK_FALSE(device->all_reduce(other, in.lane(0), in.lane(0) + 4, never)); // operand and result overlap in part
    CHECK(in.read(1)[0] == value<float>(1, 0));
    CHECK_FALSE(open_gpu()->all_reduce(other, in.lane(0), in.lane(0), never));
}

PM_TEST_OF_INTERPRETER("collectives by a library: communicators end with the GPUs, and later calls repeat a failure") {
    const auto reduce = [](Device& device, const OnLanes<float>& in) {
        return device.all_reduce(spec_of<float>(DType::f32, By::sum, in.n), in.lane(0), in.lane(0), never);
    };
    {
        const auto device = open_gpu(gpus);
        const OnLanes<float> in(device, gpus, 1000);
        CHECK(communicators() == 0);
        fill(in);
        CHECK(reduce(*device, in));
        CHECK(reduce(*device, in));
        CHECK(communicators() == gpus);
    }
    CHECK(communicators() == 0);
    {
        const Failing every("ncclCommInitAll", 1);
        const auto device = open_gpu(gpus);
        const OnLanes<float> in(device, gpus, 1000);
        fill(in);
        CHECK_FALSE(reduce(*device, in));
        CHECK(in.read(0)[0] == value<float>(0, 0));
    }
    for (const char* function : {"ncclGroupStart", "ncclAllReduce", "ncclGroupEnd"}) {
        CAPTURE(function);
        const auto device = open_gpu(gpus);
        const OnLanes<float> in(device, gpus, 1000);
        fill(in);
        CHECK(reduce(*device, in));
        {
            const Failing every(function, 3);
            CHECK_THROWS_WITH_AS(reduce(*device, in), doctest::Contains(function), Failure);
        }
        CHECK(communicators() == 0);
        CHECK_THROWS_WITH_AS(reduce(*device, in), doctest::Contains(function), Failure);
        CHECK_THROWS_WITH_AS(in.read(0), doctest::Contains("a fault within"), Failure);
    }
    // A collective that fails while no lane waits for it.
    const auto device = open_gpu(gpus);
    const OnLanes<float> in(device, gpus, 1000);
    fill(in);
    {
        const Failing every("ncclCommGetAsyncError", 6);
        CHECK(reduce(*device, in));
        while (communicators() > 0) {
        }
    }
    CHECK_THROWS_WITH_AS(in.read(0), doctest::Contains("another process failed"), Failure);
}
