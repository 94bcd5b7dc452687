#pragma once
#include "runtime/array.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pm::runtime {

/// NumPy's .npy, versions 1 to 3, in either byte order and axis order, also within gzip. Every dtype can be written and
/// read back. Types that NumPy lacks are written as opaque bytes: bf16 as V2 (as JAX does) and key as V8. Text, objects
/// and records are refused with file_unsupported. As in NumPy, bytes after the array are ignored. `poll` as for
/// read_bytes; it is also called for each part that is packed, unpacked or reordered. Temporary bytes are charged to
/// the allocator: Failure(memory_limit).
Array load_npy(const std::string& path, const std::shared_ptr<Allocator>& allocator = {},
               const std::function<void()>& poll = {});
Array parse_npy(std::string_view bytes, const std::string& name, const std::shared_ptr<Allocator>& allocator = {},
                const std::function<void()>& poll = {});
/// Writes an .npy file completely or not at all, as replace_file.
void save_npy(const std::string& path, const Array& array, const std::function<void()>& poll = {},
              const std::shared_ptr<Allocator>& allocator = {});
std::string format_npy(const Array& array);

/// NumPy's .npz: a zip of .npy files, in the order of the file, with names without ".npy".
using NamedArrays = std::vector<std::pair<std::string, Array>>;
NamedArrays load_npz(const std::string& path, const std::shared_ptr<Allocator>& allocator = {},
                     const std::function<void()>& poll = {});
NamedArrays parse_npz(std::string_view bytes, const std::string& name, const std::shared_ptr<Allocator>& allocator = {},
                      const std::function<void()>& poll = {});
/// Writes an .npz file completely or not at all, in the same way as replace_file. Failure(bad_argument) if two names
/// are the same.
void save_npz(const std::string& path, const NamedArrays& arrays, bool compress = false,
              const std::function<void()>& poll = {}, const std::shared_ptr<Allocator>& allocator = {});
std::string format_npz(const NamedArrays& arrays, bool compress = false, const std::function<void()>& poll = {},
                       const std::shared_ptr<Allocator>& allocator = {});

} // namespace pm::runtime
