#pragma once
#include "runtime/memory/allocator.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

bool is_gzip(std::string_view bytes);

// These functions call `poll` at least once per 4 MB; an exception from `poll` ends the work. Results are charged to
// `account` while they grow. If a result exceeds the limit of `account`, throws Failure(memory_limit).

/// Unpacks all members of a gzip file and verifies the checksums. Messages contain `name`. Throws Failure:
/// file_truncated, file_malformed, out_of_memory.
std::string gunzip(std::string_view packed, const std::string& name, const std::function<void()>& poll = {},
                   const std::shared_ptr<Allocator>& account = {});
/// Packs bytes into one member, at zlib's default level. Throws Failure(out_of_memory).
std::string gzip(std::string_view bytes, const std::function<void()>& poll = {},
                 const std::shared_ptr<Allocator>& account = {});

/// Unpacks a deflate stream without a header, as in zip files. `size` is the size of the result according to the file.
/// Throws Failure(file_malformed) if `packed` has too few bytes for a result of that size.
std::string inflate_raw(std::string_view packed, std::uint64_t size, const std::string& name,
                        const std::function<void()>& poll = {}, const std::shared_ptr<Allocator>& account = {});
/// Packs bytes into a deflate stream without a header. Throws Failure(out_of_memory).
std::string deflate_raw(std::string_view bytes, const std::function<void()>& poll = {},
                        const std::shared_ptr<Allocator>& account = {});
std::uint32_t crc32_of(std::string_view bytes, const std::function<void()>& poll = {});
/// The checksum of bytes and `more` bytes after them, from the checksums of both.
std::uint32_t crc32_joined(std::uint32_t first, std::uint32_t second, std::uint64_t more);

} // namespace pm::runtime
