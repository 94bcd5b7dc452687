#pragma once
#include "compiler/stage/known/options.hpp"

/// Errors for derivatives with respect to arguments that have no derivative.
namespace pm::stage {

inline bool inexact(const Value& leaf) { return runtime::is_inexact(numeric_type(leaf).type.dtype); }

/// A request for a derivative.
struct Asked {
    const std::string& caller;
    const Call& call;
    const CallLeaves& all;

    bool takes_argnums() const { return caller == "grad" || caller == "value_and_grad"; }

    std::size_t argument_of(std::size_t leaf) const;
    std::string path_of(std::size_t leaf) const;
    /// The indices of the arguments with at least one leaf whose leaves are all floating or complex, and are all not
    /// `known`.
    std::vector<std::size_t> floating(const std::vector<bool>& known) const;
};

[[noreturn]] void refuse_integer(Stager& s, const Asked& asked, std::size_t leaf);
/// The error that there is no derivative with respect to an argument, because the argument is static. `why` is the
/// reason why it is static. `known`: per leaf, true if the leaf is known in the staged function.
Diagnostic static_argument(Stager& s, const Asked& asked, std::size_t argument, const std::string& path,
                           const std::string& why, const std::vector<bool>& known);
/// Raises if one of the arguments `which` has no numeric leaves. Examples are strings, and functions without captured
/// values. Empty trees are allowed.
void refuse_structure(Stager& s, const Asked& asked, const std::vector<std::size_t>& which);

} // namespace pm::stage
