#pragma once
#include "tests/fuzz/program.hpp"

#include <string>
#include <string_view>
#include <vector>

/// The laws that every program must satisfy, as text that follows the program: each law prints its sides, which are
/// compared.
namespace pm::fuzz {

struct Law {
    std::string name;
    std::vector<std::string> sides; ///< expressions; a single one is only compared between forms
    /// The second and third sides are difference quotients with a step and with half of it.
    bool differences = false;
};
/// The laws that apply to this program.
std::vector<Law> laws_of(const Program& program);
const Law* find_law(const std::vector<Law>& laws, std::string_view name);

/// The program followed by these laws, as a file for `pm run`.
std::string law_program(const Program& program, const std::vector<Law>& laws, const Writing& writing);

/// The printed sides of a law.
struct Printed {
    std::string law;
    std::vector<std::string> sides;
};
std::vector<Printed> read_output(const std::string& output);

enum class Verdict { holds, fails, unsure };
/// Whether two values are equal up to rounding: the same structure, and numbers that differ by at most `tolerance`
/// times the greatest number.
bool alike(const std::string& a, const std::string& b, double tolerance);
/// The same with a tolerance relative to each number.
bool alike_each(const std::string& a, const std::string& b, double tolerance);
/// The greatest difference, relative to the greatest number. Infinite if the structures differ.
double distance(const std::string& a, const std::string& b);
/// Compares a derivative with difference quotients. `unsure` if the quotients are inconclusive, for example near a
/// kink.
Verdict compare_differences(const std::string& derivative, const std::string& coarse, const std::string& fine);

} // namespace pm::fuzz
