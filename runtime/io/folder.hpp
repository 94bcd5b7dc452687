#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

/// Writes bytes at the end of a file, and waits until the disk has them. A file that does not exist is made. An
/// interrupted call may have written a part of the bytes. Failure: file_unwritable; file_unsupported for a packed file.
void append_file(const std::string& path, std::string_view bytes, const std::function<void()>& poll = {});

/// Makes a folder and the folders above it. A folder that exists is kept. Failure: file_unwritable.
void make_folder(const std::string& path);

/// The sorted names of the files and folders in a folder; the name of a folder ends in `/`. Failure: file_missing,
/// file_unreadable.
std::vector<std::string> names_in_folder(const std::string& path, const std::function<void()>& poll = {});

/// Removes a file, a symbolic link, or a folder without content. Failure: file_missing, file_unwritable.
void remove_file(const std::string& path);

} // namespace pm::runtime
