#pragma once
#include "tests/lang/runner/expectations.hpp"

#include <string>
#include <vector>

namespace pm::lang {

/// A program in a document, with what the document says about its run.
struct Example {
    int line = 0; ///< where its first block begins
    std::string text;
    Expectations expected;
    bool output_given = false; ///< else it may print what it likes
};

/// The programs of a Markdown file: the blocks fenced as `pm`. Blocks fenced as `output` and `error` that follow one
/// hold what it prints to standard output and standard error, line by line; `{*}` stands for any text. `pm more` goes
/// on with the program of the block before, `pm check` is checked and not run, `pm devices=4` says on how many devices
/// it runs, `pm file=f.pm` what it is called, `pm options=--evaluate` an option of `pm run`. Throws std::runtime_error
/// naming the line of a fence that cannot be read.
std::vector<Example> read_document(const std::string& path);

} // namespace pm::lang
