#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The possible layouts of a text: an algebra of documents after Wadler ("A prettier printer", 2003) and Oppen. No
/// layout moves a comment across a token.
namespace pm::syntax::format {

constexpr int line_width = 100; ///< in code points; a line is longer only if it contains a part that cannot be broken
constexpr int indent_width = 4;

/// The id of a document; 0 is the empty document. A document may be a part of several documents.
struct DocId {
    std::uint32_t value = 0;
    explicit operator bool() const { return value != 0; }
};

/// Builds documents and renders them. Texts are not copied, so they must outlive the Document.
///
/// A group is printed on one line if the group fits there and contains no apart(). Otherwise the group is broken: each
/// line() that is in the group, but not in an inner group, becomes a line break. Whether an inner group is broken is
/// decided separately.
class Document {
  public:
    Document();

    DocId text(std::string_view text);
    /// A blank. It is omitted at the beginning of a line.
    DocId space();
    /// A comma. If a comment ends the line, the comma is printed before the comment. If `only_broken` is true, the
    /// comma is printed only if the enclosing group is broken.
    DocId comma(bool only_broken);
    /// A line break, followed by an empty line if `blank` is true. If the enclosing group is on one line, `flat` is
    /// printed instead.
    DocId line(std::string_view flat, bool blank = false);
    DocId hard_line(bool blank);
    /// Breaks all enclosing groups. Prints no text.
    DocId apart();
    /// If a comment ended the previous line, prints an empty line before the next text.
    DocId blank();
    /// A comment after a token, at the end of the line. Breaks every enclosing group in which other text follows the
    /// comment.
    DocId trailing(std::string_view comment);
    /// A comment on a separate line. If `blank` is true, an empty line precedes the comment.
    DocId own_line(std::string_view comment, bool blank);

    DocId concat(std::vector<DocId> parts);
    DocId indent(DocId inside);
    DocId group(DocId inside);
    /// An item of a list. If the list is broken, each line has as many items as fit.
    DocId fill(DocId item);
    /// ` = right`. `chain` is true if `right` is a chain of operators. If the whole of `right` fits on the line of the
    /// `=`, it is printed on that line. Otherwise `right` is printed on the next line, indented, in three cases. First,
    /// `right` fits on the next line. Second, `chain` or `apart` is true. Third, not even the beginning of `right` fits
    /// on the line of the `=`. In all other cases, `right` begins on the line of the `=` and is broken.
    DocId tail(DocId op, DocId right, bool chain, bool apart);
    /// A list in which only the last item, a group, is broken: `first last close`. If this layout does not fit,
    /// `broken` is printed.
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
        bool apart = false;      ///< true if the document cannot be on one line
        bool ends = false;       ///< true if the document ends in a comment; the next text then begins a line
        bool flag = false;       ///< comma: only_broken; line, own_line: blank; tail: chain
        bool hard = false;       ///< line: true if it is always a line break; tail: apart
        std::string_view text{}; ///< the text or comment; line: the text if flat
        std::uint32_t first = 0; ///< index of the node's first part in parts_
        std::uint32_t count = 0; ///< number of the node's parts
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
