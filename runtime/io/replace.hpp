#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// Makes `bytes` the content of the file at `path`, completely or not at all: writes a new file in the same folder,
/// syncs the new file and renames it to `path`. After an interrupted or failed call only the old file exists.
/// - If the path is a symbolic link, the target of the link is replaced, or created if there is no target. Other hard
///   links to the old file keep the old content.
/// - Permissions are kept. Owner and group are kept if the system allows it. If the caller may not write the old file,
///   the call fails.
/// - A FIFO and a device are written directly. If a FIFO or pipe has no reader any more, the call fails without a
///   signal.
/// - If the path names an open file of this process (/dev/stdout, /dev/fd/3: a regular file, a pipe, a terminal), the
///   bytes are written at the file's position. If the path names an open file of another process, the bytes are
///   appended.
/// - A file that can be written but not replaced is also written directly. Examples are a file in a folder without
///   write permission, a mount point, and a file of another user. If such a call is interrupted, a part of the content
///   may have been written.
///
/// `poll` is called between parts and while a FIFO has no reader. An exception from `poll` ends the call. Throws
/// Failure(file_unwritable) if there is no such folder, no permission, or not enough room for the old and the new
/// content together.
void replace_file(const std::string& path, std::string_view bytes, const std::function<void()>& poll = {});

/// As replace_file(), for a file that several processes write. `write(name)` writes a new file, which is there and is
/// empty. If it returns true, the new file replaces the one at `path`. If `named` is true, the new file has a name in
/// the folder of `path`, which stays if the process is killed. Otherwise `name` may be valid on this host only. Returns
/// false if `write` does, and without a call of `write` if the file at `path` cannot be replaced, but perhaps written.
/// Then the file at `path` is unchanged. Throws Failure(file_unwritable) as replace_file().
bool replace_file_by(const std::string& path, bool named, const std::function<bool(const std::string& name)>& write);

} // namespace pm::runtime
