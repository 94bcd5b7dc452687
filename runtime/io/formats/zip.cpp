#include "runtime/io/formats/zip.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/formats.hpp"
#include "runtime/io/formats/bytes.hpp"
#include "runtime/io/gzip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

// The format is PKWARE's APPNOTE 6.3. The offsets below are offsets within the records of that format.

namespace pm::runtime {
namespace {

constexpr std::uint32_t local_mark = 0x04034B50;
constexpr std::uint32_t central_mark = 0x02014B50;
constexpr std::uint32_t end_mark = 0x06054B50;
constexpr std::uint32_t end64_mark = 0x06064B50;
constexpr std::uint32_t locator64_mark = 0x07064B50;
constexpr std::size_t local_bytes = 30;
constexpr std::size_t central_bytes = 46;
constexpr std::size_t end_bytes = 22;
constexpr std::size_t end64_bytes = 56;
constexpr std::size_t locator64_bytes = 20;
constexpr std::uint64_t limit32 = 0xFFFFFFFFU;

[[noreturn]] void fail_zip(const std::string& name, std::string_view detail) {
    throw Failure(FailureKind::file_malformed, fmt::format("{} is no valid zip file: {}", name, detail));
}

bool fits(const ZipSource& zip, std::uint64_t at, std::uint64_t length) {
    return at <= zip.size && length <= zip.size - at;
}

struct Directory {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::uint64_t entries = 0;
};

/// The directory that a zip64 end record names. `locator` is the record that tells its place.
Directory find_directory64(const ZipSource& zip, std::string_view locator) {
    const auto end64 = little<std::uint64_t>(locator, 8);
    const std::string record = fits(zip, end64, end64_bytes) ? zip.read(end64, end64_bytes) : std::string();
    if (record.size() < end64_bytes || little<std::uint32_t>(record, 0) != end64_mark)
        fail_zip(zip.name, "its zip64 end is missing");
    return {little<std::uint64_t>(record, 48), little<std::uint64_t>(record, 40), little<std::uint64_t>(record, 32)};
}

/// Finds the end record: the last record with its mark whose comment extends to the end of the file.
Directory find_directory(const ZipSource& zip) {
    constexpr std::uint64_t longest_end = locator64_bytes + end_bytes + 0xFFFF;
    if (!is_zip(zip.read(0, 4))) fail_zip(zip.name, "it does not begin as one");
    const std::uint64_t from = zip.size - std::min(zip.size, longest_end);
    const std::string bytes = zip.read(from, longest_end);
    for (std::size_t at = bytes.size() < end_bytes ? 0 : bytes.size() - end_bytes + 1; at-- > 0;) {
        if (little<std::uint32_t>(bytes, at) != end_mark) continue;
        if (at + end_bytes + little<std::uint16_t>(bytes, at + 20) != bytes.size()) continue;
        Directory found{little<std::uint32_t>(bytes, at + 16), little<std::uint32_t>(bytes, at + 12),
                        little<std::uint16_t>(bytes, at + 10)};
        // The number of this part, and the number of the part where the directory begins. 0xFFFF means that zip64 has
        // the number.
        for (const std::size_t part : {at + 4, at + 6})
            if (const auto number = little<std::uint16_t>(bytes, part); number != 0 && number != 0xFFFF)
                throw Failure(FailureKind::file_unsupported, fmt::format("{} is one of several parts", zip.name),
                              "join the parts to one file first");
        const bool wide = found.begin == limit32 || found.bytes == limit32 || found.entries == 0xFFFF;
        if (wide && at >= locator64_bytes && little<std::uint32_t>(bytes, at - locator64_bytes) == locator64_mark)
            found = find_directory64(zip, std::string_view(bytes).substr(at - locator64_bytes));
        if (!fits(zip, found.begin, found.bytes)) fail_zip(zip.name, "its directory lies outside the file");
        return found;
    }
    throw Failure(FailureKind::file_truncated,
                  fmt::format("{} is cut short: the directory at its end is missing", zip.name), fetch_again);
}

/// If sizes do not fit in 32 bits, reads them from the zip64 extra field.
void read_extra(std::string_view extra, ZipEntry& entry, const std::string& name) {
    while (extra.size() >= 4) {
        const auto id = little<std::uint16_t>(extra, 0);
        const std::size_t length = little<std::uint16_t>(extra, 2);
        if (extra.size() - 4 < length) fail_zip(name, "an extra field is cut short");
        std::string_view field = extra.substr(4, length);
        extra.remove_prefix(4 + length);
        if (id != 1) continue;
        for (std::uint64_t* value : {&entry.size, &entry.packed_size, &entry.header}) {
            if (*value != limit32) continue;
            if (field.size() < 8) fail_zip(name, "a zip64 field is cut short");
            *value = little<std::uint64_t>(field, 0);
            field.remove_prefix(8);
        }
    }
}

void put_local(std::string& out, const ZipEntry& entry) {
    const bool wide = std::max(entry.size, entry.packed_size) >= limit32;
    put_little(out, local_mark);
    put_little(out, static_cast<std::uint16_t>(wide ? 45 : 20));
    put_little(out, std::uint16_t{0x0800}); // names are UTF-8
    put_little(out, static_cast<std::uint16_t>(entry.packed ? 8 : 0));
    put_little(out, std::uint32_t{0x00210000}); // 1 January 1980: the same arrays always result in the same bytes
    put_little(out, entry.crc);
    put_little(out, static_cast<std::uint32_t>(wide ? limit32 : entry.packed_size));
    put_little(out, static_cast<std::uint32_t>(wide ? limit32 : entry.size));
    put_little(out, static_cast<std::uint16_t>(entry.name.size()));
    put_little(out, static_cast<std::uint16_t>(wide ? 20 : 0));
    out += entry.name;
    if (!wide) return;
    put_little(out, std::uint16_t{1});
    put_little(out, std::uint16_t{16});
    put_little(out, entry.size);
    put_little(out, entry.packed_size);
}

void put_central(std::string& out, const ZipEntry& entry) {
    const bool wide = std::max({entry.size, entry.packed_size, entry.header}) >= limit32;
    put_little(out, central_mark);
    put_little(out, static_cast<std::uint16_t>(wide ? 45 : 20));
    put_little(out, static_cast<std::uint16_t>(wide ? 45 : 20));
    put_little(out, std::uint16_t{0x0800});
    put_little(out, static_cast<std::uint16_t>(entry.packed ? 8 : 0));
    put_little(out, std::uint32_t{0x00210000});
    put_little(out, entry.crc);
    put_little(out, static_cast<std::uint32_t>(wide ? limit32 : entry.packed_size));
    put_little(out, static_cast<std::uint32_t>(wide ? limit32 : entry.size));
    put_little(out, static_cast<std::uint16_t>(entry.name.size()));
    put_little(out, static_cast<std::uint16_t>(wide ? 28 : 0));
    put_little(out, std::uint16_t{0}); // comment
    put_little(out, std::uint16_t{0}); // disk
    put_little(out, std::uint16_t{0}); // internal attributes
    put_little(out, std::uint32_t{0}); // external attributes
    put_little(out, static_cast<std::uint32_t>(wide ? limit32 : entry.header));
    out += entry.name;
    if (!wide) return;
    put_little(out, std::uint16_t{1});
    put_little(out, std::uint16_t{24});
    put_little(out, entry.size);
    put_little(out, entry.packed_size);
    put_little(out, entry.header);
}

} // namespace

bool is_zip(std::string_view bytes) {
    return bytes.size() >= 4 &&
           (little<std::uint32_t>(bytes, 0) == local_mark || little<std::uint32_t>(bytes, 0) == end_mark);
}

ZipSource zip_in_memory(std::string_view bytes, const std::string& name) {
    const auto read = [bytes](std::uint64_t at, std::uint64_t most) {
        return std::string(bytes.substr(std::min<std::uint64_t>(at, bytes.size()), most));
    };
    return {read, bytes.size(), name, nullptr};
}

std::vector<ZipEntry> list_zip(const ZipSource& zip) {
    const Directory directory = find_directory(zip);
    const std::string& name = zip.name;
    const Charge charged(zip.account, directory.bytes);
    const std::string list = zip.read(directory.begin, directory.bytes);
    const std::string_view bytes = list;
    std::vector<ZipEntry> entries;
    std::uint64_t at = 0;
    const std::uint64_t end = bytes.size();
    std::uint64_t packed = 0;
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
        if (end - at < central_bytes || little<std::uint32_t>(bytes, at) != central_mark)
            fail_zip(name, "its directory is damaged");
        const auto flags = little<std::uint16_t>(bytes, at + 8);
        const auto method = little<std::uint16_t>(bytes, at + 10);
        const std::size_t name_bytes = little<std::uint16_t>(bytes, at + 28);
        const std::size_t extra_bytes = little<std::uint16_t>(bytes, at + 30);
        const std::size_t comment_bytes = little<std::uint16_t>(bytes, at + 32);
        const std::size_t total = central_bytes + name_bytes + extra_bytes + comment_bytes;
        if (end - at < total) fail_zip(name, "its directory is damaged");
        ZipEntry entry;
        entry.name = bytes.substr(at + central_bytes, name_bytes);
        if ((flags & 1U) != 0 || (method != 0 && method != 8))
            throw Failure(
                FailureKind::file_unsupported,
                fmt::format("{} ({}) is encrypted or packed in a way that is not read", name, excerpt(entry.name)));
        entry.packed = method == 8;
        entry.crc = little<std::uint32_t>(bytes, at + 16);
        entry.packed_size = little<std::uint32_t>(bytes, at + 20);
        entry.size = little<std::uint32_t>(bytes, at + 24);
        entry.header = little<std::uint32_t>(bytes, at + 42);
        read_extra(bytes.substr(at + central_bytes + name_bytes, extra_bytes), entry, name);
        // Entries must not share packed bytes. So a small file cannot unpack to many times its size by using the same
        // bytes again.
        if (entry.packed_size > zip.size - packed) fail_zip(name, "its entries overlap");
        packed += entry.packed_size;
        entries.push_back(std::move(entry));
        at += total;
    }
    return entries;
}

std::uint64_t content_offset(const ZipSource& zip, const ZipEntry& entry, const std::string& where) {
    const std::string header = fits(zip, entry.header, local_bytes) ? zip.read(entry.header, local_bytes) : "";
    if (header.size() < local_bytes || little<std::uint32_t>(header, 0) != local_mark)
        fail_zip(where, "its header is missing");
    const std::uint64_t begin =
        entry.header + local_bytes + little<std::uint16_t>(header, 26) + little<std::uint16_t>(header, 28);
    if (!fits(zip, begin, entry.packed_size))
        throw Failure(FailureKind::file_truncated, fmt::format("{} is cut short", where), fetch_again);
    if (!entry.packed && entry.size != entry.packed_size) fail_zip(where, "its two sizes differ");
    return begin;
}

std::string unpack(std::string_view bytes, const ZipEntry& entry, const std::string& where,
                   const std::function<void()>& poll, const std::shared_ptr<Allocator>& account) {
    const Charge stored(account, entry.packed ? 0 : bytes.size());
    std::string content = entry.packed ? inflate_raw(bytes, entry.size, where, poll, account) : std::string(bytes);
    if (crc32_of(content, poll) != entry.crc) fail_zip(where, "its checksum is wrong");
    return content;
}

std::string zip_header(const ZipEntry& entry) {
    if (entry.name.size() > 0xFFFF)
        throw Failure(FailureKind::bad_argument, "a name in a zip file is longer than 65535 bytes");
    std::string header;
    put_local(header, entry);
    return header;
}

void ZipWriter::add(const std::string& name, std::string_view content) {
    ZipEntry entry{name, false, crc32_of(content, poll_), content.size(), content.size(), out_.text().size()};
    std::string packed;
    if (compress_) {
        packed = deflate_raw(content, poll_, account_);
        if (packed.size() < content.size()) {
            content = packed;
            entry.packed = true;
            entry.packed_size = packed.size();
        }
    }
    const Charge paid(account_, packed.capacity());
    out_.append(zip_header(entry));
    out_.append(content);
    entries_.push_back(std::move(entry));
}

std::string ZipWriter::finish() {
    out_.append(zip_directory(entries_, out_.text().size()));
    return std::move(out_).take().first;
}

std::string zip_directory(const std::vector<ZipEntry>& entries, std::uint64_t begin) {
    std::string end;
    for (const ZipEntry& entry : entries) put_central(end, entry);
    const std::uint64_t size = end.size();
    const std::uint64_t count = entries.size();
    if (begin >= limit32 || size >= limit32 || count >= 0xFFFF) {
        const std::uint64_t end64 = begin + size;
        put_little(end, end64_mark);
        put_little(end, std::uint64_t{end64_bytes - 12});
        put_little(end, std::uint16_t{45});
        put_little(end, std::uint16_t{45});
        put_little(end, std::uint32_t{0});
        put_little(end, std::uint32_t{0});
        put_little(end, count);
        put_little(end, count);
        put_little(end, size);
        put_little(end, begin);
        put_little(end, locator64_mark);
        put_little(end, std::uint32_t{0});
        put_little(end, end64);
        put_little(end, std::uint32_t{1});
    }
    put_little(end, end_mark);
    put_little(end, std::uint32_t{0}); // disks
    put_little(end, static_cast<std::uint16_t>(std::min<std::uint64_t>(count, 0xFFFF)));
    put_little(end, static_cast<std::uint16_t>(std::min<std::uint64_t>(count, 0xFFFF)));
    put_little(end, static_cast<std::uint32_t>(std::min(size, limit32)));
    put_little(end, static_cast<std::uint32_t>(std::min(begin, limit32)));
    put_little(end, std::uint16_t{0}); // comment
    return end;
}

} // namespace pm::runtime
