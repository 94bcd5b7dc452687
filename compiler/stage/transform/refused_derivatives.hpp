#pragma once
#include "compiler/stage/known/options.hpp"

/// Arguments that a derivative cannot be taken with respect to.
namespace pm::stage {

inline bool inexact(const Value& leaf) { return runtime::is_inexact(numeric_type(leaf).type.dtype); }

/// What a derivative is asked for.
struct Asked {
    const std::string& caller;
    const Value& function;
    const std::vector<Value>& arguments;
    const CallLeaves& all;
    Span span;

    bool takes_argnums() const { return caller == "grad" || caller == "value_and_grad"; }

    std::size_t argument_of(std::size_t leaf) const;
    std::string path_of(std::size_t leaf) const;
    /// The arguments of floating numbers none of which is in `known`.
    std::vector<std::size_t> floating(const std::vector<bool>& known) const;
};

[[noreturn]] void refuse_integer(Stager& s, const Asked& asked, std::size_t leaf);
/// That an argument is static, and `why`; where the function is being staged, with the leaves that are `known`.
Diagnostic static_argument(Stager& s, const Asked& asked, std::size_t argument, const std::string& path,
                           const std::string& why, const std::vector<bool>& known);
/// Functions, text and the like hold nothing that a derivative could be taken of.
void refuse_structure(Stager& s, const Asked& asked, const std::vector<std::size_t>& which);

} // namespace pm::stage
