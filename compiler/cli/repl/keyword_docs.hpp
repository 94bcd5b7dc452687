#pragma once
#include <string>
#include <string_view>

namespace pm::cli {

/// The documentation of a keyword or of a word with a special meaning, as `:doc` prints it: the forms in which it is
/// used, then its meaning. Empty for other words. The values that keywords name, such as `grad`, have their own
/// documentation.
std::string keyword_doc(std::string_view word);

} // namespace pm::cli
