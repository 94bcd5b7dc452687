#pragma once
#include "compiler/base/source.hpp"
#include "compiler/stage/values/value.hpp"

#include <bitset>
#include <string_view>
#include <vector>

namespace pm::stage {

class Stager;

/// The arguments of a native function, bound to its parameters.
struct Arguments {
    static constexpr std::size_t most = 32;
    std::vector<Value> values; ///< one per parameter; the value for a rest parameter is a tuple
    std::bitset<most> given;
    Span span;               ///< position of the whole call
    std::vector<Span> spans; ///< per parameter: position of the argument, or of the call if no argument is given

    const Value& operator[](std::size_t i) const { return values[i]; }
};

/// A function written in C++.
struct Native {
    std::string_view name;
    std::string_view signature; ///< "x, axis=none, *rest": defaults are literals
    enum class Kind : std::uint8_t {
        array, ///< appends instructions to a block; at top level this block is run as a separate program
        known, ///< computes its result during staging
        host,  ///< uses files, time or the terminal: a function that calls it is interpreted
    } kind;
    Value (*body)(Stager&, Arguments&);
    std::string_view doc;
    enum Trait : unsigned {
        reads_literals = 1,     ///< an array literal as argument is passed as a tuple of literals
        takes_text = 2,         ///< string arguments may contain staged values
        looks_at_condition = 4, ///< its first argument is examined unevaluated, to show the values that it compares
        acts = 8,               ///< has an effect, so a program may ignore the result
        chooses = 16,       ///< selects one of its arguments, or one for each element; an argument that is not selected
                            ///< raises no error
        gives_nothing = 32, ///< host work that returns `none`
        only_looks = 64,    ///< host work that takes no time and has no effect outside of the program
    };
    unsigned traits = 0;

    bool has(Trait trait) const { return (traits & trait) != 0; }
};

/// All natives, in the order of the files of library/.
const std::vector<const Native*>& natives();
const Native* native_named(std::string_view name);

} // namespace pm::stage
