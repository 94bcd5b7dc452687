#pragma once
#include "compiler/stage/core/stager.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace pm::stage {

/// A description of a derived function that names its transformations: "grad(vmap(f))", "hessian(f)".
std::string chain_text(const Stager& s, const Value& f);
/// Adds the note "through `grad(f)`", which names the transformations of the code at the error's position. There is one
/// note for each chain of transformations. The note of the innermost chain is first. A transformation within the
/// library has no name in the program. For such a transformation, LibraryCall adds a note with the call of the library.
void note_transformation(const Stager& s, Diagnostic& d, const std::string& chain, Span call);
/// Removes the notes about transformations within the library. Returns true if the error had such a note.
bool forget_library(Diagnostic& d);
/// Whether `place` is the position of an option of the derived function `function`, or of a function from which
/// `function` was derived.
bool at_option(const Value& function, Span place);

/// Runs `work` for a call of a function that was derived from `function`. An error that `work` raises gets a note with
/// the string that `chain` returns.
template <class Chain, class Work>
auto through(const Stager& s, const Value& function, const Chain& chain, const std::vector<Span>& arguments_at,
             Span span, const Work& work) {
    try {
        return work();
    } catch (Error& e) {
        // An error at the call itself, at an argument, or at an option shows the transformation without a note. An
        // error that ends the run (a stop, a deadline) is not a fault of the code at its position, so it gets no note.
        Diagnostic& d = e.diagnostic();
        const Span at = d.span;
        if (at && !ends_run(d) && at != span &&
            std::find(arguments_at.begin(), arguments_at.end(), at) == arguments_at.end() && !at_option(function, at))
            note_transformation(s, d, chain(), span);
        throw;
    }
}

} // namespace pm::stage
