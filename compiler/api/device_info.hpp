#pragma once
#include "compiler/ops/core/target_info.hpp"
#include "runtime/gpu/device/device.hpp"

#include <functional>
#include <memory>
#include <string>

namespace pm::api {

/// The operations that the libraries of a GPU compute.
class DeviceInfo : public ops::TargetInfo {
  public:
    struct Choices {
        std::string precision; ///< for products and convolutions that name no precision
        /// true if results must have the bits that a CPU computes; library convolutions are then not used
        bool exact = false;
        /// Called during a wait for other threads that use the library. If the function returns true or throws, the
        /// wait ends.
        std::function<bool()> leave;
    };
    /// If `device` is null, there are no libraries.
    DeviceInfo(std::shared_ptr<runtime::Device> device, Choices choices)
        : device_(std::move(device)), choices_(std::move(choices)) {}

    bool has_factorizations() const override;
    bool has_convolutions(runtime::DType dtype, std::string_view precision) const override;
    bool convolves(const runtime::ConvolutionSpec& spec, std::string_view precision) const override;
    bool transforms(std::int64_t n, std::int64_t elements) const override;

  private:
    std::shared_ptr<runtime::Device> device_;
    Choices choices_;
};

} // namespace pm::api
