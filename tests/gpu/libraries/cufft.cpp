// The functions of cuFFT that the runtime calls, on copies of device memory, in double precision. Names, arguments and
// numbers are those of NVIDIA's cufft.h.
#include "tests/gpu/libraries/device.hpp"

#include <cmath>
#include <map>
#include <numbers>

using namespace pm::libraries;

namespace {

constexpr Statuses statuses{
    .not_initialized = 1, .invalid_value = 4, .no_memory = 2}; // CUFFT_INVALID_PLAN and the like

using Row = std::vector<std::complex<double>>;

struct Plan {
    void* handle = nullptr;
    bool own_memory = true;
    int type = 0;
    long long n = 0, batch = 0;
    std::size_t bytes = 0;
    void* work = nullptr;
};
std::map<int, Plan>& plans = *new std::map<int, Plan>; // never destroyed, as handles
int last_plan = 0;

/// The transform of x, computed recursively by the least prime factor of its size.
Row transformed(const Row& x, int direction) {
    const std::size_t n = x.size();
    std::size_t p = 2;
    while (p < n && n % p != 0) ++p;
    if (n <= 1) return x;
    const std::size_t m = n / p;
    std::vector<Row> parts(p, Row(m));
    for (std::size_t j = 0; j < n; ++j) parts[j % p][j / p] = x[j];
    for (Row& part : parts) part = transformed(part, direction);
    Row made(n);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t r = 0; r < p; ++r)
            made[k] += parts[r][k % m] * std::polar(1.0, direction * 2 * std::numbers::pi *
                                                             static_cast<double>(k * r % n) / static_cast<double>(n));
    return made;
}

/// Does `work` with the plan and its stream.
template <class Work>
int with_plan(const char* function, int number, Work&& work) {
    const auto found = plans.find(number);
    return run(function, found == plans.end() ? nullptr : found->second.handle, statuses,
               [&](void* stream) { work(found->second, stream); });
}

template <class R>
int execute(const char* function, int type, int number, std::complex<R>* in, std::complex<R>* out, int direction) {
    return with_plan(function, number, [&](Plan& plan, void* stream) {
        require(plan.type == type, "a plan of another type");
        require(direction == -1 || direction == 1, "no such direction");
        require(plan.work != nullptr, "there is no work area");
        const auto n = static_cast<std::size_t>(plan.n), rows = static_cast<std::size_t>(plan.batch);
        Held<std::complex<R>> of_in(in, n * rows, stream, "the input"), of_out(out, n * rows, stream, "the output");
        Held<double> work(static_cast<double*>(plan.work), plan.bytes / 8, stream, "the work area");
        require(reinterpret_cast<std::size_t>(in) % sizeof(std::complex<R>) == 0 &&
                    reinterpret_cast<std::size_t>(out) % sizeof(std::complex<R>) == 0,
                "alignment");
        for (std::size_t row = 0; row < rows; ++row) {
            const auto begin = of_in.all().begin() + static_cast<std::ptrdiff_t>(row * n);
            const Row made = transformed(Row(begin, begin + static_cast<std::ptrdiff_t>(n)), direction);
            for (std::size_t i = 0; i < n; ++i) of_out.all()[row * n + i] = std::complex<R>(made[i]);
        }
        std::fill(work.all().begin(), work.all().end(), std::nan(""));
        work.put();
        of_out.put();
    });
}

} // namespace

PM_LIBRARY cufftCreate(int* plan) {
    void* handle = nullptr;
    if (const int status = create("cufftCreate", &handle, statuses); status != 0) return status;
    *plan = ++last_plan;
    plans[*plan].handle = handle;
    return 0;
}
PM_LIBRARY cufftDestroy(int plan) {
    const auto found = plans.find(plan);
    const int status = destroy("cufftDestroy", found == plans.end() ? nullptr : found->second.handle, statuses);
    if (status == 0) plans.erase(found);
    return status;
}
PM_LIBRARY cufftSetStream(int plan, void* stream) {
    const auto found = plans.find(plan);
    return set_stream("cufftSetStream", found == plans.end() ? nullptr : found->second.handle, stream, statuses);
}
PM_LIBRARY cufftSetAutoAllocation(int plan, int whether) {
    const auto found = plans.find(plan);
    if (found == plans.end() || found->second.type != 0) return statuses.not_initialized;
    found->second.own_memory = whether != 0;
    return 0;
}
PM_LIBRARY cufftMakePlanMany64(int number, int rank, long long* n, long long* in, long long, long long, long long* out,
                               long long, long long, int type, long long batch, std::size_t* bytes) {
    const auto found = plans.find(number);
    if (found == plans.end()) return statuses.not_initialized;
    Plan& plan = found->second;
    if (plan.own_memory || plan.type != 0 || rank != 1 || *n < 1 || batch < 1 || in != nullptr || out != nullptr ||
        (type != 0x29 && type != 0x69))
        return statuses.invalid_value;
    plan.type = type;
    plan.n = *n;
    plan.batch = batch;
    *bytes = plan.bytes = static_cast<std::size_t>(*n * batch) * (type == 0x29 ? 8 : 16);
    return 0;
}
PM_LIBRARY cufftSetWorkArea(int number, void* work) {
    return with_plan("cufftSetWorkArea", number, [&](Plan& plan, void*) { plan.work = work; });
}
PM_LIBRARY cufftExecC2C(int plan, std::complex<float>* in, std::complex<float>* out, int direction) {
    return execute("cufftExecC2C", 0x29, plan, in, out, direction);
}
PM_LIBRARY cufftExecZ2Z(int plan, std::complex<double>* in, std::complex<double>* out, int direction) {
    return execute("cufftExecZ2Z", 0x69, plan, in, out, direction);
}
