#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Random functions whose numbers are used as sizes and as conditions.
namespace pm::fuzz {

struct NumberLine {
    std::string text;       ///< with its blanks
    bool place = false;     ///< a statement may stand before it
    std::size_t indent = 0; ///< blanks of a statement before it
};

/// A call of `f`.
struct NumberCall {
    std::string sizes; ///< the first two arguments
    std::string number, condition, array;

    std::string text() const;
    /// A batch of this call alone. The array and a number with a dtype are batched.
    std::string batched() const;
    bool operator==(const NumberCall&) const = default;
};

struct NumberProgram {
    std::string module;            ///< definitions that come before the lines
    std::vector<NumberLine> lines; ///< `f`, with functions in it and some before it
    std::vector<NumberCall> calls;
};

/// Generates the same program for the same seed on every machine. A call may be refused, and every call ends soon.
NumberProgram generate_numbers(std::uint64_t seed);

/// The definitions. With `before`, a line of host work stands before this one of the lines.
std::string definitions_text(const NumberProgram& program, std::optional<std::size_t> before = {});

} // namespace pm::fuzz
