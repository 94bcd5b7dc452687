// Matrix products by the device's library, here the stand-in of cuBLASLt (tests/gpu/libraries).
#include "runtime/failure.hpp"
#include "runtime/gpu/device/device.hpp"
#include "runtime/gpu/libraries/products.hpp"
#include "runtime/half.hpp"
#include "tests/gpu/device/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

using namespace pm::runtime;

namespace {

/// Small integers, which every dtype represents.
float number(std::int64_t i) { return static_cast<float>(i * 7 % 11 - 5); }

std::uint16_t half(DType d, float x) { return d == DType::f16 ? f32_to_f16(x) : f32_to_bf16(x); }
float widened(DType d, std::uint16_t x) { return d == DType::f16 ? f16_to_f32(x) : bf16_to_f32(x); }

/// An array of `count` elements after `from` NaNs. All elements are NaN unless it is filled.
class OnDevice {
  public:
    OnDevice(Device& device, DType dtype, std::int64_t count, std::int64_t from, bool filled)
        : device_(device), dtype_(dtype), count_(static_cast<std::size_t>(count)),
          from_(static_cast<std::size_t>(from)), memory_(device.allocate((count_ + from_) * size_of(dtype))) {
        std::vector<std::byte> bytes((count_ + from_) * size_of(dtype), std::byte{0xFF});
        for (std::int64_t i = 0; filled && i < count; ++i) {
            const std::size_t at = (from_ + static_cast<std::size_t>(i)) * size_of(dtype);
            const float x = number(i);
            const std::uint16_t h = dtype == DType::f32 ? 0 : half(dtype, x);
            if (dtype == DType::f32)
                std::copy_n(reinterpret_cast<const std::byte*>(&x), sizeof x, bytes.data() + at);
            else
                std::copy_n(reinterpret_cast<const std::byte*>(&h), sizeof h, bytes.data() + at);
        }
        device.upload(memory_, bytes.data(), bytes.size());
    }
    ~OnDevice() { device_.release(memory_); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

    std::byte* data() const { return memory_ + from_ * size_of(dtype_); }
    std::vector<float> read() const {
        std::vector<float> made(count_);
        if (dtype_ == DType::f32) {
            device_.download(made.data(), data(), count_ * sizeof(float));
            return made;
        }
        std::vector<std::uint16_t> bits(count_);
        device_.download(bits.data(), data(), count_ * sizeof(std::uint16_t));
        std::transform(bits.begin(), bits.end(), made.begin(), [&](std::uint16_t x) { return widened(dtype_, x); });
        return made;
    }

  private:
    Device& device_;
    DType dtype_;
    std::size_t count_, from_;
    std::byte* memory_;
};

float gelu(float x) { return x * 0.5F * (1 + std::tanh(std::sqrt(0.636619772F) * (x + 0.044715F * x * x * x))); }

std::int64_t end_of(std::int64_t batch, std::int64_t by_batch, std::int64_t n, std::int64_t by_n, std::int64_t m,
                    std::int64_t by_m) {
    return (batch - 1) * by_batch + (n - 1) * by_n + (m - 1) * by_m + 1;
}

/// The matrices and the bias begin `from` and `bias_from` elements after an aligned address.
void check_product(Device& device, const ProductSpec& s, std::int64_t from = 0, std::int64_t bias_from = 0) {
    CAPTURE(name(s.in));
    CAPTURE(s.m);
    CAPTURE(s.a_m);
    CAPTURE(s.b_k);
    CAPTURE(s.out_m);
    REQUIRE(library_multiplies(s));
    CHECK(product_spec(product_attributes(s).data()) == s);
    const OnDevice a(device, s.in, end_of(s.batch, s.a_b, s.m, s.a_m, s.k, s.a_k), from, true);
    const OnDevice b(device, s.in, end_of(s.batch, s.b_b, s.k, s.b_k, s.n, s.b_n), from, true);
    const ProductEpilogue& e = s.epilogue;
    const bool by_n = s.out_n == 1;
    const OnDevice bias(device, s.out, (s.batch - 1) * e.bias_b + (by_n ? s.n : s.m), bias_from, true);
    const OnDevice added(device, s.out, end_of(s.batch, e.added_b, s.m, e.added_m, s.n, e.added_n), from, true);
    const OnDevice out(device, s.out, end_of(s.batch, s.out_b, s.m, s.out_m, s.n, s.out_n), 0, false);
    const ProductOperands operands{a.data(), b.data(), e.has_bias ? bias.data() : nullptr,
                                   e.added_scale != 0 ? added.data() : nullptr, out.data()};
    if (!device.multiply(s, operands, [] { return false; })) { // a kernel of the compiler is used then
        REQUIRE(!interpreted());
        report(fmt::format(
            "cuBLASLt refuses {} to {}, {} x ({} x {} x {}): strides of a {} {}, of b {} {}, of the result {} {}, "
            "bias {}, added {} of strides {} {}, gelu {}, {} and {} elements behind aligned addresses",
            name(s.in), name(s.out), s.batch, s.m, s.n, s.k, s.a_m, s.a_k, s.b_k, s.b_n, s.out_m, s.out_n,
            e.has_bias ? fmt::format("of stride {}", e.bias_b) : "no", e.added_scale, e.added_m, e.added_n,
            e.function == ProductEpilogue::Function::gelu, from, bias_from));
        return;
    }
    const std::vector<float> found = out.read();
    bool equal = true;
    for (std::int64_t g = 0; g < s.batch; ++g)
        for (std::int64_t i = 0; i < s.m; ++i)
            for (std::int64_t j = 0; j < s.n; ++j) {
                float sum = 0;
                for (std::int64_t k = 0; k < s.k; ++k)
                    sum += number(g * s.a_b + i * s.a_m + k * s.a_k) * number(g * s.b_b + k * s.b_k + j * s.b_n);
                sum *= e.scale;
                if (e.added_scale != 0) sum += e.added_scale * number(g * e.added_b + i * e.added_m + j * e.added_n);
                if (e.has_bias) sum += number(g * e.bias_b + (by_n ? j : i));
                const bool exact = e.function == ProductEpilogue::Function::none;
                // NVIDIA does not document the accuracy of the library's gelu.
                const float most = 1e-5F + (interpreted() ? 0 : 2e-3F * (1 + std::abs(sum)));
                if (!exact) sum = gelu(sum);
                if (s.out != DType::f32) sum = widened(s.out, half(s.out, sum));
                const float x = found[static_cast<std::size_t>(g * s.out_b + i * s.out_m + j * s.out_n)];
                equal = equal && (exact ? x == sum : std::abs(x - sum) <= 0.01F * std::abs(sum) + most);
            }
    CHECK(equal);
}

/// Row-major factors.
ProductSpec rows(DType in, DType out, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
    return {in, out, batch, m, n, k, batch == 1 ? 0 : m * k, k, 1, batch == 1 ? 0 : k * n, n, 1, batch == 1 ? 0 : m * n,
            n,  1};
}

bool has_products(Device& device) {
    const ProductSpec s = rows(DType::f32, DType::f32, 1, 64, 64, 64);
    const OnDevice a(device, s.in, s.m * s.k, 0, true), b(device, s.in, s.k * s.n, 0, true),
        out(device, s.out, s.m * s.n, 0, false);
    const bool done = device.multiply(s, {.a = a.data(), .b = b.data(), .out = out.data()}, [] { return false; });
    return is_there(done ? &device : nullptr, "cuBLASLt");
}

} // namespace

TEST_CASE("a library's products: types, strides, batches") {
    const auto device = open_gpu();
    if (!has_products(*device)) return;
    for (const auto& [in, out] : {std::pair{DType::f32, DType::f32},
                                  {DType::f16, DType::f16},
                                  {DType::f16, DType::f32},
                                  {DType::bf16, DType::bf16},
                                  {DType::bf16, DType::f32}}) {
        for (const std::int64_t batch : {1, 3}) {
            ProductSpec s = rows(in, out, batch, 5, 7, 4);
            check_product(*device, s);
            check_product(*device, s, 1); // at unaligned addresses
            s.a_m = 1;                    // transposes each factor, then the product
            s.a_k = s.m;
            check_product(*device, s);
            s.b_k = 1;
            s.b_n = s.k;
            check_product(*device, s);
            s.out_m = 1;
            s.out_n = s.m;
            check_product(*device, s);
            s = rows(in, out, batch, 5, 7, 4);
            s.b_k = 1;
            s.b_n = s.k + 2; // with gaps
            s.b_b = batch == 1 ? 0 : s.n * s.b_n;
            check_product(*device, s);
            s.b_b = 0; // one matrix for the whole batch
            check_product(*device, s);
        }
    }
}

TEST_CASE("a library's products with an epilogue") {
    const auto device = open_gpu();
    if (!has_products(*device)) return;
    for (const auto& [in, out] : {std::pair{DType::f32, DType::f32},
                                  {DType::f16, DType::f16},
                                  {DType::f16, DType::f32},
                                  {DType::bf16, DType::bf16},
                                  {DType::bf16, DType::f32}})
        for (const std::int64_t batch : {1, 3})
            for (const auto function : {ProductEpilogue::Function::none, ProductEpilogue::Function::gelu})
                for (const bool has_bias : {false, true})
                    for (const float added_scale : {0.0F, 1.0F, -0.5F}) {
                        CAPTURE(batch);
                        CAPTURE(has_bias);
                        CAPTURE(added_scale);
                        ProductSpec s = rows(in, out, batch, 5, 7, 4);
                        s.epilogue.function = function;
                        s.epilogue.has_bias = has_bias;
                        s.epilogue.added_scale = added_scale;
                        s.epilogue.added_m = s.n;
                        s.epilogue.added_n = 1;
                        check_product(*device, s);
                        s.epilogue.scale = -0.25F;
                        s.epilogue.added_m = s.n + 3; // with gaps
                        check_product(*device, s, 1, 3);
                        if (batch > 1) { // one bias and one added array for each
                            s.epilogue.bias_b = has_bias ? s.n + 1 : 0;
                            s.epilogue.added_b = s.m * s.epilogue.added_m;
                            check_product(*device, s);
                        }
                        s.out_m = 1; // the transposed product, the bias along its columns
                        s.out_n = s.m;
                        s.epilogue.added_m = 1;
                        s.epilogue.added_n = s.m;
                        check_product(*device, s);
                    }
}

TEST_CASE("biases of different alignments") {
    const auto device = open_gpu();
    if (!has_products(*device)) return;
    ProductSpec s = rows(DType::f32, DType::f32, 1, 5, 7, 4);
    s.epilogue.has_bias = true;
    for (const std::int64_t from : {0, 1, 0, 4, 2, 0}) check_product(*device, s, 0, from);
}

TEST_CASE("products that the library does not support") {
    ProductSpec s = rows(DType::f32, DType::f32, 1, 5, 7, 4);
    CHECK(library_multiplies(s));
    ProductSpec other = s;
    other.in = other.out = DType::f64;
    CHECK_FALSE(library_multiplies(other));
    other = s;
    other.a_k = 2; // neither axis has stride 1
    other.a_m = 8;
    CHECK_FALSE(library_multiplies(other));
    other = s;
    other.a_m = 2; // rows that overlap
    CHECK_FALSE(library_multiplies(other));
    other = s;
    other.b_n = -1;
    CHECK_FALSE(library_multiplies(other));
    other = s;
    other.epilogue.added_scale = 1;
    other.epilogue.added_m = 1; // stride 1 along another axis than the result
    other.epilogue.added_n = s.m;
    CHECK_FALSE(library_multiplies(other));
    other.epilogue.added_m = s.n;
    other.epilogue.added_n = 1;
    CHECK(library_multiplies(other));
    other.epilogue.added_m = 0; // the same row for all
    CHECK_FALSE(library_multiplies(other));
}

PM_TEST_OF_INTERPRETER("a call that the library cannot do returns false, and a failing call throws") {
    const ProductSpec s = rows(DType::f32, DType::f32, 1, 5, 7, 4);
    const auto multiply = [&](const char* fails) {
        ::setenv("PM_CUDA_LIBRARIES_FAIL", fails, 1);
        const auto device = open_gpu();
        const OnDevice a(*device, s.in, s.m * s.k, 0, true), b(*device, s.in, s.k * s.n, 0, true),
            out(*device, s.out, s.m * s.n, 0, false);
        const auto run = [&] {
            return device->multiply(s, {.a = a.data(), .b = b.data(), .out = out.data()}, [] { return false; });
        };
        struct Restore {
            ~Restore() { ::unsetenv("PM_CUDA_LIBRARIES_FAIL"); }
        } restore;
        const bool first = run();
        return std::pair{first, run()};
    };
    // The counts of calls continue from test to test, so the text names every number.
    const auto every = [](const char* function, int code) {
        std::string made;
        for (int i = 1; i < 200; ++i)
            made += std::string(function) + ":" + std::to_string(i) + ":" + std::to_string(code) + ",";
        return made;
    };
    CHECK(multiply(every("cublasLtCreate", 1).c_str()) == std::pair{false, false});
    CHECK(multiply(every("cublasLtMatmulAlgoGetHeuristic", 15).c_str()) == std::pair{false, false});
    CHECK(multiply(every("cublasLtMatmul", 15).c_str()) == std::pair{false, false});
    CHECK_THROWS_WITH_AS(multiply(every("cublasLtMatmul", 13).c_str()), doctest::Contains("cublasLtMatmul"), Failure);
}
