#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::cli {

/// A page of docs/diagnostics/, which is embedded in `pm`: `# CODE: title`, then text with programs between fences. The
/// fence of a program with the error is "```pm fails", that of a repaired one "```pm runs". Options of `pm run` may
/// follow in both.
struct Page {
    std::string_view code;
    std::string_view title;
    std::string_view body;
};
std::vector<Page> pages();

/// A program of a page.
struct Example {
    bool fails;
    std::vector<std::string> options;
    std::string text;
};
std::vector<Example> examples(const Page& page);

/// The page for PM0204, pm0204, 204 or the name in diagnostic.def. Empty if there is none.
std::optional<Page> page_for(std::string_view code);
/// Raises the error that there is no page for this code, with the nearest one.
[[noreturn]] void no_page(const std::string& code);
/// A page as `pm explain` prints it: fences become indentation.
std::string page_text(const Page& page);
/// All codes with their titles, one per line.
std::string page_list();

} // namespace pm::cli
