#pragma once
#include "tests/fuzz/program.hpp"

#include <string>
#include <string_view>
#include <vector>

/// What must hold of every program, as text behind it: each law prints its sides, and these are compared.
namespace pm::fuzz {

struct Law {
    std::string name;
    std::vector<std::string> sides; ///< expressions; one alone is only compared between forms
    /// The second and third are difference quotients of a step and of half of it.
    bool differences = false;
};
/// Those that hold of this program.
std::vector<Law> laws_of(const Program& program);
const Law* find_law(const std::vector<Law>& laws, std::string_view name);

/// The program and these laws: a file for `pm run`.
std::string law_program(const Program& program, const std::vector<Law>& laws, const Writing& writing);

/// What a law printed, side by side.
struct Printed {
    std::string law;
    std::vector<std::string> sides;
};
std::vector<Printed> read_output(const std::string& output);

enum class Verdict { holds, fails, unsure };
/// Equal up to rounding: the same structure, and numbers that differ by at most `tolerance` of the greatest.
bool alike(const std::string& a, const std::string& b, double tolerance);
/// Greatest difference, as a part of the greatest number; infinite where the structures differ.
double distance(const std::string& a, const std::string& b);
/// A derivative between difference quotients: unsure where these say nothing, as near a kink.
Verdict compare_differences(const std::string& derivative, const std::string& coarse, const std::string& fine);

} // namespace pm::fuzz
