#pragma once
#include "runtime/array.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pm::runtime {

/// NumPy's .npy, versions 1 to 3, either byte order and axis order; also within gzip. Every dtype is written
/// and read back: what NumPy lacks is written as opaque bytes, bf16 as V2 (as JAX's own files have it) and
/// key as V8. Text, objects and records are refused with file_unsupported. Bytes behind the array are
/// ignored, as NumPy does.
/// `poll` is that of read_bytes; it is called too for each part that is packed, unpacked or
/// put in order. What is made for a file on
/// its way counts in the allocator: Failure(memory_limit).
Array load_npy(const std::string& path, const std::shared_ptr<Allocator>& allocator = {},
               const std::function<void()>& poll = {});
Array parse_npy(std::string_view bytes, const std::string& name, const std::shared_ptr<Allocator>& allocator = {},
                const std::function<void()>& poll = {});
/// As replace_file: whole or not at all.
void save_npy(const std::string& path, const Array& array, const std::function<void()>& poll = {},
              const std::shared_ptr<Allocator>& allocator = {});
std::string format_npy(const Array& array);

/// NumPy's .npz: a zip of .npy files, in the order of the file, names without ".npy".
using NamedArrays = std::vector<std::pair<std::string, Array>>;
NamedArrays load_npz(const std::string& path, const std::shared_ptr<Allocator>& allocator = {},
                     const std::function<void()>& poll = {});
NamedArrays parse_npz(std::string_view bytes, const std::string& name, const std::shared_ptr<Allocator>& allocator = {},
                      const std::function<void()>& poll = {});
/// As replace_file: whole or not at all. Failure(bad_argument) when two names are the same.
void save_npz(const std::string& path, const NamedArrays& arrays, bool compress = false,
              const std::function<void()>& poll = {}, const std::shared_ptr<Allocator>& allocator = {});
std::string format_npz(const NamedArrays& arrays, bool compress = false, const std::function<void()>& poll = {},
                       const std::shared_ptr<Allocator>& allocator = {});

} // namespace pm::runtime
