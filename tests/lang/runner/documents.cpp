#include "tests/lang/runner/documents.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace pm::lang {
namespace {

/// Begins or continues a program at a fence. `words` are the words of the fence.
void begin(std::vector<Example>& all, const std::string& words, int line) {
    std::istringstream in(words);
    std::string word;
    in >> word; // pm
    bool more = false;
    bool check = false;
    int devices = 0;
    std::string name;
    std::vector<std::string> options;
    while (in >> word) {
        if (word == "more")
            more = true;
        else if (word == "check")
            check = true;
        else if (word.starts_with("devices="))
            devices = std::stoi(word.substr(8));
        else if (word.starts_with("file="))
            name = word.substr(5);
        else if (word.starts_with("options="))
            options.push_back(word.substr(8));
        else
            throw std::runtime_error(fmt::format("a program cannot be `{}`", word));
    }
    if (more && all.empty()) throw std::runtime_error("there is no program to go on with");
    if (!more) {
        all.push_back({});
        all.back().line = line;
        all.back().expected.program = "example.pm";
    }
    if (!name.empty()) all.back().expected.program = name;
    if (check) all.back().expected.command = "check";
    if (!options.empty()) all.back().expected.options = options;
    if (devices > 0) all.back().expected.devices = {devices};
}

} // namespace

std::vector<Example> read_document(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error(fmt::format("cannot read {}", path));
    std::vector<Example> all;
    enum class Block { none, program, output, error, other } block = Block::none;
    bool after_program = false; // the next block may be the expected output of the program before it
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.starts_with("```")) {
            const std::string words = line.substr(3);
            const std::string kind = words.substr(0, words.find(' '));
            try {
                if (block != Block::none) {
                    after_program = block != Block::other;
                    block = Block::none;
                } else if (kind == "pm") {
                    begin(all, words, number);
                    block = Block::program;
                } else if (kind == "output" || kind == "error") {
                    if (!after_program) throw std::runtime_error("there is no program before it");
                    block = kind == "output" ? Block::output : Block::error;
                    if (block == Block::output) all.back().output_given = true;
                    if (block == Block::error) all.back().expected.exit = 1;
                } else {
                    block = Block::other;
                }
            } catch (const std::exception& e) {
                throw std::runtime_error(fmt::format("{}:{}: {}", path, number, e.what()));
            }
            continue;
        }
        if (block == Block::program) all.back().text += line + "\n";
        if (block == Block::output) all.back().expected.lines.push_back({{}, line});
        if (block == Block::error) all.back().expected.standard_error.push_back(line);
    }
    if (block != Block::none) throw std::runtime_error(fmt::format("{}: a block is not closed", path));
    return all;
}

} // namespace pm::lang
