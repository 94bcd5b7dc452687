#pragma once

#include "tests/gpu/driver/cuda.hpp"

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace pm::ptx {

/// The driver, loaded as by a program that is not linked to it, with separate state and environment. The context
/// of the first device, if there is one, is current.
class Gpu {
  public:
    Gpu() : Gpu(std::initializer_list<std::pair<std::string, std::string>>{}) {}
    Gpu(std::initializer_list<std::pair<std::string, std::string>> environment);
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;
    ~Gpu();

#define FUNCTION(name) decltype(&::name) name = nullptr;
#include "tests/gpu/driver/tests/functions.def"
#undef FUNCTION

    /// A module of the whole source, which must be valid.
    CUmodule load_whole(const std::string& source);
    CUmodule load(const std::string& source) { return load_whole(head() + source); }
    CUfunction function(const std::string& source, const char* name = "k");
    /// The error message for an invalid source.
    std::string refusal(const std::string& source);

    CUstream stream();
    CUdeviceptr memory(std::size_t bytes);
    template <class T>
    CUdeviceptr memory(const std::vector<T>& values) {
        const CUdeviceptr made = memory(values.size() * sizeof(T));
        write(made, values.data(), values.size() * sizeof(T));
        return made;
    }
    template <class T>
    std::vector<T> values(CUdeviceptr from, std::size_t count) {
        std::vector<T> made(count);
        read(made.data(), from, count * sizeof(T));
        return made;
    }
    void write(CUdeviceptr to, const void* from, std::size_t bytes);
    void read(void* to, CUdeviceptr from, std::size_t bytes);

    /// Launches a kernel whose parameters are addresses or 64-bit numbers, and waits. Returns the result of the wait.
    CUresult run(CUfunction kernel, unsigned blocks, unsigned threads, std::vector<std::uint64_t> parameters,
                 CUstream stream = nullptr, unsigned shared_bytes = 0);

    /// The result of one thread that runs `text`. The sources are in %a16, %a32, %a64, %af (f32), %ad (f64), and
    /// likewise for b, c and e. The predicates %ap ... tell whether they are not 0. `text` writes one of %d16, %d32,
    /// %d64, %df, %dd, %dp.
    std::uint64_t evaluate(const std::string& text, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0,
                           std::uint64_t e = 0);

    static std::string head() { return ".version 8.3\n.target sm_80\n.address_size 64\n"; }

  private:
    void* library_ = nullptr;
    std::vector<std::pair<std::string, std::string>> environment_;
};

inline std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

} // namespace pm::ptx
