#pragma once
#include "runtime/memory/allocator.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pm::runtime {

/// One file within a zip.
struct ZipEntry {
    std::string name;
    bool packed = false; ///< true if packed with deflate; false if stored unchanged
    std::uint32_t crc = 0;
    std::uint64_t size = 0;        ///< the number of bytes after unpacking
    std::uint64_t packed_size = 0; ///< the number of bytes in the zip
    std::uint64_t header = 0;      ///< the offset of the entry's local header
};

/// Whether a file begins with the magic bytes of a zip.
bool is_zip(std::string_view bytes);
/// A zip, in memory or in a file.
struct ZipSource {
    std::function<std::string(std::uint64_t at, std::uint64_t most)> read; ///< fewer bytes at the end
    std::uint64_t size = 0;
    std::string name;                             ///< for messages
    std::shared_ptr<Allocator> account = nullptr; ///< charged for what list_zip() reads
};
ZipSource zip_in_memory(std::string_view bytes, const std::string& name);
/// Reads the central directory of a zip or zip64 file. Throws Failure: file_malformed, file_truncated, or
/// file_unsupported (encryption, other packing methods, several parts).
std::vector<ZipEntry> list_zip(const ZipSource& zip);
/// The offset of the bytes of an entry. Messages contain `where`. Throws Failure: file_malformed, file_truncated.
std::uint64_t content_offset(const ZipSource& zip, const ZipEntry& entry, const std::string& where);
/// The content of an entry, whose bytes in the zip are `bytes`. Verifies the checksum. Messages contain `where`. `poll`
/// and `account` are as for gunzip().
std::string unpack(std::string_view bytes, const ZipEntry& entry, const std::string& where,
                   const std::function<void()>& poll = {}, const std::shared_ptr<Allocator>& account = {});

/// The bytes of an entry before its content. Throws Failure(bad_argument) if the name is longer than 65535 bytes.
std::string zip_header(const ZipEntry& entry);
/// The bytes after the entries, which end at offset `begin`.
std::string zip_directory(const std::vector<ZipEntry>& entries, std::uint64_t begin);

/// Builds a zip in memory. Uses zip64 if a size needs more than 32 bits. `poll` and `account` are as for gzip().
class ZipWriter {
  public:
    explicit ZipWriter(bool compress, std::function<void()> poll = {}, const std::shared_ptr<Allocator>& account = {})
        : compress_(compress), poll_(std::move(poll)), account_(account), out_(account) {}
    void add(const std::string& name, std::string_view content);
    /// Returns the whole archive, which ends with its directory. This must be the last call.
    std::string finish();

  private:
    bool compress_;
    std::function<void()> poll_;
    std::shared_ptr<Allocator> account_;
    ChargedText out_;
    std::vector<ZipEntry> entries_;
};

} // namespace pm::runtime
