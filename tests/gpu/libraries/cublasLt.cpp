// The functions of cuBLASLt that the runtime calls, on copies of device memory. Names, arguments and numbers are those
// of NVIDIA's cublasLt.h. With PM_INTERPRETER_VERBOSE=1 each product is printed.
#include "tests/gpu/driver/numbers.hpp"
#include "tests/gpu/libraries/device.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace pm::libraries;

namespace {

constexpr Statuses statuses{.not_initialized = 1, .invalid_value = 7, .no_memory = 3};

enum Type { type_f32 = 0, type_f16 = 2, type_bf16 = 14 };
std::size_t width(int type) { return type == type_f32 ? 4 : 2; }

/// Numbers of cublasLtEpilogue_t.
enum Epilogue : std::uint32_t { plain = 1, with_bias = 4, gelu = 32, gelu_with_bias = 36 };

struct Product {
    int compute = 0;
    int transposed_a = 0, transposed_b = 0;
    std::uint32_t epilogue = plain;
    const void* bias = nullptr;
    std::int64_t bias_stride = 0;

    bool has_bias() const { return epilogue == with_bias || epilogue == gelu_with_bias; }
};
struct Matrix {
    int type = 0;
    std::uint64_t rows = 0, columns = 0;
    std::int64_t leading = 0, stride = 0;
    int batch = 1;
};
struct Preference {
    std::size_t workspace = 0;
    std::uint32_t reductions = ~0U;
    std::array<std::uint32_t, 4> alignments{256, 256, 256, 256};
};
/// The product that an algorithm was chosen for, in the caller's 64 bytes.
struct Algorithm {
    std::uint64_t magic, sizes;
    std::array<std::uint32_t, 4> alignments;
    std::uint64_t workspace;
    std::uint64_t bias_alignment;
    std::array<std::uint64_t, 2> none;
};
static_assert(sizeof(Algorithm) == 64);
constexpr std::uint64_t magic = 0x706D77617973ULL;

struct Choice {
    Algorithm algorithm;
    std::size_t workspace;
    int state;
    float waves;
    std::array<int, 4> reserved;
};

/// The descriptors of a product.
struct Call {
    const Product& p;
    const Matrix &a, &b, &c, &d;

    Call(void* product, void* a, void* b, void* c, void* d)
        : p(*static_cast<Product*>(product)), a(*static_cast<Matrix*>(a)), b(*static_cast<Matrix*>(b)),
          c(*static_cast<Matrix*>(c)), d(*static_cast<Matrix*>(d)) {}

    std::uint64_t hash() const {
        std::uint64_t made = 0;
        const auto add = [&](auto... numbers) {
            ((made = (made ^ static_cast<std::uint64_t>(numbers)) * 0x100000001B3ULL), ...);
        };
        add(p.compute, p.transposed_a, p.transposed_b, p.epilogue, p.bias_stride);
        for (const Matrix* m : {&a, &b, &c, &d}) add(m->type, m->rows, m->columns, m->leading, m->stride, m->batch);
        return made;
    }
};

/// Extents of a product: rows, columns, and the summed axis.
struct Extents {
    std::uint64_t m, n, k;
};
Extents check(const Call& call) {
    const auto& [p, a, b, c, d] = call;
    const Extents e{d.rows, d.columns, p.transposed_a != 0 ? a.rows : a.columns};
    require((p.transposed_a != 0 ? a.columns : a.rows) == e.m, "rows of A");
    require((p.transposed_b != 0 ? b.rows : b.columns) == e.n && (p.transposed_b != 0 ? b.columns : b.rows) == e.k,
            "shape of B");
    require(c.type == d.type && c.rows == d.rows && c.columns == d.columns, "C is no matrix like D");
    for (const Matrix* m : {&a, &b, &c, &d}) {
        require(m->leading >= static_cast<std::int64_t>(m->rows), "a leading dimension");
        require(m->batch == d.batch, "batches");
    }
    require(a.type == b.type && (d.type == a.type || d.type == type_f32), "types");
    require(p.compute == (a.type == type_f32 ? 77 : 68), "the type to compute in");
    require(!p.has_bias() || p.bias != nullptr, "a bias without an address");
    require(p.has_bias() || (p.bias == nullptr && p.bias_stride == 0), "a bias that is not used");
    return e;
}

/// The elements of a device array as numbers.
std::vector<double> numbers(int type, std::size_t count, const void* device, void* stream, const char* what) {
    std::vector<std::byte> bytes(count * width(type));
    require(reinterpret_cast<std::uintptr_t>(device) % width(type) == 0, what);
    read(bytes.data(), device, bytes.size(), stream, what);
    std::vector<double> made(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, bytes.data() + i * width(type), width(type));
        made[i] = type == type_f32   ? std::bit_cast<float>(bits)
                  : type == type_f16 ? pm::ptx::widen(bits, pm::ptx::f16_format)
                                     : pm::ptx::widen(bits, pm::ptx::bf16_format);
    }
    return made;
}
/// The elements from the first to the last of a batch, with gaps.
std::size_t elements(const Matrix& m) {
    return static_cast<std::size_t>(m.batch - 1) * static_cast<std::size_t>(m.stride) +
           (m.columns - 1) * static_cast<std::size_t>(m.leading) + m.rows;
}
std::vector<double> numbers(const Matrix& m, const void* device, void* stream, const char* what) {
    return numbers(m.type, elements(m), device, stream, what);
}
/// The elements of a factor; f32 is rounded to TF32.
std::vector<double> factors(const Matrix& m, const void* device, void* stream, const char* what) {
    std::vector<double> made = numbers(m, device, stream, what);
    if (m.type == type_f32)
        for (double& x : made)
            x = pm::ptx::widen(pm::ptx::narrow(x, pm::ptx::tf32_format, pm::ptx::Rounding::away), pm::ptx::tf32_format);
    return made;
}

float gelu_of(float x) { return x * (0.5F * (1 + std::tanh(0.7978845608F * (x + 0.044715F * x * x * x)))); }

/// Addresses of a product's operands, and its scalar factors.
struct Operands {
    float alpha, beta;
    const void *a, *b, *c;
    void* d;
};

/// Checks that D shares no memory with the operands, except that D may be C.
void check_no_overlap(const Call& call, const Operands& o, std::size_t bias_elements) {
    struct Range {
        const void* at;
        std::size_t bytes;
    };
    const auto range = [](const void* at, const Matrix& m) { return Range{at, elements(m) * width(m.type)}; };
    std::vector<Range> read{range(o.a, call.a), range(o.b, call.b)};
    if (o.c != o.d) read.push_back(range(o.c, call.c));
    if (bias_elements > 0) read.push_back({call.p.bias, bias_elements * width(call.d.type)});
    const Range written = range(o.d, call.d);
    const auto begin = [](const Range& r) { return reinterpret_cast<std::uintptr_t>(r.at); };
    for (const Range& r : read)
        require(begin(r) + r.bytes <= begin(written) || begin(written) + written.bytes <= begin(r),
                "D is written over what is read");
    require(o.c != o.d || &call.c == &call.d, "C is D, but not its layout");
}

void multiply(const Call& call, const Operands& o, void* stream) {
    const auto& [p, a, b, c, d] = call;
    const Extents e = check(call);
    const std::size_t bias_elements =
        p.has_bias() ? static_cast<std::size_t>(d.batch - 1) * static_cast<std::size_t>(p.bias_stride) + e.m : 0;
    check_no_overlap(call, o, bias_elements);
    const std::vector<double> left = factors(a, o.a, stream, "A");
    const std::vector<double> right = factors(b, o.b, stream, "B");
    std::vector<double> added, bias;
    if (o.beta != 0) added = numbers(c, o.c, stream, "C");
    if (p.has_bias()) bias = numbers(d.type, bias_elements, p.bias, stream, "the bias");
    // Copies a factor with its elements along k adjacent.
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
    const auto place = [](const Matrix& m, std::uint64_t batch, std::uint64_t column) {
        return batch * static_cast<std::size_t>(m.stride) + column * static_cast<std::size_t>(m.leading);
    };
    std::vector<std::byte> column(e.m * width(d.type));
    for (std::uint64_t batch = 0; batch < static_cast<std::uint64_t>(d.batch); ++batch) {
        const std::vector<float> rows = lines(left, a, batch, e.m, p.transposed_a != 0);
        const std::vector<float> columns = lines(right, b, batch, e.n, p.transposed_b == 0);
        for (std::uint64_t j = 0; j < e.n; ++j) {
            for (std::uint64_t i = 0; i < e.m; ++i) {
                constexpr std::uint64_t parallel_sums = 8;
                std::array<float, parallel_sums> sums{};
                const float* x = rows.data() + i * e.k;
                const float* y = columns.data() + j * e.k;
                for (std::uint64_t k = 0; k < e.k; ++k) sums[k % parallel_sums] += x[k] * y[k];
                float sum = 0;
                for (const float part : sums) sum += part;
                sum *= o.alpha;
                if (o.beta != 0) sum += o.beta * static_cast<float>(added[place(c, batch, j) + i]);
                if (p.has_bias()) sum += static_cast<float>(bias[batch * static_cast<std::size_t>(p.bias_stride) + i]);
                if (p.epilogue == gelu || p.epilogue == gelu_with_bias) sum = gelu_of(sum);
                const std::uint32_t bits = d.type == type_f32   ? std::bit_cast<std::uint32_t>(sum)
                                           : d.type == type_f16 ? pm::ptx::narrow(sum, pm::ptx::f16_format)
                                                                : pm::ptx::narrow(sum, pm::ptx::bf16_format);
                std::memcpy(column.data() + i * width(d.type), &bits, width(d.type));
            }
            write(static_cast<std::byte*>(o.d) + place(d, batch, j) * width(d.type), column.data(), column.size(),
                  stream);
        }
    }
    const char* verbose = std::getenv("PM_INTERPRETER_VERBOSE");
    if (verbose == nullptr || *verbose != '1') return;
    std::string end;
    if (o.alpha != 1) end += " scaled";
    if (o.beta != 0) end += " added";
    if (p.has_bias()) end += " bias";
    if (p.epilogue == gelu || p.epilogue == gelu_with_bias) end += " gelu";
    std::fprintf(stderr, "cublasLtMatmul: %d x (%llu x %llu x %llu)%s\n", d.batch, static_cast<unsigned long long>(e.m),
                 static_cast<unsigned long long>(e.n), static_cast<unsigned long long>(e.k), end.c_str());
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
    auto& p = *static_cast<Product*>(product);
    if (value == nullptr) return statuses.invalid_value;
    switch (attribute) {
    case 3:
    case 4: {
        int& transposed = attribute == 3 ? p.transposed_a : p.transposed_b;
        const int status = set(transposed, value, bytes);
        return status != 0 || (transposed != 0 && transposed != 1) ? statuses.invalid_value : 0;
    }
    case 7: return set(p.epilogue, value, bytes);
    case 8: return set(p.bias, value, bytes);
    case 10: return set(p.bias_stride, value, bytes);
    default: return statuses.invalid_value;
    }
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
PM_LIBRARY cublasLtMatmulPreferenceCreate(void** preference) {
    *preference = new Preference;
    return 0;
}
PM_LIBRARY cublasLtMatmulPreferenceDestroy(void* preference) {
    delete static_cast<Preference*>(preference);
    return 0;
}
PM_LIBRARY cublasLtMatmulPreferenceSetAttribute(void* preference, int attribute, const void* value, std::size_t bytes) {
    auto& w = *static_cast<Preference*>(preference);
    if (attribute == 1) return set(w.workspace, value, bytes);
    if (attribute == 3) return set(w.reductions, value, bytes);
    if (attribute < 5 || attribute > 8) return statuses.invalid_value;
    return set(w.alignments[static_cast<std::size_t>(attribute - 5)], value, bytes);
}
PM_LIBRARY cublasLtMatmulAlgoGetHeuristic(void* handle, void* product, void* a, void* b, void* c, void* d,
                                          void* preference, int most, void* choices, int* found) {
    return run_in_any("cublasLtMatmulAlgoGetHeuristic", handle, statuses, [&](void*) {
        require(most >= 1, "one way at least");
        const Call call(product, a, b, c, d);
        check(call);
        const auto& w = *static_cast<Preference*>(preference);
        require(w.reductions == 2, "sums in a type of less precision");
        *found = 0;
        const std::uint32_t epilogue = call.p.epilogue;
        if (epilogue != plain && epilogue != with_bias && epilogue != gelu && epilogue != gelu_with_bias) return;
        const std::size_t workspace = std::min<std::size_t>(w.workspace, 4096);
        const auto bias = reinterpret_cast<std::uintptr_t>(call.p.bias);
        *static_cast<Choice*>(choices) = {{magic,
                                           call.hash(),
                                           w.alignments,
                                           workspace,
                                           bias == 0 ? 1 : std::min<std::uint64_t>(bias & -bias, 16),
                                           {}},
                                          workspace,
                                          0,
                                          1,
                                          {}};
        *found = 1;
    });
}
PM_LIBRARY cublasLtMatmul(void* handle, void* product, const void* alpha, const void* a, void* a_matrix, const void* b,
                          void* b_matrix, const void* beta, const void* c, void* c_matrix, void* d, void* d_matrix,
                          const void* chosen, void* workspace, std::size_t workspace_bytes, void* stream) {
    return run_in_any("cublasLtMatmul", handle, statuses, [&](void*) {
        const Call call(product, a_matrix, b_matrix, c_matrix, d_matrix);
        const auto& algorithm = *static_cast<const Algorithm*>(chosen);
        require(algorithm.magic == magic && algorithm.sizes == call.hash(), "the way of another product");
        for (std::size_t i = 0; const void* at : std::array{a, b, c, static_cast<const void*>(d)})
            require(reinterpret_cast<std::uintptr_t>(at) % algorithm.alignments[i++] == 0, "alignment");
        require(reinterpret_cast<std::uintptr_t>(call.p.bias) % algorithm.bias_alignment == 0, "alignment of the bias");
        require(workspace_bytes >= algorithm.workspace, "the workspace");
        const std::vector<std::byte> used(algorithm.workspace, std::byte{0xFF});
        if (!used.empty()) write(workspace, used.data(), used.size(), stream);
        multiply(call, {*static_cast<const float*>(alpha), *static_cast<const float*>(beta), a, b, c, d}, stream);
    });
}
