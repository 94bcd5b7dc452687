#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

// Numbers in files. The machine is little-endian, as every target of the compiler is.

namespace pm::runtime {

/// The little-endian number that begins at index `at` of `bytes`. `bytes` must contain all bytes of the number.
template <class T>
T little(std::string_view bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

template <class T>
void put_little(std::string& out, T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.append(bytes, sizeof(T));
}

/// Divides the range 0..n into parts that take some 100 us each. Calls `part(begin, end)` for each part, and `poll`
/// between two parts.
template <class Part>
void in_parts(std::int64_t n, const std::function<void()>& poll, const Part& part) {
    constexpr std::int64_t most = 1 << 16;
    for (std::int64_t begin = 0; begin < n; begin += most) {
        if (poll && begin > 0) poll();
        part(begin, std::min(n, begin + most));
    }
}

/// Reverses the bytes of each of n numbers of `width` bytes.
inline void reverse_bytes(void* data, std::size_t width, std::int64_t n, const std::function<void()>& poll = {}) {
    if (width < 2) return;
    auto* bytes = static_cast<char*>(data);
    in_parts(n, poll, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i, bytes += width) std::reverse(bytes, bytes + width);
    });
}

} // namespace pm::runtime
