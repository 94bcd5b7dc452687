// Type annotations: they check and never convert.
#include "compiler/base/check.hpp"
#include "compiler/stage/stager.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

using namespace syntax;
using Sizes = std::map<std::string, std::int64_t>;

class Annotation {
  public:
    Annotation(const SourceMap& sources, const Module& tree, Span value, Sizes& sizes)
        : sources_(sources), tree_(tree), value_(value), sizes_(sizes) {}

    void check(TypeId id, const Value& v) {
        const TypeExpr& type = tree_[id];
        std::visit(
            [&](const auto& n) {
                using T = std::decay_t<decltype(n)>;
                if constexpr (std::is_same_v<T, AnyType>)
                    return;
                else if constexpr (std::is_same_v<T, StringType>)
                    require(v.text() != nullptr, type, v);
                else if constexpr (std::is_same_v<T, FunctionType>)
                    require(v.function() != nullptr, type, v);
                else if constexpr (std::is_same_v<T, ArrayType>)
                    array(n, type, v);
                else if constexpr (std::is_same_v<T, TupleType>) {
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

  private:
    void require(bool holds, const TypeExpr& type, const Value& v) {
        if (holds) return;
        const std::string_view written = sources_.text(type.span);
        auto d = diagnose(Diag::annotation_mismatch, value_, "the value", written, tree_text(v));
        d.label(type.span, "annotated here");
        if (!sizes_.empty()) d.notes.push_back("sizes here: " + list());
        raise(std::move(d));
    }

    std::string list() const {
        std::string out;
        for (const auto& [name, n] : sizes_) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, n);
        return out;
    }

    void array(const ArrayType& a, const TypeExpr& type, const Value& v) {
        require(v.is_numeric(), type, v);
        const NumericType t = numeric_type(v);
        const bool fits = t.type.dtype == a.dtype || (t.weak && t.type.dtype != DType::key && a.dtype != DType::key &&
                                                      promote(a.dtype, false, t.type.dtype, true).dtype == a.dtype);
        require(fits, type, v);
        const auto rest = std::find_if(a.sizes.begin(), a.sizes.end(),
                                       [](const SizeExpr& s) { return s.kind == SizeExpr::Kind::ellipsis; });
        const bool open = rest != a.sizes.end();
        const std::size_t named = a.sizes.size() - (open ? 1 : 0);
        const std::size_t rank = t.type.shape.size();
        require(open ? rank >= named : rank == named, type, v);
        const std::size_t before = static_cast<std::size_t>(rest - a.sizes.begin());
        for (std::size_t i = 0; i < a.sizes.size(); ++i) {
            if (a.sizes[i].kind != SizeExpr::Kind::value) continue;
            const std::size_t axis = open && i > before ? rank - (a.sizes.size() - i) : i;
            size(a.sizes[i], t.type.shape[axis], type, v);
        }
    }

    void size(const SizeExpr& s, std::int64_t n, const TypeExpr& type, const Value& v) {
        if (const auto* name = std::get_if<NameRef>(&tree_[s.value].node)) {
            const auto [at, fresh] = sizes_.try_emplace(name->text, n);
            if (fresh || at->second == n) return;
            raise(diagnose(Diag::size_mismatch, value_, name->text, n, at->second)
                      .label(s.span, fmt::format("`{}` stands here", name->text))
                      .note(fmt::format("the value is {}", tree_text(v)))
                      .note("sizes here: " + list()));
        }
        const auto wanted = evaluate(s.value);
        require(!wanted || *wanted == n, type, v);
    }

    /// The value of a size expression; nothing while a name in it has none.
    std::optional<std::int64_t> evaluate(ExprId id) const {
        const Expr& e = tree_[id];
        if (const auto* n = std::get_if<IntLiteral>(&e.node)) return static_cast<std::int64_t>(n->value);
        if (const auto* n = std::get_if<NameRef>(&e.node)) {
            const auto at = sizes_.find(n->text);
            return at == sizes_.end() ? std::nullopt : std::optional(at->second);
        }
        if (const auto* u = std::get_if<Unary>(&e.node)) {
            const auto v = evaluate(u->operand);
            return v ? std::optional(-*v) : std::nullopt;
        }
        const auto* b = std::get_if<Binary>(&e.node);
        if (!b) return {};
        const auto x = evaluate(b->left);
        const auto y = evaluate(b->right);
        if (!x || !y) return {};
        switch (b->op) {
        case BinaryOp::add: return *x + *y;
        case BinaryOp::subtract: return *x - *y;
        case BinaryOp::multiply: return *x * *y;
        case BinaryOp::floor_divide: return *y == 0 ? std::nullopt : std::optional(*x / *y);
        case BinaryOp::remainder: return *y == 0 ? std::nullopt : std::optional(*x % *y);
        default: return {};
        }
    }

    const SourceMap& sources_;
    const Module& tree_;
    Span value_;
    Sizes& sizes_;
};

} // namespace

void Stager::check_annotation(TypeId type, const Value& value, Span span, std::map<std::string, std::int64_t>& sizes) {
    Annotation(sources_, tree(), span, sizes).check(type, value);
}

} // namespace pm::stage
