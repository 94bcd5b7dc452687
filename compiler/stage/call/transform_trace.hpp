#pragma once
#include "compiler/stage/core/stager.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace pm::stage {

/// "grad(vmap(f))", "hessian(f)": the transformations that made a function.
std::string chain_text(const Stager& s, const Value& f);
/// Adds the note "through `grad(f)`": the transformations of the code at the error's position. There is one note per
/// chain, the innermost first. Transformations within the library have no name in the program; the library's call is
/// noted instead (LibraryCall).
void note_transformation(const Stager& s, Diagnostic& d, const std::string& chain, Span call);
/// Removes the notes about transformations within the library. True if there were any.
bool forget_library(Diagnostic& d);
/// Whether an option of `function`, or of a function it was derived from, is at `place`.
bool at_option(const Value& function, Span place);

/// Does work for a call of a function that was derived from `function`. An error within it gets a note with the text of
/// `chain`.
template <class Chain, class Work>
auto through(const Stager& s, const Value& function, const Chain& chain, const std::vector<Span>& arguments_at,
             Span span, const Work& work) {
    try {
        return work();
    } catch (Error& e) {
        // An error at the call itself, or at an option, names the transformation already. An error that ends the run is
        // not a fault of the code there.
        Diagnostic& d = e.diagnostic();
        const Span at = d.span;
        if (at && !ends_run(d) && at != span &&
            std::find(arguments_at.begin(), arguments_at.end(), at) == arguments_at.end() && !at_option(function, at))
            note_transformation(s, d, chain(), span);
        throw;
    }
}

} // namespace pm::stage
