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
/// A group is printed on one line if it fits and contains no apart(). Otherwise the group is broken: each line() that
/// is in it, but not in an inner group, becomes a line break. Whether an inner group is broken is decided separately.
class Document {
  public:
    Document();

    DocId text(std::string_view text);
    /// A blank. It is omitted at the beginning of a line.
    DocId space();
    /// A comma. It is printed before a comment that ends the line. With `only_broken`, it is printed only if the
    /// enclosing group is broken.
    DocId comma(bool only_broken);
    /// A line break, and an empty line if `blank`. If the enclosing group is on one line, prints `flat` instead.
    DocId line(std::string_view flat, bool blank = false);
    DocId hard_line(bool blank);
    /// Breaks all enclosing groups. Prints no text.
    DocId apart();
    /// If a comment ended the line before, prints an empty line before the next text.
    DocId blank();
    /// A comment after a token, at the end of the line. Breaks every enclosing group in which other text follows the
    /// comment.
    DocId trailing(std::string_view comment);
    /// A comment on a separate line. If `blank`, an empty line precedes it.
    DocId own_line(std::string_view comment, bool blank);

    DocId concat(std::vector<DocId> parts);
    DocId indent(DocId inside);
    DocId group(DocId inside);
    /// An item of a list. If the list is broken, each line has as many items as fit.
    DocId fill(DocId item);
    /// ` = right`. If the whole of `right` fits on the same line, it is printed there. Otherwise it is printed on the
    /// next line, indented, in three cases: it fits on that line; `chain` (of operators) or `apart` is set; not even
    /// its beginning fits on the same line. In other cases it begins on the same line and is broken.
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
        bool apart = false;      ///< the document cannot be on one line
        bool ends = false;       ///< the document ends in a comment, so the next text begins a line
        bool flag = false;       ///< comma: only_broken; line, own_line: blank; tail: chain
        bool hard = false;       ///< line: always a line break; tail: apart
        std::string_view text{}; ///< the text or comment; line: the text if flat
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
