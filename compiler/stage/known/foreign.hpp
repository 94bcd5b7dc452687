#pragma once
#include "compiler/base/nearest.hpp"
#include "compiler/stage/values/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pm::stage {

/// The equivalent of a name of Python, NumPy, JAX and libraries on top of them; empty for other names. `where` is the
/// library's module in which the name was looked up, "" for a name alone, or a result of `foreign_kind`.
std::string_view foreign_name(std::string_view where, std::string_view name);
/// The word of foreign.def for a value whose member is looked up: "array", "record", "tuple", "text", else "value".
std::string_view foreign_kind(const Value& v);

/// Whether it is a name of a Python module: `np`, `jnp`, `jax` ...
bool foreign_module(std::string_view name);
/// The repair for a written path such as `jnp.zeros`: "write zeros". Empty if there is none. `globals` are the names
/// that need no module here.
std::string repair_of_path(std::string_view path, const std::vector<const NearNames*>& globals);

/// The parameter that an argument of this name means: a synonym in other libraries, or a misspelling. Empty if there is
/// none.
std::string argument_meant(std::string_view name, const std::vector<std::string>& parameters);

} // namespace pm::stage
