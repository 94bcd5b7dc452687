#include "tests/fuzz/mutations.hpp"

#include "tests/fuzz/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace pm::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_bytes = 200'000;

std::size_t below(std::mt19937_64& random, std::size_t n) {
    return n == 0 ? 0 : static_cast<std::size_t>(random() % n);
}

/// Texts that are rare in existing programs.
constexpr std::array odd_pieces = {"999999999999999999999",
                                   "-2147483648",
                                   "9223372036854775807",
                                   "1e400",
                                   "0/0",
                                   "1 // 0",
                                   "none",
                                   "[]",
                                   "()",
                                   "{}",
                                   "\"{x\"",
                                   "\\u{110000}",
                                   "\xff\xfe",
                                   "]",
                                   "((((((((",
                                   "zeros(0)",
                                   "zeros((3, 0))",
                                   "f16",
                                   "1j",
                                   "..",
                                   "*rest",
                                   "grad(",
                                   "vmap(",
                                   "pmap(",
                                   "while true {",
                                   "@",
                                   "\x01"};

struct Span {
    std::size_t begin;
    std::size_t size;
};

Span any_bytes(const std::string& text, std::mt19937_64& random) {
    const std::size_t begin = below(random, text.size());
    return {begin, std::min(text.size() - begin, 1 + below(random, 40))};
}

Span any_line(const std::string& text, std::mt19937_64& random) {
    const std::size_t at = below(random, text.size());
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = text.find('\n', at);
    return {begin, (end == std::string::npos ? text.size() : end + 1) - begin};
}

bool part_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The word at or after a random position. Empty, at the end of the text, if there is none.
Span any_word(const std::string& text, std::mt19937_64& random) {
    std::size_t begin = below(random, text.size());
    while (begin > 0 && part_of_word(text[begin - 1])) --begin;
    while (begin < text.size() && !part_of_word(text[begin])) ++begin;
    std::size_t end = begin;
    while (end < text.size() && part_of_word(text[end])) ++end;
    return {begin, end - begin};
}

Span any_piece(const std::string& text, std::mt19937_64& random) {
    switch (below(random, 3)) {
    case 0: return any_bytes(text, random);
    case 1: return any_line(text, random);
    default: return any_word(text, random);
    }
}

std::string taken(const std::string& text, Span piece) { return text.substr(piece.begin, piece.size); }

void change(std::string& text, const std::string& other, std::mt19937_64& random) {
    if (text.empty()) text = "\n";
    const Span piece = any_piece(text, random);
    switch (below(random, 7)) {
    case 0: text.erase(piece.begin, piece.size); break;
    case 1: text.insert(piece.begin, taken(text, piece)); break;
    case 2: text.replace(piece.begin, piece.size, taken(text, any_piece(text, random))); break;
    case 3:
        if (!other.empty()) text.replace(piece.begin, piece.size, taken(other, any_piece(other, random)));
        break;
    case 4: text.replace(piece.begin, piece.size, odd_pieces[below(random, odd_pieces.size())]); break;
    case 5: text[piece.begin == text.size() ? 0 : piece.begin] ^= static_cast<char>(1U << below(random, 8)); break;
    default: { // deep nesting, or many copies of a line
        const std::string whole = taken(text, any_line(text, random));
        for (std::size_t i = 1 + below(random, 60); i > 0 && text.size() < most_bytes; --i)
            text.insert(piece.begin, below(random, 2) == 0 ? "(" : whole);
    }
    }
}

/// Appends every program of a folder and its subfolders, sorted by path.
void add_programs(const std::string& folder, std::vector<std::string>& programs) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".pm") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
        std::ifstream in(path);
        programs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
}

/// The fault of a run. Empty if there is none.
std::string fault_of(const Finished& f) {
    switch (f.ending) {
    case Ending::done:
    case Ending::diagnostic: return {};
    case Ending::late: return f.code.empty() ? "does not end at its deadline" : "";
    case Ending::internal: return "internal error: " + f.message;
    case Ending::crash: return "crash: " + f.message;
    }
    return {};
}

} // namespace

std::string mutated(const std::vector<std::string>& programs, std::mt19937_64& random) {
    std::string text = programs.at(below(random, programs.size()));
    const std::string& other = programs.at(below(random, programs.size()));
    for (std::size_t i = 1 + below(random, 4); i > 0; --i) change(text, other, random);
    return text;
}

int run_mutations(const Mutations& what) {
    std::vector<std::string> programs;
    for (const std::string& folder : what.folders) add_programs(folder, programs);
    if (programs.empty()) throw std::runtime_error("there is no program in these folders");
    const auto end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(what.seconds));
    int faults = 0;
    long long run = 0;
    const std::vector<Form> forms{{"compiled", false, false, 2}, {"evaluated", true, false, 1}};
    for (; run < what.count && Clock::now() < end; ++run) {
        const std::uint64_t seed = what.seed + static_cast<std::uint64_t>(run);
        std::mt19937_64 random(seed);
        const std::string text = mutated(programs, random);
        const Form& form = forms[below(random, forms.size())];
        const int devices = 1 + static_cast<int>(below(random, 4));
        for (const Finished& f : run_tasks({{form, text}}, devices, what.limit)) {
            const std::string fault = fault_of(f);
            if (fault.empty()) continue;
            ++faults;
            const std::string name = fmt::format("hostile-{}.pm", seed);
            std::ofstream(name) << text;
            fmt::print("FAULT of seed {}, {} on {} devices: {}\n  the program is {}\n", seed, form.name, devices, fault,
                       name);
            std::fflush(stdout);
        }
    }
    fmt::print("{} changed programs, {} faults\n", run, faults);
    return faults;
}

} // namespace pm::fuzz
