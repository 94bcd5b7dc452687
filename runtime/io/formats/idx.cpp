#include "runtime/io/formats/idx.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/formats.hpp"
#include "runtime/io/formats/bytes.hpp"

#include <fmt/format.h>

#include <optional>

namespace pm::runtime {
namespace {

std::optional<DType> idx_type(unsigned char code) {
    switch (code) {
    case 0x08: return DType::u8;
    case 0x09: return DType::i8;
    case 0x0B: return DType::i16;
    case 0x0C: return DType::i32;
    case 0x0D: return DType::f32;
    case 0x0E: return DType::f64;
    default: return std::nullopt;
    }
}

bool is_idx(std::string_view bytes) {
    return bytes.size() >= 4 && bytes[0] == 0 && bytes[1] == 0 && idx_type(static_cast<unsigned char>(bytes[2]));
}

} // namespace

Array parse_idx(std::string_view bytes, const std::string& name, const std::shared_ptr<Allocator>& allocator,
                const std::function<void()>& poll) {
    if (bytes.size() < 4)
        throw Failure(FailureKind::file_truncated,
                      fmt::format("{} is cut short: {} bytes are no IDX file", name, bytes.size()), fetch_again);
    const auto type = idx_type(static_cast<unsigned char>(bytes[2]));
    if (bytes[0] == 0 && bytes[1] == 0 && !type)
        throw Failure(
            FailureKind::file_malformed,
            fmt::format("{} is an IDX file of an unknown type, 0x{:02x}", name, static_cast<unsigned char>(bytes[2])),
            "the types are 08 09 0B 0C 0D 0E: u8 i8 i16 i32 f32 f64");
    if (bytes[0] != 0 || bytes[1] != 0)
        throw Failure(FailureKind::file_malformed,
                      fmt::format("{} is no IDX file: it does not begin with two zeros", name), reader_of(bytes, name));
    const auto rank = static_cast<std::size_t>(static_cast<unsigned char>(bytes[3]));
    const std::size_t begin = 4 + 4 * rank;
    if (bytes.size() < begin)
        throw Failure(FailureKind::file_truncated, fmt::format("{} is cut short within its {} sizes", name, rank),
                      fetch_again);
    Shape shape;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        auto size = little<std::uint32_t>(bytes, 4 + 4 * axis);
        reverse_bytes(&size, 4, 1);
        shape.push_back(size);
    }
    const std::size_t have = bytes.size() - begin;
    std::int64_t elements = 0;
    try {
        elements = checked_elements(shape, size_of(*type));
    } catch (const Failure&) {
        throw Failure(FailureKind::file_malformed, fmt::format("{} is damaged: its sizes are impossible", name),
                      fetch_again);
    }
    const auto need = static_cast<std::uint64_t>(elements) * size_of(*type);
    if (have < need)
        throw Failure(
            FailureKind::file_truncated,
            fmt::format("{} is cut short: {} needs {} bytes, {} are there", name, type_text(*type, shape), need, have),
            fetch_again);
    if (have > need)
        throw Failure(FailureKind::file_malformed,
                      fmt::format("{} is damaged: {} bytes behind its {}", name, have - need, type_text(*type, shape)),
                      fetch_again);
    Array made = Array::from_bytes(*type, std::move(shape), bytes.data() + begin, allocator);
    reverse_bytes(made.mutable_data(), size_of(*type), elements, poll);
    return made;
}

Array load_idx(const std::string& path, const std::shared_ptr<Allocator>& allocator,
               const std::function<void()>& poll) {
    const std::string bytes = read_unpacked(path, poll, allocator, is_idx);
    const Charge file(allocator, bytes.capacity());
    return parse_idx(bytes, path, allocator, poll);
}

} // namespace pm::runtime
