#include "runtime/io/file.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/descriptor.hpp"
#include "runtime/io/gzip.hpp"
#include "runtime/io/replace.hpp"
#include "runtime/io/waiting.hpp"
#include "runtime/utf8.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace pm::runtime {
namespace {

constexpr std::size_t largest_read = 8 << 20; // about a millisecond

std::string reason() { return std::strerror(errno); }

/// A file opened for reading. Opening a FIFO without a writer does not block, and reading does not block.
struct Source {
    explicit Source(const std::string& file_path)
        : path(file_path), file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
        if (!file && (errno == ENOENT || errno == ENOTDIR))
            throw Failure(FailureKind::file_missing, fmt::format("there is no file {}", path));
        if (!file) throw Failure(FailureKind::file_unreadable, fmt::format("cannot open {}: {}", path, reason()));
        struct stat status{};
        if (::fstat(file.number(), &status) != 0)
            throw Failure(FailureKind::file_unreadable, fmt::format("cannot read {}: {}", path, reason()));
        if (S_ISDIR(status.st_mode))
            throw Failure(FailureKind::file_unreadable, fmt::format("{} is a directory", path));
        regular = S_ISREG(status.st_mode);
        if (regular) size = static_cast<std::uint64_t>(status.st_size);
    }

    const std::string& path;
    Descriptor file;
    bool regular = false;
    std::uint64_t size = 0; ///< an estimate, because the file may grow or shrink; 0 for pipes
};

/// Reads a file to its end, but at most one byte more than `most`. If `wanted` returns false, returns only the first
/// bytes.
std::string read_all(const Source& source, std::uint64_t most, const std::function<void()>& poll,
                     const std::shared_ptr<Allocator>& account, const Wanted& wanted) {
    constexpr std::size_t first = 8;
    ChargedText read(account);
    std::string& bytes = read.bytes();
    read.resize(std::min<std::uint64_t>(source.size, most) + 1);
    std::size_t used = 0;
    while (used <= most) {
        if (used == bytes.size())
            read.resize(std::min<std::uint64_t>(most + 1, std::max<std::size_t>(64 << 10, used * 2)));
        wait_for(source.file.number(), POLLIN, poll);
        const ssize_t got =
            ::read(source.file.number(), bytes.data() + used, std::min(bytes.size() - used, largest_read));
        if (got == 0) break;
        if (got < 0) {
            const std::string& path = source.path;
            if (errno == EINTR) continue;
            if (errno == EAGAIN) { // poll() has reported this device as ready, but it has no data
                wait_a_moment(poll);
                continue;
            }
            throw Failure(FailureKind::file_unreadable, fmt::format("cannot read {}: {}", path, reason()));
        }
        const std::size_t before = std::exchange(used, used + static_cast<std::size_t>(got));
        if (wanted && before < first && used >= first && !wanted(std::string_view(bytes).substr(0, used))) break;
    }
    bytes.resize(used);
    return std::move(read).take().first;
}

std::string read_source(const Source& source, std::uint64_t most, const std::function<void()>& poll,
                        const std::shared_ptr<Allocator>& account, const Wanted& wanted = {}) {
    try {
        return read_all(source, most, poll, account, wanted);
    } catch (const std::bad_alloc&) {
        throw Failure(FailureKind::out_of_memory, fmt::format("no memory to read {}", source.path));
    }
}

const std::string& checked_path(const std::string& path) {
    if (path.empty()) throw Failure(FailureKind::file_missing, "there is no file whose path is empty");
    if (path.find('\0') != std::string::npos)
        throw Failure(FailureKind::file_missing, "there is no file whose path has a zero byte in it");
    return path;
}

} // namespace

void require_utf8(std::string_view text, const std::string& path, const std::function<void()>& poll) {
    const std::size_t bad = first_invalid_utf8(text, poll);
    if (bad == text.size()) return;
    const std::string_view before = text.substr(0, bad);
    const std::size_t last = before.rfind('\n'); // without a newline, last is npos, and npos + 1 is 0
    const auto line = 1 + static_cast<std::int64_t>(std::count(before.begin(), before.end(), '\n'));
    const auto column = 1 + static_cast<std::int64_t>(utf8_count(before.substr(last + 1), poll));
    Failure failure(FailureKind::file_malformed,
                    fmt::format("{} is not UTF-8 text (line {}, column {})", path, line, column));
    failure.line = line;
    failure.column = column;
    throw failure;
}

bool file_exists(const std::string& path) {
    struct stat status{};
    return path.find('\0') == std::string::npos && ::stat(path.c_str(), &status) == 0;
}

std::string read_bytes(const std::string& path, const std::function<void()>& poll,
                       const std::shared_ptr<Allocator>& account, const Wanted& wanted) {
    const Source source(checked_path(path));
    const std::uint64_t most = source.regular ? largest_file : largest_stream;
    std::string bytes = read_source(source, most, poll, account, wanted);
    if (bytes.size() > most)
        throw Failure(FailureKind::file_unsupported, fmt::format("{} is larger than {} bytes", path, most));
    return bytes;
}

std::string read_beginning(const std::string& path, std::uint64_t most, const std::function<void()>& poll) {
    std::string bytes = read_source(Source(checked_path(path)), most, poll, {});
    if (bytes.size() > most) bytes.resize(most);
    return bytes;
}

std::string read_range(const std::string& path, std::uint64_t from, std::uint64_t most,
                       const std::function<void()>& poll) {
    const Source source(checked_path(path));
    if (!source.regular || ::lseek(source.file.number(), static_cast<off_t>(from), SEEK_SET) < 0)
        throw Failure(FailureKind::file_unsupported, fmt::format("{} is not a regular file, so it has no parts", path));
    std::string bytes = read_source(source, most, poll, {});
    if (bytes.size() > most) bytes.resize(most);
    return bytes;
}

std::string read_unpacked(const std::string& path, const std::function<void()>& poll,
                          const std::shared_ptr<Allocator>& account, const Wanted& wanted) {
    const auto on = [&](std::string_view first) { return is_gzip(first) || wanted(first); };
    std::string bytes = read_bytes(path, poll, account, wanted ? Wanted(on) : Wanted());
    if (!is_gzip(bytes)) return bytes;
    const Charge packed(account, bytes.capacity());
    return gunzip(bytes, path, poll, account);
}

std::string read_text(const std::string& path, const std::function<void()>& poll,
                      const std::shared_ptr<Allocator>& account) {
    const auto is_text = [&](std::string_view first) {
        constexpr std::size_t looked_at = 65536, rest = 3; // rest: the most bytes of a truncated last character
        first = first.substr(0, looked_at);
        return first_invalid_utf8(first, poll) + rest >= first.size();
    };
    std::string text = read_unpacked(path, poll, account, is_text); // reads only the beginning of a device without text
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    require_utf8(text, path, poll);
    return text;
}

void write_file(const std::string& path, std::string_view bytes, const std::function<void()>& poll,
                const std::shared_ptr<Allocator>& account) {
    if (!path.ends_with(".gz")) return replace_file(path, bytes, poll);
    const std::string packed = gzip(bytes, poll, account);
    const Charge paid(account, packed.capacity());
    replace_file(path, packed, poll);
}

} // namespace pm::runtime
