#include "runtime/gpu/libraries/cuda_transforms.hpp"

#include "runtime/gpu/libraries/libraries.hpp"
#include "runtime/kernels/dynamic_library.hpp"

#include <fmt/format.h>

#include <array>
#include <mutex>
#include <tuple>

namespace pm::runtime {

std::vector<std::int64_t> fourier_attributes(const FourierSpec& s) {
    return {static_cast<std::int64_t>(s.part), s.inverse, s.rows, s.n};
}
FourierSpec fourier_spec(const std::int64_t* a) { return {static_cast<DType>(a[0]), a[1] != 0, a[2], a[3]}; }

namespace cuda {
namespace {

// Constants of cuFFT.
constexpr int complex_of_f32 = 0x29, complex_of_f64 = 0x69;
constexpr int forward = -1, backward = 1;
constexpr int transform_allocation_failed = 2;

/// The name of a result in the library's header.
std::string result_name(int result) {
    constexpr std::array names{"SUCCESS",        "INVALID_PLAN", "ALLOC_FAILED", "INVALID_TYPE", "INVALID_VALUE",
                               "INTERNAL_ERROR", "EXEC_FAILED",  "SETUP_FAILED", "INVALID_SIZE"};
    return result < static_cast<int>(names.size()) ? std::string("CUFFT_") + names[static_cast<std::size_t>(result)]
                                                   : fmt::format("result {}", result);
}

void expect_transform(int result, const char* function) {
    if (result == 0) return;
    if (result == transform_allocation_failed) fail_for_memory(function);
    fail(function, result_name(result));
}

/// The functions of cuFFT that are used.
struct Cufft {
    int (*create)(int* plan) = nullptr;
    int (*destroy)(int plan) = nullptr;
    int (*own_memory)(int plan, int whether) = nullptr;
    int (*make)(int plan, int rank, long long* n, long long* in, long long in_stride, long long in_distance,
                long long* out, long long out_stride, long long out_distance, int type, long long batch,
                std::size_t* bytes) = nullptr;
    int (*set_work)(int plan, void* work) = nullptr;
    int (*set_stream)(int plan, void* stream) = nullptr;
    int (*run_f32)(int plan, void* in, void* out, int direction) = nullptr;
    int (*run_f64)(int plan, void* in, void* out, int direction) = nullptr;

    bool load(const std::string& file) {
        void* library = open_library(file.c_str());
        const auto find = [&](const char* symbol, auto& function) { return find_function(library, symbol, function); };
        return library != nullptr && find("cufftCreate", create) && find("cufftDestroy", destroy) &&
               find("cufftSetAutoAllocation", own_memory) && find("cufftMakePlanMany64", make) &&
               find("cufftSetWorkArea", set_work) && find("cufftSetStream", set_stream) &&
               find("cufftExecC2C", run_f32) && find("cufftExecZ2Z", run_f64);
    }
    /// Whether the driver supports the library. Throws Failure(out_of_memory) if there is no memory for the test.
    bool works() const {
        int plan = 0;
        const int result = create(&plan);
        if (result == transform_allocation_failed) expect_transform(result, "cufftCreate");
        if (result != 0) return false;
        expect_transform(destroy(plan), "cufftDestroy");
        return true;
    }
};

/// A plan of cuFFT for a number of rows of one size. The caller of run() provides the work memory.
class TransformPlan {
  public:
    TransformPlan(const Cufft& f, const FourierSpec& spec, void* stream) : f_(f), spec_(spec) {
        expect_transform(f_.create(&number_), "cufftCreate");
        try {
            long long n = spec.n;
            expect_transform(f_.own_memory(number_, 0), "cufftSetAutoAllocation");
            expect_transform(f_.make(number_, 1, &n, nullptr, 1, n, nullptr, 1, n,
                                     spec.part == DType::f32 ? complex_of_f32 : complex_of_f64, spec.rows, &bytes_),
                             "cufftMakePlanMany64");
            expect_transform(f_.set_stream(number_, stream), "cufftSetStream");
        } catch (...) {
            static_cast<void>(f_.destroy(number_));
            throw;
        }
    }
    ~TransformPlan() { static_cast<void>(f_.destroy(number_)); }
    TransformPlan(const TransformPlan&) = delete;
    TransformPlan& operator=(const TransformPlan&) = delete;

    /// A plan can be used for both directions.
    bool is_for(const FourierSpec& s) const {
        return std::tie(s.part, s.rows, s.n) == std::tie(spec_.part, spec_.rows, spec_.n);
    }
    std::size_t bytes() const { return bytes_; }
    void run(void* in, void* out, void* work, bool inverse) const {
        expect_transform(f_.set_work(number_, work), "cufftSetWorkArea");
        const bool small = spec_.part == DType::f32;
        expect_transform((small ? f_.run_f32 : f_.run_f64)(number_, in, out, inverse ? backward : forward),
                         small ? "cufftExecC2C" : "cufftExecZ2Z");
    }

  private:
    const Cufft& f_;
    FourierSpec spec_;
    int number_ = 0;
    std::size_t bytes_ = 0;
};

class CudaTransforms final : public DeviceTransforms {
  public:
    CudaTransforms(const Workplace& place, const Cufft& library) : place_(place), library_(library) {}
    ~CudaTransforms() override {
        const CurrentContext entered(place_.driver, place_.context);
        plans_.clear();
    }

    bool run(const FourierSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
        return with_memory(place_.device, leave, [&] {
            const auto lock = lock_unless(leave, mutex_); // held while the work memory is set and the plan runs
            if (!lock || leave()) return false;
            const EnteredContext entered(place_.driver, place_.context);
            const TransformPlan& plan = plan_for(spec);
            const DeviceScratch work(place_.device.shared_from_this(), plan.bytes());
            const auto queued = [&](void*) {
                plan.run(buffers[0], buffers[1], work.data(), spec.inverse);
                return true;
            };
            return place_.queue.run(queued, leave);
        });
    }

  private:
    /// The most plans that are kept. A plan has some device memory, and its creation takes a millisecond.
    static constexpr std::size_t most_plans = 16;

    const TransformPlan& plan_for(const FourierSpec& spec) {
        const auto may_be_at_work = [&] { place_.device.wait(); };
        return plans_.get(spec, may_be_at_work, library_, spec, place_.queue.stream());
    }

    Workplace place_;
    Cufft library_;
    std::timed_mutex mutex_;
    Plans<TransformPlan> plans_{most_plans};
};

} // namespace

std::unique_ptr<DeviceTransforms> open_transforms(const Workplace& place) {
    const EnteredContext entered(place.driver, place.context);
    return of_latest_release(place.driver.version(), [&](int release) {
        Cufft library;
        const bool works = library.load(fmt::format("libcufft.so.{}", release - 1)) && library.works();
        return works ? std::make_unique<CudaTransforms>(place, library) : nullptr;
    });
}

} // namespace cuda
} // namespace pm::runtime
