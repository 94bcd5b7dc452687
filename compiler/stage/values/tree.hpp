#pragma once
#include "compiler/base/digest.hpp"
#include "compiler/stage/values/value.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// The leaves, the structure and the cache keys of values.
namespace pm::stage {

/// Whether `a` and `b` are the same IR value of the same block, or arrays with the same memory, dtype and shape.
bool same_source(const Value& a, const Value& b);
/// A hash. It is equal for two values if `same_source` is true for them.
std::size_t source_hash(const Value& v);

/// Calls `visit` for each numeric leaf. The fields of a record are visited in the order of their sorted names.
void for_each_leaf(const Value& tree, const std::function<void(const Value&)>& visit);
/// The tree with each numeric leaf replaced by the result of `map`, in the order of for_each_leaf.
Value map_leaves(const Value& tree, const std::function<Value(const Value&)>& map);
/// The tree with Value::by_rows set to `by_rows`.
Value with_rows(Value tree, bool by_rows);
/// The tree with `by_rows` set to false in the tree and in all its tuples and records. Used after axis 0 of the arrays
/// has changed, so that it no longer has the rows.
Value without_rows(const Value& tree);
std::vector<Value> leaves(const Value& tree);
/// The string literal of the language for `text`, with quotes.
std::string quoted_text(const std::string& text);
/// The name of a field as in a record literal. A name that is no identifier is in quotes.
std::string field_text(const std::string& name);
/// The source text that accesses a field: `.w`. If the name is no identifier, `["any text"]`.
std::string step_text(const std::string& field);
/// The path from a tree to a leaf, in the syntax of the language: ".w.0". `leaf` is the index of the leaf in
/// all_leaves. The path is empty if the tree itself is the leaf.
std::string leaf_path(const Value& tree, std::size_t leaf);
/// Whether both values have the same structure. Their leaves may differ.
bool same_structure(const Value& a, const Value& b);
/// An abstract array with the type of the leaf. For a number, the number itself.
Value type_of_leaf(const Value& leaf);
/// A description of a value's types: "(f32[3], {b: f32, w: f32[2, 3]})", or "each((f32[3], f32[3]))" if `by_rows` is
/// set. For a tuple or record with more than four items, the first three items and the number of the others.
std::string tree_text(const Value& v);

/// The indices of the fields of `r`, in the order of the sorted names.
std::vector<std::size_t> sorted_fields(const Record& r);

/// Appends to a key everything in a value that determines the staged code. A numeric leaf adds only its type to the
/// key, and is appended to `leaves`. Values that functions have captured are part of the key too.
void append_key(Digester& key, const Value& v, std::vector<Value>& leaves);
/// Appends the value of a known number to a key.
void append_number(Digester& key, const Number& n);
/// The leaves that append_key appends, including leaves of ranges and of the values that functions have captured.
std::vector<Value> all_leaves(const Value& v);
/// Whether the keys and the leaves of both values are equal. Staging does not distinguish such values.
bool same_leaves(const Value& a, const Value& b);
/// The value with its leaves replaced by leaves[next], leaves[next + 1] ..., in the order of append_key. Advances
/// `next`.
Value replace_leaves(const Value& v, const std::vector<Value>& leaves, std::size_t& next);
/// Whether the value may have leaves. If false, replace_leaves would return the value itself, so callers need not
/// traverse the value.
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
