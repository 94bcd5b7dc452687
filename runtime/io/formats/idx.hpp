#pragma once
#include "runtime/array.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// An IDX file, as used by MNIST, also within gzip: two zero bytes, a type (u8, i8, i16, i32, f32, f64), the number of
/// axes, their sizes and the elements, all big-endian. Failure as in failure.hpp. `poll` as for read_bytes.
Array load_idx(const std::string& path, const std::shared_ptr<Allocator>& allocator = {},
               const std::function<void()>& poll = {});
Array parse_idx(std::string_view bytes, const std::string& name, const std::shared_ptr<Allocator>& allocator = {},
                const std::function<void()>& poll = {});

} // namespace pm::runtime
