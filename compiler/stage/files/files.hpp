#pragma once
#include "compiler/stage/core/stager.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

/// The natives that work with files, and the format of JSON.
namespace pm::stage::files {

/// The most levels of a tree in a file: the functions for trees are recursive.
constexpr std::size_t deepest_tree = 1000;

std::span<const Native> file_access(); ///< read_text, save_npz, list_folder ...
std::span<const Native> tables();      ///< read_csv, write_csv, and the codes of texts for the module `table`
std::span<const Native> json();        ///< parsing and formatting JSON, for the module `json`
std::span<const Native> saved_trees(); ///< save_tree, load_tree

/// Runs work that accesses files, if the host permits access to files. A failure is raised at the position of the call.
Value with_files(Stager& s, const Arguments& a, std::string_view what, const std::function<Value()>& work);
/// Converts a value at top level to an array. A number becomes an array without axes. `what` is the subject of the
/// error.
Array array_of(const Value& v, Span span, std::string_view what);
/// The first argument, the path of a file.
const std::string& path_of(Stager& s, const Arguments& a);
/// A text as JSON writes it, in quotes. Raises if it is not UTF-8, as a name of a file or an argument of the program
/// may be.
std::string quoted_json(const std::string& text, Span span);

} // namespace pm::stage::files
