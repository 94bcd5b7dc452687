#include "runtime/io/formats/png.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/gzip.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace pm::runtime {
namespace {

void put_big(std::string& out, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

/// Appends a chunk: the length of its content, its name, its content, and the checksum of name and content.
void put_chunk(std::string& out, std::string_view name, std::string_view content, const std::function<void()>& poll) {
    put_big(out, static_cast<std::uint32_t>(content.size()));
    const std::size_t begin = out.size();
    out += name;
    out += content;
    put_big(out, crc32_of(std::string_view(out).substr(begin), poll));
}

/// The checksum of a zlib stream (RFC 1950), which PNG uses.
std::uint32_t adler32_of(std::string_view bytes, const std::function<void()>& poll) {
    constexpr std::uint32_t modulus = 65521;
    constexpr std::size_t summed_at_once = 5552; // the most bytes whose sums fit 32 bits
    std::uint32_t a = 1;
    std::uint32_t b = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        a += static_cast<unsigned char>(bytes[i]);
        b += a;
        if (i % summed_at_once != summed_at_once - 1) continue;
        a %= modulus;
        b %= modulus;
        if (poll) poll();
    }
    return b % modulus << 16 | a % modulus;
}

/// The rows of the picture, each with the number of its filter in front: 0, no filter.
std::string filtered_rows(std::string_view pixels, std::size_t height, const std::shared_ptr<Allocator>& account) {
    const std::size_t width = pixels.size() / height;
    ChargedText rows(account);
    rows.reserve(pixels.size() + height);
    for (std::size_t row = 0; row < height; ++row) {
        rows.append(std::string_view("\0", 1));
        rows.append(pixels.substr(row * width, width));
    }
    return std::move(rows).take().first;
}

} // namespace

std::string png_of(const Array& pixels, const std::function<void()>& poll, const std::shared_ptr<Allocator>& account) {
    constexpr std::array<char, 4> color_types = {0, 4, 2, 6};
    const std::int64_t channels = pixels.rank() == 3 ? pixels.size(2) : 1;
    const bool fits = pixels.dtype() == DType::u8 && (pixels.rank() == 2 || pixels.rank() == 3) &&
                      pixels.elements() > 0 && channels <= static_cast<std::int64_t>(color_types.size()) &&
                      pixels.elements() < std::numeric_limits<std::int32_t>::max();
    if (!fits)
        throw Failure(FailureKind::bad_argument,
                      fmt::format("{} is no picture", type_text(pixels.dtype(), pixels.shape())),
                      "pixels are u8[height, width] or u8[height, width, channels] with 1 to 4 channels");
    const std::string_view bytes(static_cast<const char*>(pixels.data()), static_cast<std::size_t>(pixels.elements()));
    const std::string rows = filtered_rows(bytes, static_cast<std::size_t>(pixels.size(0)), account);
    std::string packed("\x78\x9c", 2); // the header of a zlib stream
    packed += deflate_raw(rows, poll, account);
    put_big(packed, adler32_of(rows, poll));
    std::string header;
    put_big(header, static_cast<std::uint32_t>(pixels.size(1)));
    put_big(header, static_cast<std::uint32_t>(pixels.size(0)));
    header += '\x08'; // bits of a channel
    header += color_types[static_cast<std::size_t>(channels - 1)];
    header += std::string_view("\0\0\0", 3); // the only method of compression and of filters; no interlacing
    std::string out("\x89PNG\r\n\x1a\n");
    put_chunk(out, "IHDR", header, poll);
    put_chunk(out, "IDAT", packed, poll);
    put_chunk(out, "IEND", {}, poll);
    return out;
}

} // namespace pm::runtime
