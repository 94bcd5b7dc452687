#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// Writes all bytes at the place where the file is, in parts, with `poll` before each and while it waits for a full
/// pipe. False: errno says why. A pipe that nobody reads any more is an error like others (EPIPE); the process gets no
/// signal of it.
bool write_all(int file, std::string_view bytes, const std::function<void()>& poll);

/// Waits until the disk has it. What cannot be synced, a pipe for example, needs none.
bool synced(int file);

/// The number of this process's open file that a path like /proc/self/fd/1 names; -1: another process's, or none.
int open_file_behind(const std::string& path);

/// Writes what stdout still holds, with `poll` while it waits for a full pipe. False: errno says why.
bool write_printed(const std::function<void()>& poll);

/// Adds to an open file of this process, at the place where it is: what others write into it, and have written, stays.
/// `path` leads to it.
bool write_to_open_file(int file, const std::string& path, std::string_view bytes, const std::function<void()>& poll);

} // namespace pm::runtime
