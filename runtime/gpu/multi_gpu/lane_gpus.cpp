#include "runtime/gpu/multi_gpu/several_gpus.hpp"

#include "runtime/gpu/device/convolutions.hpp"
#include "runtime/gpu/device/fourier_transforms.hpp"
#include "runtime/gpu/device/matrices.hpp"

#include <array>

namespace pm::runtime {
namespace lane {

/// The library of GPU `gpu`, for the lanes that run on this GPU. Operands are copied to the GPU before the library is
/// called.
template <class Library, Library* (Device::*of)()>
class LaneLibrary : public Library {
  public:
    LaneLibrary(SeveralGpus& all, int gpu) : all_(all), gpu_(gpu) {}

  protected:
    Library* on(int gpu) const { return (all_.gpu(gpu).*of)(); }
    int count() const { return all_.count(); }
    /// Calls run(library, addresses) with the addresses of the buffers on GPU `gpu_`. The first `operands` buffers are
    /// read, the others written.
    template <class Run>
    bool there(std::span<const std::size_t> bytes, std::size_t operands, void* const* buffers,
               const std::function<bool()>& leave, const Run& run) const {
        return all_.with_addresses(gpu_, buffers, bytes, operands, leave,
                                   [&](void* const* addresses) { return run(*on(gpu_), addresses); });
    }
    template <class Spec>
    bool run_there(const Spec& spec, std::span<const std::size_t> bytes, std::size_t operands, void* const* buffers,
                   const std::function<bool()>& leave) const {
        return there(bytes, operands, buffers, leave,
                     [&](Library& library, void* const* addresses) { return library.run(spec, addresses, leave); });
    }

  private:
    SeveralGpus& all_;
    int gpu_;
};

class LaneMatrices final : public LaneLibrary<DeviceMatrices, &Device::matrices> {
  public:
    using LaneLibrary::LaneLibrary;
    bool run(const FactorizeSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
        return run_there(spec, spec.bytes(), spec.operands(), buffers, leave);
    }
    bool run(const TriangularSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
        return run_there(spec, spec.bytes(), spec.operands(), buffers, leave);
    }
};

class LaneTransforms final : public LaneLibrary<DeviceTransforms, &Device::transforms> {
  public:
    using LaneLibrary::LaneLibrary;
    bool run(const FourierSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
        return run_there(spec, std::array{spec.bytes(), spec.bytes()}, 1, buffers, leave);
    }
};

class LaneConvolutions final : public LaneLibrary<DeviceConvolutions, &Device::convolutions> {
  public:
    using LaneLibrary::LaneLibrary;
    /// True only if the library of every GPU has an algorithm, since any lane may run the convolution.
    bool knows(const ConvolutionSpec& spec, const std::function<bool()>& leave) override {
        for (int gpu = 0; gpu < count(); ++gpu)
            if (DeviceConvolutions* const one = on(gpu); one == nullptr || !one->knows(spec, leave)) return false;
        return true;
    }
    bool run(const ConvolutionSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
        return run_there(spec, spec.bytes(), 2, buffers, leave);
    }
    bool run_with_epilogue(const ConvolutionSpec& spec, const ConvolutionEpilogue& end, void* const* buffers,
                           const std::function<bool()>& leave) override {
        const std::vector<std::size_t> bytes = end.bytes(spec);
        return there(bytes, bytes.size() - 1, buffers, leave, [&](DeviceConvolutions& library, void* const* addresses) {
            return library.run_with_epilogue(spec, end, addresses, leave);
        });
    }
};

} // namespace lane

/// The device that a lane on GPU `gpu` uses.
class SeveralGpus::LaneGpu final : public Device {
  public:
    LaneGpu(SeveralGpus& all, int gpu)
        : all_(all), gpu_(gpu), matrices_(all, gpu), transforms_(all, gpu), convolutions_(all, gpu) {}
    std::string name() const override { return all_.name(); }
    std::string architecture() const override { return all_.architecture(); }
    std::size_t memory() const override { return all_.memory(); }
    std::size_t free_memory() const override { return all_.free_memory(); }
    std::byte* allocate(std::size_t bytes) override { return all_.allocate(bytes); }
    void release(std::byte* block) noexcept override { all_.release(block); }
    void trim() override { all_.trim(); }
    void upload(std::byte* to, const void* from, std::size_t bytes) override { all_.upload(gpu_, to, from, bytes); }
    void download(void* to, const std::byte* from, std::size_t bytes) override { all_.download(gpu_, to, from, bytes); }
    void copy(std::byte* to, const std::byte* from, std::size_t bytes) override { all_.copy(gpu_, to, from, bytes); }
    void clear(std::byte* to, std::size_t bytes) override { all_.clear(gpu_, to, bytes); }
    void store(std::byte* to, std::uint64_t value, int width) override { all_.store(gpu_, to, value, width); }
    void launch(const Launch& launch) override { all_.launch(gpu_, launch); }
    bool multiply(const ProductSpec& spec, const ProductOperands& operands,
                  const std::function<bool()>& leave) override {
        return all_.multiply(gpu_, spec, operands, leave);
    }
    bool make_room(const std::function<bool()>& leave) override { return all_.gpu(gpu_).make_room(leave); }
    void submit(const std::function<bool()>& leave) override { all_.gpu(gpu_).submit(leave); }
    std::unique_ptr<Stop> stop_when(std::function<bool()> condition) override {
        return all_.stop_when(std::move(condition));
    }
    void wait_for(const Stop& stop) override { all_.wait_for(stop); }
    void wait() override { all_.wait(); }
    std::shared_ptr<const Kernels> load(const std::string& ptx, std::int64_t count) override {
        return all_.load(ptx, count);
    }
    Device& of_lane(std::int64_t lane, std::int64_t lanes) override { return all_.of_lane(lane, lanes); }
    DeviceMatrices* matrices() override { return all_.gpu(gpu_).matrices() == nullptr ? nullptr : &matrices_; }
    DeviceTransforms* transforms() override { return all_.gpu(gpu_).transforms() == nullptr ? nullptr : &transforms_; }
    DeviceConvolutions* convolutions() override {
        return all_.gpu(gpu_).convolutions() == nullptr ? nullptr : &convolutions_;
    }

  private:
    SeveralGpus& all_;
    int gpu_;
    lane::LaneMatrices matrices_;
    lane::LaneTransforms transforms_;
    lane::LaneConvolutions convolutions_;
};

SeveralGpus::SeveralGpus(std::vector<std::shared_ptr<Gpu>> gpus, OpenCollectives open)
    : gpus_(std::move(gpus)), open_collectives_(std::move(open)) {
    for (std::size_t g = 0; g < gpus_.size(); ++g) {
        lanes_.push_back(std::make_unique<LaneGpu>(*this, static_cast<int>(g)));
        total_ += gpus_[g]->memory();
        gpus_[g]->set_reclaimer([this, g](std::size_t bytes) {
            const std::scoped_lock lock(mutex_);
            return give_copies_back(static_cast<int>(g), bytes);
        });
    }
}

SeveralGpus::~SeveralGpus() {
    for (const auto& gpu : gpus_) gpu->set_reclaimer({});
}

Device& SeveralGpus::of_lane(std::int64_t lane, std::int64_t lanes) {
    if (lane < 0) return *this;
    return *lanes_[static_cast<std::size_t>(lane * static_cast<std::int64_t>(gpus_.size()) / lanes)];
}

DeviceMatrices* SeveralGpus::matrices() { return lanes_.front()->matrices(); }
DeviceTransforms* SeveralGpus::transforms() { return lanes_.front()->transforms(); }
DeviceConvolutions* SeveralGpus::convolutions() { return lanes_.front()->convolutions(); }

} // namespace pm::runtime
