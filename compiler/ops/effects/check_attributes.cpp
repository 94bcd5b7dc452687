#include "compiler/ops/effects/check_attributes.hpp"

namespace pm::ops {

using ir::Attr;

ir::Attrs check_attributes(const Check& check) {
    ir::Attrs attrs = {{Attr::text, check.text}, {Attr::diagnostic, std::string(info(check.diagnostic).name)}};
    if (!check.help.empty()) attrs.set(Attr::help, check.help);
    if (check.guards) attrs.set(Attr::guards, std::int64_t{1});
    return attrs;
}

Check check_of(const ir::Inst& inst) {
    const ir::Attrs& attrs = inst.attrs;
    Check check{.text = attrs.text(Attr::text), .guards = attrs.has(Attr::guards)};
    if (attrs.has(Attr::diagnostic)) {
        const std::string& name = attrs.text(Attr::diagnostic);
        const std::optional<Diag> named = diagnostic_named(name);
        PM_CHECK(named.has_value(), name);
        check.diagnostic = *named;
    }
    if (attrs.has(Attr::help)) check.help = attrs.text(Attr::help);
    return check;
}

} // namespace pm::ops
