#pragma once
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pm::runtime {

/// The control bits of a thread's floating-point unit, without the flags of exceptions.
using FloatMode = std::uint64_t;

inline FloatMode float_mode() {
#if defined(__x86_64__)
    constexpr std::uint64_t exceptions = 0x3F;
    return _mm_getcsr() & ~exceptions;
#elif defined(__aarch64__)
    FloatMode mode = 0;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
#else
    return 0;
#endif
}

inline void set_float_mode([[maybe_unused]] FloatMode mode) {
#if defined(__x86_64__)
    _mm_setcsr(static_cast<unsigned>(mode));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" ::"r"(mode));
#endif
}

/// The mode in which subnormal operands and results of operations are replaced by 0. Operations on subnormal numbers
/// take some 100 cycles on many processors. The mode itself if the processor has no such mode.
inline FloatMode flushing_subnormals(FloatMode mode) {
#if defined(__x86_64__)
    return mode | 0x8040U; // FTZ and DAZ
#elif defined(__aarch64__)
    return mode | (std::uint64_t{1} << 24U); // FZ
#else
    return mode;
#endif
}

/// Sets the mode of the thread for the life of the object.
class FloatModeScope {
  public:
    explicit FloatModeScope(FloatMode mode) : before_(float_mode()), changes_(mode != before_) {
        if (changes_) set_float_mode(mode);
    }
    ~FloatModeScope() {
        if (changes_) set_float_mode(before_);
    }
    FloatModeScope(const FloatModeScope&) = delete;
    FloatModeScope& operator=(const FloatModeScope&) = delete;

  private:
    FloatMode before_;
    bool changes_;
};

} // namespace pm::runtime
