#pragma once
#include "runtime/memory/allocator.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// The most bytes that are read from a file, or unpacked.
constexpr std::uint64_t largest_file = std::uint64_t{1} << 36;
/// The same limit for pipes and devices, which have no known size and perhaps no end.
constexpr std::uint64_t largest_stream = std::uint64_t{1} << 30;

bool file_exists(const std::string& path);

/// Returns whether a file that begins with these bytes (8 or more) must be read to its end.
using Wanted = std::function<bool(std::string_view first)>;

/// Reads the whole file. Failure: file_missing, file_unreadable (a directory, no permission), out_of_memory. Pipes and
/// devices are read to their end; beyond largest_stream the Failure is file_unsupported. `poll` is called regularly,
/// even while no bytes arrive or a FIFO has no writer; an exception from it ends the reading. The bytes are charged to
/// `account` while they are read: Failure(memory_limit) before they exceed the account's limit. If `wanted` returns
/// false, only the first bytes are returned, so that a device of another format is not read for long.
std::string read_bytes(const std::string& path, const std::function<void()>& poll = {},
                       const std::shared_ptr<Allocator>& account = {}, const Wanted& wanted = {});
/// The first bytes of a file, at most `most`.
std::string read_beginning(const std::string& path, std::uint64_t most, const std::function<void()>& poll = {});

/// As read_bytes, but unpacks a gzip file, which is recognized by its first bytes.
std::string read_unpacked(const std::string& path, const std::function<void()>& poll = {},
                          const std::shared_ptr<Allocator>& account = {}, const Wanted& wanted = {});

/// Throws Failure(file_malformed) with line and column if `text`, the content of the file at `path`, is not UTF-8.
void require_utf8(std::string_view text, const std::string& path, const std::function<void()>& poll = {});

/// The file's text: unpacked and without a byte order mark. Failure(file_malformed) with line and column if it is not
/// UTF-8.
std::string read_text(const std::string& path, const std::function<void()>& poll = {},
                      const std::shared_ptr<Allocator>& account = {});

/// Writes as replace_file (replace.hpp) does, packed as gzip if the path ends in .gz. The packed bytes are charged to
/// `account` during the call.
void write_file(const std::string& path, std::string_view bytes, const std::function<void()>& poll = {},
                const std::shared_ptr<Allocator>& account = {});

} // namespace pm::runtime
