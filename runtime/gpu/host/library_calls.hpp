#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pm::runtime {

/// NVIDIA's libraries that compute steps of programs.
enum class DeviceLibrary : std::uint8_t { cublaslt, cusolver, cublas, cufft, cudnn, nccl };
constexpr std::array device_library_names{"cuBLASLt", "cuSOLVER", "cuBLAS", "cuFFT", "cuDNN", "NCCL"};

/// The number of steps that each library has queued.
class LibraryCalls {
  public:
    using Counts = std::array<std::int64_t, device_library_names.size()>;
    void add(DeviceLibrary library) { ++counts_[static_cast<std::size_t>(library)]; }
    Counts counts() const {
        Counts made{};
        for (std::size_t i = 0; i < made.size(); ++i) made[i] = counts_[i];
        return made;
    }

  private:
    std::array<std::atomic<std::int64_t>, device_library_names.size()> counts_{};
};

} // namespace pm::runtime
