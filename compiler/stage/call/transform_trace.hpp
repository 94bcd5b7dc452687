#pragma once
#include "compiler/stage/core/stager.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace pm::stage {

/// "grad(vmap(f))", "hessian(f)": a function as it was made of others.
std::string chain_text(const Stager& s, const Value& f);
/// "through `grad(f)`": what the code at the error's place was going through; one note per chain of transformations,
/// the innermost first. What the library goes through in itself has no name for the program: its call is noted
/// (LibraryCall).
void note_transformation(const Stager& s, Diagnostic& d, const std::string& chain, Span call);
/// Takes the notes of what the library went through away; answers whether there were any.
bool forget_library(Diagnostic& d);
/// Whether an option of `function`, or of what it is made of, stands there.
bool at_option(const Value& function, Span place);

/// Does work for a call of what is made of `function` by transformations; an error of what stands in it says what it
/// was going through. `chain` gives the text.
template <class Chain, class Work>
auto through(const Stager& s, const Value& function, const Chain& chain, const std::vector<Span>& arguments_at,
             Span span, const Work& work) {
    try {
        return work();
    } catch (Error& e) {
        // What is said of the call itself, or of an option, names the transformation already; what ends a run is no
        // fault of what stands there.
        Diagnostic& d = e.diagnostic();
        const Span at = d.span;
        if (at && !ends_run(d) && at != span &&
            std::find(arguments_at.begin(), arguments_at.end(), at) == arguments_at.end() && !at_option(function, at))
            note_transformation(s, d, chain(), span);
        throw;
    }
}

} // namespace pm::stage
