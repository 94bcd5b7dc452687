#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// Makes `bytes` the content of the file at `path`, whole or not at all: they are written into a new file in the same
/// folder, synced, and the new file is renamed. An interrupted or failed call leaves the old file and nothing beside
/// it.
/// - Of a symbolic link the target is replaced, or made where it does not exist. A hard link parts from its others.
/// - Permissions are kept, owner and group where the system allows it. A file without write permission is refused.
/// - A FIFO and a device are written directly. A FIFO or a pipe whose reader has left is an error; there is no signal.
/// - An open file of a process (/dev/stdout, /dev/fd/3) is added to where the process is in it: a regular file, a
///   pipe, a terminal. One of another process is added to at its end.
/// - So is a file that can be written but not replaced: in a folder without write permission, or a mount of its own.
///   Only there can an interrupted call leave a part of the content.
/// `poll` is called between parts and while nobody reads a FIFO; what it throws ends the call.
/// Failure(file_unwritable): no such folder, no permission, no room (the old and the new content need it together).
void replace_file(const std::string& path, std::string_view bytes, const std::function<void()>& poll = {});

} // namespace pm::runtime
