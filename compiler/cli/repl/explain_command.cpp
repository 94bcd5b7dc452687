// :type and :explain.
#include "compiler/api/compile.hpp"
#include "compiler/base/count.hpp"
#include "compiler/base/python_format.hpp"
#include "compiler/cli/editor/characters.hpp"
#include "compiler/cli/explain.hpp"
#include "compiler/cli/repl/interactive.hpp"
#include "compiler/stage/call/staging.hpp"
#include "compiler/stage/core/context.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/values/tree.hpp"
#include "runtime/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace pm::cli {
namespace {

constexpr std::size_t most_lines = 60;
constexpr std::size_t widest_text = 56;

/// The direct operands of an expression. Bodies of functions, blocks and comprehensions are left out, because other
/// names are in scope there.
std::vector<syntax::ExprId> parts_of(const syntax::Module& tree, syntax::ExprId id) {
    std::vector<syntax::ExprId> parts;
    const auto add = [&](syntax::ExprId part) {
        if (part) parts.push_back(part);
    };
    const auto add_arguments = [&](const std::vector<syntax::Argument>& arguments) {
        for (const syntax::Argument& a : arguments) add(a.value);
    };
    std::visit(
        [&](const auto& n) {
            using T = std::decay_t<decltype(n)>;
            if constexpr (std::is_same_v<T, syntax::Tuple> || std::is_same_v<T, syntax::Array>) {
                for (const syntax::Item& item : n.items) add(item.value);
            } else if constexpr (std::is_same_v<T, syntax::Record>) {
                for (const syntax::RecordEntry& entry : n.entries) add(entry.value);
            } else if constexpr (std::is_same_v<T, syntax::Comprehension>) {
                add(n.source);
            } else if constexpr (std::is_same_v<T, syntax::Unary>) {
                add(n.operand);
            } else if constexpr (std::is_same_v<T, syntax::Binary>) {
                add(n.left);
                add(n.right);
            } else if constexpr (std::is_same_v<T, syntax::Call>) {
                if (!std::holds_alternative<syntax::NameRef>(tree[n.callee].node)) add(n.callee);
                add_arguments(n.arguments);
            } else if constexpr (std::is_same_v<T, syntax::TransformCall>) {
                add_arguments(n.arguments);
            } else if constexpr (std::is_same_v<T, syntax::MethodCall>) {
                add(n.object);
                add_arguments(n.arguments);
            } else if constexpr (std::is_same_v<T, syntax::Field> || std::is_same_v<T, syntax::TupleIndex> ||
                                 std::is_same_v<T, syntax::Index>) {
                add(n.object);
            } else if constexpr (std::is_same_v<T, syntax::With>) {
                add(n.base);
                add(n.value);
            } else if constexpr (std::is_same_v<T, syntax::If>) {
                for (const auto& branch : n.branches) add(branch.condition);
            }
        },
        tree[id].node);
    // The type of a literal is obvious, so literals need no line.
    std::erase_if(parts, [&](syntax::ExprId part) {
        return std::visit(
            [](const auto& n) {
                using T = std::decay_t<decltype(n)>;
                return std::is_same_v<T, syntax::IntLiteral> || std::is_same_v<T, syntax::FloatLiteral> ||
                       std::is_same_v<T, syntax::BoolLiteral> || std::is_same_v<T, syntax::NoneLiteral> ||
                       std::is_same_v<T, syntax::ImaginaryLiteral> || std::is_same_v<T, syntax::StringLiteral>;
            },
            tree[part].node);
    });
    return parts;
}

struct Line {
    std::string text;
    std::string type;
};

class Explainer {
  public:
    Explainer(Interactive& session, const Interactive::Code& code) : session_(session), code_(code) {}

    void add(syntax::ExprId id, std::size_t depth) {
        if (lines.size() >= most_lines) return;
        const SourceMap& sources = session_.session().sources();
        std::string text(2 * depth, ' ');
        for (const char c : sources.text((*code_.tree)[id].span)) {
            const bool space = c == ' ' || c == '\n' || c == '\t';
            if (!space || text.back() != ' ') text += space ? ' ' : c;
        }
        if (text.size() > widest_text) {
            std::size_t cut = widest_text - 4;
            while (cut > 0 && runtime::utf8_continues(text[cut])) --cut;
            text = text.substr(0, cut) + " ...";
        }
        lines.push_back({std::move(text), type_of(id)});
        for (const syntax::ExprId part : parts_of(*code_.tree, id)) add(part, depth + 1);
    }

    std::vector<Line> lines;

  private:
    /// The type of a part. A part that is not valid alone (a collective without its pmap) has the type "?"; this is not
    /// an error.
    std::string type_of(syntax::ExprId id) {
        try {
            const auto staged = stage::Staging(session_.session().stager()).call({session_.part(code_, id)});
            return type_text(staged.result, session_.session().sources());
        } catch (const stage::HostWork& work) {
            return work.in_place ? "function" : "(" + work.what + ")";
        } catch (const Error& e) {
            if (e.diagnostic().id == Diag::interrupted) throw;
            return "?";
        }
    }

    Interactive& session_;
    const Interactive::Code& code_;
};

void count_steps(const std::vector<plan::Step>& steps, std::map<std::string_view, int>& counts) {
    for (const plan::Step& step : steps) {
        if (const std::string_view title = plan::title(step.kind()); !title.empty()) ++counts[title];
        for (const auto& children : step.children) count_steps(children, counts);
    }
}

void explain_program(Interactive& session, const Interactive::Code& code) {
    api::Compiler* compiler = session.session().compiler();
    if (!compiler) return;
    try {
        const auto staged = stage::Staging(session.session().stager()).call({code.function});
        const plan::Program program = compiler->plan(staged.block);
        std::map<std::string_view, int> counts;
        count_steps(program.steps, counts);
        std::string steps;
        for (const auto& [name, count] : counts)
            steps += fmt::format("{}{} {}{}", steps.empty() ? "" : ", ", count, name,
                                 count == 1                    ? ""
                                 : name.back() == 'h'          ? "es"
                                 : name == "part over devices" ? ""
                                                               : "s");
        session.print(fmt::format("compiled to {}; {} of working memory\n", steps.empty() ? "nothing" : steps,
                                  format_bytes(program.arena_bytes)));
    } catch (const stage::HostWork& work) {
        session.print(fmt::format("interpreted: {}\n", work.what));
    }
}

} // namespace

std::string type_text(const stage::Value& value, const SourceMap& sources) {
    const stage::Function* f = value.function();
    if (!f) return stage::tree_text(value);
    if (f->native()) return fmt::format("fn {}({})", f->native()->name, f->native()->signature);
    if (f->is_derived()) {
        std::string inner;
        for (const stage::Value& v : f->transformed() ? f->transformed()->functions : f->linear()->residuals)
            inner += (inner.empty() ? "" : ", ") + (v.function() && !v.function()->name.empty() ? v.function()->name
                                                    : v.function()                              ? "fn"
                                                                                                : stage::tree_text(v));
        return fmt::format("fn {}({})", stage::builtin_name(*f), inner);
    }
    std::string text(sources.text(f->closure()->text().signature));
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

void explain_entry(Interactive& session, const std::string& argument) {
    // For the code of a diagnostic, `:explain PM0204` prints its page.
    const bool digits = argument.size() == 6 && std::all_of(argument.begin() + 2, argument.end(),
                                                            [](unsigned char c) { return std::isdigit(c) != 0; });
    if (digits && (argument.starts_with("PM") || argument.starts_with("pm"))) {
        if (const auto page = page_for(argument)) return session.print(page_text(*page));
        no_page(argument);
    }
    const Interactive::Code code = session.code(argument);
    // Errors of the whole code are reported, with their places.
    session.typed(code.function);
    Explainer explainer(session, code);
    for (const syntax::StmtId id : code.tree->statements()) {
        const auto& node = (*code.tree)[id].node;
        if (const auto* e = std::get_if<syntax::ExprStmt>(&node)) explainer.add(e->value, 0);
        if (const auto* l = std::get_if<syntax::Let>(&node)) explainer.add(l->value, 0);
    }
    std::size_t width = 0;
    for (const Line& line : explainer.lines)
        width = std::max(width, static_cast<std::size_t>(editor::columns_of(line.text)));
    for (const Line& line : explainer.lines)
        session.print(line.text +
                      std::string(width + 3 - static_cast<std::size_t>(editor::columns_of(line.text)), ' ') +
                      line.type + "\n");
    if (explainer.lines.size() >= most_lines) session.print("...\n");
    explain_program(session, code);
}

} // namespace pm::cli
