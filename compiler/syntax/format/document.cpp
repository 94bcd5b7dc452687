#include "compiler/syntax/format/document.hpp"

#include "runtime/utf8.hpp"

#include <algorithm>

namespace pm::syntax::format {

int width_of(std::string_view text) { return static_cast<int>(runtime::utf8_count(text)); }

DocId Document::add(Node node, const std::vector<DocId>& parts) {
    node.first = static_cast<std::uint32_t>(parts_.size());
    bool ends = false;
    for (const DocId part : parts) {
        if (!part) {
            if (node.kind != Kind::concat) parts_.push_back(part); // other kinds access parts by index
            continue;
        }
        node.apart = node.apart || ends || this->node(part).apart;
        ends = this->node(part).ends;
        parts_.push_back(part);
    }
    node.ends = node.ends || ends;
    node.count = static_cast<std::uint32_t>(parts_.size()) - node.first;
    nodes_.push_back(node);
    return {static_cast<std::uint32_t>(nodes_.size() - 1)};
}

DocId Document::text(std::string_view text) { return add({.kind = Kind::text, .text = text}, {}); }
DocId Document::space() { return add({.kind = Kind::space}, {}); }
DocId Document::comma(bool only_broken) { return add({.kind = Kind::comma, .flag = only_broken}, {}); }
DocId Document::line(std::string_view flat, bool blank) {
    return add({.kind = Kind::line, .flag = blank, .text = flat}, {});
}
DocId Document::hard_line(bool blank) {
    return add({.kind = Kind::line, .apart = true, .flag = blank, .hard = true}, {});
}
DocId Document::apart() { return add({.kind = Kind::text, .apart = true}, {}); }
DocId Document::blank() { return add({.kind = Kind::blank}, {}); }
DocId Document::trailing(std::string_view comment) {
    return add({.kind = Kind::trailing, .ends = true, .text = comment}, {});
}
DocId Document::own_line(std::string_view comment, bool blank) {
    return add({.kind = Kind::own_line, .apart = true, .flag = blank, .text = comment}, {});
}

DocId Document::concat(std::vector<DocId> parts) {
    std::erase_if(parts, [](DocId part) { return !part; });
    if (parts.empty()) return {};
    if (parts.size() == 1) return parts.front();
    return add({.kind = Kind::concat}, parts);
}
DocId Document::indent(DocId inside) { return inside ? add({.kind = Kind::indent}, {inside}) : inside; }
DocId Document::group(DocId inside) { return inside ? add({.kind = Kind::group}, {inside}) : inside; }
DocId Document::fill(DocId item) { return add({.kind = Kind::fill}, {item}); }
DocId Document::tail(DocId op, DocId right, bool chain, bool apart) {
    return add({.kind = Kind::tail, .flag = chain, .hard = apart}, {op, right});
}
DocId Document::hug(DocId first, DocId last, DocId close, DocId broken) {
    const DocId whole = concat({first, last, close});
    const DocId hug = add({.kind = Kind::hug}, {first, last, close, broken});
    nodes_[hug.value].apart = node(whole).apart;
    nodes_[hug.value].ends = node(whole).ends;
    return hug;
}

/// Prints a document line by line. The renderer has an explicit stack, so deeply nested documents do not need a deep
/// call stack.
class Renderer {
  public:
    explicit Renderer(const Document& document) : document_(document) {}

    std::string run(DocId root) {
        stack_.push_back({root, false, 0});
        while (!stack_.empty()) {
            const Command command = stack_.back();
            stack_.pop_back();
            step(command);
        }
        end_line();
        align();
        return join();
    }

  private:
    using Kind = Document::Kind;
    using Node = Document::Node;

    struct Command {
        DocId doc;
        bool flat;
        int indent;
    };
    struct Line {
        int indent = 0;
        std::string code;
        std::string_view comment; ///< the comment after the code
        int column = 0;           ///< the column at which the comment begins
    };

    void step(const Command& c) {
        const Node& node = document_.node(c.doc);
        switch (node.kind) {
        case Kind::nothing: return;
        case Kind::text: return write(node.text, c.indent);
        case Kind::space:
            if (!ended_ && !line_.code.empty()) write(" ", c.indent);
            return;
        case Kind::comma:
            if (!(node.flag && c.flat)) line_.code += ',', ++column_;
            return;
        case Kind::line:
            if (c.flat && !node.hard) {
                if (!ended_) write(node.text, c.indent);
                return;
            }
            blank_ = blank_ || node.flag;
            return new_line(c.indent);
        case Kind::blank:
            if (ended_) blank_ = true;
            return;
        case Kind::trailing: return trailing(node, c.indent);
        case Kind::own_line: return own_line(node, c.indent);
        case Kind::concat: return push(node, c.flat, c.indent);
        case Kind::indent: return push(node, c.flat, c.indent + indent_width);
        case Kind::group: {
            const Command inside{document_.part(node, 0), true, c.indent};
            stack_.push_back({inside.doc, c.flat || (!node.apart && fits({inside}, room())), c.indent});
            return;
        }
        case Kind::fill: return fill(node, c);
        case Kind::tail: return tail(node, c);
        case Kind::hug: return hug(node, c);
        }
    }

    void push(const Node& node, bool flat, int indent) {
        for (std::uint32_t i = node.count; i-- > 0;) stack_.push_back({document_.part(node, i), flat, indent});
    }

    void fill(const Node& node, const Command& c) {
        const Command item{document_.part(node, 0), true, c.indent};
        if (!c.flat && !line_.code.empty() && !ended_) {
            // Two columns are reserved for the space before the item and the comma after it.
            if (!node.apart && fits({item}, room() - 2, false))
                write(" ", c.indent);
            else
                new_line(c.indent);
        } else if (c.flat) {
            write(" ", c.indent);
        }
        stack_.push_back({item.doc, c.flat || !node.apart, c.indent});
    }

    void tail(const Node& node, const Command& c) {
        const DocId op = document_.part(node, 0);
        const DocId right = document_.part(node, 1);
        const bool flat = c.flat || (!node.apart && !node.hard && fits({{op, true, 0}, {right, true, 0}}, room() - 2));
        bool below = false;
        if (!flat) {
            const bool one_line = !document_.is_apart(right);
            below = node.hard || node.flag ||
                    (one_line && fits({{right, true, 0}}, line_width - c.indent - indent_width)) ||
                    !fits({{op, true, 0}, {right, false, 0}}, room() - 2);
        }
        const int inner = c.indent + (below ? indent_width : 0);
        stack_.push_back({right, flat, inner});
        stack_.push_back({below ? line_end : one_space, false, inner});
        stack_.push_back({op, flat, inner});
        stack_.push_back({one_space, false, c.indent});
    }

    void hug(const Node& node, const Command& c) {
        const DocId first = document_.part(node, 0);
        const DocId last = document_.part(node, 1);
        const DocId close = document_.part(node, 2);
        const bool flat =
            c.flat || (!node.apart && fits({{first, true, 0}, {last, true, 0}, {close, true, 0}}, room()));
        const DocId inside = document_.part(document_.node(last), 0);
        if (!flat && (document_.is_apart(first) || document_.node(first).ends ||
                      !fits({{first, true, 0}, {inside, false, 0}, {close, true, 0}}, room()))) {
            stack_.push_back({document_.part(node, 3), false, c.indent});
            return;
        }
        stack_.push_back({close, true, c.indent});
        stack_.push_back({inside, flat, c.indent});
        stack_.push_back({first, true, c.indent});
    }

    int room() const { return line_width - column_; }

    /// Whether these documents fit in `room` columns. If `with_rest` is true, the documents after them must fit too, up
    /// to the first point at which the line may end. The function stops when the width of the line is exceeded.
    bool fits(std::vector<Command> list, int room, bool with_rest = true) const {
        std::reverse(list.begin(), list.end());
        std::size_t rest = with_rest ? stack_.size() : 0;
        while (room >= 0) {
            if (list.empty()) {
                if (rest == 0) return true;
                list.push_back(stack_[--rest]);
            }
            const Command c = list.back();
            list.pop_back();
            const Node& node = document_.node(c.doc);
            switch (node.kind) {
            case Kind::nothing:
            case Kind::blank: break;
            case Kind::text: room -= width_of(node.text); break;
            case Kind::space: --room; break;
            case Kind::comma: room -= node.flag && c.flat ? 0 : 1; break;
            case Kind::line:
                if (!c.flat || node.hard) return true;
                room -= width_of(node.text);
                break;
            case Kind::trailing:
            case Kind::own_line: return true;
            case Kind::fill:
                if (!c.flat) return true;
                --room;
                list.push_back({document_.part(node, 0), true, 0});
                break;
            case Kind::tail:
                if (!c.flat) return room >= 2;
                room -= 2;
                [[fallthrough]];
            case Kind::concat:
            case Kind::indent:
            case Kind::group:
                for (std::uint32_t i = node.count; i-- > 0;) list.push_back({document_.part(node, i), c.flat, 0});
                break;
            case Kind::hug:
                if (!c.flat) {
                    list.push_back({document_.part(node, 3), false, 0});
                    break;
                }
                for (std::uint32_t i = 3; i-- > 0;) list.push_back({document_.part(node, i), true, 0});
                break;
            }
        }
        return false;
    }

    // -- writing

    void write(std::string_view text, int indent) {
        if (text.empty()) return;
        if (ended_) new_line(indent);
        line_.code += text;
        column_ += width_of(text);
    }

    void trailing(const Node& node, int indent) {
        if (line_.code.empty() || ended_) return own_line(node, indent);
        line_.comment = node.text;
        ended_ = true;
    }

    void own_line(const Node& node, int indent) {
        blank_ = blank_ || (node.kind == Kind::own_line && node.flag);
        if (!line_.code.empty() || ended_) new_line(indent);
        write(node.text, indent);
        ended_ = true;
    }

    void end_line() {
        while (!line_.code.empty() && line_.code.back() == ' ') line_.code.pop_back();
        if (!line_.code.empty()) lines_.push_back(std::move(line_));
        line_ = {};
        ended_ = false;
    }

    /// Ends the line, if it is not empty. Empty lines are printed only if blank_ is set.
    void new_line(int indent) {
        end_line();
        if (blank_ && !lines_.empty()) lines_.emplace_back();
        blank_ = false;
        line_.indent = indent;
        column_ = indent;
    }

    /// Aligns the trailing comments of adjacent lines in one column, unless a line would become too long.
    void align() {
        for (std::size_t first = 0; first < lines_.size();) {
            std::size_t last = first;
            int column = 0;
            bool fits = true;
            for (; last < lines_.size() && !lines_[last].comment.empty() && lines_[last].indent == lines_[first].indent;
                 ++last) {
                lines_[last].column = lines_[last].indent + width_of(lines_[last].code) + 2;
                column = std::max(column, lines_[last].column);
            }
            for (std::size_t i = first; i < last; ++i) {
                const int width = width_of(lines_[i].comment);
                fits = fits && (column + width <= line_width || lines_[i].column + width > line_width);
            }
            for (std::size_t i = first; i < last && fits; ++i) lines_[i].column = column;
            first = std::max(last, first + 1);
        }
    }

    std::string join() const {
        std::string out;
        for (const Line& line : lines_) {
            if (!line.code.empty()) out.append(static_cast<std::size_t>(line.indent), ' ');
            out += line.code;
            if (!line.comment.empty()) {
                out.append(static_cast<std::size_t>(line.column - line.indent - width_of(line.code)), ' ');
                out += line.comment;
            }
            out += '\n';
        }
        return out;
    }

    /// Documents that the renderer uses. The constructor of Document creates them with these ids.
    static constexpr DocId one_space{1};
    static constexpr DocId line_end{2};

    const Document& document_;
    std::vector<Command> stack_;
    std::vector<Line> lines_;
    Line line_;
    int column_ = 0;
    bool ended_ = false; ///< true if a comment ended the line; the next text then begins a new line
    bool blank_ = false; ///< true if an empty line precedes the next line
};

Document::Document() : nodes_(1) {
    space();
    hard_line(false);
}

std::string Document::render(DocId root) const { return Renderer(*this).run(root); }

} // namespace pm::syntax::format
