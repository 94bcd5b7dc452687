// Finds random keys that are used for two draws. Uses only the source text of the module.
#include "compiler/stage/check/module_check.hpp"
#include "compiler/stage/names/names.hpp"
#include "compiler/stage/names/walker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace pm::stage {
namespace {

/// Visits the statements in order, and records the draws from named keys such as `k`, `keys[0]` or `state.key`. After a
/// name is declared or assigned again, it stands for a new key. Draws from one key in different branches of a condition
/// are allowed. The body of a loop is visited twice. So a draw from the same key in each iteration is found.
class KeyReuse : public Walker {
  public:
    explicit KeyReuse(const syntax::Module& tree) : Walker(tree) {}

    std::vector<Diagnostic> run() {
        for (const syntax::StmtId id : tree_.statements()) stmt(id);
        return std::move(found_);
    }

    void expr(syntax::ExprId id) override {
        const syntax::Expr& e = tree_[id];
        if (const auto* call = std::get_if<syntax::MethodCall>(&e.node)) {
            Walker::expr(id);
            const auto* module = std::get_if<syntax::NameRef>(&tree_[call->object].node);
            const syntax::Argument* key = module && modules_.count(module->text) != 0 ? drawn_from(*call) : nullptr;
            if (key) draw(key->value);
        } else if (const auto* conditional = std::get_if<syntax::If>(&e.node)) {
            branches(*conditional);
        } else if (std::holds_alternative<syntax::Lambda>(e.node)) {
            apart([&] { Walker::expr(id); });
        } else if (const auto* c = std::get_if<syntax::Comprehension>(&e.node)) {
            expr(c->source);
            iterations(c->pattern, [&] {
                if (c->condition) expr(c->condition);
                expr(c->body);
            });
        } else {
            Walker::expr(id);
        }
    }

    void stmt(syntax::StmtId id) override {
        const syntax::Stmt& s = tree_[id];
        if (std::holds_alternative<syntax::FunctionStmt>(s.node) || std::holds_alternative<syntax::Test>(s.node)) {
            apart([&] { Walker::stmt(id); });
            return;
        }
        if (const auto* loop = std::get_if<syntax::For>(&s.node)) {
            expr(loop->source);
            iterations(loop->pattern, [&] { block(loop->body); });
            return;
        }
        const bool loop = std::holds_alternative<syntax::While>(s.node);
        const bool left = left_;
        Walker::stmt(id);
        if (loop) Walker::stmt(id);
        if (loop) left_ = left;
        if (const auto* import = std::get_if<syntax::Import>(&s.node);
            import && !import->file && import->path == "random")
            modules_.insert(import->name.text);
        if (std::holds_alternative<syntax::Return>(s.node) || std::holds_alternative<syntax::Break>(s.node) ||
            std::holds_alternative<syntax::Continue>(s.node))
            left_ = true;
    }

  protected:
    void declared(const std::string& name) override {
        modules_.erase(name);
        forget(name);
    }
    void assigned(const std::string& name, Span) override { forget(name); }

  private:
    using Used = std::map<std::string, Span>; ///< by the path of each key that was drawn from: the position of the draw

    /// Visits the source text of another function. Draws in this function are independent of draws outside of it.
    template <class Work>
    void apart(Work work) {
        const Used around = std::exchange(used_, {});
        work();
        used_ = around;
        left_ = false;
    }

    /// Visits the body of a loop twice. The names of `pattern` are new keys in each iteration. Statements after the
    /// loop may be executed also if an iteration exits early, so `left_` is reset.
    template <class Work>
    void iterations(syntax::PatternId pattern, Work work) {
        const bool left = left_;
        for (int iteration = 0; iteration < 2; ++iteration) {
            for (const std::string& name : pattern_names(tree_, pattern)) declared(name);
            work();
        }
        left_ = left;
    }

    /// The argument with the key from which a call of a function of `random` draws. Null if the function does not draw.
    static const syntax::Argument* drawn_from(const syntax::MethodCall& call) {
        if (call.name.text == "fold_in" || call.name.text == "key") return nullptr;
        const auto key = std::find_if(call.arguments.begin(), call.arguments.end(),
                                      [](const syntax::Argument& a) { return !a.named() || a.name.text == "key"; });
        return key == call.arguments.end() || key->spread ? nullptr : &*key;
    }

    void branches(const syntax::If& e) {
        Used after;
        const auto side = [&](syntax::BlockId id, const Used& before) {
            used_ = before;
            left_ = false;
            if (id) block(id);
            if (!left_) after.insert(used_.begin(), used_.end());
        };
        for (const syntax::If::Branch& branch : e.branches) {
            expr(branch.condition);
            const Used before = used_;
            side(branch.block, before);
            used_ = before;
        }
        side(e.otherwise, Used(used_));
        used_ = std::move(after);
        left_ = false;
    }

    /// The path of a key, such as `k`, `keys[0]` or `s.key`. Empty for other expressions.
    std::string path(syntax::ExprId id) const {
        const syntax::Expr& e = tree_[id];
        const auto within = [&](syntax::ExprId object, const std::string& step) {
            const std::string root = path(object);
            return root.empty() ? root : root + step;
        };
        if (const auto* name = std::get_if<syntax::NameRef>(&e.node)) return name->text;
        if (const auto* field = std::get_if<syntax::Field>(&e.node))
            return within(field->object, "." + field->name.text);
        if (const auto* t = std::get_if<syntax::TupleIndex>(&e.node))
            return within(t->object, fmt::format(".{}", t->index));
        if (const auto* i = std::get_if<syntax::Index>(&e.node); i && i->items.size() == 1) {
            const syntax::IndexItem& item = i->items.front();
            const auto* n = item.first ? std::get_if<syntax::IntLiteral>(&tree_[item.first].node) : nullptr;
            if (n && item.kind == syntax::IndexItem::Kind::single)
                return within(i->object, fmt::format("[{}]", n->value));
        }
        return {};
    }

    void draw(syntax::ExprId key) {
        const std::string name = path(key);
        if (name.empty()) return;
        const Span span = tree_[key].span;
        const auto [at, first] = used_.emplace(name, span);
        if (first || !reported_.insert(span).second) return;
        Diagnostic d = diagnose(Diag::key_used_twice, span, name);
        if (at->second == span)
            d.notes.emplace_back("each iteration of the loop draws the same numbers");
        else
            d.label(at->second, "the first use of it");
        found_.push_back(std::move(d).fix(
            fmt::format("keys of their own: random.split({}), or random.fold_in({}, i) in a loop", name, name)));
    }

    void forget(const std::string& name) {
        for (auto at = used_.begin(); at != used_.end();) {
            const std::string& path = at->first;
            const bool of_it = path.compare(0, name.size(), name) == 0 &&
                               (path.size() == name.size() || path[name.size()] == '.' || path[name.size()] == '[');
            at = of_it ? used_.erase(at) : std::next(at);
        }
    }

    struct Before {
        bool operator()(Span a, Span b) const { return a.begin < b.begin; }
    };
    std::set<std::string> modules_{"random"};
    Used used_;
    bool left_ = false; ///< true if a return, break or continue of the current block has been visited
    std::set<Span, Before> reported_;
    std::vector<Diagnostic> found_;
};

} // namespace

std::vector<Diagnostic> keys_used_twice(const syntax::Module& tree) { return KeyReuse(tree).run(); }

} // namespace pm::stage
