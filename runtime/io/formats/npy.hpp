#pragma once
#include "runtime/array.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pm::runtime {

/// Reads a file of NumPy's format .npy, versions 1 to 3, in either byte order and axis order. The file may be packed
/// with gzip. Every dtype can be written and read back. Types that NumPy does not have are written as opaque bytes:
/// bf16 as V2 (as JAX does) and key as V8. For text, objects and records, throws Failure(file_unsupported). As in
/// NumPy, bytes after the array are ignored. `poll` is as for read_bytes(). It is also called between parts that are
/// packed, unpacked or reordered. Temporary bytes are charged to the allocator; throws Failure(memory_limit).
Array load_npy(const std::string& path, const std::shared_ptr<Allocator>& allocator = {},
               const std::function<void()>& poll = {});
Array parse_npy(std::string_view bytes, const std::string& name, const std::shared_ptr<Allocator>& allocator = {},
                const std::function<void()>& poll = {});
/// The indices begin .. end - 1 of axis 0.
struct Rows {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};
/// As load_npy(), but reads only the rows `wanted(number of rows)` of the file. The other elements of the array are
/// undefined: their memory is not touched. Returns nullopt for a file that has to be read as a whole: a packed one, one
/// in Fortran order, or one of a scalar.
std::optional<Array> load_npy_rows(const std::string& path, const std::function<Rows(std::int64_t)>& wanted,
                                   const std::shared_ptr<Allocator>& allocator = {},
                                   const std::function<void()>& poll = {});
/// Writes an .npy file completely or not at all, as replace_file() does.
void save_npy(const std::string& path, const Array& array, const std::function<void()>& poll = {},
              const std::shared_ptr<Allocator>& allocator = {});
std::string format_npy(const Array& array);

/// The content of a file of NumPy's format .npz, a zip of .npy files. The arrays are in the order of the file. Their
/// names are the names in the zip without ".npy".
using NamedArrays = std::vector<std::pair<std::string, Array>>;
NamedArrays load_npz(const std::string& path, const std::shared_ptr<Allocator>& allocator = {},
                     const std::function<void()>& poll = {});
NamedArrays parse_npz(std::string_view bytes, const std::string& name, const std::shared_ptr<Allocator>& allocator = {},
                      const std::function<void()>& poll = {});
/// An array of an .npz file, of which some rows have been read.
struct NpzRows {
    std::string name;
    Array array;
    std::string where;          ///< for messages
    bool in_parts = false;      ///< false if the array has been read as a whole and its checksum is right
    std::uint32_t own = 0;      ///< the checksum of the rows in the file
    std::uint32_t header = 0;   ///< the checksum of the bytes before the elements
    std::uint32_t expected = 0; ///< the checksum of all bytes, according to the file
};
/// As load_npz(), but reads only the rows `wanted(name, number of rows)` of each array, where load_npy_rows() can do
/// that, and the whole array if that is nullopt. Does not verify the checksums of arrays that are read in parts.
std::vector<NpzRows>
load_npz_rows(const std::string& path,
              const std::function<std::optional<Rows>(const std::string& name, std::int64_t rows)>& wanted,
              const std::shared_ptr<Allocator>& allocator = {}, const std::function<void()>& poll = {});
/// Throws Failure(bad_argument) if two names are equal.
void require_different_names(const NamedArrays& arrays);
/// Writes an .npz file completely or not at all, as replace_file() does. Throws Failure(bad_argument) if two names are
/// equal.
void save_npz(const std::string& path, const NamedArrays& arrays, bool compress = false,
              const std::function<void()>& poll = {}, const std::shared_ptr<Allocator>& allocator = {});
std::string format_npz(const NamedArrays& arrays, bool compress = false, const std::function<void()>& poll = {},
                       const std::shared_ptr<Allocator>& allocator = {});

} // namespace pm::runtime
