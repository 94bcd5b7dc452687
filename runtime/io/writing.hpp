#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// Writes all bytes at the position of the file, in parts. `poll` is called before each part and while a pipe is full.
/// False on an error, with errno. A pipe without a reader is an ordinary error (EPIPE); the process gets no signal.
bool write_all(int file, std::string_view bytes, const std::function<void()>& poll);

/// Waits until the disk has the data. True also for files that cannot be synced, such as a pipe.
bool synced(int file);

/// The descriptor of this process that a path like /proc/self/fd/1 names. -1 if the file belongs to another process or
/// does not exist.
int descriptor_named_by(const std::string& path);

/// Writes the buffered output of stdout. `poll` is called while a pipe is full. False on an error, with errno.
bool write_printed(const std::function<void()>& poll);

/// Writes to an open file of this process, at the position of the file. Output of other writers is not overwritten.
/// `path` leads to the file.
bool write_to_open_file(int file, const std::string& path, std::string_view bytes, const std::function<void()>& poll);

} // namespace pm::runtime
