#include "compiler/base/check.hpp"

#include <fmt/format.h>

namespace pm {

void internal_error(const char* file, int line, const char* condition, const std::string& detail) {
    // Removes the part of the path before the project, so that a report does not depend on the machine.
    std::string_view path(file);
    for (const std::string_view top : {"compiler/", "runtime/", "tests/"})
        if (const auto at = path.rfind(top); at != std::string_view::npos) {
            path.remove_prefix(at);
            break;
        }
    throw InternalError(fmt::format("{}:{}: {}{}{}", path, line, condition, detail.empty() ? "" : ": ", detail));
}

} // namespace pm
