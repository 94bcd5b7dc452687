#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::cli {

/// A page of docs/diagnostics/, which is embedded in `pm`: `# CODE: title`, then text with programs between fences. The
/// fence before a program with the error is "```pm fails". The fence before a repaired program is "```pm runs". Options
/// of `pm run` may follow in the fence.
struct Page {
    std::string_view code;
    std::string_view title;
    std::string_view body;
};
std::vector<Page> pages();

/// A program in a page.
struct Example {
    bool fails;
    std::vector<std::string> options;
    std::string text;
};
std::vector<Example> examples(const Page& page);

/// The page of a diagnostic, named by PM0204, pm0204, 204 or the name of the diagnostic in diagnostic.def. Empty if
/// there is no such page.
std::optional<Page> page_for(std::string_view code);
/// Throws the error that there is no page for this code. The help of the error names the nearest code.
[[noreturn]] void no_page(const std::string& code);
/// A page as `pm explain` prints it: fences become indentation.
std::string page_text(const Page& page);
/// All codes with their titles, one per line.
std::string page_list();

} // namespace pm::cli
