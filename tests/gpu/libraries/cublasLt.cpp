// cuBLASLt as far as the runtime asks for it, on copies of a device's memory. Names, arguments and numbers are those of
// NVIDIA's cublasLt.h. With PM_INTERPRETER_VERBOSE=1 it says which products it computes.
#include "tests/gpu/driver/numbers.hpp"
#include "tests/gpu/libraries/device.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>

using namespace pm::libraries;

namespace {

constexpr Statuses statuses{.not_initialized = 1, .invalid_value = 7};

enum Type { type_f32 = 0, type_f16 = 2, type_bf16 = 14 };
std::size_t width(int type) { return type == type_f32 ? 4 : 2; }

struct Product {
    int compute = 0;
    bool transposed_a = false, transposed_b = false;
};
struct Matrix {
    int type = 0;
    std::uint64_t rows = 0, columns = 0;
    std::int64_t leading = 0, stride = 0;
    int batch = 1;
};
struct Wish {
    std::size_t workspace = 0;
    std::uint32_t reductions = ~0U;
    std::array<std::uint32_t, 4> alignments{256, 256, 256, 256};
};
/// What a way was chosen for; 64 bytes of the caller's.
struct Way {
    std::uint64_t mark, sizes;
    std::array<std::uint32_t, 4> alignments;
    std::uint64_t workspace;
    std::array<std::uint64_t, 3> none;
};
static_assert(sizeof(Way) == 64);
constexpr std::uint64_t mark = 0x706D77617973ULL;

struct Choice {
    Way way;
    std::size_t workspace;
    int state;
    float waves;
    std::array<int, 4> reserved;
};

std::uint64_t sizes_of(const Product& p, const Matrix& a, const Matrix& b, const Matrix& d) {
    std::uint64_t hash =
        static_cast<std::uint64_t>(p.compute) * 4 + (p.transposed_a ? 2 : 0) + (p.transposed_b ? 1 : 0);
    for (const Matrix* m : {&a, &b, &d})
        for (const std::uint64_t n :
             {static_cast<std::uint64_t>(m->type), m->rows, m->columns, static_cast<std::uint64_t>(m->leading),
              static_cast<std::uint64_t>(m->stride), static_cast<std::uint64_t>(m->batch)})
            hash = (hash ^ n) * 0x100000001B3ULL;
    return hash;
}

/// Extents of the product: rows, columns, and what is summed.
struct Extents {
    std::uint64_t m, n, k;
};
Extents check(const Product& p, const Matrix& a, const Matrix& b, const Matrix& d) {
    const Extents e{d.rows, d.columns, p.transposed_a ? a.rows : a.columns};
    require((p.transposed_a ? a.columns : a.rows) == e.m, "rows of A");
    require((p.transposed_b ? b.rows : b.columns) == e.n && (p.transposed_b ? b.columns : b.rows) == e.k, "shape of B");
    for (const Matrix* m : {&a, &b, &d}) {
        require(m->leading >= static_cast<std::int64_t>(m->rows), "a leading dimension");
        require(m->batch == d.batch, "batches");
    }
    require(a.type == b.type && (d.type == a.type || d.type == type_f32), "types");
    require(p.compute == (a.type == type_f32 ? 77 : 68), "the type to compute in");
    return e;
}

/// All matrices of a batch, as numbers.
std::vector<double> numbers(const Matrix& m, const void* device, void* stream, const char* what) {
    const std::size_t count = static_cast<std::size_t>(m.batch - 1) * static_cast<std::size_t>(m.stride) +
                              (m.columns - 1) * static_cast<std::size_t>(m.leading) + m.rows;
    std::vector<std::byte> bytes(count * width(m.type));
    read(bytes.data(), device, bytes.size(), stream, what);
    std::vector<double> made(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, bytes.data() + i * width(m.type), width(m.type));
        made[i] = m.type == type_f32 ? pm::ptx::widen(pm::ptx::narrow(std::bit_cast<float>(bits), pm::ptx::tf32_format,
                                                                      pm::ptx::Rounding::away),
                                                      pm::ptx::tf32_format)
                  : m.type == type_f16 ? pm::ptx::widen(bits, pm::ptx::f16_format)
                                       : pm::ptx::widen(bits, pm::ptx::bf16_format);
    }
    return made;
}

void multiply(const Product& p, const Matrix& a, const Matrix& b, const Matrix& d, const void* a_at, const void* b_at,
              void* d_at, void* stream) {
    const Extents e = check(p, a, b, d);
    const std::vector<double> left = numbers(a, a_at, stream, "A");
    const std::vector<double> right = numbers(b, b_at, stream, "B");
    // An element's neighbours along k are those of its line.
    const auto lines = [&](const std::vector<double>& all, const Matrix& m, std::uint64_t batch, std::uint64_t count,
                           bool along_rows) {
        std::vector<float> made(count * e.k);
        const std::size_t first = batch * static_cast<std::size_t>(m.stride);
        const auto leading = static_cast<std::size_t>(m.leading);
        for (std::uint64_t i = 0; i < count; ++i)
            for (std::uint64_t k = 0; k < e.k; ++k)
                made[i * e.k + k] = static_cast<float>(all[first + (along_rows ? i * leading + k : k * leading + i)]);
        return made;
    };
    std::vector<std::byte> column(e.m * width(d.type));
    for (std::uint64_t batch = 0; batch < static_cast<std::uint64_t>(d.batch); ++batch) {
        const std::vector<float> rows = lines(left, a, batch, e.m, p.transposed_a);
        const std::vector<float> columns = lines(right, b, batch, e.n, !p.transposed_b);
        for (std::uint64_t j = 0; j < e.n; ++j) {
            for (std::uint64_t i = 0; i < e.m; ++i) {
                constexpr std::uint64_t together = 8;
                std::array<float, together> sums{};
                const float* x = rows.data() + i * e.k;
                const float* y = columns.data() + j * e.k;
                for (std::uint64_t k = 0; k < e.k; ++k) sums[k % together] += x[k] * y[k];
                float sum = 0;
                for (const float part : sums) sum += part;
                const std::uint32_t bits = d.type == type_f32   ? std::bit_cast<std::uint32_t>(sum)
                                           : d.type == type_f16 ? pm::ptx::narrow(sum, pm::ptx::f16_format)
                                                                : pm::ptx::narrow(sum, pm::ptx::bf16_format);
                std::memcpy(column.data() + i * width(d.type), &bits, width(d.type));
            }
            const std::size_t at = batch * static_cast<std::size_t>(d.stride) + j * static_cast<std::size_t>(d.leading);
            write(static_cast<std::byte*>(d_at) + at * width(d.type), column.data(), column.size(), stream);
        }
    }
    const char* verbose = std::getenv("PM_INTERPRETER_VERBOSE");
    if (verbose != nullptr && *verbose == '1')
        std::fprintf(stderr, "cublasLtMatmul: %d x (%llu x %llu x %llu)\n", d.batch,
                     static_cast<unsigned long long>(e.m), static_cast<unsigned long long>(e.n),
                     static_cast<unsigned long long>(e.k));
}

template <class T>
int set(T& field, const void* value, std::size_t bytes) {
    if (bytes != sizeof(T)) return statuses.invalid_value;
    std::memcpy(&field, value, bytes);
    return 0;
}

} // namespace

PM_LIBRARY cublasLtCreate(void** handle) { return create("cublasLtCreate", handle, statuses); }
PM_LIBRARY cublasLtDestroy(void* handle) { return destroy("cublasLtDestroy", handle, statuses); }

PM_LIBRARY cublasLtMatmulDescCreate(void** product, int compute, int scale) {
    if (scale != type_f32) return statuses.invalid_value;
    *product = new Product{compute};
    return 0;
}
PM_LIBRARY cublasLtMatmulDescDestroy(void* product) {
    delete static_cast<Product*>(product);
    return 0;
}
PM_LIBRARY cublasLtMatmulDescSetAttribute(void* product, int attribute, const void* value, std::size_t bytes) {
    int operation = 0;
    if (const int status = set(operation, value, bytes); status != 0) return status;
    if (operation < 0 || operation > 1) return statuses.invalid_value;
    auto& p = *static_cast<Product*>(product);
    if (attribute == 3)
        p.transposed_a = operation == 1;
    else if (attribute == 4)
        p.transposed_b = operation == 1;
    else
        return statuses.invalid_value;
    return 0;
}
PM_LIBRARY cublasLtMatrixLayoutCreate(void** matrix, int type, std::uint64_t rows, std::uint64_t columns,
                                      std::int64_t leading) {
    if (type != type_f32 && type != type_f16 && type != type_bf16) return statuses.invalid_value;
    *matrix = new Matrix{type, rows, columns, leading};
    return 0;
}
PM_LIBRARY cublasLtMatrixLayoutDestroy(void* matrix) {
    delete static_cast<Matrix*>(matrix);
    return 0;
}
PM_LIBRARY cublasLtMatrixLayoutSetAttribute(void* matrix, int attribute, const void* value, std::size_t bytes) {
    auto& m = *static_cast<Matrix*>(matrix);
    return attribute == 5   ? set(m.batch, value, bytes)
           : attribute == 6 ? set(m.stride, value, bytes)
                            : statuses.invalid_value;
}
PM_LIBRARY cublasLtMatmulPreferenceCreate(void** wish) {
    *wish = new Wish;
    return 0;
}
PM_LIBRARY cublasLtMatmulPreferenceDestroy(void* wish) {
    delete static_cast<Wish*>(wish);
    return 0;
}
PM_LIBRARY cublasLtMatmulPreferenceSetAttribute(void* wish, int attribute, const void* value, std::size_t bytes) {
    auto& w = *static_cast<Wish*>(wish);
    if (attribute == 1) return set(w.workspace, value, bytes);
    if (attribute == 3) return set(w.reductions, value, bytes);
    if (attribute < 5 || attribute > 8) return statuses.invalid_value;
    return set(w.alignments[static_cast<std::size_t>(attribute - 5)], value, bytes);
}
PM_LIBRARY cublasLtMatmulAlgoGetHeuristic(void* handle, void* product, void* a, void* b, void* c, void* d, void* wish,
                                          int most, void* choices, int* found) {
    return run_in_any("cublasLtMatmulAlgoGetHeuristic", handle, statuses, [&](void*) {
        require(c == d && most >= 1, "C is D, and one way at least");
        const auto& [p, x, y, z] = std::tie(*static_cast<Product*>(product), *static_cast<Matrix*>(a),
                                            *static_cast<Matrix*>(b), *static_cast<Matrix*>(d));
        check(p, x, y, z);
        const auto& w = *static_cast<Wish*>(wish);
        require(w.reductions == 2, "sums in a type of less precision");
        const std::size_t workspace = std::min<std::size_t>(w.workspace, 4096);
        *static_cast<Choice*>(choices) = {
            {mark, sizes_of(p, x, y, z), w.alignments, workspace, {}}, workspace, 0, 1, {}};
        *found = 1;
    });
}
PM_LIBRARY cublasLtMatmul(void* handle, void* product, const void* alpha, const void* a, void* a_matrix, const void* b,
                          void* b_matrix, const void* beta, const void* c, void* c_matrix, void* d, void* d_matrix,
                          const void* chosen, void* workspace, std::size_t workspace_bytes, void* stream) {
    return run_in_any("cublasLtMatmul", handle, statuses, [&](void*) {
        const auto& [p, x, y, z] = std::tie(*static_cast<Product*>(product), *static_cast<Matrix*>(a_matrix),
                                            *static_cast<Matrix*>(b_matrix), *static_cast<Matrix*>(d_matrix));
        const auto& way = *static_cast<const Way*>(chosen);
        require(way.mark == mark && way.sizes == sizes_of(p, x, y, z), "the way of another product");
        require(*static_cast<const float*>(alpha) == 1 && *static_cast<const float*>(beta) == 0, "alpha and beta");
        require(c == d && c_matrix == d_matrix, "C is D");
        for (std::size_t i = 0; const void* at : std::array{a, b, c, static_cast<const void*>(d)})
            require(reinterpret_cast<std::uintptr_t>(at) % way.alignments[i++] == 0, "alignment");
        require(workspace_bytes >= way.workspace, "the workspace");
        const std::vector<std::byte> used(way.workspace, std::byte{0xFF});
        if (!used.empty()) write(workspace, used.data(), used.size(), stream);
        multiply(p, x, y, z, a, b, d, stream);
    });
}
