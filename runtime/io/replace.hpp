#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// Makes `bytes` the content of the file at `path`, completely or not at all: writes a new file in the same folder,
/// syncs it and renames it. After an interrupted or failed call only the old file exists.
/// - If the path is a symbolic link, its target is replaced, or created if it does not exist. Other hard links keep the
///   old content.
/// - Permissions are kept. Owner and group are kept if the system allows it. A file without write permission is an
///   error.
/// - A FIFO and a device are written directly. If the reader of a FIFO or pipe has left, the call fails without a
///   signal.
/// - If the path names an open file of this process (/dev/stdout, /dev/fd/3: a regular file, a pipe, a terminal), the
///   bytes are written at the file's position. If it names an open file of another process, they are appended.
/// - A file that can be written but not replaced is also written directly: in a folder without write permission, a file
///   that is a mount point, or a file of another user. Only in these cases can an interrupted call write a part of the
///   content.
///
/// `poll` is called between parts and while a FIFO has no reader; an exception from it ends the call.
/// Failure(file_unwritable): no such folder, no permission, or no room for the old and the new content together.
void replace_file(const std::string& path, std::string_view bytes, const std::function<void()>& poll = {});

} // namespace pm::runtime
