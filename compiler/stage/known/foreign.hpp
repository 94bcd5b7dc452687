#pragma once
#include "compiler/base/nearest.hpp"
#include "compiler/stage/values/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pm::stage {

/// For a name from Python, NumPy, JAX or a library based on one of these: a suggestion that names the equivalent in
/// this language. Empty for other names. `where` is "" for a name without a path. For a name in a module, `where` is
/// the name of the module. For a member of a value, `where` is the foreign_kind of the value.
std::string_view foreign_name(std::string_view where, std::string_view name);
/// The word that foreign.def uses as `where` for members of `v`: "array", "record", "tuple" or "text". For a native
/// function it is its name, because `time.time` treats `time` as a module. For other values it is "value".
std::string_view foreign_kind(const Value& v);

/// Whether `name` is the usual name of a Python module: `np`, `jnp`, `jax` ...
bool foreign_module(std::string_view name);
/// The suggestion for a path such as `jnp.zeros` in a program: "write zeros". Empty if no equivalent is known.
/// `globals`: names of this language that need no module.
std::string repair_of_path(std::string_view path, const std::vector<const NearNames*>& globals);

/// The parameter that the program probably means by the unknown argument name `name`. `name` may be a misspelling of
/// the parameter's name, or the parameter's name in another library. Empty if no parameter fits.
std::string argument_meant(std::string_view name, const std::vector<std::string>& parameters);

} // namespace pm::stage
