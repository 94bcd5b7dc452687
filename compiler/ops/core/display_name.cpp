#include "compiler/ops/core/display_name.hpp"

#include "compiler/ops/core/rules.hpp"
#include "runtime/dtype.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cctype>

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

std::string name_in_programs(const ir::Inst& inst) {
    if (inst.op == Op::convert) return std::string(runtime::name(inst.attrs.dtype(ir::Attr::dtype)));
    if (inst.op == Op::factorize) return "linalg." + inst.attrs.text(ir::Attr::kind);
    return std::string(display_name(inst.op));
}

std::string as_written(const ir::Inst& inst, std::vector<std::string> operands) {
    if (inst.op == Op::integer_pow) operands.push_back(fmt::format("{}", inst.attrs.integer(ir::Attr::exponent)));
    return as_written(name_in_programs(inst), operands);
}

std::string as_written(std::string_view name, const std::vector<std::string>& operands) {
    const bool infix = operands.size() == 2 && std::isalpha(static_cast<unsigned char>(name[0])) == 0;
    if (infix) return fmt::format("{} {} {}", operands[0], name, operands[1]);
    const std::string list = fmt::format("{}", fmt::join(operands, ", "));
    return operands.size() == 1 && list.starts_with('(') ? fmt::format("{}{}", name, list)
                                                         : fmt::format("{}({})", name, list);
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
