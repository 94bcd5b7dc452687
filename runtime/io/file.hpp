#pragma once
#include "runtime/memory/allocator.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// The most bytes that are read from one file, and the most bytes to which one file is unpacked.
constexpr std::uint64_t largest_file = std::uint64_t{1} << 36;
/// The most bytes that are read from a pipe or device, which has no known size and perhaps no end.
constexpr std::uint64_t largest_stream = std::uint64_t{1} << 30;

bool file_exists(const std::string& path);

/// Returns true if a file must be read to its end. `first` are the first bytes of the file, 8 or more.
using Wanted = std::function<bool(std::string_view first)>;

/// Reads the whole file. Throws Failure: file_missing, file_unreadable (a directory, no permission), out_of_memory.
/// Pipes and devices are read to their end. If they provide more than largest_stream bytes, throws
/// Failure(file_unsupported). `poll` is called regularly, even while no bytes arrive or a FIFO has no writer. An
/// exception from `poll` ends the reading. The bytes are charged to `account` while they are read. Before they exceed
/// the account's limit, throws Failure(memory_limit). If `wanted` returns false, only the first bytes are read and
/// returned. So a device with another format than expected is not read for long.
std::string read_bytes(const std::string& path, const std::function<void()>& poll = {},
                       const std::shared_ptr<Allocator>& account = {}, const Wanted& wanted = {});
/// The first bytes of a file, at most `most`.
std::string read_beginning(const std::string& path, std::uint64_t most, const std::function<void()>& poll = {});

/// At most `most` bytes of a regular file, from offset `from` on. Throws Failure(file_unsupported) if the file is not a
/// regular file.
std::string read_range(const std::string& path, std::uint64_t from, std::uint64_t most,
                       const std::function<void()>& poll = {});

/// As read_bytes(), but unpacks a gzip file. A gzip file is recognized by its first bytes.
std::string read_unpacked(const std::string& path, const std::function<void()>& poll = {},
                          const std::shared_ptr<Allocator>& account = {}, const Wanted& wanted = {});

/// Throws Failure(file_malformed) with line and column if `text`, the content of the file at `path`, is not UTF-8.
void require_utf8(std::string_view text, const std::string& path, const std::function<void()>& poll = {});

/// The text of a file: unpacked, without a byte order mark. Throws Failure(file_malformed) with line and column if the
/// text is not UTF-8.
std::string read_text(const std::string& path, const std::function<void()>& poll = {},
                      const std::shared_ptr<Allocator>& account = {});

/// Writes a file as replace_file() (replace.hpp) does. If the path ends in .gz, the file is packed as gzip. The packed
/// bytes are charged to `account` during the call.
void write_file(const std::string& path, std::string_view bytes, const std::function<void()>& poll = {},
                const std::shared_ptr<Allocator>& account = {});

} // namespace pm::runtime
