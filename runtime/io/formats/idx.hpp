#pragma once
#include "runtime/array.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// Reads an IDX file, the format of the MNIST data set. The file may be packed with gzip. It has two zero bytes, a type
/// (u8, i8, i16, i32, f32, f64), the number of axes, the sizes of the axes, and the elements. Sizes and elements are
/// big-endian. Throws Failure for errors of the file. `poll` is as for read_bytes().
Array load_idx(const std::string& path, const std::shared_ptr<Allocator>& allocator = {},
               const std::function<void()>& poll = {});
Array parse_idx(std::string_view bytes, const std::string& name, const std::shared_ptr<Allocator>& allocator = {},
                const std::function<void()>& poll = {});

} // namespace pm::runtime
