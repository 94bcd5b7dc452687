// Errors for derivatives with respect to arguments that have no derivative.
#include "compiler/stage/transform/refused_derivatives.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

/// The source text, for a suggestion, of a function of all arguments except argument number `argument`: `fn(x) = f(n,
/// x)`.
std::string holding(const Asked& asked, std::size_t argument) {
    std::vector<std::string> names = needed_arguments(asked.call.function);
    if (argument >= names.size()) return "fn(x) = f(..., x)";
    const Function* f = asked.call.function.function();
    const std::string call = fmt::format("{}({})", f && !f->name.empty() ? f->name : "f", fmt::join(names, ", "));
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(argument));
    return fmt::format("fn({}) = {}", fmt::join(names, ", "), call);
}

/// Whether a tree consists only of `none`, tuples and records.
bool is_empty(const Value& v) {
    if (const Tuple* t = v.tuple()) return std::all_of(t->items.begin(), t->items.end(), is_empty);
    if (const Record* r = v.record())
        return std::all_of(r->fields.begin(), r->fields.end(), [](const auto& f) { return is_empty(f.second); });
    return v.is_none();
}

} // namespace

std::size_t Asked::argument_of(std::size_t leaf) const {
    for (std::size_t a = 0; a < all.arguments.size(); ++a)
        if (leaf >= all.arguments[a].first && leaf < all.arguments[a].second) return a;
    PM_UNREACHABLE();
}

std::string Asked::path_of(std::size_t leaf) const {
    const std::size_t a = argument_of(leaf);
    return leaf_path(call.arguments[a], leaf - all.arguments[a].first);
}

std::vector<std::size_t> Asked::floating(const std::vector<bool>& known) const {
    std::vector<std::size_t> found;
    for (std::size_t a = 0; a < all.arguments.size(); ++a) {
        const auto [first, end] = all.arguments[a];
        bool fits = first < end;
        for (std::size_t i = first; i < end; ++i) fits = fits && inexact(all.all[i]) && !known[i];
        if (fits) found.push_back(a);
    }
    return found;
}

void refuse_integer(Stager& s, const Asked& asked, std::size_t leaf) {
    const Type type = numeric_type(asked.all.all[leaf]).type;
    const Number* n = asked.all.all[leaf].number();
    const std::size_t argument = asked.argument_of(leaf);
    const std::string path = asked.path_of(leaf);
    auto d = diagnose(Diag::grad_of_integer, s.places().argument(asked.call.span, argument), asked.caller,
                      argument_text(asked.call.function, argument, path), ir::to_string(type))
                 .under(path.empty() ? ir::to_string(type) : "");
    if (n && n->kind == Number::Kind::integer)
        d.help.push_back(fmt::format("write it with a point: {}.0", n->i));
    else if (numeric_type(asked.all.all[leaf]).weak && type.rank() == 0 && type.dtype != DType::b1)
        d.help.emplace_back("write it with a point, as 3.0, or convert it: f32(x)");
    else
        d.help.emplace_back(type.dtype == DType::key ? "a random key has no derivative" : "convert it: f32(x)");
    if (!path.empty())
        d.help.emplace_back("or give what stays as it is in an argument of its own, which `argnums` leaves out");
    const std::vector<std::size_t> others = asked.floating(std::vector<bool>(asked.all.all.size(), false));
    if (!others.empty() && asked.takes_argnums())
        d.help.push_back(fmt::format("or differentiate another argument: argnums={}", others.front()));
    raise(std::move(d));
}

Diagnostic static_argument(Stager& s, const Asked& asked, std::size_t argument, const std::string& path,
                           const std::string& why, const std::vector<bool>& known) {
    auto d = diagnose(Diag::static_derivative, s.places().argument(asked.call.span, argument), asked.caller,
                      argument_text(asked.call.function, argument, path), why);
    if (asked.call.arguments.size() == 1 && path.empty())
        return std::move(d).fix("give what is differentiated as an argument, in floating numbers");
    if (!asked.takes_argnums())
        return std::move(d).fix("let a function of the others hold it: " + holding(asked, argument));
    std::vector<std::size_t> others = asked.floating(known);
    std::erase(others, argument);
    std::vector<std::string> choices;
    for (const std::size_t a : others) choices.push_back(fmt::format("argnums={}", a));
    if (!choices.empty())
        d.help.push_back(fmt::format("differentiate another argument: {}", fmt::join(choices, " or ")));
    if (choices.empty() || !path.empty())
        d.help.push_back(fmt::format("{}give what is static in an argument of its own, which `argnums` leaves out",
                                     choices.empty() ? "" : "or "));
    return d;
}

void refuse_structure(Stager& s, const Asked& asked, const std::vector<std::size_t>& which) {
    for (const std::size_t a : which)
        if (asked.all.arguments[a].first == asked.all.arguments[a].second && !is_empty(asked.call.arguments[a]))
            raise(static_argument(s, asked, a, "", fmt::format("it is {}", describe(asked.call.arguments[a])),
                                  std::vector<bool>(asked.all.all.size(), false)));
}

} // namespace pm::stage
