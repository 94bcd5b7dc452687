#include "runtime/io/gzip.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/formats.hpp"

#include <fmt/format.h>

#include <zlib.h>

#include <algorithm>
#include <climits>
#include <new>

namespace pm::runtime {
namespace {

constexpr int raw_window = -15;
constexpr int gzip_window = 15 + 16;
constexpr std::uint64_t best_ratio = 1032; // the greatest possible ratio of deflate

[[noreturn]] void fail_truncated(const std::string& name) {
    throw Failure(FailureKind::file_truncated, fmt::format("{} is cut short: its packed data ends too early", name),
                  fetch_again);
}
[[noreturn]] void fail_malformed(const std::string& name, const char* detail) {
    throw Failure(FailureKind::file_malformed,
                  fmt::format("{} is damaged: {}", name, detail == nullptr ? "its packed data is invalid" : detail),
                  fetch_again);
}
[[noreturn]] void fail_memory(const std::string& name) {
    throw Failure(FailureKind::out_of_memory, fmt::format("no memory to unpack {}", name));
}

// The bytes that are unpacked, packed or summed between two calls of `poll`. They take a few milliseconds.
constexpr std::size_t unpacked_at_once = 1 << 20;
constexpr std::size_t packed_at_once = 256 << 10;
constexpr std::size_t summed_at_once = 4 << 20;

uInt piece_of(std::size_t bytes, std::size_t most) { return static_cast<uInt>(std::min(bytes, most)); }

/// Unpacks with zlib. Passes the input in pieces, since zlib counts bytes in 32 bits.
class Inflater {
  public:
    Inflater(std::string_view input, int window, const std::string& name) : rest_(input), name_(name) {
        if (inflateInit2(&stream_, window) != Z_OK) fail_memory(name_);
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// Unpacks one whole stream and appends it to `unpacked`, up to a total size of `most`.
    void run(ChargedText& unpacked, std::uint64_t most, const std::function<void()>& poll) {
        std::string& out = unpacked.bytes();
        for (;;) {
            if (poll) poll();
            if (used_ == out.size()) {
                if (used_ >= most) {
                    // The output is full, so the remaining input must not unpack to further bytes.
                    unsigned char spare = 0;
                    const bool ended = step(&spare, 1);
                    if (stream_.avail_out == 0) fail_malformed(name_, "it unpacks to more than it says");
                    if (ended) return finish(out);
                    continue;
                }
                unpacked.resize(std::min<std::uint64_t>(most, std::max<std::uint64_t>(64 << 10, used_ * 2)));
            }
            const uInt room = piece_of(out.size() - used_, unpacked_at_once);
            const bool ended = step(reinterpret_cast<unsigned char*>(out.data()) + used_, room);
            used_ += room - stream_.avail_out;
            if (ended) return finish(out);
        }
    }
    /// The input after the stream that run() has unpacked.
    std::string_view rest() const { return rest_; }
    void begin_at(std::size_t used) { used_ = used; }

  private:
    /// Unpacks up to `room` bytes. Returns true at the end of the stream.
    bool step(unsigned char* to, uInt room) {
        const uInt piece = piece_of(rest_.size(), unpacked_at_once);
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
        stream_.avail_in = piece;
        stream_.next_out = to;
        stream_.avail_out = room;
        const int status = inflate(&stream_, Z_NO_FLUSH);
        rest_.remove_prefix(piece - stream_.avail_in);
        if (status == Z_STREAM_END) return true;
        if (status == Z_MEM_ERROR) fail_memory(name_);
        if (status != Z_OK && status != Z_BUF_ERROR) fail_malformed(name_, stream_.msg);
        if (rest_.empty() && stream_.avail_out != 0) fail_truncated(name_);
        return false;
    }
    void finish(std::string& out) const { out.resize(used_); }

    z_stream stream_{};
    std::string_view rest_;
    const std::string& name_;
    std::size_t used_ = 0;
};

class Deflater {
  public:
    explicit Deflater(int window) {
        if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    ~Deflater() { deflateEnd(&stream_); }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;

    /// Packs all of `bytes` into `packed`.
    void run(std::string_view bytes, ChargedText& packed, const std::function<void()>& poll) {
        std::string& out = packed.bytes();
        std::size_t used = 0;
        for (int status = Z_OK; status != Z_STREAM_END;) {
            if (poll) poll();
            if (used == out.size()) packed.resize(std::max<std::size_t>(64 << 10, used * 2));
            const uInt piece = piece_of(bytes.size(), packed_at_once);
            const uInt room = piece_of(out.size() - used, UINT_MAX);
            stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
            stream_.avail_in = piece;
            stream_.next_out = reinterpret_cast<Bytef*>(out.data()) + used;
            stream_.avail_out = room;
            status = deflate(&stream_, piece == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
            bytes.remove_prefix(piece - stream_.avail_in);
            used += room - stream_.avail_out;
        }
        out.resize(used);
    }

  private:
    z_stream stream_{};
};

std::string deflate_all(std::string_view bytes, int window, const std::function<void()>& poll,
                        const std::shared_ptr<Allocator>& account) {
    try {
        ChargedText packed(account);
        Deflater(window).run(bytes, packed, poll);
        return std::move(packed).take().first;
    } catch (const std::bad_alloc&) {
        throw Failure(FailureKind::out_of_memory, "no memory to pack a file");
    }
}

} // namespace

bool is_gzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1F' && bytes[1] == '\x8B'; }

std::string gunzip(std::string_view packed, const std::string& name, const std::function<void()>& poll,
                   const std::shared_ptr<Allocator>& account) {
    ChargedText out(account);
    try {
        std::string_view rest = packed;
        std::size_t used = 0;
        do {
            Inflater member(rest, gzip_window, name);
            member.begin_at(used);
            member.run(out, largest_file, poll);
            used = out.text().size();
            rest = member.rest();
            // As in gzip itself, zeros may follow the last member.
            if (rest.find_first_not_of('\0') == std::string_view::npos) rest = {};
            if (!rest.empty() && !is_gzip(rest)) fail_malformed(name, "there is something behind its end");
        } while (!rest.empty());
    } catch (const std::bad_alloc&) {
        fail_memory(name);
    }
    return std::move(out).take().first;
}

std::string gzip(std::string_view bytes, const std::function<void()>& poll, const std::shared_ptr<Allocator>& account) {
    return deflate_all(bytes, gzip_window, poll, account);
}
std::string deflate_raw(std::string_view bytes, const std::function<void()>& poll,
                        const std::shared_ptr<Allocator>& account) {
    return deflate_all(bytes, raw_window, poll, account);
}

std::string inflate_raw(std::string_view packed, std::uint64_t size, const std::string& name,
                        const std::function<void()>& poll, const std::shared_ptr<Allocator>& account) {
    if (size > largest_file || size / best_ratio > packed.size())
        fail_malformed(name, "its packed data cannot hold what it says");
    try {
        ChargedText out(account);
        out.reserve(size);
        Inflater stream(packed, raw_window, name);
        stream.run(out, size, poll);
        if (out.text().size() != size) fail_malformed(name, "it unpacks to less than it says");
        return std::move(out).take().first;
    } catch (const std::bad_alloc&) {
        fail_memory(name);
    }
}

std::uint32_t crc32_of(std::string_view bytes, const std::function<void()>& poll) {
    uLong crc = crc32(0, nullptr, 0);
    while (!bytes.empty()) {
        if (poll) poll();
        const uInt piece = piece_of(bytes.size(), summed_at_once);
        crc = crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), piece);
        bytes.remove_prefix(piece);
    }
    return static_cast<std::uint32_t>(crc);
}

std::uint32_t crc32_joined(std::uint32_t first, std::uint32_t second, std::uint64_t more) {
    return static_cast<std::uint32_t>(crc32_combine(first, second, static_cast<z_off_t>(more)));
}

} // namespace pm::runtime
