#pragma once
#include "runtime/array.hpp"

#include <functional>
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
/// Writes an .npz file completely or not at all, as replace_file() does. Throws Failure(bad_argument) if two names are
/// equal.
void save_npz(const std::string& path, const NamedArrays& arrays, bool compress = false,
              const std::function<void()>& poll = {}, const std::shared_ptr<Allocator>& allocator = {});
std::string format_npz(const NamedArrays& arrays, bool compress = false, const std::function<void()>& poll = {},
                       const std::shared_ptr<Allocator>& allocator = {});

} // namespace pm::runtime
