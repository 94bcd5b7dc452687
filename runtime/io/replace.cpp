#include "runtime/io/replace.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/descriptor.hpp"
#include "runtime/io/waiting.hpp"
#include "runtime/io/writing.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>

namespace pm::runtime {
namespace {

/// The folder that contains the file at `path`, with a final slash.
std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

/// The file to which a path leads.
struct Target {
    std::string path;   ///< the path, after symbolic links have been followed
    bool open = false;  ///< true if the path names an open file of a process, as /dev/stdout does
    bool there = false; ///< true if the file exists
    struct stat status{};
};

/// Follows symbolic links of the last component of the path, even if they lead to a file that does not exist. The
/// system follows links of earlier components. If the path leads to no file that exists or can be created, returns
/// false and sets errno.
bool find_target(const std::string& path, Target& target) {
    constexpr int most_links = 40; // the limit of the system
    target.path = path;
    char text[PATH_MAX];
    for (int links = 0; links <= most_links && !target.open; ++links) {
        const ssize_t length = ::readlink(target.path.c_str(), text, sizeof text);
        if (length < 0) break;
        struct statfs files{};
        const std::string folder = folder_of(target.path);
        target.open = ::statfs(folder.c_str(), &files) == 0 && files.f_type == PROC_SUPER_MAGIC;
        if (target.open) break; // the text of such a link need not be a path
        const std::string leads(text, static_cast<std::size_t>(length));
        target.path = leads.starts_with('/') ? leads : folder + leads;
    }
    target.there = ::stat(target.path.c_str(), &target.status) == 0;
    return target.there || errno == ENOENT;
}

/// Writes the file without replacing it. If the target is an open file of this process, writes at the position of that
/// file. If it is an open file of another process, appends the bytes. Truncates other files first.
bool write_in_place(const Target& target, std::string_view bytes, const std::function<void()>& poll) {
    if (target.open && target.there)
        if (const int own = descriptor_named_by(target.path); own >= 0)
            return write_to_open_file(own, target.path, bytes, poll);
    const int how = target.open ? O_APPEND : O_TRUNC;
    const auto open = [&] {
        return Descriptor(::open(target.path.c_str(), O_WRONLY | how | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    };
    Descriptor file = open();
    for (; !file && errno == ENXIO && S_ISFIFO(target.status.st_mode); file = open()) wait_a_moment(poll); // no reader
    return file && write_all(file.number(), bytes, poll) && synced(file.number()) && file.close() == 0;
}

/// Restores permissions, and owner and group as far as the system allows it. If the old group cannot be restored, the
/// new group gets only the permissions that all users have.
void keep_permissions(int file, const struct stat& old) {
    constexpr mode_t special = 07000;
    mode_t mode = old.st_mode & 07777;
    const bool owner = ::fchown(file, old.st_uid, static_cast<gid_t>(-1)) == 0;
    const bool group = ::fchown(file, static_cast<uid_t>(-1), old.st_gid) == 0;
    if (!owner || !group) mode &= ~special;
    if (!group) mode = (mode & ~mode_t{070}) | (mode & 07) << 3;
    if (::fchmod(file, mode) != 0) errno = 0; // some file systems have no permissions
}

/// A new file in the folder of the file that it replaces. If the file system allows it and it need not be `named`, the
/// new file has no name until its content is complete. If the process ends earlier, no file remains then.
class NewFile {
  public:
    NewFile(std::string folder, mode_t mode, bool named) : folder_(std::move(folder)) {
        if (!named) file_ = Descriptor(::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
        if (file_ && ::access(own_path().c_str(), F_OK) == 0) return;
        find_name([&](const std::string& name) {
            file_ = Descriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
            return static_cast<bool>(file_);
        });
    }
    ~NewFile() {
        const int reason = errno;
        if (!name_.empty()) ::unlink(name_.c_str());
        errno = reason;
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    explicit operator bool() const { return static_cast<bool>(file_); }
    int number() const { return file_.number(); }
    /// A path to the file for other processes.
    std::string name() const {
        return name_.empty() ? fmt::format("/proc/{}/fd/{}", ::getpid(), file_.number()) : name_;
    }
    bool take_place_of(const std::string& path) {
        const auto link = [&](const std::string& name) {
            return ::linkat(AT_FDCWD, own_path().c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
        };
        if (name_.empty() && !find_name(link)) return false;
        if (file_.close() != 0 || ::rename(name_.c_str(), path.c_str()) != 0) return false;
        name_.clear();
        return true;
    }

  private:
    std::string own_path() const { return fmt::format("/proc/self/fd/{}", file_.number()); }
    /// Calls `make` with one name after another until it does not fail with EEXIST.
    template <class Make>
    bool find_name(const Make& make) {
        constexpr int most_names = 10'000;
        for (int number = 0; number < most_names; ++number) {
            std::string name = fmt::format("{}.pm-{}-{}", folder_, ::getpid(), number);
            if (make(name)) {
                name_ = std::move(name);
                return true;
            }
            if (errno != EEXIST) return false;
        }
        return false;
    }

    std::string folder_;
    std::string name_; ///< empty while the file has no name
    Descriptor file_;
};

/// Whether errno says that a file cannot be replaced, though it may be writable. Either the folder accepts no new files
/// (for example a folder in /proc), or the file system cannot give a name to a file that was created without one.
bool replacing_refused() {
    constexpr std::array refusals = {EACCES, EPERM, EROFS, EBUSY, ENOENT, EOPNOTSUPP};
    return std::find(refusals.begin(), refusals.end(), errno) != refusals.end();
}

bool sync_folder(const std::string& folder) {
    const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return !file || synced(file.number()); // the folder may not be readable
}

[[noreturn]] void fail_unwritable(const std::string& path) {
    const int reason = errno;
    throw Failure(FailureKind::file_unwritable, fmt::format("cannot write {}: {}", path, std::strerror(reason)),
                  reason == ENOENT ? fmt::format("make the folder first: make_folder(\"{}\")", folder_of(path)) : "");
}

enum class Replaced : std::uint8_t {
    yes,
    no,      ///< errno has the reason, unless `write` failed
    refused, ///< the old file cannot be replaced, but perhaps be written
};

/// Replaces the target by a new file that `write(file)` writes.
template <class Write>
Replaced replace_by(const Target& target, bool named, const Write& write) {
    const char* path = target.path.c_str();
    // Checks the write permission of the old file, since a rename does not need it.
    if (target.there && ::faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) return Replaced::no;
    const auto why_not = [&] { return target.there && replacing_refused() ? Replaced::refused : Replaced::no; };
    // A file of another user is not replaced. The new file would belong to the user of this process, who could then
    // change its permissions.
    if (target.there && ::geteuid() != 0 && target.status.st_uid != ::geteuid()) return Replaced::refused;
    const std::string folder = folder_of(target.path);
    // No other user may read the new file before it has the old permissions.
    NewFile file(folder, target.there ? 0600 : 0666, named);
    if (!file) return why_not();
    if (!write(file) || !synced(file.number())) return Replaced::no;
    if (target.there) keep_permissions(file.number(), target.status);
    if (!file.take_place_of(target.path)) return why_not();
    return sync_folder(folder) ? Replaced::yes : Replaced::no;
}

bool replace(const Target& target, std::string_view bytes, const std::function<void()>& poll) {
    const auto write = [&](const NewFile& file) { return write_all(file.number(), bytes, poll); };
    const Replaced done = replace_by(target, false, write);
    return done == Replaced::yes || (done == Replaced::refused && write_in_place(target, bytes, poll));
}

bool is_written_in_place(const Target& target) {
    return target.open || (target.there && !S_ISREG(target.status.st_mode));
}

/// The target of a path. Throws Failure(file_unwritable).
Target target_of(const std::string& path) {
    if (path.empty()) throw Failure(FailureKind::file_unwritable, "cannot write a file whose path is empty");
    if (path.find('\0') != std::string::npos)
        throw Failure(FailureKind::file_unwritable, "cannot write a file whose path has a zero byte in it");
    Target target;
    if (!find_target(path, target)) fail_unwritable(path);
    return target;
}

} // namespace

void replace_file(const std::string& path, std::string_view bytes, const std::function<void()>& poll) {
    const Target target = target_of(path);
    const bool done = is_written_in_place(target) ? write_in_place(target, bytes, poll) : replace(target, bytes, poll);
    if (!done) fail_unwritable(path);
}

bool replace_file_by(const std::string& path, bool named, const std::function<bool(const std::string& name)>& write) {
    const Target target = target_of(path);
    if (is_written_in_place(target)) return false;
    bool written = true;
    const Replaced done = replace_by(target, named, [&](const NewFile& file) { return written = write(file.name()); });
    if (done == Replaced::no && written) fail_unwritable(path);
    return done == Replaced::yes;
}

} // namespace pm::runtime
