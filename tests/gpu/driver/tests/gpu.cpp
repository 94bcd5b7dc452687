#include "tests/gpu/driver/tests/gpu.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <unistd.h>

namespace pm::ptx {

Gpu::Gpu(std::initializer_list<std::pair<std::string, std::string>> environment) : environment_(environment) {
    for (const auto& [name, value] : environment_) setenv(name.c_str(), value.c_str(), 1);
    // A copy of the file is another library with separate state.
    std::string path = (std::filesystem::temp_directory_path() / "libcuda-XXXXXX").string();
    const int file = mkstemp(path.data());
    REQUIRE(file >= 0);
    close(file);
    std::filesystem::copy_file(PM_CUDA_INTERPRETER, path, std::filesystem::copy_options::overwrite_existing);
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    std::filesystem::remove(path);
    REQUIRE(library_ != nullptr);
#define FUNCTION(name)                                                                                                 \
    name = reinterpret_cast<decltype(name)>(dlsym(library_, #name));                                                   \
    REQUIRE((name != nullptr));
#include "tests/gpu/driver/tests/functions.def"
#undef FUNCTION
    if (cuInit(0) != CUDA_SUCCESS) return;
    CUcontext context = nullptr;
    REQUIRE(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    REQUIRE(cuCtxSetCurrent(context) == CUDA_SUCCESS);
}

Gpu::~Gpu() {
    for (const auto& [name, value] : environment_) unsetenv(name.c_str());
    if (cuCtxSetCurrent(nullptr) == CUDA_SUCCESS) cuDevicePrimaryCtxRelease_v2(0);
    dlclose(library_);
}

CUmodule Gpu::load_whole(const std::string& source) {
    CUmodule module = nullptr;
    std::array<char, 1000> log{};
    std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
    const CUresult result = cuModuleLoadDataEx(&module, source.c_str(), 2, options.data(), values.data());
    INFO(log.data(), "\n", source);
    REQUIRE(result == CUDA_SUCCESS);
    return module;
}

CUfunction Gpu::function(const std::string& source, const char* name) {
    CUfunction made = nullptr;
    REQUIRE(cuModuleGetFunction(&made, load(source), name) == CUDA_SUCCESS);
    return made;
}

std::string Gpu::refusal(const std::string& source) {
    CUmodule module = nullptr;
    std::array<char, 1000> log{};
    std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
    CHECK(cuModuleLoadDataEx(&module, (head() + source).c_str(), 2, options.data(), values.data()) ==
          CUDA_ERROR_INVALID_PTX);
    return log.data();
}

CUstream Gpu::stream() {
    CUstream made = nullptr;
    REQUIRE(cuStreamCreate(&made, 1) == CUDA_SUCCESS);
    return made;
}

CUdeviceptr Gpu::memory(std::size_t bytes) {
    CUdeviceptr made = 0;
    REQUIRE(cuMemAlloc_v2(&made, bytes) == CUDA_SUCCESS);
    return made;
}
void Gpu::write(CUdeviceptr to, const void* from, std::size_t bytes) {
    REQUIRE(cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr) == CUDA_SUCCESS);
}
void Gpu::read(void* to, CUdeviceptr from, std::size_t bytes) {
    REQUIRE(cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr) == CUDA_SUCCESS);
    REQUIRE(cuCtxSynchronize() == CUDA_SUCCESS);
}

CUresult Gpu::run(CUfunction kernel, unsigned blocks, unsigned threads, std::vector<std::uint64_t> parameters,
                  CUstream stream, unsigned shared_bytes) {
    std::vector<void*> pointers;
    for (std::uint64_t& parameter : parameters) pointers.push_back(&parameter);
    const CUresult result =
        cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, shared_bytes, stream, pointers.data(), nullptr);
    return result == CUDA_SUCCESS ? cuStreamSynchronize(stream) : result;
}

std::uint64_t Gpu::evaluate(const std::string& text, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                            std::uint64_t e) {
    std::string source = ".visible .entry k(.param .u64 out, .param .u64 in) {\n.reg .b64 %out, %in;\n";
    for (const char* name : {"a", "b", "c", "e", "d"}) {
        const std::string n = std::string("%") + name;
        source += ".reg .b16 " + n + "16;\n.reg .b32 " + n + "32;\n.reg .b64 " + n + "64;\n.reg .f32 " + n +
                  "f;\n.reg .f64 " + n + "d;\n.reg .pred " + n + "p;\n";
    }
    source += "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n";
    int offset = 0;
    for (const char* name : {"a", "b", "c", "e", "d"}) {
        const std::string n = std::string("%") + name;
        source += "ld.global.u64 " + n + "64, [%in+" + std::to_string(offset) + "];\ncvt.u32.u64 " + n + "32, " + n +
                  "64;\ncvt.u16.u64 " + n + "16, " + n + "64;\nmov.b32 " + n + "f, " + n + "32;\nmov.b64 " + n + "d, " +
                  n + "64;\nsetp.ne.s64 " + n + "p, " + n + "64, 0;\n";
        offset += 8;
    }
    source += text + "\n";
    const auto has = [&](const char* name) { return text.find(name) != std::string::npos; };
    if (has("%d16")) source += "cvt.u64.u16 %d64, %d16;\n";
    if (has("%d32")) source += "cvt.u64.u32 %d64, %d32;\n";
    if (has("%df")) source += "mov.b32 %d32, %df;\ncvt.u64.u32 %d64, %d32;\n";
    if (has("%dd")) source += "mov.b64 %d64, %dd;\n";
    if (has("%dp")) source += "selp.u64 %d64, 1, 0, %dp;\n";
    source += "st.global.u64 [%out], %d64;\nret;\n}\n";
    const CUfunction kernel = function(source);
    const CUdeviceptr in = memory(std::vector<std::uint64_t>{a, b, c, e, 0});
    const CUdeviceptr out = memory(8);
    REQUIRE(run(kernel, 1, 1, {out, in}) == CUDA_SUCCESS);
    const std::uint64_t made = values<std::uint64_t>(out, 1)[0];
    CHECK(cuMemFree_v2(in) == CUDA_SUCCESS);
    CHECK(cuMemFree_v2(out) == CUDA_SUCCESS);
    return made;
}

} // namespace pm::ptx
