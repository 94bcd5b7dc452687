#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The possible layouts of a text: an algebra of documents after Wadler ("A prettier printer", 2003) and Oppen. A
/// comment never moves across a token.
namespace pm::syntax::format {

constexpr int line_width = 100; ///< in code points; only a part that cannot be broken is longer
constexpr int indent_width = 4;

/// A document; 0 is the empty one. Documents may be shared.
struct DocId {
    std::uint32_t value = 0;
    explicit operator bool() const { return value != 0; }
};

/// Builds documents and renders them. Texts are not copied: they must outlive the Document.
///
/// A group is printed on one line if it fits and contains no apart(). Otherwise each line() of its own level becomes a
/// line break, and each group in it is tried separately.
class Document {
  public:
    Document();

    DocId text(std::string_view text);
    /// A blank; omitted at the beginning of a line.
    DocId space();
    /// A comma. It is printed before a comment that ends the line. With `only_broken` it is printed only if the group
    /// is broken.
    DocId comma(bool only_broken);
    /// A line break, with an empty line if `blank`. If the group is on one line, `flat` is printed instead.
    DocId line(std::string_view flat, bool blank = false);
    DocId hard_line(bool blank);
    /// Breaks the enclosing groups; prints no text.
    DocId apart();
    /// An empty line before the next text if that text begins a line after a comment.
    DocId blank();
    /// A comment after a token, at the end of the line. Breaks every enclosing group in which something follows the
    /// comment.
    DocId trailing(std::string_view comment);
    /// A comment on a separate line, after an empty one if `blank`.
    DocId own_line(std::string_view comment, bool blank);

    DocId concat(std::vector<DocId> parts);
    DocId indent(DocId inside);
    DocId group(DocId inside);
    /// An item of a list. When broken, the list has as many items on a line as fit.
    DocId fill(DocId item);
    /// ` = right`. `right` is on the same line if all of it fits. Otherwise it is on the next line, indented, if it
    /// fits there or is a `chain` of operators or `apart`. Otherwise it begins on this line.
    DocId tail(DocId op, DocId right, bool chain, bool apart);
    /// A list whose last item, a group, may be broken alone: `first last close`. Otherwise `broken`.
    DocId hug(DocId first, DocId last, DocId close, DocId broken);

    /// Whether the document can only be printed on several lines.
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
        bool apart = false;      ///< cannot be on one line
        bool ends = false;       ///< ends in a comment, so that the next text begins a line
        bool flag = false;       ///< comma: only_broken; line, own_line: blank; tail: chain
        bool hard = false;       ///< line: breaks always; tail: apart
        std::string_view text{}; ///< text, comments; line: when flat
        std::uint32_t first = 0; ///< index of its first part in parts_
        std::uint32_t count = 0; ///< number of its parts
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
