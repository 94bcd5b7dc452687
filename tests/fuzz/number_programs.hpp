#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Random functions whose numbers are used as sizes and as conditions.
namespace pm::fuzz {

struct NumberLine {
    std::string text;       ///< with its indentation
    bool place = false;     ///< a statement may be inserted before it
    std::size_t indent = 0; ///< of a statement that is inserted before it
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
    std::string module;            ///< definitions before the lines
    std::vector<NumberLine> lines; ///< `f` with its local functions, and some functions before it
    std::vector<NumberCall> calls;
};

/// Generates the same program for the same seed on every machine. A call may be refused, and every call ends soon.
NumberProgram generate_numbers(std::uint64_t seed);

/// The text of the definitions. With `before`, a line of host work precedes that line.
std::string definitions_text(const NumberProgram& program, std::optional<std::size_t> before = {});

} // namespace pm::fuzz
