#include "runtime/gpu/libraries/products.hpp"

#include "runtime/gpu/libraries/libraries.hpp"
#include "runtime/kernels/dynamic_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>

namespace pm::runtime {
namespace {

// Constants of the library, and of CUDA's element types.
constexpr int status_allocation_failed = 3;
constexpr int status_execution_failed = 13;
constexpr int element_f32 = 0;
constexpr int element_f16 = 2;
constexpr int element_bf16 = 14;
constexpr int compute_f32 = 68;
constexpr int compute_tf32 = 77;
constexpr int product_transposes_a = 3;
constexpr int product_transposes_b = 4;
constexpr int product_epilogue = 7;
constexpr int product_bias = 8;
constexpr int product_bias_stride = 10;
constexpr std::uint32_t epilogue_none = 1;
constexpr std::uint32_t epilogue_bias = 4; ///< a bit that is combined with the value for the epilogue's function
constexpr std::uint32_t epilogue_gelu = 32;
constexpr int matrix_batch_count = 5;
constexpr int matrix_batch_stride = 6;
constexpr int preference_workspace_bytes = 1;
constexpr int preference_reductions = 3;
constexpr std::uint32_t reduced_as_computed = 2; ///< if the library computes partial sums over k, they are f32 too
constexpr int preference_alignment_a = 5;        ///< followed by the alignments of b, c and d
constexpr std::int32_t operation_transposed = 1;

int element_of(DType d) { return d == DType::f32 ? element_f32 : d == DType::f16 ? element_f16 : element_bf16; }

/// A matrix in the form that the library requires: columns are contiguous.
struct Matrix {
    std::int64_t rows, columns, leading, stride;
    bool transposed = false;
};
/// A matrix with an axis of size `along` and stride 1, and an axis of size `across` and stride `leading`. Returns
/// nullopt if the library cannot represent the matrix.
std::optional<Matrix> matrix(std::int64_t along, std::int64_t across, std::int64_t leading, std::int64_t stride,
                             bool transposed) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (along < 1 || across < 1 || along > most || across > most || leading < along || stride < 0) return std::nullopt;
    return Matrix{along, across, leading, stride, transposed};
}
/// A factor in the form that the library requires. A line is a row of the left factor or a column of the right factor.
/// The left factor has the shape lines x k, the right factor the shape k x lines. Returns nullopt if neither axis is
/// contiguous, or if the library cannot represent the factor.
std::optional<Matrix> factor(std::int64_t lines, std::int64_t k, std::int64_t by_line, std::int64_t by_k,
                             std::int64_t by_batch, bool is_left) {
    if (by_k == 1) return matrix(k, lines, by_line, by_batch, is_left);
    if (by_line == 1) return matrix(lines, k, by_k, by_batch, !is_left);
    return std::nullopt;
}

bool adds(const ProductEpilogue& end) { return end.added_scale != 0; }

/// The product in the form that the library requires. If rows of `out` are contiguous, the library computes the
/// transpose of the product, with exchanged factors.
struct Form {
    Matrix left, right, out, added;
    bool swapped = false;
};
std::optional<Form> form_of(const ProductSpec& s) {
    const bool swapped = s.out_n == 1;
    if (!swapped && s.out_m != 1) return std::nullopt;
    const auto a = factor(s.m, s.k, s.a_m, s.a_k, s.a_b, !swapped);
    const auto b = factor(s.n, s.k, s.b_n, s.b_k, s.b_b, swapped);
    const auto stored = [&](std::int64_t by_m, std::int64_t by_n, std::int64_t by_batch) {
        return swapped ? matrix(s.n, s.m, by_m, by_batch, false) : matrix(s.m, s.n, by_n, by_batch, false);
    };
    const auto out = stored(s.out_m, s.out_n, s.out_b);
    auto added = out;
    if (const ProductEpilogue& e = s.epilogue; adds(e))
        added = (swapped ? e.added_n : e.added_m) == 1 ? stored(e.added_m, e.added_n, e.added_b) : std::nullopt;
    if (!a || !b || !out || !added || s.epilogue.bias_b < 0) return std::nullopt;
    return swapped ? Form{*b, *a, *out, *added, true} : Form{*a, *b, *out, *added, false};
}

std::uint32_t epilogue_of(const ProductEpilogue& end) {
    const std::uint32_t made =
        (end.function == ProductEpilogue::Function::gelu ? epilogue_gelu : 0) | (end.has_bias ? epilogue_bias : 0);
    return made == 0 ? epilogue_none : made;
}

/// The largest power of two, up to 256, that divides an address.
std::uint32_t alignment_of(const void* address) {
    constexpr int most = 8; // 256 bytes
    return std::uint32_t{1} << std::min(most, std::countr_zero(reinterpret_cast<std::uintptr_t>(address)));
}

} // namespace

struct Products::Library {
#define FUNCTION(name, symbol, arguments) int(*name) arguments = nullptr;
#include "runtime/gpu/libraries/cublaslt.def"
#undef FUNCTION

    bool load(const std::string& file) {
        void* library = open_library(file.c_str());
        bool all = library != nullptr;
#define FUNCTION(name, symbol, arguments) all = all && find_function(library, #symbol, name);
#include "runtime/gpu/libraries/cublaslt.def"
#undef FUNCTION
        return all;
    }
};

/// The plan for all products with one key. If `chosen` is empty, the library cannot compute these products.
struct Products::Plan {
    /// cublasLtMatmulHeuristicResult_t.
    struct Choice {
        std::array<std::uint64_t, 8> algorithm;
        std::size_t workspace_bytes;
        int state;
        float waves;
        std::array<int, 4> reserved;
    };
    explicit Plan(const Library& used) : library(used) {}
    ~Plan() {
        for (void* matrix : {left, right, added, out})
            if (matrix != nullptr) static_cast<void>(library.matrix_destroy(matrix));
        if (product != nullptr) static_cast<void>(library.product_destroy(product));
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    /// `bias` is any address with the alignment that the key has for the bias. The library's choice of an algorithm
    /// depends on this alignment.
    bool make(void* handle, const Key& key, const void* bias) {
        const std::optional<Form> form = form_of(key.spec);
        if (!form) return false;
        swapped = form->swapped;
        const bool tf32 = key.spec.in == DType::f32;
        if (library.product_create(&product, tf32 ? compute_tf32 : compute_f32, element_f32) != 0) return false;
        const auto transposes = [&](int attribute, const Matrix& m) {
            return !m.transposed || set(attribute, operation_transposed);
        };
        return transposes(product_transposes_a, form->left) && transposes(product_transposes_b, form->right) &&
               make(left, key.spec.in, form->left, key.spec.batch) &&
               make(right, key.spec.in, form->right, key.spec.batch) &&
               (!adds(key.spec.epilogue) || make(added, key.spec.out, form->added, key.spec.batch)) &&
               make(out, key.spec.out, form->out, key.spec.batch) && make(key.spec.epilogue, bias) &&
               choose(handle, key);
    }
    /// The library's matrix C, which is added to the product. If nothing is added, the library requires that C is the
    /// matrix of the result.
    void* c() const { return added != nullptr ? added : out; }
    bool takes(const void* bias) const { return set(product_bias, bias); }

    const Library& library;
    void* product = nullptr;
    void *left = nullptr, *right = nullptr, *added = nullptr, *out = nullptr;
    bool swapped = false;
    std::optional<Choice> chosen;

  private:
    template <class T>
    bool set(int attribute, const T& value) const {
        return library.product_set(product, attribute, &value, sizeof value) == 0;
    }
    bool make(const ProductEpilogue& end, const void* bias) const {
        const std::uint32_t epilogue = epilogue_of(end);
        return (epilogue == epilogue_none || set(product_epilogue, epilogue)) &&
               (!end.has_bias || (takes(bias) && set(product_bias_stride, end.bias_b)));
    }
    bool make(void*& made, DType dtype, const Matrix& m, std::int64_t batch) const {
        if (library.matrix_create(&made, element_of(dtype), static_cast<std::uint64_t>(m.rows),
                                  static_cast<std::uint64_t>(m.columns), m.leading) != 0)
            return false;
        if (batch == 1) return true;
        const auto count = static_cast<std::int32_t>(batch);
        return library.matrix_set(made, matrix_batch_count, &count, sizeof count) == 0 &&
               library.matrix_set(made, matrix_batch_stride, &m.stride, sizeof m.stride) == 0;
    }
    bool choose(void* handle, const Key& key) {
        void* preference = nullptr;
        if (library.preference_create(&preference) != 0) return false;
        const std::size_t most = workspace_bytes;
        bool is_set = library.preference_set(preference, preference_workspace_bytes, &most, sizeof most) == 0 &&
                      library.preference_set(preference, preference_reductions, &reduced_as_computed,
                                             sizeof reduced_as_computed) == 0;
        const std::array alignments{swapped ? key.b : key.a, swapped ? key.a : key.b,
                                    adds(key.spec.epilogue) ? key.added : key.out, key.out};
        for (int i = 0; const std::uint32_t bytes : alignments)
            is_set =
                library.preference_set(preference, preference_alignment_a + i++, &bytes, sizeof bytes) == 0 && is_set;
        Choice choice{};
        int found = 0;
        const int status =
            is_set ? library.choose(handle, product, left, right, c(), out, preference, 1, &choice, &found) : 1;
        static_cast<void>(library.preference_destroy(preference));
        if (status != 0 || found < 1 || choice.state != 0 || choice.workspace_bytes > most) return false;
        chosen = choice;
        return true;
    }
};

bool library_multiplies(const ProductSpec& spec) {
    const bool types = (spec.in == DType::f32 && spec.out == DType::f32) ||
                       (is_half(spec.in) && (spec.out == spec.in || spec.out == DType::f32));
    return types && spec.batch <= std::numeric_limits<std::int32_t>::max() && form_of(spec).has_value();
}

std::unique_ptr<Products> Products::open(int driver_version) {
    return cuda::of_latest_release(driver_version, [](int release) {
        auto library = std::make_unique<Library>();
        void* handle = nullptr;
        if (!library->load(fmt::format("libcublasLt.so.{}", release))) return std::unique_ptr<Products>();
        const int status = library->create(&handle);
        if (status == status_allocation_failed) cuda::fail_for_memory("cublasLtCreate");
        return std::unique_ptr<Products>(status == 0 ? new Products(std::move(library), handle) : nullptr);
    });
}

Products::Products(std::unique_ptr<Library> library, void* handle) : library_(std::move(library)), handle_(handle) {}

Products::~Products() {
    plans_.clear();
    static_cast<void>(library_->destroy(handle_));
}

const Products::Plan& Products::plan_for(const Key& key, const void* bias) {
    constexpr std::size_t most_plans = 1024; // a plan has some 0.5 KB, and choosing an algorithm takes 10 to 100 us
    const auto known = plans_.find(key);
    if (known != plans_.end()) return *known->second;
    if (plans_.size() == most_plans) plans_.clear();
    auto plan = std::make_unique<Plan>(*library_);
    if (!plan->make(handle_, key, bias)) plan->chosen.reset();
    return *plans_.emplace(key, std::move(plan)).first->second;
}

bool Products::multiply(const ProductSpec& spec, const ProductOperands& o, void* workspace, void* stream) {
    const Key key{
        spec, alignment_of(o.a), alignment_of(o.b), alignment_of(o.bias), alignment_of(o.added), alignment_of(o.out)};
    const Plan& plan = plan_for(key, o.bias);
    if (!plan.chosen || (spec.epilogue.has_bias && !plan.takes(o.bias))) return false;
    const int status = library_->multiply(
        handle_, plan.product, &spec.epilogue.scale, plan.swapped ? o.b : o.a, plan.left, plan.swapped ? o.a : o.b,
        plan.right, &spec.epilogue.added_scale, adds(spec.epilogue) ? o.added : o.out, plan.c(), o.out, plan.out,
        plan.chosen->algorithm.data(), workspace, plan.chosen->workspace_bytes, stream);
    if (status == status_execution_failed) cuda::fail("cublasLtMatmul", fmt::format("status {}", status));
    return status == 0;
}

} // namespace pm::runtime
