#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// Numbers in files. The machine is little-endian, as every target of the compiler is.

namespace pm::runtime {

/// The little-endian number at `at`; the bytes must be there.
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

/// Turns round the bytes of each of n numbers of `width` bytes.
inline void reverse_bytes(void* data, std::size_t width, std::int64_t n) {
    auto* bytes = static_cast<char*>(data);
    if (width < 2) return;
    for (std::int64_t i = 0; i < n; ++i, bytes += width) std::reverse(bytes, bytes + width);
}

} // namespace pm::runtime
