#pragma once
#include "compiler/syntax/build/operators.hpp"
#include "compiler/syntax/format/document.hpp"
#include "compiler/syntax/format/trivia.hpp"

#include <functional>

namespace pm::syntax::format {

/// Builds the document of a text from its tokens. The text must have no errors. The writer follows the grammar
/// (compiler/syntax/grammar), but keeps every token and comment; the tree does not have them all. A line may end in a
/// bracket, after an operator, `=` and `,`, and before `.name` and `with`.
///
/// Comments before a token are taken from its Trivia where a statement, an item or an operand begins. The comments are
/// thus outside of the groups that begin there, and do not break them.
class Writer {
  public:
    Writer(const Tokens& tokens, std::vector<Trivia> trivia, Document& document)
        : tokens_(tokens), trivia_(std::move(trivia)), d_(document) {}

    DocId file();

  private:
    using Kind = TokenKind;

    /// An expression: its document and properties.
    struct Expression {
        DocId doc;
        DocId even{};         ///< for binary operators: the same, with further lines not indented; otherwise empty
        bool literal = false; ///< a group that may be broken alone if it is the only item of a list
        bool body = false;    ///< as `literal`, for the last of several items: a function with a block, a record
        bool number = false;
        bool text = false;
    };
    /// A statement of a block, or an item of a list.
    struct Part {
        DocId lead; ///< the comments before it
        Expression is;
        DocId remark;       ///< comments of the comma after it
        bool blank = false; ///< there is an empty line before it
    };
    struct List {
        DocId open;
        std::vector<Part> parts;
        bool comma = false; ///< after the last part
        bool comprehension = false;
        bool forced = false; ///< written on several lines with a trailing comma, so it stays on several lines
        DocId remark;        ///< comments before the closing bracket
        DocId close;
    };

    // -- tokens (writer.cpp)
    Kind kind(std::size_t ahead = 0) const { return tokens_.list[at_ + ahead].kind; }
    bool is(Kind wanted) const { return kind() == wanted; }
    bool is_update() const;
    DocId lead(bool first_blank);
    DocId last_comments(bool may_be_blank);
    DocId remark();
    DocId take();
    DocId take(Kind expected);
    DocId glued();
    bool must_part(std::size_t right) const;

    // -- statements (writer.cpp)
    std::vector<Part> statements(bool& several_lines);
    DocId statement();
    DocId block();
    DocId import_line();
    DocId loop();
    DocId plain();
    DocId tail();

    // -- expressions (write_expression.cpp)
    Expression expression();
    DocId condition();
    Expression chain();
    Expression level(const std::vector<Expression>& operands,
                     const std::vector<std::pair<DocId, Precedence>>& operators, std::size_t first, std::size_t last);
    Expression operand();
    Expression primary();
    Expression conditional();
    Expression function();
    DocId signature();
    DocId text();
    DocId update();
    DocId member();

    // -- lists in brackets, patterns and types (write_list.cpp)
    using Reader = std::function<Expression()>;
    /// Whether a comma after a single item has a meaning in this kind of list.
    enum class Comma : std::uint8_t { free, means };
    DocId list(Comma comma, const Reader& read, bool call = false);
    List read_list(Comma comma, const Reader& read);
    DocId comprehension(DocId body);
    DocId broken(const List& list, Comma comma);
    DocId hugged(const List& list, Comma comma, DocId broken, bool call);
    DocId round();
    DocId square();
    DocId record();
    DocId arguments();
    DocId indices();
    DocId index();
    DocId parameter();
    DocId pattern();
    DocId type();

    const Tokens& tokens_;
    std::vector<Trivia> trivia_;
    Document& d_;
    std::size_t at_ = 0;
};

} // namespace pm::syntax::format
