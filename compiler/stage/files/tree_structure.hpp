#pragma once
#include "compiler/stage/values/value.hpp"
#include "runtime/io/formats/npy.hpp"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>

namespace pm::stage::files {

/// A tree without the elements of its arrays.
using Structure = nlohmann::ordered_json;
/// No array of a tree has this name.
inline constexpr const char* structure_entry = "__tree__";

/// The structure of a tree. Appends its arrays to `arrays`; the name of each is its path in the tree. Raises for a
/// value that is no tree, with the position `span`.
Structure tree_structure(const Value& tree, Span span, runtime::NamedArrays& arrays);

/// Thrown for a structure that tree_structure() did not make.
struct MalformedTree {
    std::string reason;
};
/// The tree of a structure and its arrays. Throws MalformedTree.
Value tree_of(const Structure& structure, const std::map<std::string, Array>& arrays);

} // namespace pm::stage::files
