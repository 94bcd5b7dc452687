#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

/// Writes bytes at the end of a file, and waits until the disk has them. If the file does not exist, creates it. If a
/// call is interrupted, a part of the bytes may have been written. Throws Failure(file_unwritable), or
/// Failure(file_unsupported) for a packed file.
void append_file(const std::string& path, std::string_view bytes, const std::function<void()>& poll = {});

/// Creates a folder and the folders that contain it. A folder that exists is kept. Throws Failure(file_unwritable).
void make_folder(const std::string& path);

/// The sorted names of the files and folders in a folder; the name of a folder ends in `/`. Throws
/// Failure(file_missing) or Failure(file_unreadable).
std::vector<std::string> names_in_folder(const std::string& path, const std::function<void()>& poll = {});

/// Removes a file, a symbolic link, or an empty folder. Throws Failure(file_missing) or Failure(file_unwritable).
void remove_file(const std::string& path);

} // namespace pm::runtime
