#include "runtime/io/formats.hpp"

#include "runtime/utf8.hpp"

#include <fmt/format.h>

namespace pm::runtime {

std::string reader_of(std::string_view bytes, std::string_view name) {
    const auto with = [&](std::string_view function) { return fmt::format("read it with {}(\"{}\")", function, name); };
    if (bytes.starts_with("\x93NUMPY")) return with("load_npy");
    if (bytes.starts_with("PK\x03\x04")) return with("load_npz");
    if (bytes.starts_with("\x1f\x8b")) return fmt::format("it is packed: unpack it first, as with `gunzip {}`", name);
    if (name.ends_with(".csv")) return with("read_csv");
    if (name.ends_with(".txt")) return with("read_text");
    // An IDX file begins with two zeros and a type. If the third byte is 0, as in the content of /dev/zero, the file is
    // no IDX file.
    if (bytes.size() > 3 && bytes.starts_with(std::string_view("\0\0", 2)) && bytes[2] >= 0x08 && bytes[2] <= 0x0E)
        return with("load_idx");
    return "load_npy reads .npy files, load_npz archives of them, load_idx IDX files, read_csv tables";
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t most = 40;
    // The number of bytes is limited too, because invalid UTF-8 may have many bytes that count as one character.
    const std::size_t kept = std::min(utf8_prefix(text, most), 4 * most);
    std::string out;
    for (const char c : text.substr(0, kept)) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    return kept < text.size() ? out + "..." : out;
}

} // namespace pm::runtime
