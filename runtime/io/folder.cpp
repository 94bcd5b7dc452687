#include "runtime/io/folder.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/descriptor.hpp"
#include "runtime/io/writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <system_error>

namespace pm::runtime {
namespace {

[[noreturn]] void refuse(FailureKind kind, const std::string& doing, const std::string& path,
                         const std::string& reason) {
    throw Failure(kind, fmt::format("cannot {} {}: {}", doing, path, reason));
}

/// Throws a Failure for an empty path, and for a path with a zero byte, because the system would ignore the text after
/// that byte.
void require_path(const std::string& path, FailureKind kind) {
    if (path.empty()) throw Failure(kind, "there is no file whose path is empty");
    if (path.find('\0') != std::string::npos) throw Failure(kind, "there is no file whose path has a zero byte in it");
}

} // namespace

void append_file(const std::string& path, std::string_view bytes, const std::function<void()>& poll) {
    require_path(path, FailureKind::file_unwritable);
    if (path.ends_with(".gz"))
        throw Failure(FailureKind::file_unsupported, fmt::format("cannot append to the packed file {}", path),
                      "write the whole text: write_text(path, text)");
    const Descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666));
    if (!file || !write_all(file.number(), bytes, poll) || !synced(file.number()))
        refuse(FailureKind::file_unwritable, "write", path, std::strerror(errno));
}

void make_folder(const std::string& path) {
    require_path(path, FailureKind::file_unwritable);
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (!error && !std::filesystem::is_directory(path, error) && !error)
        error = std::make_error_code(std::errc::not_a_directory);
    if (error) refuse(FailureKind::file_unwritable, "make the folder", path, error.message());
}

std::vector<std::string> names_in_folder(const std::string& path, const std::function<void()>& poll) {
    require_path(path, FailureKind::file_missing);
    std::error_code error;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
        if (poll) poll();
        std::error_code none; // an entry that another process has just removed counts as a file
        names.push_back(at->path().filename().string() + (at->is_directory(none) ? "/" : ""));
    }
    const bool missing = error == std::errc::no_such_file_or_directory;
    if (missing) throw Failure(FailureKind::file_missing, fmt::format("there is no folder {}", path));
    if (error) refuse(FailureKind::file_unreadable, "read the folder", path, error.message());
    std::sort(names.begin(), names.end());
    return names;
}

void remove_file(const std::string& path) {
    require_path(path, FailureKind::file_missing);
    std::error_code error;
    if (std::filesystem::remove(path, error)) return;
    if (!error) throw Failure(FailureKind::file_missing, fmt::format("there is no file {}", path));
    refuse(FailureKind::file_unwritable, "remove", path, error.message());
}

} // namespace pm::runtime
