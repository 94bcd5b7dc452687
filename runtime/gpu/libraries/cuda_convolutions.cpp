#include "runtime/gpu/libraries/cuda_convolutions.hpp"

#include "runtime/kernels/dynamic_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

namespace pm::runtime::cuda {
namespace {

// Constants of cuDNN 9.
constexpr int type_f32 = 0, type_f16 = 2, type_bf16 = 9;
constexpr int features_last = 1, cross_correlation = 1, deterministic = 1;
constexpr int default_math = 0, tensor_cores = 1, with_conversions = 2; // for f32, default_math allows TF32
constexpr int no_memory_on_host = 4003, no_memory_on_device = 4004;
constexpr int by_indices = 1; // CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM
constexpr int identity = 5, nans_of_relu = 0;

constexpr int other_version = 1002, not_loaded = 1008, not_compiled = 4001; // errors of parts of the library

/// Whether a status says that the library cannot compute a convolution, although the device works. The reason is that
/// the parameters are invalid, that there is no algorithm, or that a part of the library is not installed.
bool cannot(int status) {
    return status / 1000 == 2 || status / 1000 == 3 || status == other_version || status == not_loaded ||
           status == not_compiled;
}
bool no_memory(int status) { return status == no_memory_on_host || status == no_memory_on_device; }

/// The properties of an algorithm: cudnnConvolutionFwdAlgoPerf_t. The structs for the other kinds of convolutions are
/// equal.
struct Performance {
    int algorithm;
    int status;
    float time;
    std::size_t memory;
    int determinism;
    int math;
    int reserved[3];
};

/// The functions for one kind of convolution. Their parameters are descriptors of the two arrays that are given and of
/// the result.
struct Functions {
    int (*algorithms)(void* handle, void* a, void* b, void* convolution, void* result, int most, int* found,
                      Performance* performances) = nullptr;
    int (*workspace)(void* handle, void* a, void* b, void* convolution, void* result, int algorithm,
                     std::size_t* bytes) = nullptr;
    int (*run)(void* handle, const void* alpha, void* a_descriptor, const void* a, void* b_descriptor, const void* b,
               void* convolution, int algorithm, void* workspace, std::size_t bytes, const void* beta,
               void* result_descriptor, void* result) = nullptr;
    std::string name;
};

/// Functions for a forward convolution with an epilogue. If the library lacks these functions, Cudnn::ends is nullopt.
struct EndFunctions {
    int (*create_activation)(void** activation) = nullptr;
    int (*destroy_activation)(void* activation) = nullptr;
    int (*set_activation)(void* activation, int mode, int nans, double limit) = nullptr;
    int (*run)(void* handle, const void* scale, void* x_descriptor, const void* x, void* w_descriptor, const void* w,
               void* convolution, int algorithm, void* workspace, std::size_t bytes, const void* added_scale,
               void* added_descriptor, const void* added, void* bias_descriptor, const void* bias, void* activation,
               void* y_descriptor, void* y) = nullptr;
};

struct Cudnn {
    int (*create)(void** handle) = nullptr;
    int (*destroy)(void* handle) = nullptr;
    int (*set_stream)(void* handle, void* stream) = nullptr;
    const char* (*status_name)(int status) = nullptr;
    int (*create_tensor)(void** tensor) = nullptr;
    int (*destroy_tensor)(void* tensor) = nullptr;
    int (*set_tensor)(void* tensor, int type, int axes, const int* sizes, const int* strides) = nullptr;
    int (*create_filter)(void** filter) = nullptr;
    int (*destroy_filter)(void* filter) = nullptr;
    int (*set_filter)(void* filter, int type, int format, int axes, const int* sizes) = nullptr;
    int (*create_convolution)(void** convolution) = nullptr;
    int (*destroy_convolution)(void* convolution) = nullptr;
    int (*set_convolution)(void* convolution, int axes, const int* padding, const int* stride, const int* dilation,
                           int mode, int type) = nullptr;
    int (*set_groups)(void* convolution, int groups) = nullptr;
    int (*set_math)(void* convolution, int math) = nullptr;
    std::array<Functions, 3> kinds;
    std::optional<EndFunctions> ends;

    bool load(const char* file) {
        void* library = open_library(file);
        const auto find = [&](const std::string& symbol, auto& function) {
            return find_function(library, "cudnn" + symbol, function);
        };
        const auto find_kind = [&](Functions& f, const std::string& kind) {
            f.name = "cudnnConvolution" + kind;
            return find("GetConvolution" + kind + "Algorithm_v7", f.algorithms) &&
                   find("GetConvolution" + kind + "WorkspaceSize", f.workspace) && find("Convolution" + kind, f.run);
        };
        const auto find_ends = [&] {
            EndFunctions f;
            if (find("CreateActivationDescriptor", f.create_activation) &&
                find("DestroyActivationDescriptor", f.destroy_activation) &&
                find("SetActivationDescriptor", f.set_activation) && find("ConvolutionBiasActivationForward", f.run))
                ends = f;
            return true;
        };
        return library != nullptr && find("Create", create) && find("Destroy", destroy) &&
               find("SetStream", set_stream) && find("GetErrorString", status_name) &&
               find("CreateTensorDescriptor", create_tensor) && find("DestroyTensorDescriptor", destroy_tensor) &&
               find("SetTensorNdDescriptor", set_tensor) && find("CreateFilterDescriptor", create_filter) &&
               find("DestroyFilterDescriptor", destroy_filter) && find("SetFilterNdDescriptor", set_filter) &&
               find("CreateConvolutionDescriptor", create_convolution) &&
               find("DestroyConvolutionDescriptor", destroy_convolution) &&
               find("SetConvolutionNdDescriptor", set_convolution) && find("SetConvolutionGroupCount", set_groups) &&
               find("SetConvolutionMathType", set_math) && find_kind(kinds[0], "Forward") &&
               find_kind(kinds[1], "BackwardData") && find_kind(kinds[2], "BackwardFilter") && find_ends();
    }
    void expect(int status, const std::string& function) const {
        if (status == 0) return;
        if (no_memory(status)) fail_for_memory(function);
        fail(function, status_name(status));
    }
};

/// An object of the library. If the library cannot create the object, get() returns null.
class LibraryObject {
  public:
    LibraryObject(int (*create)(void**), int (*destroy)(void*), const char* function) : destroy_(destroy) {
        const int status = create(&made_);
        if (no_memory(status)) fail_for_memory(function);
        if (status != 0) made_ = nullptr;
    }
    ~LibraryObject() {
        if (made_ != nullptr) static_cast<void>(destroy_(made_));
    }
    LibraryObject(const LibraryObject&) = delete;
    LibraryObject& operator=(const LibraryObject&) = delete;
    void* get() const { return made_; }

  private:
    void* made_ = nullptr;
    int (*destroy_)(void*);
};

/// Converts numbers to the library's type of integers. Returns nullopt if a number does not fit.
using Ints = std::vector<int>;
std::optional<Ints> ints(const std::vector<std::int64_t>& numbers) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (std::ranges::any_of(numbers, [](std::int64_t n) { return n > most; })) return {};
    return Ints(numbers.begin(), numbers.end());
}

/// The algorithms for convolutions with one spec.
class ConvolutionPlan {
  public:
    ConvolutionPlan(const Cudnn& f, void* handle, const ConvolutionSpec& spec, std::size_t most_work)
        : f_(f), handle_(handle), spec_(spec), x_(f.create_tensor, f.destroy_tensor, "cudnnCreateTensorDescriptor"),
          w_(f.create_filter, f.destroy_filter, "cudnnCreateFilterDescriptor"),
          y_(f.create_tensor, f.destroy_tensor, "cudnnCreateTensorDescriptor"),
          convolution_(f.create_convolution, f.destroy_convolution, "cudnnCreateConvolutionDescriptor") {
        if (describe()) find_algorithms(most_work);
    }

    bool is_for(const ConvolutionSpec& spec) const { return spec == spec_; }
    /// The number of usable algorithms. By the library's estimate, algorithm 0 is the fastest.
    std::size_t algorithms() const { return algorithms_.size(); }
    std::size_t bytes(std::size_t number) const { return algorithms_[number].bytes; }
    /// Runs algorithm `number`. Returns a status.
    int run(std::size_t number, void* const* buffers, void* work) const {
        const float one = 1, zero = 0;
        const auto [a, b, result] = descriptors();
        const Algorithm& algorithm = algorithms_[number];
        f_.expect(f_.set_math(convolution_.get(), algorithm.math), "cudnnSetConvolutionMathType");
        return functions().run(handle_, &one, a, buffers[0], b, buffers[1], convolution_.get(), algorithm.id, work,
                               algorithm.bytes, &zero, result, buffers[2]);
    }
    /// Removes an algorithm after run() has shown that it does not work.
    void forget(std::size_t number) { algorithms_.erase(algorithms_.begin() + static_cast<std::ptrdiff_t>(number)); }
    /// Whether algorithm 0 can compute an epilogue. Only one algorithm of the library (`by_indices`) can compute an
    /// epilogue without an activation.
    bool takes_end() {
        if (spec_.kind != ConvolutionSpec::Kind::forward || !f_.ends || refuses_ends_ || algorithms_.empty() ||
            algorithms_[0].id != by_indices)
            return false;
        if (!end_) refuses_ends_ = !end_.emplace(f_, *f_.ends).described(type(), spec_);
        return !refuses_ends_;
    }
    void forget_end() { refuses_ends_ = true; }
    /// Runs the first algorithm with an epilogue. Returns a status. `buffers` are those of ConvolutionEpilogue.
    int run_with_epilogue(const ConvolutionEpilogue& end, void* const* buffers, void* work) const {
        const Algorithm& algorithm = algorithms_[0];
        const bool adds = end.added_scale != 0;
        void* const y = buffers[adds ? 4 : 3];
        f_.expect(f_.set_math(convolution_.get(), algorithm.math), "cudnnSetConvolutionMathType");
        // Even if added_scale is 0, the library requires an address of `added`. It does not read the memory there.
        return f_.ends->run(handle_, &end.scale, x_.get(), buffers[0], w_.get(), buffers[1], convolution_.get(),
                            algorithm.id, work, algorithm.bytes, &end.added_scale, y_.get(), adds ? buffers[3] : y,
                            end_->bias.get(), buffers[2], end_->activation.get(), y_.get(), y);
    }
    /// The number of the first algorithm that needs at most `most` bytes of workspace. Returns nullopt if there is
    /// none.
    std::optional<std::size_t> algorithm_within(std::size_t most) const {
        const auto found =
            std::ranges::find_if(algorithms_, [&](const Algorithm& algorithm) { return algorithm.bytes <= most; });
        if (found == algorithms_.end()) return {};
        return static_cast<std::size_t>(found - algorithms_.begin());
    }
    const std::string& name() const { return functions().name; }

  private:
    struct Algorithm {
        int id, math;
        std::size_t bytes;
    };
    struct End {
        End(const Cudnn& library, const EndFunctions& f)
            : library(library), functions(f),
              bias(library.create_tensor, library.destroy_tensor, "cudnnCreateTensorDescriptor"),
              activation(f.create_activation, f.destroy_activation, "cudnnCreateActivationDescriptor") {}
        /// Describes the arrays of the epilogue. The bias is described as an array like y that has only one position.
        bool described(int type, const ConvolutionSpec& spec) const {
            if (!bias.get() || !activation.get()) return false;
            const auto axes = static_cast<std::size_t>(std::max(spec.axes, 2)) + 2;
            Ints sizes(axes, 1), strides(axes, 1);
            sizes[1] = strides[0] = static_cast<int>(spec.out);
            return can(library.set_tensor(bias.get(), type, static_cast<int>(axes), sizes.data(), strides.data()),
                       "cudnnSetTensorNdDescriptor") &&
                   can(functions.set_activation(activation.get(), identity, nans_of_relu, 0),
                       "cudnnSetActivationDescriptor");
        }
        const Cudnn& library;
        const EndFunctions& functions;
        LibraryObject bias, activation;
    };

    const Functions& functions() const { return f_.kinds[static_cast<std::size_t>(spec_.kind)]; }
    std::array<void*, 3> descriptors() const {
        switch (spec_.kind) {
        case ConvolutionSpec::Kind::forward: break;
        case ConvolutionSpec::Kind::data: return {w_.get(), y_.get(), x_.get()};
        case ConvolutionSpec::Kind::filter: return {x_.get(), y_.get(), w_.get()};
        }
        return {x_.get(), w_.get(), y_.get()};
    }

    /// Whether the status means success. Throws Failure(out_of_memory) if the status means that there is no memory. For
    /// other errors returns false; if the device has failed, a later call throws.
    static bool can(int status, const char* function) {
        if (no_memory(status)) fail_for_memory(function);
        return status == 0;
    }

    int type() const { return spec_.dtype == DType::f32 ? type_f32 : spec_.dtype == DType::f16 ? type_f16 : type_bf16; }
    /// Appends one number per spatial axis. The library needs at least two spatial axes. If there is only one axis,
    /// another axis is inserted before it; its number is `of_one_place`.
    std::vector<std::int64_t> with(std::vector<std::int64_t> first, const ConvolutionSpec::Sizes& sizes,
                                   std::int64_t of_one_place) const {
        if (spec_.axes == 1) first.push_back(of_one_place);
        first.insert(first.end(), sizes.begin(), sizes.begin() + spec_.axes);
        return first;
    }

    /// Describes an array [count, places.., features]. In the library's list of sizes, the number of features is
    /// second.
    bool set_tensor(void* tensor, std::int64_t count, std::int64_t features, const ConvolutionSpec::Sizes& places) {
        const std::vector<std::int64_t> sizes = with({count, features}, places, 1);
        std::vector<std::int64_t> strides(sizes.size(), 1);
        std::int64_t stride = features;
        for (std::size_t i = sizes.size(); i-- > 2; stride *= sizes[i]) strides[i] = stride;
        strides[0] = stride;
        const auto of_sizes = ints(sizes), of_strides = ints(strides);
        return of_sizes && of_strides &&
               can(f_.set_tensor(tensor, type(), static_cast<int>(sizes.size()), of_sizes->data(), of_strides->data()),
                   "cudnnSetTensorNdDescriptor");
    }

    /// Sets the descriptors. Returns false if the library cannot represent the sizes.
    bool describe() {
        const ConvolutionSpec& s = spec_;
        constexpr std::int64_t most = std::numeric_limits<int>::max();
        if (!x_.get() || !w_.get() || !y_.get() || !convolution_.get()) return false;
        if (std::ranges::any_of(s.elements(), [](std::int64_t n) { return n > most; })) return false;
        const auto w = ints(with({s.out, s.in / s.groups}, s.w, 1));
        const auto padding = ints(with({}, s.padding, 0)), stride = ints(with({}, s.stride, 1)),
                   dilation = ints(with({}, s.dilation, 1)), groups = ints({s.groups});
        if (!w || !padding || !stride || !dilation || !groups) return false;
        return set_tensor(x_.get(), s.batch, s.in, s.x) && set_tensor(y_.get(), s.batch, s.out, s.y) &&
               can(f_.set_filter(w_.get(), type(), features_last, static_cast<int>(w->size()), w->data()),
                   "cudnnSetFilterNdDescriptor") &&
               can(f_.set_convolution(convolution_.get(), static_cast<int>(padding->size()), padding->data(),
                                      stride->data(), dilation->data(), cross_correlation, type_f32),
                   "cudnnSetConvolutionNdDescriptor") &&
               can(f_.set_groups(convolution_.get(), groups->front()), "cudnnSetConvolutionGroupCount") &&
               can(f_.set_math(convolution_.get(), type() == type_f32 ? default_math : tensor_cores),
                   "cudnnSetConvolutionMathType");
    }

    /// Finds the deterministic algorithms. The algorithm that the library estimates to be the fastest is first.
    void find_algorithms(std::size_t most_work) {
        std::array<Performance, 24> performances{};
        int found = 0;
        const auto [a, b, result] = descriptors();
        const char* const of = functions().name.c_str();
        if (!can(functions().algorithms(handle_, a, b, convolution_.get(), result,
                                        static_cast<int>(performances.size()), &found, performances.data()),
                 of))
            return;
        for (const Performance& p : std::span(performances).first(static_cast<std::size_t>(found))) {
            if (p.status != 0 || p.determinism != deterministic || p.math == with_conversions) continue;
            Algorithm algorithm{p.algorithm, p.math, 0};
            if (can(f_.set_math(convolution_.get(), algorithm.math), "cudnnSetConvolutionMathType") &&
                can(functions().workspace(handle_, a, b, convolution_.get(), result, algorithm.id, &algorithm.bytes),
                    of) &&
                algorithm.bytes <= most_work)
                algorithms_.push_back(algorithm);
        }
    }

    const Cudnn& f_;
    void* handle_;
    ConvolutionSpec spec_;
    LibraryObject x_, w_, y_, convolution_;
    std::vector<Algorithm> algorithms_;
    std::optional<End> end_;
    bool refuses_ends_ = false;
};

/// The alignment for vector loads in the library's kernels.
constexpr std::size_t alignment = 16;
bool is_aligned(const void* address) { return reinterpret_cast<std::uintptr_t>(address) % alignment == 0; }

/// The addresses of aligned buffers. A buffer that is not aligned is replaced by an aligned copy.
class Aligned {
  public:
    Aligned(Device& device, const ConvolutionSpec& spec, void* const* buffers) : device_(device) {
        const auto bytes = spec.bytes();
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            auto* const given = static_cast<std::byte*>(buffers[i]);
            addresses_[i] = given;
            if (is_aligned(given)) continue;
            copies_.emplace_back(device.shared_from_this(), bytes[i]);
            addresses_[i] = copies_.back().data();
            if (i < 2)
                device.copy(copies_.back().data(), given, bytes[i]);
            else
                result_ = given, result_bytes_ = bytes[i];
        }
    }
    void* const* addresses() const { return addresses_.data(); }
    /// Called after the convolution is queued. If the buffer of the result is not aligned, copies the result to this
    /// buffer.
    void end() {
        if (result_ != nullptr) device_.copy(result_, copies_.back().data(), result_bytes_);
    }

  private:
    Device& device_;
    std::array<void*, 3> addresses_{};
    std::list<DeviceScratch> copies_;
    std::byte* result_ = nullptr;
    std::size_t result_bytes_ = 0;
};

class CudaConvolutions final : public DeviceConvolutions {
  public:
    CudaConvolutions(const Workplace& place, const Cudnn& library, void* handle)
        : place_(place), library_(library), handle_(handle) {}
    ~CudaConvolutions() override {
        const CurrentContext entered(place_.driver, place_.context);
        plans_.clear();
        static_cast<void>(library_.destroy(handle_));
    }

    bool knows(const ConvolutionSpec& spec, const std::function<bool()>& leave) override {
        return with_memory(place_.device, leave, [&] {
            const auto lock = lock_unless(leave, mutex_);
            const EnteredContext entered(place_.driver, place_.context);
            return lock && plan_for(spec).algorithms() > 0;
        });
    }

    /// If the GPU does not have enough memory, first tries algorithms with less workspace. Then frees copies of other
    /// GPUs' data, and waits for other users of the memory.
    bool run(const ConvolutionSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
        bool trimmed = false;
        return with_memory(place_.device, leave, [&] {
            const auto lock = lock_unless(leave, mutex_);
            std::size_t most = std::numeric_limits<std::size_t>::max(), taken = 0;
            for (;;) {
                try {
                    return lock && !leave() && run(spec, most, taken, buffers, leave);
                } catch (const Failure& failure) {
                    if (failure.kind() != FailureKind::out_of_memory) throw;
                    if (trimmed && !has_algorithm_below(spec, taken)) throw;
                    if (trimmed) most = taken - 1;
                }
                if (!std::exchange(trimmed, true)) place_.device.trim();
            }
        });
    }

    bool run_with_epilogue(const ConvolutionSpec& spec, const ConvolutionEpilogue& end, void* const* buffers,
                           const std::function<bool()>& leave) override {
        const std::size_t count = end.bytes(spec).size();
        if (leave() || !std::all_of(buffers, buffers + count, is_aligned)) return false;
        // This thread is a user, but does not wait for memory, since the caller can use run() instead.
        const MemoryWaiters::Use use(place_.device.users());
        try {
            return with_room(std::array{&place_.device}, [&] {
                const auto lock = lock_unless(leave, mutex_);
                return lock && run_at_once(spec, end, buffers, leave);
            });
        } catch (const Failure& failure) {
            if (failure.kind() != FailureKind::out_of_memory) throw;
            return false;
        }
    }

  private:
    /// The most plans that are kept. A plan has descriptors in host memory, and its creation takes some time.
    static constexpr std::size_t most_plans = 256;

    /// The most bytes of workspace. This limit does not depend on the free memory, so the algorithms for a convolution
    /// are always the same.
    std::size_t most_work() const { return std::min(std::size_t{1} << 30, place_.device.memory() / 16); }

    bool has_algorithm_below(const ConvolutionSpec& spec, std::size_t bytes) {
        const EnteredContext entered(place_.driver, place_.context);
        return bytes > 0 && plan_for(spec).algorithm_within(bytes - 1).has_value();
    }

    /// Runs the first algorithm with at most `most` bytes of workspace. If the library cannot run this algorithm, tries
    /// the next one. `taken` becomes the bytes of workspace of the algorithm that was tried last.
    bool run(const ConvolutionSpec& spec, std::size_t most, std::size_t& taken, void* const* buffers,
             const std::function<bool()>& leave) {
        const EnteredContext entered(place_.driver, place_.context);
        ConvolutionPlan& plan = plan_for(spec);
        taken = 0;
        Aligned aligned(place_.device, spec, buffers);
        while (const auto found = plan.algorithm_within(most)) {
            const std::size_t number = *found;
            taken = plan.bytes(number);
            const DeviceScratch work(place_.device.shared_from_this(), plan.bytes(number));
            int status = 0;
            const auto queued = [&](void*) {
                status = plan.run(number, aligned.addresses(), work.data());
                return status == 0;
            };
            if (place_.queue.run(queued, leave)) {
                aligned.end();
                return true;
            }
            if (status == 0) return false;
            if (!cannot(status)) library_.expect(status, plan.name());
            plan.forget(number);
        }
        throw Failure(FailureKind::device_failed,
                      fmt::format("{} has no algorithm for a convolution that it said it had one for", plan.name()),
                      "without the library, with --deterministic, convolutions are sums of products");
    }

    /// Runs the convolution with its epilogue, in one call of the library. Returns false if the library cannot do so,
    /// or if `leave` returned true.
    bool run_at_once(const ConvolutionSpec& spec, const ConvolutionEpilogue& end, void* const* buffers,
                     const std::function<bool()>& leave) {
        const EnteredContext entered(place_.driver, place_.context);
        ConvolutionPlan& plan = plan_for(spec);
        if (!plan.takes_end()) return false;
        const DeviceScratch work(place_.device.shared_from_this(), plan.bytes(0));
        int status = 0;
        const auto queued = [&](void*) {
            status = plan.run_with_epilogue(end, buffers, work.data());
            return status == 0;
        };
        if (place_.queue.run(queued, leave)) return true;
        if (cannot(status))
            plan.forget_end();
        else
            library_.expect(status, "cudnnConvolutionBiasActivationForward");
        return false;
    }

    ConvolutionPlan& plan_for(const ConvolutionSpec& spec) {
        const auto nothing_to_wait_for = [] {};
        return plans_.get(spec, nothing_to_wait_for, library_, handle_, spec, most_work());
    }

    Workplace place_;
    Cudnn library_;
    void* handle_;
    std::timed_mutex mutex_; ///< guards the handle and the plans
    Plans<ConvolutionPlan> plans_{most_plans};
};

} // namespace

std::unique_ptr<DeviceConvolutions> open_convolutions(const Workplace& place) {
    const EnteredContext entered(place.driver, place.context);
    // Builds for different releases of CUDA have the same file name.
    Cudnn library;
    if (!library.load("libcudnn.so.9")) return nullptr;
    void* handle = nullptr;
    const int status = library.create(&handle);
    if (no_memory(status)) fail_for_memory("cudnnCreate");
    if (status != 0) return nullptr;
    auto made = std::make_unique<CudaConvolutions>(place, library, handle);
    library.expect(library.set_stream(handle, place.queue.stream()), "cudnnSetStream");
    return made;
}

} // namespace pm::runtime::cuda
