#pragma once
#include <cstddef>
#include <string>
#include <string_view>

/// The line editor of the interactive session: the edited text, the input from a terminal and the output to the
/// terminal.
namespace pm::cli::editor {

/// The end of the visible character that begins at `at`, including the marks that are drawn over it. A byte that is no
/// part of valid UTF-8 counts as one character. text.size() if `at` is the end of the text.
std::size_t after_character(std::string_view text, std::size_t at);
/// The beginning of the character that ends at `at`; 0 if `at` is 0.
std::size_t before_character(std::string_view text, std::size_t at);

/// One character as it is drawn: control characters as `^A`, a tab as spaces, bytes that are not UTF-8 as U+FFFD.
struct Drawn {
    std::string text;
    int columns;
};
Drawn drawn(std::string_view character);
/// The number of columns of a text without escape sequences.
int columns_of(std::string_view text);

/// The length of a UTF-8 sequence that begins with `first`, 1 to 4. 0 if no sequence begins with this byte.
std::size_t sequence_length(unsigned char first);

} // namespace pm::cli::editor
