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
    std::vector<Value> values; ///< one per parameter; a rest parameter is a tuple
    std::bitset<most> given;
    Span span;               ///< of the whole call
    std::vector<Span> spans; ///< per parameter; the span of the call if there is no argument

    const Value& operator[](std::size_t i) const { return values[i]; }
};

/// A function written in C++.
struct Native {
    std::string_view name;
    std::string_view signature; ///< "x, axis=none, *rest": defaults are literals
    enum class Kind : std::uint8_t {
        array, ///< appends to a block; at top level it runs as a program of one operation
        known, ///< computes while staging
        host,  ///< files, time, terminal: a function that calls it is interpreted
    } kind;
    Value (*body)(Stager&, Arguments&);
    std::string_view doc;
    enum Trait : unsigned {
        reads_literals = 1,     ///< array literals arrive as tuples of written numbers
        takes_text = 2,         ///< text arguments may hold values that are computed at run time
        looks_at_condition = 4, ///< its first argument is examined unevaluated, to show what it compares
        acts = 8,               ///< called for its effect: its value may be unused
        chooses = 16,           ///< returns one of its arguments, perhaps per element; the others raise no errors
        gives_nothing = 32,     ///< host work that returns `none`
        only_looks = 64,        ///< host work that takes no time and has no effect outside
    };
    unsigned traits = 0;

    bool has(Trait trait) const { return (traits & trait) != 0; }
};

/// All natives, in the order of their files. Each file of library/ returns a span.
const std::vector<const Native*>& natives();
const Native* native_named(std::string_view name);

} // namespace pm::stage
