#include "runtime/io/formats/npy.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/formats.hpp"
#include "runtime/io/formats/bytes.hpp"
#include "runtime/io/formats/npy_header.hpp"
#include "runtime/io/formats/zip.hpp"
#include "runtime/io/gzip.hpp"

#include <fmt/format.h>

#include <algorithm>
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

/// An array's entry of an .npz file.
struct NpzEntry {
    ZipEntry zip;
    std::string name;
    std::string where; ///< for messages
};

std::vector<NpzEntry> npz_entries(const ZipSource& zip) {
    std::vector<NpzEntry> entries;
    std::set<std::string> seen;
    for (ZipEntry& entry : list_zip(zip)) {
        if (entry.name.ends_with("/")) continue;
        std::string name = entry.name.ends_with(".npy") ? entry.name.substr(0, entry.name.size() - 4) : entry.name;
        if (!seen.insert(name).second)
            throw Failure(FailureKind::file_malformed,
                          fmt::format("{} holds two arrays named '{}'", zip.name, excerpt(name)));
        std::string where = fmt::format("{} ({})", zip.name, entry.name);
        entries.push_back({std::move(entry), std::move(name), std::move(where)});
    }
    return entries;
}

/// The array of an entry, whose bytes in the zip are `bytes`.
Array entry_array(std::string_view bytes, const NpzEntry& entry, const std::shared_ptr<Allocator>& allocator,
                  const std::function<void()>& poll) {
    const std::string content = unpack(bytes, entry.zip, entry.where, poll, allocator);
    const Charge file(allocator, content.capacity());
    return parse_npy(content, entry.where, allocator, poll);
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

namespace {

/// An array in a file: in .npy format, from offset `at` on, with `bytes` bytes.
struct NpyPlace {
    const std::string& path;
    std::uint64_t at;
    std::uint64_t bytes;
};

/// The header of an array whose rows can be read alone.
std::optional<NpyHeader> header_of_rows(const NpyPlace& place, const std::string& name,
                                        const std::function<void()>& poll) {
    constexpr std::uint64_t longest_header = 1 << 17;
    const std::string first = read_range(place.path, place.at, std::min(place.bytes, longest_header), poll);
    if (!is_npy(first)) return std::nullopt;
    NpyHeader header = parse_npy_header(first, name);
    if (header.fortran || header.shape.empty()) return std::nullopt;
    elements_of(header, name, place.bytes - header.begin); // checks them
    return header;
}

std::uint64_t bytes_of_elements(const NpyHeader& header) {
    const std::size_t width = size_of(header.dtype);
    return static_cast<std::uint64_t>(checked_elements(header.shape, width)) * width;
}

/// An array with some rows from the file. Sets `checksum` to that of the bytes of these rows in the file.
Array read_rows(const NpyPlace& place, const NpyHeader& header, Rows rows, std::uint32_t& checksum,
                const std::shared_ptr<Allocator>& allocator, const std::function<void()>& poll) {
    constexpr std::uint64_t longest_piece = 8 << 20;
    const std::uint64_t whole = bytes_of_elements(header);
    if (whole == 0) return Array::empty(header.dtype, header.shape, allocator);
    const std::uint64_t row = whole / static_cast<std::uint64_t>(header.shape[0]);
    const std::uint64_t begin = static_cast<std::uint64_t>(rows.begin) * row;
    const std::uint64_t end = static_cast<std::uint64_t>(rows.end) * row;
    Array made = Array::empty_part(header.dtype, header.shape, static_cast<std::int64_t>(begin),
                                   static_cast<std::int64_t>(end), allocator);
    const Charge piece(allocator, std::min(end - begin, longest_piece));
    char* const to = made.mutable_as<char>();
    for (std::uint64_t at = begin; at < end; at += longest_piece) {
        const std::uint64_t bytes = std::min(end - at, longest_piece);
        const std::string read = read_range(place.path, place.at + header.begin + at, bytes, poll);
        if (read.size() < bytes) throw Failure(FailureKind::file_truncated, place.path + " is cut short", fetch_again);
        std::memcpy(to + at, read.data(), bytes);
        checksum = crc32_joined(checksum, crc32_of(read), bytes);
    }
    convert_elements(header, to + begin, (rows.end - rows.begin) * (made.elements() / header.shape[0]), poll);
    return made;
}

/// A file's size; nullopt if it is not a regular file. Throws Failure(file_missing).
std::optional<std::uint64_t> size_of_file(const std::string& path, const std::function<void()>& poll) {
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(path, error);
    if (!error) return size;
    if (!file_exists(path)) read_beginning(path, 1, poll);
    return std::nullopt;
}

} // namespace

std::optional<Array> load_npy_rows(const std::string& path, const std::function<Rows(std::int64_t)>& wanted,
                                   const std::shared_ptr<Allocator>& allocator, const std::function<void()>& poll) {
    const std::optional<std::uint64_t> size = size_of_file(path, poll);
    if (!size) return std::nullopt;
    const NpyPlace place{path, 0, *size};
    const std::optional<NpyHeader> header = header_of_rows(place, path, poll);
    if (!header) return std::nullopt;
    std::uint32_t checksum = 0;
    return read_rows(place, *header, wanted(header->shape[0]), checksum, allocator, poll);
}

std::vector<NpzRows>
load_npz_rows(const std::string& path,
              const std::function<std::optional<Rows>(const std::string& name, std::int64_t rows)>& wanted,
              const std::shared_ptr<Allocator>& allocator, const std::function<void()>& poll) {
    std::vector<NpzRows> arrays;
    const std::optional<std::uint64_t> size = size_of_file(path, poll);
    if (!size) { // such as a pipe
        for (auto& [name, array] : load_npz(path, allocator, poll)) arrays.push_back({name, std::move(array), path});
        return arrays;
    }
    const auto read = [&](std::uint64_t at, std::uint64_t most) { return read_range(path, at, most, poll); };
    const ZipSource zip{read, *size, path, allocator};
    for (const NpzEntry& entry : npz_entries(zip)) {
        const NpyPlace place{path, content_offset(zip, entry.zip, entry.where), entry.zip.packed_size};
        std::optional<NpyHeader> header;
        std::optional<Rows> rows;
        if (!entry.zip.packed) header = header_of_rows(place, entry.where, poll);
        if (header && bytes_of_elements(*header) != 0) rows = wanted(entry.name, header->shape[0]);
        NpzRows& made = arrays.emplace_back(NpzRows{entry.name, {}, entry.where});
        if (rows && place.bytes - header->begin == bytes_of_elements(*header)) {
            made.in_parts = true;
            made.expected = entry.zip.crc;
            made.header = crc32_of(read(place.at, header->begin));
            made.array = read_rows(place, *header, *rows, made.own, allocator, poll);
        } else {
            const Charge bytes(allocator, place.bytes);
            made.array = entry_array(read(place.at, place.bytes), entry, allocator, poll);
        }
    }
    return arrays;
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
    const ZipSource zip = zip_in_memory(bytes, name);
    NamedArrays arrays;
    for (const NpzEntry& entry : npz_entries(zip)) {
        const std::uint64_t at = content_offset(zip, entry.zip, entry.where);
        arrays.emplace_back(entry.name, entry_array(bytes.substr(at, entry.zip.packed_size), entry, allocator, poll));
    }
    return arrays;
}

NamedArrays load_npz(const std::string& path, const std::shared_ptr<Allocator>& allocator,
                     const std::function<void()>& poll) {
    const std::string bytes = read_bytes(path, poll, allocator, is_zip);
    const Charge file(allocator, bytes.capacity());
    return parse_npz(bytes, path, allocator, poll);
}

void require_different_names(const NamedArrays& arrays) {
    std::set<std::string> seen;
    for (const auto& [name, array] : arrays)
        if (!seen.insert(name).second)
            throw Failure(FailureKind::bad_argument, fmt::format("two arrays named '{}'", excerpt(name)));
}

std::string format_npz(const NamedArrays& arrays, bool compress, const std::function<void()>& poll,
                       const std::shared_ptr<Allocator>& allocator) {
    ZipWriter zip(compress, poll, allocator);
    require_different_names(arrays);
    for (const auto& [name, array] : arrays) {
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
