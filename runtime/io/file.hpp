#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace pm::runtime {

/// No file is read past this many bytes, nor unpacked to more.
constexpr std::uint64_t largest_file = std::uint64_t{1} << 36;

bool file_exists(const std::string& path);

/// The whole file. Failure: file_missing, file_unreadable (a directory, no permission), out_of_memory. Pipes
/// and devices are read to their end.
std::string read_bytes(const std::string& path);

/// As read_bytes, and a gzip file (by its first bytes, whatever its name) is unpacked.
std::string read_unpacked(const std::string& path);

/// The file's text: unpacked, without a byte order mark; Failure(file_malformed) with line and column when it
/// is not UTF-8.
std::string read_text(const std::string& path);

/// Replaces the file. A path that ends in .gz is written as gzip. Failure(file_unwritable).
void write_file(const std::string& path, std::string_view bytes);

} // namespace pm::runtime
