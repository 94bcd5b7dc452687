#include "compiler/codegen/object_cache.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Support/xxhash.h>

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
constexpr std::size_t shard_digits = 2; // what files that are looked at together begin with
constexpr std::size_t shards = 256;
constexpr char magic[8] = {'p', 'm', 'o', 'b', 'j', 's', '0', '1'};

/// The file: magic, checksum of the rest, number of objects, then each one's length and bytes.
std::uint64_t checksum(std::string_view payload) {
    return llvm::xxh3_64bits(llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size()));
}

void put(std::string& out, std::uint64_t number) { out.append(reinterpret_cast<const char*>(&number), sizeof number); }

bool take(std::string_view& in, std::uint64_t& number) {
    if (in.size() < sizeof number) return false;
    std::memcpy(&number, in.data(), sizeof number);
    in.remove_prefix(sizeof number);
    return true;
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
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return {}; // a folder can be opened, and reading it throws
    std::ifstream file(path, std::ios::binary);
    if (!file) return {};
    const std::string content((std::istreambuf_iterator<char>(file)), {});
    std::string_view rest = content;
    if (rest.size() < sizeof magic || std::memcmp(rest.data(), magic, sizeof magic) != 0) return {};
    rest.remove_prefix(sizeof magic);
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
    if (!take(rest, sum) || checksum(rest) != sum || !take(rest, count)) return {};
    Objects objects;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t size = 0;
        if (!take(rest, size) || size > rest.size()) return {};
        objects.emplace_back(rest.substr(0, size));
        rest.remove_prefix(size);
    }
    // It is used: others are removed first.
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), error);
    return objects;
}

void ObjectCache::store(const std::string& key, const Objects& objects) const {
    if (folder_.empty()) return;
    std::string payload;
    put(payload, objects.size());
    for (const std::string& object : objects) {
        put(payload, object.size());
        payload += object;
    }
    static std::atomic<unsigned> number{0};
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    const std::filesystem::path target = std::filesystem::path(folder_) / key;
    const std::filesystem::path aside =
        target.string() + "." + std::to_string(::getpid()) + "." + std::to_string(number++);
    {
        std::ofstream file(aside, std::ios::binary);
        std::string head(magic, sizeof magic);
        put(head, checksum(payload));
        file << head << payload;
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
        std::error_code gone; // others remove files too
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
        // The last used stays, however large.
        if (left == 1 || (bytes <= most_bytes / 4 * 3 && left <= most_files / 4 * 3)) return;
        std::filesystem::remove(file.path, error);
        bytes -= file.bytes;
        --left;
    }
}

} // namespace pm::codegen
