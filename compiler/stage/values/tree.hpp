#pragma once
#include "compiler/base/digest.hpp"
#include "compiler/stage/values/value.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// The leaves, the structure and the cache keys of values.
namespace pm::stage {

/// Whether both are the same IR value of the same block, or arrays in the same memory with the same dtype and shape.
bool same_source(const Value& a, const Value& b);
/// A hash that is equal for values that are the same_source.
std::size_t source_hash(const Value& v);

/// Calls `visit` for each numeric leaf. The fields of a record are visited in the order of their sorted names.
void for_each_leaf(const Value& tree, const std::function<void(const Value&)>& visit);
/// The tree with each numeric leaf replaced by the result of `map`, in the order of for_each_leaf.
Value map_leaves(const Value& tree, const std::function<Value(const Value&)>& map);
/// The tree with Value::by_rows set to `by_rows`.
Value with_rows(Value tree, bool by_rows);
/// The tree with by_rows of all its parts cleared: axis 0 of its arrays is another axis, or none.
Value without_rows(const Value& tree);
std::vector<Value> leaves(const Value& tree);
/// A text as the language writes it, in quotes.
std::string quoted_text(const std::string& text);
/// The name of a field, in quotes if the name is no identifier.
std::string field_text(const std::string& name);
/// The source text that accesses a field: `.w`, or `["any text"]`.
std::string step_text(const std::string& field);
/// The path from a tree to a leaf, in the syntax of a program: ".w.0". `leaf` is its index in all_leaves. Empty if the
/// tree itself is the leaf.
std::string leaf_path(const Value& tree, std::size_t leaf);
/// Whether both values have the same structure. Their leaves may differ.
bool same_structure(const Value& a, const Value& b);
/// The type of a leaf as an abstract array; numbers do not change.
Value type_of_leaf(const Value& leaf);
/// "(f32[3], {b: f32, w: f32[2, 3]})"; "each((f32[3], f32[3]))" if by_rows is set. A level with more than four items
/// shows the first three and a count.
std::string tree_text(const Value& v);

/// The indices of `fields` in the order of the sorted names.
std::vector<std::size_t> sorted_fields(const Record& r);

/// Appends to a key everything in a value that determines the staged code. A numeric leaf adds only its type to the
/// key, and is appended to `leaves`. The values that functions have captured are included.
void append_key(Digester& key, const Value& v, std::vector<Value>& leaves);
/// Appends the value of a known number to a key.
void append_number(Digester& key, const Number& n);
/// The leaves that append_key appends, including leaves of ranges and of the values that functions have captured.
std::vector<Value> all_leaves(const Value& v);
/// Whether the keys and the leaves of both values are equal. If so, staging does not distinguish the values.
bool same_leaves(const Value& a, const Value& b);
/// The value with its leaves replaced by leaves[next], leaves[next + 1] ..., in the order of append_key. Advances
/// `next`.
Value replace_leaves(const Value& v, const std::vector<Value>& leaves, std::size_t& next);
/// Whether the value may have leaves. If not, it is its own copy with other leaves, however many texts it has.
bool may_have_leaves(const Value& v);
/// The value with each leaf of all_leaves replaced by the result of `map`.
template <class Map>
Value map_all_leaves(const Value& v, const Map& map) {
    if (!may_have_leaves(v)) return v;
    std::vector<Value> leaves = all_leaves(v);
    for (Value& leaf : leaves) leaf = map(leaf);
    std::size_t next = 0;
    return replace_leaves(v, leaves, next);
}

} // namespace pm::stage
