#pragma once
#include "compiler/base/nearest.hpp"
#include "compiler/stage/core/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pm::stage {

/// What stands here for a name of Python, NumPy, JAX and what is built on them; empty for all other names. `where` is
/// the library's module that was asked for it, "" for a name alone, or what `foreign_kind` gives.
std::string_view foreign_name(std::string_view where, std::string_view name);
/// "array", "record", "tuple" or "text": how foreign.def speaks of a value that is asked for a name.
std::string_view foreign_kind(const Value& v);

/// Modules of Python: `np`, `jnp`, `jax` ...
bool foreign_module(std::string_view name);
/// `jnp.zeros`, as it was written: "write zeros". `globals` are the names that stand without a module here.
std::string repair_of_path(std::string_view path, const std::vector<const NearNames*>& globals);

/// The one of `parameters` that is meant by an argument of this name: what other libraries call it, or a slip of the
/// hand. Empty where there is none.
std::string argument_meant(std::string_view name, const std::vector<std::string>& parameters);

} // namespace pm::stage
