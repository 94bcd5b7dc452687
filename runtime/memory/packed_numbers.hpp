#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace pm::runtime {

// Numbers in the bytes that processes of a job exchange.

inline void append_number(std::string& to, std::int64_t number) {
    to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Takes a number from the front of `bytes`; nullopt if there are too few bytes.
inline std::optional<std::int64_t> take_number(std::string_view& bytes) {
    std::int64_t number = 0;
    if (bytes.size() < sizeof number) return std::nullopt;
    std::memcpy(&number, bytes.data(), sizeof number);
    bytes.remove_prefix(sizeof number);
    return number;
}

} // namespace pm::runtime
