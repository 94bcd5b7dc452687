#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// Writes all bytes at the position of the file, in parts. `poll` is called before each part and while a pipe is full.
/// If there is an error, sets errno and returns false. If a pipe has no reader, the error is EPIPE, and the process
/// gets no signal.
bool write_all(int file, std::string_view bytes, const std::function<void()>& poll);

/// Waits until the disk has the data of the file. Also returns true for files that cannot be synced, such as a pipe.
bool synced(int file);

/// If the path is like /proc/self/fd/1, returns the number of the descriptor that it names. Returns -1 for other paths,
/// and if the descriptor belongs to another process or does not exist.
int descriptor_named_by(const std::string& path);

/// Writes the buffered output of stdout. `poll` is called while stdout is a full pipe. If there is an error, sets errno
/// and returns false.
bool write_printed(const std::function<void()>& poll);

/// Writes to an open file of this process, at the position of the descriptor `file`. So output of other writers that
/// share this position is not overwritten. `path` is a path to the same file.
bool write_to_open_file(int file, const std::string& path, std::string_view bytes, const std::function<void()>& poll);

} // namespace pm::runtime
