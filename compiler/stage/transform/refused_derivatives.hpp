#pragma once
#include "compiler/stage/known/options.hpp"

/// Arguments that a derivative cannot be taken with respect to.
namespace pm::stage {

inline bool inexact(const Value& leaf) { return runtime::is_inexact(numeric_type(leaf).type.dtype); }

/// The request for a derivative.
struct Asked {
    const std::string& caller;
    const Call& call;
    const CallLeaves& all;

    bool takes_argnums() const { return caller == "grad" || caller == "value_and_grad"; }

    std::size_t argument_of(std::size_t leaf) const;
    std::string path_of(std::size_t leaf) const;
    /// The arguments with leaves, all of which are floating or complex, and none `known`.
    std::vector<std::size_t> floating(const std::vector<bool>& known) const;
};

[[noreturn]] void refuse_integer(Stager& s, const Asked& asked, std::size_t leaf);
/// The error that an argument is static, with the reason `why`. `known`: per leaf, whether the staged function knows
/// it.
Diagnostic static_argument(Stager& s, const Asked& asked, std::size_t argument, const std::string& path,
                           const std::string& why, const std::vector<bool>& known);
/// Raises if one of the arguments `which` has no numeric leaves, such as a function or text. Empty trees are allowed.
void refuse_structure(Stager& s, const Asked& asked, const std::vector<std::size_t>& which);

} // namespace pm::stage
