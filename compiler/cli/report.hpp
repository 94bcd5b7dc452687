#pragma once
#include "compiler/base/check.hpp"
#include "compiler/base/diagnostic.hpp"

#include <string>

namespace pm::cli {

/// The forms of --errors: with source lines and carets; one line per error; one JSON object per line.
enum class Errors { long_form, short_form, json };

/// One diagnostic in this form, with its newline.
std::string error_text(const Diagnostic& diagnostic, const SourceMap& sources, Errors form);

/// One JSON object: code, name, severity, message, file, spans, labels, notes, fixes, calls, more_calls. A span has
/// file, line, column, end_line and end_column. Lines and columns are numbered from 1; a column is a code point; the
/// end is one past the last character. The first span is the place of the error; labels[i] is the text for spans[i]. If
/// the error has no place, `file` is null and `spans` is empty. `calls` are the spans of the calls that led to the
/// place.
std::string json_text(const Diagnostic& diagnostic, const SourceMap& sources);

/// The report of an internal error of pm: the stage, and how to reproduce the error. `command` is the command line,
/// `file` the program that it runs, or empty.
Diagnostic internal_diagnostic(const std::string& what, const std::string& stage, const std::string& command,
                               const std::string& file);

} // namespace pm::cli
