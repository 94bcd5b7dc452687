#pragma once
#include "runtime/gpu/device/product_spec.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

// Matrix products by NVIDIA's library cuBLASLt. It is not part of Polymap: the first product loads it. Without cuBLASLt
// the compiler's own kernels compute products.

namespace pm::runtime {

/// Whether the library supports the types and strides. Types: f32, f16 and bf16. Each matrix must be contiguous along
/// one axis, and `out` and `added` must be contiguous along the same axis.
bool library_multiplies(const ProductSpec& spec);

/// cuBLASLt for one device. During calls the device's context must be current. For one thread at a time.
class Products {
  public:
    /// Null if there is no library that the driver supports; `driver_version` as in cuda_driver.hpp.
    /// Failure(out_of_memory) if the library finds no memory for its own use.
    static std::unique_ptr<Products> open(int driver_version);
    ~Products();
    Products(const Products&) = delete;
    Products& operator=(const Products&) = delete;

    /// Workspace of a running product.
    static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;
    /// Queues a product in a stream. False if the library cannot compute it; nothing is queued then.
    /// Failure(device_failed) if the library fails.
    bool multiply(const ProductSpec& spec, const ProductOperands& operands, void* workspace, void* stream);

  private:
    struct Library;
    struct Plan;
    /// The properties that determine how a product is computed.
    struct Key {
        ProductSpec spec;
        std::uint32_t a = 0, b = 0, bias = 0, added = 0, out = 0; ///< alignments of the addresses in bytes
        auto operator<=>(const Key&) const = default;
    };
    Products(std::unique_ptr<Library> library, void* handle);
    const Plan& plan_for(const Key& key, const void* bias);

    std::unique_ptr<Library> library_;
    void* handle_;
    std::map<Key, std::unique_ptr<const Plan>> plans_;
};

} // namespace pm::runtime
