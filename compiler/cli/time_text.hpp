#pragma once
#include "compiler/api/compile.hpp"

#include <string>

namespace pm::cli {

/// A duration as text: "12.3 ms".
std::string duration_text(double seconds);
/// How the time since `before` was spent: "1.20 s: staging 200 ms, optimize ...; 3 programs compiled; by libraries of
/// the GPU: cuFFT 2". Parsing and interpreted code count as staging. If `compiler` is null, the text is only the
/// duration.
std::string time_text(double seconds, const api::Compiler* compiler, const api::Compiler::Spent& before);

} // namespace pm::cli
