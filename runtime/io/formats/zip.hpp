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
    bool packed = false; ///< deflate; else stored
    std::uint32_t crc = 0;
    std::uint64_t size = 0;        ///< unpacked
    std::uint64_t packed_size = 0; ///< in the zip
    std::uint64_t header = 0;      ///< where its local header begins
};

/// Whether a file begins as a zip.
bool is_zip(std::string_view bytes);
/// The central directory, zip64 included. Failure: file_malformed, file_truncated, file_unsupported
/// (encrypted, other methods, several parts).
std::vector<ZipEntry> list_zip(std::string_view bytes, const std::string& name);
/// The content of an entry, its checksum compared. `where` stands in messages. `poll` and `account` as for gunzip().
std::string unpack(std::string_view bytes, const ZipEntry& entry, const std::string& where,
                   const std::function<void()>& poll = {}, const std::shared_ptr<Allocator>& account = {});

/// Builds a zip in memory; zip64 where sizes need it. `poll` and `account` as for gzip().
class ZipWriter {
  public:
    explicit ZipWriter(bool compress, std::function<void()> poll = {}, const std::shared_ptr<Allocator>& account = {})
        : compress_(compress), poll_(std::move(poll)), account_(account), out_(account) {}
    void add(const std::string& name, std::string_view content);
    /// The whole archive, with its directory at the end. Called once, last.
    std::string finish();

  private:
    bool compress_;
    std::function<void()> poll_;
    std::shared_ptr<Allocator> account_;
    ChargedText out_;
    std::vector<ZipEntry> entries_;
};

} // namespace pm::runtime
