#pragma once
#include "tests/lang/runner/expectations.hpp"

#include <string>
#include <vector>

namespace pm::lang {

/// A program in a document, with the document's expectations of its run.
struct Example {
    int line = 0; ///< the line of its first fence
    std::string text;
    Expectations expected;
    bool output_given = false; ///< if false, its output is not compared
};

/// The programs of a Markdown file: the blocks fenced as `pm`. Following blocks fenced as `output` and `error` hold the
/// expected standard output and standard error, line by line; `{*}` matches any text. `pm more` continues the program
/// of the block before. `pm check` checks without a run. `pm devices=4` sets the number of devices, `pm file=f.pm` the
/// file name, `pm options=--evaluate` an option of `pm run`. Throws std::runtime_error with the line of an invalid
/// fence.
std::vector<Example> read_document(const std::string& path);

} // namespace pm::lang
