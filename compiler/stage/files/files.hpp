#pragma once
#include "compiler/stage/core/stager.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

/// The natives that work with files, and the format of JSON.
namespace pm::stage::files {

/// The most levels of a tree that is written or read as JSON. The functions for trees are recursive.
constexpr std::size_t deepest_tree = 1000;

std::span<const Native> file_access(); ///< read_csv, save_npz, list_folder ...
std::span<const Native> json();        ///< parsing and formatting JSON, for the module `json`
std::span<const Native> saved_trees(); ///< save_tree, load_tree

/// Runs work that accesses files, if the host permits access to files. A failure is raised at the position of the call.
Value with_files(Stager& s, const Arguments& a, std::string_view what, const std::function<Value()>& work);
/// The first argument, the path of a file.
const std::string& path_of(Stager& s, const Arguments& a);
/// Converts a value at top level to an array. A number becomes an array without axes.
Array array_of(const Value& v, Span span, std::string_view what);

} // namespace pm::stage::files
