#include "compiler/ops/effects/check_attributes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pm::ops {

using ir::Attr;

ir::Attrs check_attributes(const Check& check) {
    ir::Attrs attrs = {{Attr::text, check.text}, {Attr::diagnostic, std::string(info(check.diagnostic).name)}};
    if (!check.help.empty()) attrs.set(Attr::help, check.help);
    if (check.guards) attrs.set(Attr::guards, std::int64_t{1});
    if (check.mapped > 0) attrs.set(Attr::batch, check.mapped);
    return attrs;
}

Check check_of(const ir::Inst& inst) {
    const ir::Attrs& attrs = inst.attrs;
    Check check{
        .text = attrs.text(Attr::text), .guards = attrs.has(Attr::guards), .mapped = attrs.integer(Attr::batch, 0)};
    if (attrs.has(Attr::diagnostic)) {
        const std::string& name = attrs.text(Attr::diagnostic);
        const std::optional<Diag> named = diagnostic_named(name);
        PM_CHECK(named.has_value(), name);
        check.diagnostic = *named;
    }
    if (attrs.has(Attr::help)) check.help = attrs.text(Attr::help);
    return check;
}

std::string mapped_note(const ir::Shape& mapped, std::int64_t element) {
    ir::Shape index(mapped.size());
    for (std::size_t d = mapped.size(); d-- > 0; element /= mapped[d]) index[d] = element % mapped[d];
    if (index.size() == 1) return fmt::format("at element {} of the mapped axis", index[0]);
    return fmt::format("at element [{}] of the mapped axes", fmt::join(index, ", "));
}

} // namespace pm::ops
