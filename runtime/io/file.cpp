#include "runtime/io/file.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/gzip.hpp"
#include "runtime/utf8.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace pm::runtime {
namespace {

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }
    int close() { return ::close(std::exchange(number_, -1)); }

  private:
    int number_;
};

constexpr std::size_t largest_read = 8 << 20; // a millisecond or so

std::string reason() { return std::strerror(errno); }

/// A pipe may say nothing for long; a file has its bytes at once.
void wait_for_bytes(int file, const std::function<void()>& poll) {
    constexpr int milliseconds = 20;
    pollfd waiting{file, POLLIN, 0};
    do poll();
    while (::poll(&waiting, 1, milliseconds) == 0);
}

std::string read_all(int file, const std::string& path, std::uint64_t expected, std::uint64_t most,
                     const std::function<void()>& poll, const std::shared_ptr<Allocator>& account) {
    ChargedText read(account);
    std::string& bytes = read.bytes();
    // The size is a hint: the file may grow or shrink, and pipes have none.
    read.resize(std::min<std::uint64_t>(expected, most) + 1);
    std::size_t used = 0;
    for (;;) {
        if (used == bytes.size()) {
            if (used > most)
                throw Failure(FailureKind::file_unsupported, fmt::format("{} is larger than {} bytes", path, most));
            read.resize(std::max<std::size_t>(64 << 10, used * 2));
        }
        if (poll) wait_for_bytes(file, poll);
        const ssize_t got = ::read(file, bytes.data() + used, std::min(bytes.size() - used, largest_read));
        if (got == 0) break;
        if (got < 0) {
            if (errno == EINTR) continue;
            throw Failure(FailureKind::file_unreadable, fmt::format("cannot read {}: {}", path, reason()));
        }
        used += static_cast<std::size_t>(got);
    }
    bytes.resize(used);
    return std::move(read).take().first;
}

void require_utf8(std::string_view text, const std::string& path) {
    const std::size_t bad = first_invalid_utf8(text);
    if (bad == text.size()) return;
    std::int64_t line = 1;
    std::int64_t column = 1;
    for (std::size_t at = 0; at < bad; at += utf8_length(text, at)) {
        if (text[at] == '\n') {
            ++line;
            column = 0;
        }
        ++column;
    }
    Failure failure(FailureKind::file_malformed,
                    fmt::format("{} is not UTF-8 text (line {}, column {})", path, line, column));
    failure.line = line;
    failure.column = column;
    throw failure;
}

} // namespace

bool file_exists(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0;
}

std::string read_bytes(const std::string& path, const std::function<void()>& poll,
                       const std::shared_ptr<Allocator>& account) {
    if (path.find('\0') != std::string::npos) throw Failure(FailureKind::file_missing, "a path with a zero byte in it");
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number() < 0) {
        const FailureKind kind =
            errno == ENOENT || errno == ENOTDIR ? FailureKind::file_missing : FailureKind::file_unreadable;
        throw Failure(kind, kind == FailureKind::file_missing ? fmt::format("there is no file {}", path)
                                                              : fmt::format("cannot open {}: {}", path, reason()));
    }
    struct stat status{};
    if (::fstat(file.number(), &status) != 0)
        throw Failure(FailureKind::file_unreadable, fmt::format("cannot read {}: {}", path, reason()));
    if (S_ISDIR(status.st_mode)) throw Failure(FailureKind::file_unreadable, fmt::format("{} is a directory", path));
    try {
        const bool regular = S_ISREG(status.st_mode);
        return read_all(file.number(), path, regular ? static_cast<std::uint64_t>(status.st_size) : 0,
                        regular ? largest_file : largest_stream, poll, account);
    } catch (const std::bad_alloc&) {
        throw Failure(FailureKind::out_of_memory, fmt::format("no memory to read {}", path));
    }
}

std::string read_unpacked(const std::string& path, const std::function<void()>& poll,
                          const std::shared_ptr<Allocator>& account) {
    std::string bytes = read_bytes(path, poll, account);
    if (!is_gzip(bytes)) return bytes;
    const Charge packed(account, bytes.capacity());
    return gunzip(bytes, path, poll, account);
}

std::string read_text(const std::string& path, const std::function<void()>& poll,
                      const std::shared_ptr<Allocator>& account) {
    std::string text = read_unpacked(path, poll, account);
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    require_utf8(text, path);
    return text;
}

void write_file(const std::string& path, std::string_view bytes) {
    std::string packed;
    if (path.ends_with(".gz")) {
        packed = gzip(bytes);
        bytes = packed;
    }
    const auto fail = [&] {
        throw Failure(FailureKind::file_unwritable, fmt::format("cannot write {}: {}", path, reason()));
    };
    if (path.find('\0') != std::string::npos)
        throw Failure(FailureKind::file_unwritable, "a path with a zero byte in it");
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.number() < 0) fail();
    while (!bytes.empty()) {
        const ssize_t put = ::write(file.number(), bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) fail();
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    if (file.close() != 0) fail();
}

} // namespace pm::runtime
