#pragma once
#include "compiler/stage/core/stager.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

/// The natives that work with files and with JSON.
namespace pm::stage::files {

/// The greatest depth of a tree in a file. A bound is needed because the functions for trees are recursive.
constexpr std::size_t deepest_tree = 1000;

std::span<const Native> file_access(); ///< read_text, save_npz, list_folder ...
std::span<const Native> tables();      ///< read_csv, write_csv, and functions for the module `table`
std::span<const Native> json();        ///< parsing and formatting JSON, for the module `json`
std::span<const Native> saved_trees(); ///< save_tree, load_tree

/// In a job of several processes: whether the first process accesses files for all, or each process reads.
enum class FileAccess : std::uint8_t { first, each };
/// Runs `work`, which accesses files. Raises if Host::files does not permit this. A failure of `work` is raised as an
/// error at the position of the call.
Value with_files(Stager& s, const Arguments& a, std::string_view what, FileAccess access,
                 const std::function<Value()>& work);
/// Raises if Host::files does not permit `what` to access files.
void require_files(const Stager& s, const Arguments& a, std::string_view what);
/// Converts a value at top level to an array. A number becomes an array without axes. Raises for other values; `what`
/// is the subject of the error.
Array array_of(const Value& v, Span span, std::string_view what);
/// The first argument of a native, which is the path of a file.
const std::string& path_of(Stager& s, const Arguments& a);
/// The string literal of JSON for `text`, with quotes. Raises if `text` is not UTF-8. File names and command-line
/// arguments, for example, need not be UTF-8.
std::string quoted_json(const std::string& text, Span span);

} // namespace pm::stage::files
