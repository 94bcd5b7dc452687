#include "compiler/syntax/print.hpp"

#include "compiler/syntax/left_chain.hpp"
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace pm::syntax {
namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (c == '"' || c == '\\')
            (out += '\\') += c;
        else
            out += c;
    }
    return out + '"';
}

/// The source text of a field name: quoted if the name is no word.
std::string field_name(const std::string& text) {
    const auto in_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
    };
    const bool word = !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
                      std::all_of(text.begin(), text.end(), in_word);
    return word ? text : quoted(text);
}

std::string number_suffix(const std::optional<runtime::DType>& dtype) {
    return dtype ? std::string(runtime::name(*dtype)) : std::string{};
}

class Printer {
  public:
    explicit Printer(const Module& module) : module_(module) {}

    void statements(const std::vector<StmtId>& list, int indent) {
        for (const StmtId id : list) {
            out_.append(static_cast<std::size_t>(indent), ' ');
            statement(id, indent);
            out_ += '\n';
        }
    }

    void expression(ExprId id) {
        if (!id) {
            out_ += '_';
            return;
        }
        if (in_left_chain(module_[id])) return chain(id);
        std::visit([this](const auto& node) { put(node); }, module_[id].node);
    }

    std::string take() { return std::move(out_); }

  private:
    template <class... Args>
    void add(fmt::format_string<Args...> format, Args&&... args) {
        out_ += fmt::format(format, std::forward<Args>(args)...);
    }

    // -- expressions
    void put(const Invalid&) { out_ += "<invalid>"; }
    void put(const IntLiteral& e) { add("{}{}", e.value, number_suffix(e.dtype)); }
    void put(const FloatLiteral& e) {
        std::string digits = fmt::format("{}", e.value);
        if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
        add("{}{}", digits, number_suffix(e.dtype));
    }
    void put(const ImaginaryLiteral& e) { add("{}j", e.value); }
    void put(const BoolLiteral& e) { out_ += e.value ? "true" : "false"; }
    void put(const NoneLiteral&) { out_ += "none"; }
    void put(const NameRef& e) { out_ += e.text; }
    void put(const Transform& e) { add("<{}>", name(e.kind)); }

    void put(const StringLiteral& e) {
        if (std::none_of(e.pieces.begin(), e.pieces.end(),
                         [](const StringPiece& p) { return static_cast<bool>(p.value); })) {
            out_ += quoted(e.pieces.empty() ? std::string{} : e.pieces.front().text);
            return;
        }
        out_ += "(text";
        for (const StringPiece& piece : e.pieces) {
            out_ += ' ';
            if (!piece.value) {
                out_ += quoted(piece.text);
                continue;
            }
            out_ += '{';
            expression(piece.value);
            if (!piece.format.empty()) add(":{}", piece.format);
            if (piece.computed_format) {
                out_ += ':';
                expression(piece.computed_format);
            }
            out_ += '}';
        }
        out_ += ')';
    }

    void items(std::string_view head, const std::vector<Item>& list) {
        add("({}", head);
        for (const Item& item : list) {
            out_ += item.spread ? " *" : " ";
            expression(item.value);
        }
        out_ += ')';
    }
    void put(const Tuple& e) { items("tuple", e.items); }
    void put(const Array& e) { items("array", e.items); }

    void put(const Record& e) {
        out_ += "(record";
        for (const RecordEntry& entry : e.entries) {
            if (entry.spread)
                out_ += " ..";
            else
                add(" {}:", field_name(entry.name.text));
            expression(entry.value);
        }
        out_ += ')';
    }

    void put(const Comprehension& e) {
        add("({}-for{} ", e.tuple ? "tuple" : "array", e.nested ? "-joined" : "");
        pattern(e.pattern);
        out_ += ' ';
        expression(e.source);
        if (e.condition) {
            out_ += " (if ";
            expression(e.condition);
            out_ += ')';
        }
        out_ += ' ';
        expression(e.body);
        out_ += ')';
    }

    void put(const Unary& e) {
        add("({} ", spelling(e.op));
        expression(e.operand);
        out_ += ')';
    }
    void put(const Binary& e) { pair(spelling(e.op), e.left, e.right); }
    void chain(ExprId id) {
        const LeftChain chain = left_chain(module_, id);
        for (std::size_t i = chain.steps.size(); i-- > 0;) add("({} ", spelling(chain.steps[i].node->op));
        expression(chain.first);
        for (const LeftChain::Step& step : chain.steps) {
            out_ += ' ';
            expression(step.node->right);
            out_ += ')';
        }
    }
    void put(const Range& e) { pair("..", e.first, e.last); }
    void pair(std::string_view head, ExprId left, ExprId right) {
        add("({} ", head);
        expression(left);
        out_ += ' ';
        expression(right);
        out_ += ')';
    }

    void arguments(const std::vector<Argument>& list) {
        for (const Argument& argument : list) {
            out_ += argument.spread ? " *" : " ";
            if (argument.named()) add("{}=", argument.name.text);
            expression(argument.value);
        }
        out_ += ')';
    }
    void put(const Call& e) {
        out_ += "(call ";
        expression(e.callee);
        arguments(e.arguments);
    }
    void put(const TransformCall& e) {
        add("({}", name(e.kind));
        arguments(e.arguments);
    }
    void put(const MethodCall& e) {
        add("(method {} ", e.name.text);
        expression(e.object);
        arguments(e.arguments);
    }
    void put(const Field& e) {
        out_ += "(. ";
        expression(e.object);
        add(" {})", e.name.text);
    }
    void put(const TupleIndex& e) {
        out_ += "(. ";
        expression(e.object);
        add(" {})", e.index);
    }

    void indices(const std::vector<IndexItem>& list) {
        for (const IndexItem& item : list) {
            out_ += ' ';
            switch (item.kind) {
            case IndexItem::Kind::single: expression(item.first); break;
            case IndexItem::Kind::ellipsis: out_ += "..."; break;
            case IndexItem::Kind::window: pair(":+", item.first, item.last); break;
            case IndexItem::Kind::slice:
                out_ += "(: ";
                expression(item.first);
                out_ += ' ';
                expression(item.last);
                out_ += ' ';
                expression(item.step);
                out_ += ')';
                break;
            }
        }
    }
    void put(const Index& e) {
        out_ += "(index ";
        expression(e.object);
        indices(e.items);
        out_ += ')';
    }

    void path(const std::vector<Selector>& steps) {
        for (const Selector& step : steps) {
            switch (step.kind) {
            case Selector::Kind::field: add(" .{}", step.name.text); break;
            case Selector::Kind::tuple_index: add(" .{}", step.number); break;
            case Selector::Kind::index:
                out_ += " (at";
                indices(step.items);
                out_ += ')';
                break;
            }
        }
    }
    void put(const With& e) {
        out_ += "(with ";
        expression(e.base);
        path(e.path);
        add(" {} ", spelling(e.op));
        expression(e.value);
        out_ += ')';
    }

    void put(const If& e) {
        out_ += "(if";
        for (const If::Branch& branch : e.branches) {
            out_ += ' ';
            expression(branch.condition);
            out_ += ' ';
            inline_block(branch.block);
        }
        if (e.otherwise) {
            out_ += " else ";
            inline_block(e.otherwise);
        }
        out_ += ')';
    }

    void put(const Lambda& e) {
        out_ += "(fn ";
        signature(module_[e.function]);
        out_ += ' ';
        inline_block(module_[e.function].body);
        out_ += ')';
    }

    /// Statements on one line: `{a; b}`.
    void inline_block(BlockId id) {
        out_ += '{';
        const char* between = "";
        for (const StmtId statement_id : module_[id].statements) {
            out_ += between;
            statement(statement_id, -1);
            between = "; ";
        }
        out_ += '}';
    }

    // -- patterns and types
    void pattern(PatternId id) {
        std::visit([this](const auto& node) { put(node); }, module_[id].node);
    }
    void put(const WildcardPattern&) { out_ += '_'; }
    void put(const NamePattern& p) { out_ += p.text; }
    void put(const PlacePattern& p) {
        add("(place {}", p.root.text);
        path(p.path);
        out_ += ')';
    }
    void put(const TuplePattern& p) {
        out_ += "(tuple";
        for (const TuplePattern::Element& element : p.elements) {
            out_ += element.rest ? " *" : " ";
            pattern(element.pattern);
        }
        out_ += ')';
    }
    void put(const RecordPattern& p) {
        out_ += "(record";
        for (const RecordPattern::Entry& entry : p.entries) {
            add(" {}:", entry.field.text);
            pattern(entry.pattern);
        }
        out_ += ')';
    }

    void type(TypeId id) {
        std::visit([this](const auto& node) { put(node); }, module_[id].node);
    }
    void put(const AnyType&) { out_ += "any"; }
    void put(const StringType&) { out_ += "str"; }
    void put(const FunctionType&) { out_ += "fn"; }
    void put(const ArrayType& t) {
        out_ += runtime::name(t.dtype);
        if (t.sizes.empty()) return;
        const char* before = "[";
        for (const SizeExpr& size : t.sizes) {
            out_ += before;
            before = ", ";
            switch (size.kind) {
            case SizeExpr::Kind::value: expression(size.value); break;
            case SizeExpr::Kind::ellipsis: out_ += "..."; break;
            case SizeExpr::Kind::wildcard: out_ += "_"; break;
            }
        }
        out_ += ']';
    }
    void put(const TupleType& t) {
        out_ += "(tuple";
        for (const TypeId element : t.elements) {
            out_ += ' ';
            type(element);
        }
        out_ += ')';
    }
    void put(const RecordType& t) {
        out_ += "(record";
        for (const RecordType::Entry& entry : t.entries) {
            add(" {}:", field_name(entry.field.text));
            type(entry.type);
        }
        out_ += ')';
    }

    // -- functions and statements
    void signature(const Function& f) {
        out_ += '(';
        const char* between = "";
        for (const Parameter& parameter : f.parameters) {
            out_ += between;
            between = " ";
            if (parameter.rest) out_ += '*';
            pattern(parameter.pattern);
            if (parameter.type) {
                out_ += ':';
                type(parameter.type);
            }
            if (parameter.otherwise) {
                out_ += '=';
                expression(parameter.otherwise);
            }
        }
        out_ += ')';
        if (f.result) {
            out_ += " -> ";
            type(f.result);
        }
    }

    /// A body, as indented lines. If indent < 0, the statement shares its line with other statements, and the body is
    /// printed in braces on that line.
    void body(BlockId id, int indent) {
        if (indent < 0) {
            out_ += ' ';
            return inline_block(id);
        }
        for (const StmtId statement_id : module_[id].statements) {
            out_ += '\n';
            out_.append(static_cast<std::size_t>(indent) + 2, ' ');
            statement(statement_id, indent + 2);
        }
    }

    void statement(StmtId id, int indent) {
        std::visit([this, indent](const auto& node) { put(node, indent); }, module_[id].node);
    }
    void put(const ExprStmt& s, int) { expression(s.value); }
    void put(const Let& s, int) {
        out_ += s.mut ? "mut " : "let ";
        pattern(s.pattern);
        if (s.type) {
            out_ += ':';
            type(s.type);
        }
        out_ += " = ";
        expression(s.value);
    }
    void put(const Assign& s, int) {
        pattern(s.target);
        add(" {} ", spelling(s.op));
        expression(s.value);
    }
    void put(const FunctionStmt& s, int indent) {
        const Function& f = module_[s.function];
        add("fn {}", f.name.text);
        signature(f);
        if (!f.documentation.empty()) add(" ## {}", quoted(f.documentation));
        body(f.body, indent);
    }
    void put(const For& s, int indent) {
        out_ += "for ";
        pattern(s.pattern);
        out_ += " in ";
        expression(s.source);
        body(s.body, indent);
    }
    void put(const While& s, int indent) {
        out_ += "while ";
        expression(s.condition);
        body(s.body, indent);
    }
    void put(const Break&, int) { out_ += "break"; }
    void put(const Continue&, int) { out_ += "continue"; }
    void put(const Return& s, int) {
        out_ += "return";
        if (!s.value) return;
        out_ += ' ';
        expression(s.value);
    }
    void put(const Import& s, int) { add("import {} as {}", s.file ? quoted(s.path) : s.path, s.name.text); }
    void put(const Test& s, int indent) {
        add("test {}", quoted(s.title));
        body(s.body, indent);
    }

    const Module& module_;
    std::string out_;
};

} // namespace

std::string print(const Module& module) {
    Printer printer(module);
    printer.statements(module.statements(), 0);
    return printer.take();
}

std::string print(const Module& module, ExprId expression) {
    Printer printer(module);
    printer.expression(expression);
    return printer.take();
}

} // namespace pm::syntax
