// The functions that compiled code calls for factorizations, triangular systems, Fourier transforms and convolutions.
#include "runtime/call.hpp"
#include "runtime/failure.hpp"
#include "runtime/gpu/device/convolutions.hpp"
#include "runtime/gpu/device/fourier_transforms.hpp"
#include "runtime/gpu/device/matrices.hpp"
#include "runtime/kernels/matrices.hpp"

#include <fmt/format.h>

namespace pm::runtime {
namespace {

/// The least work of a matrix, in floating-point operations, for which a device is used. For less work, launching the
/// kernels takes most of the time.
constexpr double least_work = 1e6;

DeviceLibrary library_for(const FactorizeSpec& /*spec*/) { return DeviceLibrary::cusolver; }
DeviceLibrary library_for(const TriangularSpec& /*spec*/) { return DeviceLibrary::cublas; }

bool run(PmCall* call, const FactorizeSpec& spec, void* const* buffers) { return factorize(call, spec, buffers); }
bool run(PmCall* call, const TriangularSpec& spec, void* const* buffers) {
    return solve_triangular(call, spec, buffers);
}

/// Runs a kernel on the CPU, on copies of device memory.
template <class Spec>
bool run_by_host(PmCall* call, HostCopies& copies, const Spec& spec, void* const* buffers) {
    std::vector<void*> host;
    for (const std::size_t bytes : spec.bytes()) {
        auto* address = static_cast<std::byte*>(buffers[host.size()]);
        host.push_back(host.size() < spec.operands() ? const_cast<void*>(copies.read(address, bytes))
                                                     : copies.write(address, bytes, HostCopies::Change::all));
    }
    const bool done = run(call, spec, host.data());
    copies.end(done);
    return done;
}

template <class Spec>
bool run_for_device(PmCall* call, const Spec& spec, void* const* buffers) {
    CallState& state = CallState::of(call);
    Device* const here = state.device(call);
    if (here == nullptr) return run(call, spec, buffers); // the emulated device uses the host's memory
    DeviceMatrices* device = spec.work() >= least_work || !has_lapack() ? here->matrices() : nullptr;
    if (device != nullptr && DeviceMatrices::counts(spec))
        return state.by_library(library_for(spec), device->run(spec, buffers, CallState::leave(call)));
    if (device != nullptr && !has_lapack())
        throw Failure(FailureKind::bad_argument,
                      "a matrix is too large for the device's library, and there is no LAPACK");
    return run_by_host(call, *state.host_copies(call), spec, buffers);
}

/// Returns the library of the device at the address `library`. Throws Failure(bad_argument) if the address is null.
template <class Library>
Library& found(Library* library, DeviceLibrary name) {
    if (library != nullptr) return *library;
    throw Failure(FailureKind::bad_argument,
                  fmt::format("this program was compiled where there is {}, and here there is none",
                              device_library_names[static_cast<std::size_t>(name)]));
}
bool transform(PmCall* call, const FourierSpec& spec, void* const* buffers) {
    const CallState& state = CallState::of(call);
    auto& library = found(state.device(call)->transforms(), DeviceLibrary::cufft);
    return state.by_library(DeviceLibrary::cufft, library.run(spec, buffers, CallState::leave(call)));
}
DeviceConvolutions& convolutions(PmCall* call) {
    return found(CallState::of(call).device(call)->convolutions(), DeviceLibrary::cudnn);
}

/// The return value of a kernel: 0, or 1 when the call was abandoned.
template <class Work>
std::int32_t kernel(PmCall* call, Work&& work) {
    return guarded(call, [&](CallState&) { return work(); }) ? 0 : 1;
}

} // namespace

extern "C" {

int32_t pm_kernel_factorize(PmCall* call, void* const* buffers, const int64_t* attributes) {
    return kernel(call, [&] { return factorize(call, factorize_spec(attributes), buffers); });
}
int32_t pm_kernel_triangular(PmCall* call, void* const* buffers, const int64_t* attributes) {
    return kernel(call, [&] { return solve_triangular(call, triangular_spec(attributes), buffers); });
}
int32_t pm_gpu_factorize(PmCall* call, void* const* buffers, const int64_t* attributes) {
    return kernel(call, [&] { return run_for_device(call, factorize_spec(attributes), buffers); });
}
int32_t pm_gpu_triangular(PmCall* call, void* const* buffers, const int64_t* attributes) {
    return kernel(call, [&] { return run_for_device(call, triangular_spec(attributes), buffers); });
}
int32_t pm_gpu_fft(PmCall* call, void* const* buffers, const int64_t* attributes) {
    return kernel(call, [&] { return transform(call, fourier_spec(attributes), buffers); });
}
int32_t pm_gpu_convolution(PmCall* call, void* const* buffers, const int64_t* attributes) {
    return kernel(call, [&] {
        const bool done = convolutions(call).run(convolution_spec(attributes), buffers, CallState::leave(call));
        return CallState::of(call).by_library(DeviceLibrary::cudnn, done);
    });
}
int32_t pm_gpu_convolution_with_epilogue(PmCall* call, void* const* buffers, const int64_t* attributes) {
    return guarded(call, [&](CallState& state) -> int32_t {
        const ConvolutionEpilogue epilogue = convolution_epilogue(attributes + convolution_attribute_count);
        const bool done = convolutions(call).run_with_epilogue(convolution_spec(attributes), epilogue, buffers,
                                                               CallState::leave(call));
        return state.by_library(DeviceLibrary::cudnn, done) ? 1 : 0;
    });
}
} // extern "C"

} // namespace pm::runtime
