#pragma once
#include "runtime/gpu/device/product_spec.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

// Computes matrix products with NVIDIA's library cuBLASLt. The library is not part of Polymap: the first product loads
// the library from the system. Without cuBLASLt the compiler's own kernels compute products.

namespace pm::runtime {

/// Whether the library supports the types and strides of a product. The types must be f32, f16 or bf16. Each matrix
/// must be contiguous along one axis, and `out` and `added` must be contiguous along the same axis.
bool library_multiplies(const ProductSpec& spec);

/// cuBLASLt for one device. During calls the device's context must be current. Only one thread at a time may use the
/// object.
class Products {
  public:
    /// Returns null if the system has no version of the library that the driver supports. `driver_version` is a result
    /// of Driver::version(). Throws Failure(out_of_memory) if the library finds no memory for its own use.
    static std::unique_ptr<Products> open(int driver_version);
    ~Products();
    Products(const Products&) = delete;
    Products& operator=(const Products&) = delete;

    /// Bytes of the workspace that a product needs while it runs.
    static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;
    /// Queues a product in a stream. Returns false and queues nothing if the library cannot compute the product. Throws
    /// Failure(device_failed) if the library reports that its kernel failed.
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
