#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What a text may look like, before it is known how much of it fits on a line: an algebra of documents after
/// Wadler ("A prettier printer", 2003) and Oppen, with comments that never change sides with a token.
namespace pm::syntax::format {

constexpr int line_width = 100; ///< in code points; only what cannot be broken is longer
constexpr int indent_width = 4;

/// A document; 0 is the empty one. Documents may be shared.
struct DocId {
    std::uint32_t value = 0;
    explicit operator bool() const { return value != 0; }
};

/// Builds documents and renders them. Texts are not copied: they must outlive it.
///
/// A group stands on one line if that fits and nothing in it is forced apart; else the line() of its own
/// level break, and each group in it is tried by itself.
class Document {
  public:
    Document();

    DocId text(std::string_view text);
    /// A blank, but none where a line begins.
    DocId space();
    /// A comma, which stands before the comment that ended the line. When `only_broken` it is there only if the
    /// group is broken.
    DocId comma(bool only_broken);
    /// The end of a line, after an empty one if `blank`; `flat` where the group stands on one line.
    DocId line(std::string_view flat, bool blank = false);
    DocId hard_line(bool blank);
    /// Forces the groups around it apart; prints nothing.
    DocId apart();
    /// An empty line before what comes next, where that begins a line anyway.
    DocId blank();
    /// A comment behind a token: ends the line, whatever comes next. Forces the groups in which something
    /// comes next.
    DocId trailing(std::string_view comment);
    /// A comment on a line of its own, after an empty one if `blank`.
    DocId own_line(std::string_view comment, bool blank);

    DocId concat(std::vector<DocId> parts);
    DocId indent(DocId inside);
    DocId group(DocId inside);
    /// An item of a list which, once broken, takes as many items on a line as fit.
    DocId fill(DocId item);
    /// ` = right`: on the same line if all of it fits; else on the next, indented, if it fits there or is a
    /// `chain` of operators or `apart`; else begun on this line.
    DocId tail(DocId op, DocId right, bool chain, bool apart);
    /// A list whose last item, a group, may be broken alone: `first last close`; else `broken`.
    DocId hug(DocId first, DocId last, DocId close, DocId broken);

    /// Whether it can only be printed on several lines.
    bool is_apart(DocId id) const { return node(id).apart; }

    std::string render(DocId root) const;

  private:
    friend class Renderer;
    enum class Kind : std::uint8_t {
        nothing,
        text,
        space,
        comma,
        line,
        blank,
        trailing,
        own_line,
        concat,
        indent,
        group,
        fill,
        tail,
        hug,
    };
    struct Node {
        Kind kind = Kind::nothing;
        bool apart = false;      ///< cannot stand on one line
        bool ends = false;       ///< ends in a comment, so that what comes next begins a line
        bool flag = false;       ///< comma: only_broken; line, own_line: blank; tail: chain
        bool hard = false;       ///< line: always; tail: apart
        std::string_view text{}; ///< text, comments; line: when flat
        std::uint32_t first = 0; ///< of its parts in parts_
        std::uint32_t count = 0; ///< of its parts
    };

    const Node& node(DocId id) const { return nodes_[id.value]; }
    DocId part(const Node& node, std::uint32_t i) const { return parts_[node.first + i]; }
    DocId add(Node node, const std::vector<DocId>& parts);

    std::vector<Node> nodes_;
    std::vector<DocId> parts_;
};

/// The number of code points.
int width_of(std::string_view text);

} // namespace pm::syntax::format
