#pragma once
#include "runtime/memory/allocator.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// No file is read past this many bytes, nor unpacked to more.
constexpr std::uint64_t largest_file = std::uint64_t{1} << 36;
/// The same for what has no size beforehand, and perhaps no end: pipes and devices.
constexpr std::uint64_t largest_stream = std::uint64_t{1} << 30;

bool file_exists(const std::string& path);

/// Whether a file that begins with these bytes, 8 or more, is read to its end.
using Wanted = std::function<bool(std::string_view first)>;

/// The whole file. Failure: file_missing, file_unreadable (a directory, no permission), out_of_memory. Pipes
/// and devices are read to their end, or to file_unsupported beyond largest_stream. `poll` is called now and then, also
/// while nothing comes or a FIFO has nobody who writes; what it throws ends the reading. The bytes count in `account`
/// while they are read: Failure(memory_limit) before there are more of them than it allows. Where `wanted` says no the
/// first bytes alone are given: a device that is no file of the format is not read for long.
std::string read_bytes(const std::string& path, const std::function<void()>& poll = {},
                       const std::shared_ptr<Allocator>& account = {}, const Wanted& wanted = {});
/// The same of a file's first bytes, at most so many.
std::string read_beginning(const std::string& path, std::uint64_t most, const std::function<void()>& poll = {});

/// As read_bytes, and a gzip file (by its first bytes, whatever its name) is unpacked.
std::string read_unpacked(const std::string& path, const std::function<void()>& poll = {},
                          const std::shared_ptr<Allocator>& account = {}, const Wanted& wanted = {});

/// Failure(file_malformed) with line and column where the text of this file is not UTF-8.
void require_utf8(std::string_view text, const std::string& path, const std::function<void()>& poll = {});

/// The file's text: unpacked, without a byte order mark; Failure(file_malformed) with line and column when it
/// is not UTF-8.
std::string read_text(const std::string& path, const std::function<void()>& poll = {},
                      const std::shared_ptr<Allocator>& account = {});

/// replace_file (replace.hpp), packed as gzip where the path ends in .gz. What is packed counts in `account` meanwhile.
void write_file(const std::string& path, std::string_view bytes, const std::function<void()>& poll = {},
                const std::shared_ptr<Allocator>& account = {});

} // namespace pm::runtime
