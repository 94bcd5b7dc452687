#include "runtime/gpu/several_gpus.hpp"

#include "runtime/gpu/convolutions.hpp"
#include "runtime/gpu/matrices.hpp"
#include "runtime/gpu/transforms.hpp"

#include <array>

namespace pm::runtime {
namespace {

/// The libraries of a GPU, on what lies on several.
class SeveralMatrices final : public DeviceMatrices {
  public:
    SeveralMatrices(SeveralGpus& all, int gpu) : all_(all), gpu_(gpu) {}
    bool run(const FactorizeSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
        return run_there(spec, buffers, leave);
    }
    bool run(const TriangularSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
        return run_there(spec, buffers, leave);
    }

  private:
    template <class Spec>
    bool run_there(const Spec& spec, void* const* buffers, const std::function<bool()>& leave) {
        const auto there = all_.addresses(gpu_, buffers, spec.bytes(), spec.operands());
        return all_.gpu(gpu_).matrices()->run(spec, there.data(), leave);
    }

    SeveralGpus& all_;
    int gpu_;
};
class SeveralTransforms final : public DeviceTransforms {
  public:
    SeveralTransforms(SeveralGpus& all, int gpu) : all_(all), gpu_(gpu) {}
    bool run(const FourierSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
        const auto there = all_.addresses(gpu_, buffers, std::array{spec.bytes(), spec.bytes()}, 1);
        return all_.gpu(gpu_).transforms()->run(spec, there.data(), leave);
    }

  private:
    SeveralGpus& all_;
    int gpu_;
};

class SeveralConvolutions final : public DeviceConvolutions {
  public:
    SeveralConvolutions(SeveralGpus& all, int gpu) : all_(all), gpu_(gpu) {}
    /// Each of them, since any lane may ask for it.
    bool knows(const ConvolutionSpec& spec, const std::function<bool()>& leave) override {
        for (int g = 0; g < all_.count(); ++g) {
            DeviceConvolutions* const one = all_.gpu(g).convolutions();
            if (one == nullptr || !one->knows(spec, leave)) return false;
        }
        return true;
    }
    bool run(const ConvolutionSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
        const auto there = all_.addresses(gpu_, buffers, spec.bytes(), 2);
        return all_.gpu(gpu_).convolutions()->run(spec, there.data(), leave);
    }
    bool run_with_end(const ConvolutionSpec& spec, const ConvolutionEnd& end, void* const* buffers,
                      const std::function<bool()>& leave) override {
        const std::vector<std::size_t> bytes = end.bytes(spec);
        const auto there = all_.addresses(gpu_, buffers, bytes, bytes.size() - 1);
        return all_.gpu(gpu_).convolutions()->run_with_end(spec, end, there.data(), leave);
    }

  private:
    SeveralGpus& all_;
    int gpu_;
};

} // namespace

/// The device as a lane sees it whose GPU has this number.
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
    std::unique_ptr<Stop> stop_when(std::function<bool()> wish) override { return all_.stop_when(std::move(wish)); }
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
    SeveralMatrices matrices_;
    SeveralTransforms transforms_;
    SeveralConvolutions convolutions_;
};

SeveralGpus::SeveralGpus(std::vector<std::shared_ptr<Gpu>> gpus, OpenCollectives open)
    : gpus_(std::move(gpus)), open_collectives_(std::move(open)) {
    for (std::size_t g = 0; g < gpus_.size(); ++g) {
        lanes_.push_back(std::make_unique<LaneGpu>(*this, static_cast<int>(g)));
        total_ += gpus_[g]->memory();
    }
}

SeveralGpus::~SeveralGpus() = default;

Device& SeveralGpus::of_lane(std::int64_t lane, std::int64_t lanes) {
    if (lane < 0) return *this;
    return *lanes_[static_cast<std::size_t>(lane * static_cast<std::int64_t>(gpus_.size()) / lanes)];
}

DeviceMatrices* SeveralGpus::matrices() { return lanes_.front()->matrices(); }
DeviceTransforms* SeveralGpus::transforms() { return lanes_.front()->transforms(); }
DeviceConvolutions* SeveralGpus::convolutions() { return lanes_.front()->convolutions(); }

} // namespace pm::runtime
