#include "compiler/api/device_info.hpp"

#include "compiler/ir/precision.hpp"
#include "runtime/gpu/device/convolutions.hpp"
#include "runtime/gpu/device/fourier_transforms.hpp"

namespace pm::api {

bool DeviceInfo::has_factorizations() const { return device_ && device_->matrices() != nullptr; }

bool DeviceInfo::has_convolutions(runtime::DType dtype, std::string_view precision) const {
    const std::string_view used = precision.empty() ? std::string_view(choices_.precision) : precision;
    return device_ && !choices_.exact && ir::precision::leaves_to_device(dtype, used) &&
           device_->convolutions() != nullptr;
}

bool DeviceInfo::convolves(const runtime::ConvolutionSpec& spec, std::string_view precision) const {
    return spec.large() && has_convolutions(spec.dtype, precision) &&
           device_->convolutions()->knows(spec, choices_.leave);
}

bool DeviceInfo::transforms(std::int64_t n, std::int64_t elements) const {
    return device_ && elements > 0 && runtime::FourierSpec{.rows = elements / n, .n = n}.large() &&
           device_->transforms() != nullptr;
}

} // namespace pm::api
