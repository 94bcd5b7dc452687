#pragma once
#include "compiler/base/nearest.hpp"
#include "compiler/stage/values/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pm::stage {

/// A text that names the equivalent of a name of Python, NumPy, JAX, or a library that is based on them. Empty for
/// other names. `where`: "" for a name without a path; else the module, or the `foreign_kind` of the value, in which
/// the name was looked up.
std::string_view foreign_name(std::string_view where, std::string_view name);
/// The word of foreign.def for a value whose member is looked up: "array", "record", "tuple", "text", else "value".
std::string_view foreign_kind(const Value& v);

/// Whether `name` is the usual name of a Python module: `np`, `jnp`, `jax` ...
bool foreign_module(std::string_view name);
/// The repair for a path such as `jnp.zeros` in a program: "write zeros". Empty if there is none. `globals`: names of
/// this language that need no module.
std::string repair_of_path(std::string_view path, const std::vector<const NearNames*>& globals);

/// The parameter that is meant by the unknown argument name `name`, which is a synonym in another library or a
/// misspelling. Empty if there is none.
std::string argument_meant(std::string_view name, const std::vector<std::string>& parameters);

} // namespace pm::stage
