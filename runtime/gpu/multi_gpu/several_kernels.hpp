#pragma once
#include "runtime/gpu/device/gpu.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

// Kernels and stop words of several GPUs (several.hpp). Each class keeps one object per GPU.

namespace pm::runtime {

/// The kernels of a program. A GPU loads them when it first launches one of them.
class SeveralKernels final : public Kernels {
  public:
    /// The object to which a handle points.
    struct Kernel {
        SeveralKernels* all;
        std::size_t number;
    };

    SeveralKernels(const std::vector<std::shared_ptr<Gpu>>& gpus, const std::string& ptx, std::int64_t count)
        : gpus_(gpus), ptx_(ptx), loaded_(gpus.size()) {
        for (std::int64_t i = 0; i < count; ++i) kernels_.push_back({this, static_cast<std::size_t>(i)});
        for (Kernel& kernel : kernels_) handles_.push_back(&kernel);
        static_cast<void>(on(0));
    }
    std::span<void* const> handles() const override { return handles_; }

    /// The kernels on a GPU. Only one thread at a time may call this function.
    std::span<void* const> on(std::size_t gpu) {
        if (!loaded_[gpu]) loaded_[gpu] = gpus_[gpu]->load(ptx_, static_cast<std::int64_t>(kernels_.size()));
        return loaded_[gpu]->handles();
    }

  private:
    std::vector<std::shared_ptr<Gpu>> gpus_;
    std::string ptx_;
    std::vector<std::shared_ptr<const Kernels>> loaded_;
    std::vector<Kernel> kernels_;
    std::vector<void*> handles_;
};

/// One stop word per GPU. When one GPU has failed, the kernels of the others exit.
class SeveralStops final : public Stop {
  public:
    SeveralStops(const std::vector<std::shared_ptr<Gpu>>& gpus, const std::function<bool()>& condition) {
        for (const auto& gpu : gpus)
            words_.push_back(gpu->stop_when([this, condition] { return failed_ || condition(); }));
    }
    const void* address() const override { return this; }
    const Stop& on(std::size_t gpu) const { return *words_[gpu]; }
    void failed() const { failed_ = true; }

  private:
    mutable std::atomic<bool> failed_ = false;
    std::vector<std::unique_ptr<Stop>> words_;
};

} // namespace pm::runtime
