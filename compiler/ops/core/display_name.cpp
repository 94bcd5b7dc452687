#include "compiler/ops/core/display_name.hpp"

#include "compiler/ops/core/rules.hpp"

#include <array>

namespace pm::ops {
namespace {

/// Names of the operations with regions.
constexpr std::array control_names = {
#define CONTROL(name, said) std::string_view(said),
#include "compiler/ir/control.def"
#undef CONTROL
};

} // namespace

std::string_view display_name(ir::Op op) {
    if (ir::is_control(op)) return control_names[static_cast<std::size_t>(op) - ir::flat_op_count];
    const std::string_view said = rules(op).name;
    return said.empty() ? ir::info(op).name : said;
}

void replace_display_name(Diagnostic& diagnostic, std::string_view name) {
    std::string& text = diagnostic.message;
    if (!text.starts_with('`')) return;
    const std::size_t end = text.find('`', 1);
    if (end == std::string::npos) return;
    const std::string_view said = std::string_view(text).substr(1, end - 1);
    if (said == name) return;
    // These operators are not the display_name of an operation. They stage several operations, or one operation with
    // exchanged operands.
    bool known = said == ">" || said == ">=" || said == "//";
    for (int i = 0; i < ir::op_count; ++i) known = known || said == display_name(static_cast<ir::Op>(i));
    if (known) text.replace(1, end - 1, name);
}

} // namespace pm::ops
