#include "runtime/io/formats/npy.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/formats.hpp"
#include "runtime/io/formats/bytes.hpp"
#include "runtime/io/formats/npy_header.hpp"
#include "runtime/io/formats/zip.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <set>

namespace pm::runtime {
namespace {

/// Converts elements in Fortran order to a dense row-major array.
Array from_fortran(DType dtype, const Shape& shape, const char* bytes, const std::shared_ptr<Allocator>& allocator,
                   const std::function<void()>& poll) {
    std::vector<std::int64_t> strides;
    std::int64_t stride = 1;
    for (const std::int64_t size : shape) {
        strides.push_back(stride);
        stride *= size;
    }
    return Array::from_strided(bytes, dtype, shape, strides, allocator, poll);
}

std::string_view bytes_of(const Array& array) {
    return {static_cast<const char*>(array.data()), static_cast<std::size_t>(array.bytes())};
}

/// The number of elements. `have` is the number of bytes behind the header.
std::int64_t elements_of(const NpyHeader& header, const std::string& name, std::uint64_t have) {
    const std::size_t width = size_of(header.dtype);
    std::int64_t elements = 0;
    try {
        elements = checked_elements(header.shape, width);
    } catch (const Failure&) {
        throw Failure(FailureKind::file_malformed,
                      fmt::format("{} is no valid .npy file: its shape is impossible", name));
    }
    const std::uint64_t need = static_cast<std::uint64_t>(elements) * width;
    if (have < need)
        throw Failure(FailureKind::file_truncated,
                      fmt::format("{} is cut short: {} needs {} bytes, {} are there", name,
                                  type_text(header.dtype, header.shape), need, have),
                      fetch_again);
    return elements;
}

/// Converts elements of a file to those of an array.
void convert_elements(const NpyHeader& header, void* data, std::int64_t elements, const std::function<void()>& poll) {
    const std::size_t width = size_of(header.dtype);
    if (header.swapped) {
        const bool pairs = is_complex(header.dtype);
        reverse_bytes(data, pairs ? width / 2 : width, pairs ? elements * 2 : elements, poll);
    }
    if (header.dtype == DType::b1) // the file may contain other numbers than 0 and 1
        in_parts(elements, poll, [at = static_cast<std::uint8_t*>(data)](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) at[i] = at[i] != 0 ? 1 : 0;
        });
}

} // namespace

Array parse_npy(std::string_view bytes, const std::string& name, const std::shared_ptr<Allocator>& allocator,
                const std::function<void()>& poll) {
    const NpyHeader header = parse_npy_header(bytes, name);
    const std::int64_t elements = elements_of(header, name, bytes.size() - header.begin);
    const char* data = bytes.data() + header.begin;
    Array made = header.fortran && elements != 0 ? from_fortran(header.dtype, header.shape, data, allocator, poll)
                                                 : Array::from_bytes(header.dtype, header.shape, data, allocator);
    convert_elements(header, made.mutable_data(), elements, poll);
    return made;
}

std::optional<Array> load_npy_rows(const std::string& path, const std::function<Rows(std::int64_t)>& wanted,
                                   const std::shared_ptr<Allocator>& allocator, const std::function<void()>& poll) {
    constexpr std::uint64_t longest_header = 1 << 17;
    const std::string first = read_beginning(path, longest_header, poll);
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(path, error);
    if (error || !is_npy(first)) return std::nullopt;
    const NpyHeader header = parse_npy_header(first, path);
    if (header.fortran || header.shape.empty()) return std::nullopt;
    const std::int64_t elements = elements_of(header, path, size - header.begin);
    Array made = Array::empty(header.dtype, header.shape, allocator);
    if (elements == 0) return made;
    const Rows rows = wanted(header.shape[0]);
    const std::int64_t in_row = elements / header.shape[0];
    const auto row_bytes = static_cast<std::uint64_t>(in_row) * size_of(header.dtype);
    const std::uint64_t begin = static_cast<std::uint64_t>(rows.begin) * row_bytes;
    const std::uint64_t bytes = static_cast<std::uint64_t>(rows.end - rows.begin) * row_bytes;
    const Charge file(allocator, bytes);
    const std::string read = read_range(path, header.begin + begin, bytes, poll);
    if (read.size() < bytes) throw Failure(FailureKind::file_truncated, path + " is cut short", fetch_again);
    char* const to = made.mutable_as<char>() + begin;
    std::memcpy(to, read.data(), bytes);
    convert_elements(header, to, (rows.end - rows.begin) * in_row, poll);
    return made;
}

Array load_npy(const std::string& path, const std::shared_ptr<Allocator>& allocator,
               const std::function<void()>& poll) {
    const std::string bytes = read_unpacked(path, poll, allocator, is_npy);
    const Charge file(allocator, bytes.capacity());
    return parse_npy(bytes, path, allocator, poll);
}

std::string format_npy(const Array& array) {
    std::string out = format_npy_header(array.dtype(), array.shape());
    out.reserve(out.size() + bytes_of(array).size());
    out += bytes_of(array);
    return out;
}

void save_npy(const std::string& path, const Array& array, const std::function<void()>& poll,
              const std::shared_ptr<Allocator>& allocator) {
    const Charge file(allocator, bytes_of(array).size());
    write_file(path, format_npy(array), poll, allocator);
}

NamedArrays parse_npz(std::string_view bytes, const std::string& name, const std::shared_ptr<Allocator>& allocator,
                      const std::function<void()>& poll) {
    NamedArrays arrays;
    std::set<std::string> seen;
    for (const ZipEntry& entry : list_zip(bytes, name)) {
        if (entry.name.ends_with("/")) continue;
        const std::string label =
            entry.name.ends_with(".npy") ? entry.name.substr(0, entry.name.size() - 4) : entry.name;
        if (!seen.insert(label).second)
            throw Failure(FailureKind::file_malformed,
                          fmt::format("{} holds two arrays named '{}'", name, excerpt(label)));
        const std::string where = fmt::format("{} ({})", name, entry.name);
        const std::string content = unpack(bytes, entry, where, poll, allocator);
        const Charge file(allocator, content.capacity());
        arrays.emplace_back(label, parse_npy(content, where, allocator, poll));
    }
    return arrays;
}

NamedArrays load_npz(const std::string& path, const std::shared_ptr<Allocator>& allocator,
                     const std::function<void()>& poll) {
    const std::string bytes = read_bytes(path, poll, allocator, is_zip);
    const Charge file(allocator, bytes.capacity());
    return parse_npz(bytes, path, allocator, poll);
}

std::string format_npz(const NamedArrays& arrays, bool compress, const std::function<void()>& poll,
                       const std::shared_ptr<Allocator>& allocator) {
    ZipWriter zip(compress, poll, allocator);
    std::set<std::string> seen;
    for (const auto& [name, array] : arrays) {
        if (!seen.insert(name).second)
            throw Failure(FailureKind::bad_argument, fmt::format("two arrays named '{}'", excerpt(name)));
        const Charge file(allocator, bytes_of(array).size());
        zip.add(name + ".npy", format_npy(array));
    }
    return zip.finish();
}

void save_npz(const std::string& path, const NamedArrays& arrays, bool compress, const std::function<void()>& poll,
              const std::shared_ptr<Allocator>& allocator) {
    const std::string bytes = format_npz(arrays, compress, poll, allocator);
    const Charge file(allocator, bytes.capacity());
    write_file(path, bytes, poll, allocator);
}

} // namespace pm::runtime
