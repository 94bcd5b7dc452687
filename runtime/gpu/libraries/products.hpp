#pragma once
#include "runtime/gpu/device/product_spec.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

// Products of matrices by NVIDIA's library, cuBLASLt. It is no part of Polymap: the first product looks for it, and
// without it kernels of the compiler's own multiply.

namespace pm::runtime {

/// Whether the library knows such types and strides: f32, f16 and bf16, in each matrix neighbours along one of its
/// axes, which in `out` and in what is added is the same.
bool library_multiplies(const ProductSpec& spec);

/// The library, for one device. Functions are called with the device's context current, by one thread at a time.
class Products {
  public:
    /// Null where there is no library that goes with the driver, whose version (cuda_driver.hpp) is given.
    /// Failure(out_of_memory) where it finds no memory for itself.
    static std::unique_ptr<Products> open(int driver_version);
    ~Products();
    Products(const Products&) = delete;
    Products& operator=(const Products&) = delete;

    /// Of a product, while it runs.
    static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;
    /// Queues a product in a stream. False where the library cannot, and nothing is queued. Failure(device_failed) when
    /// it fails.
    bool multiply(const ProductSpec& spec, const ProductOperands& operands, void* workspace, void* stream);

  private:
    struct Library;
    struct Plan;
    /// What decides how a product is computed.
    struct Key {
        ProductSpec spec;
        std::uint32_t a = 0, b = 0, bias = 0, added = 0, out = 0; ///< alignments of the addresses, bytes
        auto operator<=>(const Key&) const = default;
    };
    Products(std::unique_ptr<Library> library, void* handle);
    const Plan& plan_for(const Key& key, const void* bias);

    std::unique_ptr<Library> library_;
    void* handle_;
    std::map<Key, std::unique_ptr<const Plan>> plans_;
};

} // namespace pm::runtime
