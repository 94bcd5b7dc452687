#pragma once
#include "runtime/memory/allocator.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

bool is_gzip(std::string_view bytes);

// Each is called with `poll` for every megabyte or less; what it throws ends the work. Results count in `account` while
// they are made: Failure(memory_limit).

/// Unpacks a gzip file, all its members, checksums compared. `name` stands in messages. Failure:
/// file_truncated, file_malformed, out_of_memory.
std::string gunzip(std::string_view packed, const std::string& name, const std::function<void()>& poll = {},
                   const std::shared_ptr<Allocator>& account = {});
/// One member, at zlib's own level. Failure(out_of_memory).
std::string gzip(std::string_view bytes, const std::function<void()>& poll = {},
                 const std::shared_ptr<Allocator>& account = {});

/// Deflate streams without a header, as in zip files. `size` is what the file says the result has: it is
/// believed only as far as the packed bytes can hold it.
std::string inflate_raw(std::string_view packed, std::uint64_t size, const std::string& name,
                        const std::function<void()>& poll = {}, const std::shared_ptr<Allocator>& account = {});
/// Packs; Failure(out_of_memory).
std::string deflate_raw(std::string_view bytes, const std::function<void()>& poll = {},
                        const std::shared_ptr<Allocator>& account = {});
std::uint32_t crc32_of(std::string_view bytes, const std::function<void()>& poll = {});

} // namespace pm::runtime
