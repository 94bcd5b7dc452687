#pragma once
#include "runtime/dtype.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

// Products of matrices by NVIDIA's library, cuBLASLt. It is no part of Polymap: the first product looks for it, and
// without it kernels of the compiler's own multiply.

namespace pm::runtime {

/// out[b, m, n] = the sum over k of a[b, m, k] * b[b, k, n]; strides in elements, as of a dot step. f32 is multiplied
/// as TF32, halves exactly; sums are f32, in an order of the library's.
struct ProductSpec {
    DType in = DType::f32;
    DType out = DType::f32;
    std::int64_t batch = 1, m = 0, n = 0, k = 0;
    std::int64_t a_b = 0, a_m = 0, a_k = 0;
    std::int64_t b_b = 0, b_k = 0, b_n = 0;
    std::int64_t out_b = 0, out_m = 0, out_n = 0;

    auto operator<=>(const ProductSpec&) const = default;
};
/// As compiled code hands it on.
std::vector<std::int64_t> product_attributes(const ProductSpec& spec);
ProductSpec product_spec(const std::int64_t* attributes);
/// Whether the library knows such types and strides: f32, f16 and bf16, in each matrix neighbours along one of its
/// axes.
bool library_multiplies(const ProductSpec& spec);

/// The library, for one device. Functions are called with the device's context current, by one thread at a time.
class Products {
  public:
    /// Null where there is no library that goes with the driver, whose version (cuda_driver.hpp) is given.
    static std::unique_ptr<Products> open(int driver_version);
    ~Products();
    Products(const Products&) = delete;
    Products& operator=(const Products&) = delete;

    /// Of a product, while it runs.
    static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;
    /// Queues a product in a stream; addresses are the device's. False where the library cannot, and nothing is queued.
    /// Failure(device_failed) when it fails.
    bool multiply(const ProductSpec& spec, const void* a, const void* b, void* out, void* workspace, void* stream);

  private:
    struct Library;
    struct Plan;
    /// What decides how a product is computed.
    struct Key {
        ProductSpec spec;
        std::uint32_t a = 0, b = 0, out = 0; ///< alignments of the addresses, bytes
        auto operator<=>(const Key&) const = default;
    };
    Products(std::unique_ptr<Library> library, void* handle);
    const Plan& plan_for(const Key& key);

    std::unique_ptr<Library> library_;
    void* handle_;
    std::map<Key, std::unique_ptr<const Plan>> plans_;
};

} // namespace pm::runtime
