// Type annotations. An annotation checks a value and never converts it.
#include "compiler/stage/known/annotations.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/known_arithmetic.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"
#include "compiler/syntax/left_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pm::stage {
namespace {

class Annotation {
  public:
    Annotation(const SourceMap& sources, const syntax::Module& tree, Span value, Sizes& sizes)
        : sources_(sources), tree_(tree), value_(value), sizes_(sizes) {}

    void check(syntax::TypeId id, const Value& v) {
        const syntax::TypeExpr& type = tree_[id];
        std::visit(
            [&](const auto& n) {
                using T = std::decay_t<decltype(n)>;
                if constexpr (std::is_same_v<T, syntax::AnyType>)
                    return;
                else if constexpr (std::is_same_v<T, syntax::StringType>)
                    require(v.text() != nullptr, type, v);
                else if constexpr (std::is_same_v<T, syntax::FunctionType>)
                    require(v.function() != nullptr, type, v);
                else if constexpr (std::is_same_v<T, syntax::ArrayType>)
                    array(n, id, v);
                else if constexpr (std::is_same_v<T, syntax::TupleType>) {
                    require(v.tuple() && v.tuple()->items.size() == n.elements.size(), type, v);
                    for (std::size_t i = 0; i < n.elements.size(); ++i) check(n.elements[i], v.tuple()->items[i]);
                } else {
                    require(v.record() != nullptr, type, v);
                    for (const auto& entry : n.entries) {
                        const Value* field = v.record()->find(entry.field.text);
                        require(field != nullptr, type, v);
                        check(entry.type, *field);
                    }
                }
            },
            type.node);
    }

    /// Checks a size that is an expression. Raises if a name in the expression has no value.
    void settle(const Sizes::Open& open) {
        const auto wanted = evaluate(open.size);
        if (!wanted) unbound(open.size);
        require(*wanted == open.is, tree_[open.type], open.value);
    }

  private:
    [[noreturn]] void unbound(syntax::ExprId size) {
        std::string name;
        Span where = tree_[size].span;
        const std::function<void(syntax::ExprId)> find = [&](syntax::ExprId id) {
            if (!id) return;
            const syntax::Expr& e = tree_[id];
            if (const auto* n = std::get_if<syntax::NameRef>(&e.node);
                n && sizes_.bound.count(n->text) == 0 && name.empty()) {
                name = n->text;
                where = e.span;
            }
            if (const auto* u = std::get_if<syntax::Unary>(&e.node)) find(u->operand);
            if (!in_left_chain(e)) return;
            const syntax::LeftChain chain = left_chain(tree_, id);
            find(chain.first);
            for (const syntax::LeftChain::Step& step : chain.steps) find(step.node->right);
        };
        find(size);
        if (name.empty())
            raise(diagnose(Diag::division_by_zero, where, "a size is divided by zero, or does not fit 64 bits")
                      .note(sizes_.bound.empty() ? "no size has a name here" : "sizes here: " + list())
                      .fix("write the size as a name of its own, and compute with it in the function"));
        raise(diagnose(Diag::unknown_name, where, name)
                  .note(fmt::format("a size gets its value where it is alone: f32[{}]", name)));
    }

    void require(bool holds, const syntax::TypeExpr& type, const Value& v) {
        if (holds) return;
        const std::string_view written = sources_.text(type.span);
        auto d = diagnose(Diag::annotation_mismatch, value_, "the value", written, tree_text(v));
        d.label(type.span, "annotated here");
        if (!sizes_.bound.empty()) d.notes.push_back("sizes here: " + list());
        raise(std::move(d).fix(repair(type, v)));
    }

    /// The suggestion in the error message. If the dtypes differ, it suggests to convert the value. Otherwise it
    /// suggests to annotate the type that the value has.
    static std::string repair(const syntax::TypeExpr& type, const Value& v) {
        const auto* wanted = std::get_if<syntax::ArrayType>(&type.node);
        if (wanted && v.is_numeric()) {
            const DType have = numeric_type(v).type.dtype;
            const bool numbers = have != DType::key && wanted->dtype != DType::key;
            if (numbers && have != wanted->dtype)
                return fmt::format("convert it: {}(x), or annotate {}", runtime::name(wanted->dtype), tree_text(v));
        }
        if (std::holds_alternative<syntax::StringType>(type.node) && v.is_numeric()) return "make it a string: \"{x}\"";
        const std::string text = tree_text(v);
        const bool short_enough = text.find("...") == std::string::npos;
        const std::string help = "give it a value of the annotated type";
        return is_type(v) && short_enough ? help + ", or annotate " + text : help;
    }

    /// Whether tree_text of the value is a type of the language.
    static bool is_type(const Value& v) {
        if (const Tuple* t = v.tuple()) return std::all_of(t->items.begin(), t->items.end(), is_type);
        if (const Record* r = v.record())
            return std::all_of(r->fields.begin(), r->fields.end(), [](const auto& f) { return is_type(f.second); });
        return v.is_numeric();
    }

    std::string list() const {
        std::string out;
        for (const auto& [name, n] : sizes_.bound) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, n);
        return out;
    }

    void array(const syntax::ArrayType& a, syntax::TypeId id, const Value& v) {
        const syntax::TypeExpr& type = tree_[id];
        require(v.is_numeric(), type, v);
        const NumericType t = numeric_type(v);
        const bool fits = t.type.dtype == a.dtype || (t.weak && t.type.dtype != DType::key && a.dtype != DType::key &&
                                                      promote(a.dtype, false, t.type.dtype, true).dtype == a.dtype);
        require(fits, type, v);
        const auto rest = std::find_if(a.sizes.begin(), a.sizes.end(), [](const syntax::SizeExpr& s) {
            return s.kind == syntax::SizeExpr::Kind::ellipsis;
        });
        const bool open = rest != a.sizes.end();
        const std::size_t named = a.sizes.size() - (open ? 1 : 0);
        const std::size_t rank = t.type.shape.size();
        require(open ? rank >= named : rank == named, type, v);
        const std::size_t before = static_cast<std::size_t>(rest - a.sizes.begin());
        for (std::size_t i = 0; i < a.sizes.size(); ++i) {
            if (a.sizes[i].kind != syntax::SizeExpr::Kind::value) continue;
            const std::size_t axis = open && i > before ? rank - (a.sizes.size() - i) : i;
            size(a.sizes[i], t.type.shape[axis], id, v);
        }
    }

    void size(const syntax::SizeExpr& s, std::int64_t n, syntax::TypeId type, const Value& v) {
        if (const auto* name = std::get_if<syntax::NameRef>(&tree_[s.value].node)) {
            const auto [at, fresh] = sizes_.bound.try_emplace(name->text, n);
            if (fresh || at->second == n) return;
            raise(diagnose(Diag::size_mismatch, value_, name->text, n, at->second)
                      .label(s.span, fmt::format("`{}` is here", name->text))
                      .note(fmt::format("the value is {}", tree_text(v)))
                      .note("sizes here: " + list()));
        }
        const auto wanted = evaluate(s.value);
        if (wanted)
            require(*wanted == n, tree_[type], v);
        else
            sizes_.open.push_back({type, s.value, n, v, value_});
    }

    std::optional<std::int64_t> evaluate(syntax::ExprId id) const {
        return size_value(tree_, id, [&](const std::string& name) -> std::optional<std::int64_t> {
            const auto at = sizes_.bound.find(name);
            return at == sizes_.bound.end() ? std::nullopt : std::optional(at->second);
        });
    }

    const SourceMap& sources_;
    const syntax::Module& tree_;
    Span value_;
    Sizes& sizes_;
};

} // namespace

namespace {

std::optional<std::int64_t> combined_sizes(syntax::BinaryOp op, std::int64_t x, std::int64_t y) {
    std::int64_t r = 0;
    bool failed = false;
    switch (op) {
    case syntax::BinaryOp::add: failed = __builtin_add_overflow(x, y, &r); break;
    case syntax::BinaryOp::subtract: failed = __builtin_sub_overflow(x, y, &r); break;
    case syntax::BinaryOp::multiply: failed = __builtin_mul_overflow(x, y, &r); break;
    case syntax::BinaryOp::floor_divide:
    case syntax::BinaryOp::remainder:
        failed = y == 0;
        if (failed) break;
        r = floor_divide(x, y);
        if (op == syntax::BinaryOp::remainder) r = x - r * y;
        break;
    default: return {};
    }
    return failed ? std::nullopt : std::optional(r);
}

} // namespace

std::optional<std::int64_t> size_value(const syntax::Module& tree, syntax::ExprId id, const SizeOf& size_of) {
    const syntax::Expr& e = tree[id];
    if (const auto* n = std::get_if<syntax::IntLiteral>(&e.node)) return static_cast<std::int64_t>(n->value);
    if (const auto* n = std::get_if<syntax::NameRef>(&e.node)) return size_of(n->text);
    if (const auto* u = std::get_if<syntax::Unary>(&e.node)) {
        const auto v = size_value(tree, u->operand, size_of);
        return v ? combined_sizes(syntax::BinaryOp::subtract, 0, *v) : std::nullopt;
    }
    if (!in_left_chain(e)) return {};
    const syntax::LeftChain chain = left_chain(tree, id);
    auto x = size_value(tree, chain.first, size_of);
    for (const syntax::LeftChain::Step& step : chain.steps) {
        const auto y = size_value(tree, step.node->right, size_of);
        if (!x || !y) return {};
        x = combined_sizes(step.node->op, *x, *y);
    }
    return x;
}

void check_annotation(const Stager& s, syntax::TypeId type, const Value& value, Span span, Sizes& sizes) {
    Annotation(s.sources(), s.tree(), span, sizes).check(type, value);
}

void settle_sizes(const Stager& s, Sizes& sizes) {
    for (const Sizes::Open& open : std::exchange(sizes.open, {}))
        Annotation(s.sources(), s.tree(), open.span, sizes).settle(open);
}

void check_let(Stager& s, syntax::TypeId type, const Value& value, Span span) {
    Sizes sizes;
    for (const Local& l : s.frame().locals)
        if (l.size) sizes.bound[l.name] = l.cell.value.number()->i;
    const std::map<std::string, std::int64_t> before = sizes.bound;
    check_annotation(s, type, value, span, sizes);
    settle_sizes(s, sizes);
    if (s.frame().top) return;
    for (const auto& [name, n] : sizes.bound) {
        if (before.count(name) != 0) continue;
        for (const Local& l : s.frame().locals)
            if (l.name == name && !l.size)
                raise(diagnose(Diag::duplicate_binding, s.tree()[type].span, name)
                          .label(l.cell.span, "the name is taken here")
                          .note("a size in an annotation is a name of its own"));
        s.scopes().add_local(name, {Value::integer(n), false, s.tree()[type].span}, true);
    }
}

} // namespace pm::stage
