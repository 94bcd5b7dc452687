// Reads in_axes and out_axes. The value of such an option may be a tree that is a prefix of the tree of arguments or of
// the result.
#include "compiler/stage/transform/prefix_axes.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/known/printing.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

namespace pm::stage {

namespace {

/// The source text of the tree `tree` with `0` for each leaf.
std::string zeros_text(const Value& tree) {
    std::string text;
    if (const Tuple* t = tree.tuple()) {
        for (const Value& item : t->items) text += (text.empty() ? "" : ", ") + zeros_text(item);
        return fmt::format("({}{})", text, t->items.size() == 1 ? "," : "");
    }
    if (const Record* r = tree.record()) {
        for (const auto& [name, value] : r->fields)
            text += (text.empty() ? "" : ", ") + fmt::format("{}: {}", name, zeros_text(value));
        return fmt::format("{{{}}}", text);
    }
    return "0";
}

/// Reads axes that are a prefix of a tree. If the prefix does not fit, the error names the part of the tree that has
/// another structure than the prefix.
class PrefixAxes {
  public:
    PrefixAxes(const AxesOf& of, std::vector<std::optional<std::int64_t>>& out) : of_(of), out_(out) {}

    void read(const Value& spec, const Value& tree, const std::string& path) {
        const Number* n = spec.number();
        if (spec.is_none() || (n && n->kind == Number::Kind::integer)) {
            for (std::size_t i = of_.leaves(tree).size(); i-- > 0;)
                out_.push_back(n ? std::optional(n->i) : std::nullopt);
            return;
        }
        if (const Tuple* s = spec.tuple()) {
            const Tuple* t = tree.tuple();
            if (!t || t->items.size() != s->items.size())
                refuse(spec, tree, path, fmt::format("it does not fit {}", tree_text(tree)));
            for (std::size_t i = 0; i < s->items.size(); ++i)
                read(s->items[i], t->items[i], fmt::format("{}.{}", path, i));
            return;
        }
        if (const Record* s = spec.record()) {
            const Record* t = tree.record();
            if (!t || t->fields.size() != s->fields.size())
                refuse(spec, tree, path, fmt::format("it does not fit {}", tree_text(tree)));
            for (const std::size_t i : sorted_fields(*t)) {
                const std::string& name = t->fields[i].first;
                const Value* axis = s->find(name);
                if (!axis) refuse(spec, tree, path, fmt::format("it has no field `{}`", name));
                read(*axis, t->fields[i].second, fmt::format("{}.{}", path, name));
            }
            return;
        }
        raise(diagnose(Diag::bad_axes, of_.span, of_.what, of_.caller, describe(spec),
                       "an axis is an integer, `none`, or a tuple or record of these")
                  .fix(fits(tree, path)));
    }

  private:
    std::string fits(const Value& tree, const std::string& path) const {
        const std::string form = zeros_text(tree);
        return fmt::format("for {} write {}an integer or `none` for all of it", of_.part(path),
                           form == "0" ? "" : fmt::format("{}, or ", form));
    }
    [[noreturn]] void refuse(const Value& spec, const Value& tree, const std::string& path, const std::string& why) {
        raise(diagnose(Diag::bad_axes, of_.span, of_.what, of_.caller, printed(spec),
                       fmt::format("of {} {}", of_.part(path), why))
                  .fix(fits(tree, path)));
    }

    const AxesOf& of_;
    std::vector<std::optional<std::int64_t>>& out_;
};

} // namespace

void prefix_axes(const Value& spec, const Value& tree, const AxesOf& of,
                 std::vector<std::optional<std::int64_t>>& out) {
    PrefixAxes(of, out).read(spec, tree, "");
}

} // namespace pm::stage
