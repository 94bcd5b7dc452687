#include "runtime/kernels/lapack.hpp"

#include "runtime/failure.hpp"
#include "runtime/kernels/dynamic_library.hpp"

#include <string>
#include <tuple>
#include <type_traits>

namespace pm::runtime::lapack {
namespace {

template <class T>
bool load(void* library, Functions<T>& f) {
    constexpr bool complex = !std::is_same_v<T, Real<T>>;
    constexpr bool small = std::is_same_v<Real<T>, float>;
    const std::string prefix = complex ? (small ? "c" : "z") : (small ? "s" : "d");
    const bool common =
        find_function(library, prefix + "potrf_", f.potrf) && find_function(library, prefix + "getrf_", f.getrf) &&
        find_function(library, prefix + "geqrf_", f.geqrf) &&
        find_function(library, prefix + (complex ? "ungqr_" : "orgqr_"), f.orgqr) &&
        find_function(library, prefix + "gesdd_", f.gesdd) && find_function(library, prefix + "geev_", f.geev) &&
        find_function(library, prefix + "trsm_", f.trsm);
    if constexpr (complex)
        return common && find_function(library, prefix + "heevd_", f.heevd);
    else
        return common && find_function(library, prefix + "syevd_", f.syevd);
}

/// Opens a library. OpenBLAS identifies processors by number. On a processor that is newer than OpenBLAS, it uses its
/// kernels for very old processors. Therefore this function chooses the kernels of OpenBLAS, unless the user has chosen
/// them. (dgetrf of 1000 rows takes 64 ms without this choice, 26 ms with it.)
void* opened(const char* name) {
    const char* kernels = nullptr;
#if defined(__x86_64__)
    kernels = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") ? "SkylakeX"
              : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")       ? "Haswell"
                                                                                      : nullptr;
#endif
    const VariableForLibrary environment("OPENBLAS_CORETYPE", kernels);
    return open_library(name);
}

struct Library {
    std::tuple<Functions<float>, Functions<double>, Functions<std::complex<float>>, Functions<std::complex<double>>>
        all;
    bool there = false;

    Library() {
        for (const char* name : {"libopenblas.so.0", "liblapack.so.3"}) {
            void* library = opened(name);
            if (library == nullptr) continue;
            there = std::apply([&](auto&... f) { return (load(library, f) && ...); }, all);
            // Each call uses the caller's thread alone, so that results do not depend on the number of processors.
            void (*threads)(int) = nullptr;
            if (there && find_function(library, "openblas_set_num_threads", threads)) threads(1);
            if (there) return;
            dlclose(library);
        }
    }
};

const Library& library() {
    static const Library one; // one for the whole process, as the libraries are
    return one;
}

} // namespace

bool there() { return library().there; }

template <class T>
const Functions<T>& functions() {
    if (!there())
        throw Failure(FailureKind::bad_argument,
                      "this program was compiled where there is LAPACK, and here there is none",
                      "install OpenBLAS (libopenblas.so.0) or LAPACK (liblapack.so.3)");
    return std::get<Functions<T>>(library().all);
}
template const Functions<float>& functions<float>();
template const Functions<double>& functions<double>();
template const Functions<std::complex<float>>& functions<std::complex<float>>();
template const Functions<std::complex<double>>& functions<std::complex<double>>();

} // namespace pm::runtime::lapack
