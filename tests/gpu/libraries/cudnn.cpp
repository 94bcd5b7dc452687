// The convolutions of cuDNN that the runtime calls, on copies of device memory. Names, arguments and numbers are those
// of NVIDIA's cudnn_ops.h and cudnn_cnn.h. With PM_INTERPRETER_VERBOSE=1 each convolution is printed.
#include "tests/gpu/driver/numbers.hpp"
#include "tests/gpu/libraries/device.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

using namespace pm::libraries;

namespace {

constexpr Statuses statuses{.not_initialized = 1001, .invalid_value = 2000, .no_memory = 4004};
constexpr int cannot = 3000; // CUDNN_STATUS_NOT_SUPPORTED

enum Type { type_f32 = 0, type_f16 = 2, type_bf16 = 9 };
enum Math { math_default = 0, math_tensor_cores = 1, math_with_conversions = 2, math_fma = 3 };

/// The sizes of a tensor or filter: [count, features, spatial sizes..]. Features are adjacent in memory.
struct Array {
    int type = -1;
    std::vector<int> sizes;
    std::size_t elements() const {
        std::size_t all = 1;
        for (const int n : sizes) all *= static_cast<std::size_t>(n);
        return all;
    }
    std::size_t width() const { return type == type_f32 ? 4 : 2; }
};
struct Convolution {
    std::vector<int> padding, stride, dilation;
    int groups = 1, math = math_default;
};
struct Activation {
    int mode = -1;
};
constexpr int identity = 5, most_modes = 7; // CUDNN_ACTIVATION_IDENTITY

/// The existing descriptors.
std::set<const void*>& alive = *new std::set<const void*>;
template <class T>
int make(void** made) {
    *made = new T;
    alive.insert(*made);
    return 0;
}
template <class T>
int unmake(void* made) {
    if (alive.erase(made) == 0) return statuses.invalid_value;
    delete static_cast<T*>(made);
    return 0;
}
template <class T>
T& is(void* made) {
    require(alive.contains(made), "a descriptor that there is not");
    return *static_cast<T*>(made);
}

bool is_type(int type) { return type == type_f32 || type == type_f16 || type == type_bf16; }
bool positive(const int* numbers, int count) {
    return std::all_of(numbers, numbers + count, [](int n) { return n > 0; });
}

enum class Kind { forward, data, filter };
constexpr std::array names{"cudnnConvolutionForward", "cudnnConvolutionBackwardData", "cudnnConvolutionBackwardFilter"};

struct Work {
    const Array &x, &w, &y;
    const Convolution& how;

    int axes() const { return static_cast<int>(how.stride.size()); }
    int size(const Array& a, int axis) const { return a.sizes[static_cast<std::size_t>(axis) + 2]; }
    int span(int axis) const { return (size(w, axis) - 1) * how.dilation[static_cast<std::size_t>(axis)] + 1; }

    void check() const {
        for (const Array* a : {&x, &w, &y}) {
            require(a->sizes.size() == how.stride.size() + 2, "numbers of axes");
            require(a->type == x.type, "types");
        }
        require(x.sizes[0] == y.sizes[0], "the batch");
        require(x.sizes[1] == w.sizes[1] * how.groups, "features of x");
        require(y.sizes[1] == w.sizes[0] && w.sizes[0] % how.groups == 0, "features of y");
        for (int a = 0; a < axes(); ++a) {
            const auto i = static_cast<std::size_t>(a);
            require(size(y, a) == (size(x, a) + 2 * how.padding[i] - span(a)) / how.stride[i] + 1, "places of y");
        }
    }
    bool dilated() const {
        return std::any_of(how.dilation.begin(), how.dilation.end(), [](int n) { return n > 1; });
    }
    /// False if a window may lie in the padding alone.
    bool possible() const {
        for (int a = 0; a < axes(); ++a)
            if (how.padding[static_cast<std::size_t>(a)] >= span(a)) return false;
        return true;
    }
};

Work work_of(Kind kind, void* first, void* second, void* convolution, void* result) {
    auto& how = is<Convolution>(convolution);
    auto &a = is<Array>(first), &b = is<Array>(second), &c = is<Array>(result);
    const Work made = kind == Kind::forward ? Work{a, b, c, how}
                      : kind == Kind::data  ? Work{c, a, b, how}
                                            : Work{a, c, b, how};
    made.check();
    return made;
}

/// The properties of an algorithm, in the library's layout.
struct Performance {
    int algorithm, status;
    float time;
    std::size_t memory;
    int determinism, math;
    std::array<int, 3> reserved;
};
static_assert(sizeof(Performance) == 48);

constexpr int any_order = 0, by_products = 1, by_transforms = 2, exactly = 5;
constexpr int most_groups_with_epilogue = 2;
std::size_t workspace_of(int algorithm, const Work& work) {
    return algorithm == by_transforms ? std::size_t{1} << 40
           : algorithm == by_products ? 256 * static_cast<std::size_t>(work.w.sizes[0])
                                      : 0;
}
int math_of(int algorithm, const Work& work) {
    return algorithm == exactly ? math_fma : work.x.type == type_f32 ? math_default : math_tensor_cores;
}

int algorithms(Kind kind, void* handle, void* first, void* second, void* convolution, void* result, int most,
               int* found, Performance* made) {
    int status = 0;
    const std::string name = std::string("cudnnGet") + (names[static_cast<std::size_t>(kind)] + 5) + "Algorithm_v7";
    const int ran = run(name, handle, statuses, [&](void*) {
        const Work work = work_of(kind, first, second, convolution, result);
        if (!work.possible()) {
            status = cannot;
            return;
        }
        const int math = math_of(by_products, work);
        require(work.how.math == math, "the math type");
        std::array all{Performance{any_order, 0, 1, 0, 0, math, {}},
                       Performance{by_transforms, 0, 2, std::size_t{1} << 40, 1, math, {}},
                       Performance{by_products, 0, 3, 4096, 1, math_with_conversions, {}},
                       Performance{3, cannot, -1, 0, 1, math, {}},
                       Performance{by_products, 0, 4, workspace_of(by_products, work), 1, math, {}},
                       Performance{exactly, 0, 5, 0, 1, math_fma, {}}};
        if (work.dilated()) std::swap(all[4], all[5]);
        *found = std::min(most, static_cast<int>(all.size()));
        std::copy_n(all.begin(), *found, made);
    });
    return ran != 0 ? ran : status;
}

int workspace(Kind kind, void* handle, void* first, void* second, void* convolution, void* result, int algorithm,
              std::size_t* bytes) {
    const std::string name = std::string("cudnnGet") + (names[static_cast<std::size_t>(kind)] + 5) + "WorkspaceSize";
    return run(name, handle, statuses,
               [&](void*) { *bytes = workspace_of(algorithm, work_of(kind, first, second, convolution, result)); });
}

using Numbers = std::vector<float>;

Numbers numbers(const Array& a, const void* device, void* stream, bool exact, const char* what) {
    std::vector<std::byte> bytes(a.elements() * a.width());
    read(bytes.data(), device, bytes.size(), stream, what);
    Numbers made(a.elements());
    for (std::size_t i = 0; i < made.size(); ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, bytes.data() + i * a.width(), a.width());
        if (a.type == type_f32 && !exact)
            bits = pm::ptx::narrow(std::bit_cast<float>(bits), pm::ptx::tf32_format, pm::ptx::Rounding::away);
        made[i] = a.type == type_f16    ? static_cast<float>(pm::ptx::widen(bits, pm::ptx::f16_format))
                  : a.type == type_bf16 ? static_cast<float>(pm::ptx::widen(bits, pm::ptx::bf16_format))
                  : exact               ? std::bit_cast<float>(bits)
                                        : static_cast<float>(pm::ptx::widen(bits, pm::ptx::tf32_format));
    }
    return made;
}
void put(const Array& a, const Numbers& all, void* device, void* stream) {
    std::vector<std::byte> bytes(a.elements() * a.width());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::uint32_t bits = a.type == type_f32   ? std::bit_cast<std::uint32_t>(all[i])
                                   : a.type == type_f16 ? pm::ptx::narrow(all[i], pm::ptx::f16_format)
                                                        : pm::ptx::narrow(all[i], pm::ptx::bf16_format);
        std::memcpy(bytes.data() + i * a.width(), &bits, a.width());
    }
    write(device, bytes.data(), bytes.size(), stream);
}

/// Calls `f` for each position of y and of w whose position in x exists, with the positions in x, w and y.
template <class F>
void each_place(const Work& work, const F& f) {
    std::array<std::array<int, 3>, 3> sizes{{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}; // of x, w, y; missing axes have size 1
    std::array<int, 3> padding{}, stride{1, 1, 1}, dilation{1, 1, 1};
    for (int a = 0; a < work.axes(); ++a) {
        const auto to = static_cast<std::size_t>(a + 3 - work.axes()), from = static_cast<std::size_t>(a);
        sizes[0][to] = work.size(work.x, a), sizes[1][to] = work.size(work.w, a), sizes[2][to] = work.size(work.y, a);
        padding[to] = work.how.padding[from], stride[to] = work.how.stride[from];
        dilation[to] = work.how.dilation[from];
    }
    const auto along = [&](std::size_t axis, int o, int k) {
        const int at = o * stride[axis] + k * dilation[axis] - padding[axis];
        return at < sizes[0][axis] ? at : -1;
    };
    const auto number = [&](std::size_t of, int i, int j, int k) {
        return static_cast<std::size_t>((i * sizes[of][1] + j) * sizes[of][2] + k);
    };
    for (int o0 = 0; o0 < sizes[2][0]; ++o0)
        for (int o1 = 0; o1 < sizes[2][1]; ++o1)
            for (int o2 = 0; o2 < sizes[2][2]; ++o2)
                for (int k0 = 0; k0 < sizes[1][0]; ++k0)
                    for (int k1 = 0; k1 < sizes[1][1]; ++k1)
                        for (int k2 = 0; k2 < sizes[1][2]; ++k2) {
                            const int i0 = along(0, o0, k0), i1 = along(1, o1, k1), i2 = along(2, o2, k2);
                            if (i0 < 0 || i1 < 0 || i2 < 0) continue;
                            f(number(0, i0, i1, i2), number(1, k0, k1, k2), number(2, o0, o1, o2));
                        }
}

void convolve(Kind kind, const Work& work, Numbers& x, Numbers& w, Numbers& y) {
    const auto of = [](int n) { return static_cast<std::size_t>(n); };
    const std::size_t n = of(work.x.sizes[0]), groups = of(work.how.groups), c = of(work.w.sizes[1]),
                      d = of(work.y.sizes[1]) / groups;
    const std::size_t places_x = work.x.elements() / (n * c * groups), places_y = work.y.elements() / (n * d * groups),
                      places_w = work.w.elements() / (c * d * groups);
    for (std::size_t i = 0; i < n; ++i)
        each_place(work, [&](std::size_t at_x, std::size_t at_w, std::size_t at_y) {
            for (std::size_t g = 0; g < groups; ++g) {
                float* of_x = x.data() + ((i * places_x + at_x) * groups + g) * c;
                float* of_y = y.data() + ((i * places_y + at_y) * groups + g) * d;
                for (std::size_t j = 0; j < d; ++j) {
                    float* of_w = w.data() + ((g * d + j) * places_w + at_w) * c;
                    if (kind == Kind::forward) {
                        std::array<float, 8> sums{};
                        std::size_t k = 0;
                        for (; k + sums.size() <= c; k += sums.size())
                            for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += of_x[k + s] * of_w[k + s];
                        for (; k < c; ++k) sums[0] += of_x[k] * of_w[k];
                        for (const float sum : sums) of_y[j] += sum;
                    } else if (kind == Kind::data) {
                        for (std::size_t k = 0; k < c; ++k) of_x[k] += of_y[j] * of_w[k];
                    } else {
                        for (std::size_t k = 0; k < c; ++k) of_w[k] += of_y[j] * of_x[k];
                    }
                }
            }
        });
}

void check_algorithm(int algorithm, const Work& work, std::size_t work_bytes) {
    require(algorithm == by_products || algorithm == exactly, "an algorithm in no order, or of too much memory");
    require(work.how.math == math_of(algorithm, work), "the math type of another algorithm");
    require(work_bytes >= workspace_of(algorithm, work), "the workspace");
}
void use_workspace(void* at, std::size_t bytes, void* stream) {
    const std::vector<std::byte> used(bytes, std::byte{0xFF});
    if (!used.empty()) write(at, used.data(), used.size(), stream);
}
void say(const char* function, const Work& work) {
    const char* verbose = std::getenv("PM_INTERPRETER_VERBOSE");
    if (verbose != nullptr && *verbose == '1')
        std::fprintf(stderr, "%s: %d axes, %d groups\n", function, work.axes(), work.how.groups);
}

int execute(Kind kind, void* handle, const void* alpha, void* first, const void* first_at, void* second,
            const void* second_at, void* convolution, int algorithm, void* work_at, std::size_t work_bytes,
            const void* beta, void* result, void* result_at) {
    const char* name = names[static_cast<std::size_t>(kind)];
    return run(name, handle, statuses, [&](void* stream) {
        const Work work = work_of(kind, first, second, convolution, result);
        require(*static_cast<const float*>(alpha) == 1 && *static_cast<const float*>(beta) == 0, "alpha and beta");
        check_algorithm(algorithm, work, work_bytes);
        for (const void* at :
             {first_at, second_at, static_cast<const void*>(result_at), static_cast<const void*>(work_at)})
            require(reinterpret_cast<std::size_t>(at) % 16 == 0, "alignment");
        use_workspace(work_at, work_bytes, stream);
        const bool exact = algorithm == exactly;
        const Array &a = is<Array>(first), &b = is<Array>(second), &c = is<Array>(result);
        Numbers left = numbers(a, first_at, stream, exact, "the first array"),
                right = numbers(b, second_at, stream, exact, "the second array"), made(c.elements());
        if (kind == Kind::forward)
            convolve(kind, work, left, right, made);
        else if (kind == Kind::data)
            convolve(kind, work, made, left, right);
        else
            convolve(kind, work, left, made, right);
        put(c, made, result_at, stream);
        say(name, work);
    });
}

constexpr const char* with_epilogue = "cudnnConvolutionBiasActivationForward";
int execute_with_epilogue(void* handle, const void* alpha1, void* x, const void* x_at, void* w, const void* w_at,
                          void* convolution, int algorithm, void* work_at, std::size_t work_bytes, const void* alpha2,
                          void* z, const void* z_at, void* bias, const void* bias_at, void* activation, void* y,
                          void* y_at) {
    int status = 0;
    const int ran = run(with_epilogue, handle, statuses, [&](void* stream) {
        const Work work = work_of(Kind::forward, x, w, convolution, y);
        const Array &of_z = is<Array>(z), &of_bias = is<Array>(bias), &of_y = is<Array>(y);
        require(is<Activation>(activation).mode == identity, "an activation for which a NaN is 0");
        check_algorithm(algorithm, work, work_bytes);
        if (algorithm != by_products || work.how.groups > most_groups_with_epilogue) {
            status = cannot;
            return say("cudnnConvolutionBiasActivationForward, which is refused", work);
        }
        require(of_z.sizes == of_y.sizes && of_z.type == of_y.type, "what is added");
        std::vector<int> one_place(of_y.sizes.size(), 1);
        one_place[1] = of_y.sizes[1];
        require(of_bias.sizes == one_place && of_bias.type == of_y.type, "the bias");
        for (const void* at : {x_at, w_at, z_at, bias_at, static_cast<const void*>(y_at)})
            require(at != nullptr && reinterpret_cast<std::size_t>(at) % 16 == 0, "addresses");
        const auto is_disjoint = [&](const void* at, const Array& a) {
            const auto begin = reinterpret_cast<std::size_t>(at), of = reinterpret_cast<std::size_t>(y_at);
            return begin + a.elements() * a.width() <= of || of + of_y.elements() * of_y.width() <= begin;
        };
        require(is_disjoint(x_at, work.x) && is_disjoint(w_at, work.w) && is_disjoint(bias_at, of_bias) &&
                    (z_at == y_at || is_disjoint(z_at, of_z)),
                "y in the memory of another array");
        use_workspace(work_at, work_bytes, stream);
        const float scale = *static_cast<const float*>(alpha1), scale_z = *static_cast<const float*>(alpha2);
        Numbers of_x = numbers(work.x, x_at, stream, false, "x"), of_w = numbers(work.w, w_at, stream, false, "w"),
                made(of_y.elements()), biases = numbers(of_bias, bias_at, stream, true, "the bias"), added;
        if (scale_z != 0) added = numbers(of_z, z_at, stream, true, "what is added");
        convolve(Kind::forward, work, of_x, of_w, made);
        for (std::size_t i = 0; i < made.size(); ++i) {
            made[i] = scale * made[i] + biases[i % biases.size()];
            if (scale_z != 0) made[i] += scale_z * added[i];
        }
        put(of_y, made, y_at, stream);
        say(with_epilogue, work);
    });
    return ran != 0 ? ran : status;
}

} // namespace

PM_LIBRARY cudnnCreate(void** handle) { return create("cudnnCreate", handle, statuses); }
PM_LIBRARY cudnnDestroy(void* handle) { return destroy("cudnnDestroy", handle, statuses); }
PM_LIBRARY cudnnSetStream(void* handle, void* stream) { return set_stream("cudnnSetStream", handle, stream, statuses); }
extern "C" __attribute__((visibility("default"))) const char* cudnnGetErrorString(int status) {
    switch (status) {
    case 0: return "CUDNN_STATUS_SUCCESS";
    case 1001: return "CUDNN_STATUS_NOT_INITIALIZED";
    case 2000: return "CUDNN_STATUS_BAD_PARAM";
    case 3000: return "CUDNN_STATUS_NOT_SUPPORTED";
    case 4000: return "CUDNN_STATUS_INTERNAL_ERROR";
    case 5000: return "CUDNN_STATUS_EXECUTION_FAILED";
    default: return "CUDNN_UNKNOWN_STATUS";
    }
}

PM_LIBRARY cudnnCreateTensorDescriptor(void** made) { return make<Array>(made); }
PM_LIBRARY cudnnDestroyTensorDescriptor(void* made) { return unmake<Array>(made); }
PM_LIBRARY cudnnSetTensorNdDescriptor(void* made, int type, int count, const int* sizes, const int* strides) {
    if (!alive.contains(made) || !is_type(type) || count < 4 || count > 8 || !positive(sizes, count))
        return statuses.invalid_value;
    long long stride = sizes[1];
    for (int i = count - 1; i >= 2; stride *= sizes[i--])
        if (strides[i] != stride && sizes[i] != 1) return cannot;
    if (strides[1] != 1 || strides[0] != stride || stride * sizes[0] > 0x7FFFFFFF) return cannot;
    *static_cast<Array*>(made) = {type, {sizes, sizes + count}};
    return 0;
}
PM_LIBRARY cudnnCreateFilterDescriptor(void** made) { return make<Array>(made); }
PM_LIBRARY cudnnDestroyFilterDescriptor(void* made) { return unmake<Array>(made); }
PM_LIBRARY cudnnSetFilterNdDescriptor(void* made, int type, int format, int count, const int* sizes) {
    if (!alive.contains(made) || !is_type(type) || format != 1 || count < 4 || count > 8 || !positive(sizes, count))
        return statuses.invalid_value;
    *static_cast<Array*>(made) = {type, {sizes, sizes + count}};
    return 0;
}
PM_LIBRARY cudnnCreateConvolutionDescriptor(void** made) { return make<Convolution>(made); }
PM_LIBRARY cudnnDestroyConvolutionDescriptor(void* made) { return unmake<Convolution>(made); }
PM_LIBRARY cudnnSetConvolutionNdDescriptor(void* made, int count, const int* padding, const int* stride,
                                           const int* dilation, int mode, int type) {
    if (!alive.contains(made) || count < 2 || count > 6 || mode != 1 || type != type_f32 || !positive(stride, count) ||
        !positive(dilation, count) || std::any_of(padding, padding + count, [](int n) { return n < 0; }))
        return statuses.invalid_value;
    *static_cast<Convolution*>(made) = {
        {padding, padding + count}, {stride, stride + count}, {dilation, dilation + count}};
    return 0;
}
PM_LIBRARY cudnnSetConvolutionGroupCount(void* made, int groups) {
    if (!alive.contains(made) || groups < 1) return statuses.invalid_value;
    static_cast<Convolution*>(made)->groups = groups;
    return 0;
}
PM_LIBRARY cudnnSetConvolutionMathType(void* made, int math) {
    if (!alive.contains(made) || math < 0 || math > 3) return statuses.invalid_value;
    static_cast<Convolution*>(made)->math = math;
    return 0;
}

PM_LIBRARY cudnnCreateActivationDescriptor(void** made) { return make<Activation>(made); }
PM_LIBRARY cudnnDestroyActivationDescriptor(void* made) { return unmake<Activation>(made); }
PM_LIBRARY cudnnSetActivationDescriptor(void* made, int mode, int nans, double limit) {
    if (const int code = failure_of("cudnnSetActivationDescriptor"); code != 0) return code;
    if (!alive.contains(made) || mode < 0 || mode >= most_modes || nans < 0 || nans > 1 || limit != 0)
        return statuses.invalid_value;
    static_cast<Activation*>(made)->mode = mode;
    return 0;
}
PM_LIBRARY cudnnConvolutionBiasActivationForward(void* handle, const void* alpha1, void* x, const void* x_at, void* w,
                                                 const void* w_at, void* convolution, int algorithm, void* work,
                                                 std::size_t work_bytes, const void* alpha2, void* z, const void* z_at,
                                                 void* bias, const void* bias_at, void* activation, void* y,
                                                 void* y_at) {
    return execute_with_epilogue(handle, alpha1, x, x_at, w, w_at, convolution, algorithm, work, work_bytes, alpha2, z,
                                 z_at, bias, bias_at, activation, y, y_at);
}

#define PM_CONVOLUTION(KIND, kind)                                                                                     \
    PM_LIBRARY cudnnGetConvolution##KIND##Algorithm_v7(void* handle, void* a, void* b, void* convolution,              \
                                                       void* result, int most, int* found, Performance* made) {        \
        return algorithms(kind, handle, a, b, convolution, result, most, found, made);                                 \
    }                                                                                                                  \
    PM_LIBRARY cudnnGetConvolution##KIND##WorkspaceSize(void* handle, void* a, void* b, void* convolution,             \
                                                        void* result, int algorithm, std::size_t* bytes) {             \
        return workspace(kind, handle, a, b, convolution, result, algorithm, bytes);                                   \
    }                                                                                                                  \
    PM_LIBRARY cudnnConvolution##KIND(void* handle, const void* alpha, void* a, const void* a_at, void* b,             \
                                      const void* b_at, void* convolution, int algorithm, void* work,                  \
                                      std::size_t work_bytes, const void* beta, void* result, void* result_at) {       \
        return execute(kind, handle, alpha, a, a_at, b, b_at, convolution, algorithm, work, work_bytes, beta, result,  \
                       result_at);                                                                                     \
    }
PM_CONVOLUTION(Forward, Kind::forward)
PM_CONVOLUTION(BackwardData, Kind::data)
PM_CONVOLUTION(BackwardFilter, Kind::filter)
