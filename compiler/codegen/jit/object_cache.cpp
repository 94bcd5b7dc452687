#include "compiler/codegen/jit/object_cache.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/SHA256.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace pm::codegen {
namespace {

constexpr std::size_t key_length = 64;  // of a SHA-256 in hexadecimal digits
constexpr std::size_t shard_digits = 2; // length of the prefix of files that are examined together
constexpr std::size_t shards = 256;
constexpr std::string_view magic = "pmobjs02";
constexpr std::size_t digest_length = 32; // of a BLAKE3 digest, in bytes

/// Reads a file's bytes from the start.
class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}
    std::optional<std::string_view> bytes(std::uint64_t count) {
        if (count > rest_.size()) return {};
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }
    std::optional<std::uint64_t> number() {
        const auto taken = bytes(sizeof(std::uint64_t));
        if (!taken) return {};
        std::uint64_t number = 0;
        std::memcpy(&number, taken->data(), sizeof number);
        return number;
    }
    bool takes(std::string_view expected) { return bytes(expected.size()) == expected; }
    std::string_view rest() const { return rest_; }

  private:
    std::string_view rest_;
};

std::string digest(std::string_view bytes) {
    const auto hash = llvm::BLAKE3::hash<digest_length>(
        llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

void put(std::string& out, std::uint64_t number) { out.append(reinterpret_cast<const char*>(&number), sizeof number); }

/// The content of a file: magic, digest of the rest, key, number of objects, then the length and bytes of each object.
std::string format(std::string_view key, const Objects& objects) {
    std::string body;
    put(body, key.size());
    body += key;
    put(body, objects.size());
    for (const std::string& object : objects) {
        put(body, object.size());
        body += object;
    }
    return std::string(magic) + digest(body) + body;
}

/// The objects in the content of a file. nullopt if the file is damaged or was not written for `key`.
std::optional<Objects> parse(std::string_view content, std::string_view key) {
    Reader in(content);
    if (!in.takes(magic)) return {};
    const auto expected = in.bytes(digest_length);
    if (!expected || digest(in.rest()) != *expected) return {};
    if (in.number() != key.size() || !in.takes(key)) return {};
    const auto count = in.number();
    if (!count) return {};
    Objects objects;
    for (std::uint64_t i = 0; i < *count; ++i) {
        const auto size = in.number();
        const auto object = size ? in.bytes(*size) : std::nullopt;
        if (!object) return {};
        objects.emplace_back(*object);
    }
    if (!in.rest().empty()) return {};
    return objects;
}

/// The content of a regular file of at most `most` bytes. nullopt for other files.
std::optional<std::string> read_file(const std::filesystem::path& path, std::uint64_t most) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return {}; // reading a folder throws, a pipe may never end
    const std::uint64_t size = std::filesystem::file_size(path, error);
    std::ifstream file(path, std::ios::binary);
    if (error || size > most || !file) return {};
    std::string content(size, '\0');
    file.read(content.data(), static_cast<std::streamsize>(size));
    content.resize(static_cast<std::size_t>(file.gcount()));
    return content;
}

} // namespace

std::string ObjectCache::key(std::string_view text, std::string_view maker) {
    llvm::SHA256 hash;
    hash.update(llvm::StringRef(maker.data(), maker.size()));
    hash.update(llvm::StringRef("\0", 1));
    hash.update(llvm::StringRef(text.data(), text.size()));
    return llvm::toHex(hash.final(), true);
}

std::optional<Objects> ObjectCache::find(const std::string& key) const {
    if (folder_.empty()) return {};
    const std::filesystem::path path = std::filesystem::path(folder_) / key;
    const auto content = read_file(path, limits_.bytes);
    auto objects = content ? parse(*content, key) : std::nullopt;
    if (!objects) return {};
    // Marks the file as recently used, since the least recently used files are removed first.
    std::error_code error;
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), error);
    return objects;
}

void ObjectCache::store(const std::string& key, const Objects& objects) const {
    if (folder_.empty()) return;
    const std::string content = format(key, objects);
    if (content.size() > limits_.bytes) return;
    static std::atomic<unsigned> number{0};
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    const std::filesystem::path target = std::filesystem::path(folder_) / key;
    const std::filesystem::path aside =
        target.string() + "." + std::to_string(::getpid()) + "." + std::to_string(number++);
    {
        std::ofstream file(aside, std::ios::binary);
        file << content;
        if (!file.flush()) {
            std::filesystem::remove(aside, error);
            return;
        }
    }
    std::filesystem::rename(aside, target, error);
    if (error) std::filesystem::remove(aside, error);
    if (key.substr(shard_digits, 1) == "0") trim_beside(key);
}

void ObjectCache::trim_beside(const std::string& beside) const {
    using std::filesystem::file_time_type;
    struct File {
        std::filesystem::path path;
        std::uint64_t bytes;
        file_time_type used;
    };
    std::vector<File> files;
    std::uint64_t bytes = 0;
    std::error_code error;
    const auto long_ago = file_time_type::clock::now() - std::chrono::hours(1);
    std::filesystem::directory_iterator at(folder_, error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
        const std::string name = at->path().filename().string();
        const std::string_view key = std::string_view(name).substr(0, key_length);
        const bool aside = name.size() > key_length && name[key_length] == '.';
        if (key.size() < key_length || !key.starts_with(std::string_view(beside).substr(0, shard_digits)) ||
            key.find_first_not_of("0123456789abcdef") != std::string_view::npos || (name.size() > key_length && !aside))
            continue;
        std::error_code gone; // other processes remove files too
        const std::uint64_t size = at->file_size(gone);
        const file_time_type used = gone ? file_time_type() : at->last_write_time(gone);
        if (gone) continue;
        if (!aside) {
            files.push_back({at->path(), size, used});
            bytes += size;
        } else if (used < long_ago) {
            std::filesystem::remove(at->path(), gone);
        }
    }
    const std::uint64_t most_bytes = limits_.bytes / shards;
    const std::size_t most_files = limits_.files / shards;
    if (bytes <= most_bytes && files.size() <= most_files) return;
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
    std::size_t left = files.size();
    for (const File& file : files) {
        // The most recently used file stays, even if this file alone exceeds the share.
        if (left == 1 || (bytes <= most_bytes / 4 * 3 && left <= most_files / 4 * 3)) return;
        std::filesystem::remove(file.path, error);
        bytes -= file.bytes;
        --left;
    }
}

} // namespace pm::codegen
