#pragma once
#include "compiler/syntax/build/operators.hpp"
#include "compiler/syntax/format/document.hpp"
#include "compiler/syntax/format/trivia.hpp"

#include <functional>

namespace pm::syntax::format {

/// Builds the document of a text from its tokens. The text must have no errors. The writer follows the grammar
/// (compiler/syntax/grammar), but reads tokens and trivia, because the tree does not contain every token and comment. A
/// line may end inside of a bracket, after an operator, `=` or `,`, and before `.name` or `with`.
///
/// The comments before the first token of a statement, an item or an operand are written before the groups that begin
/// with this token. So these comments do not break the groups.
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
        DocId even{}; ///< for binary operators: `doc` without indentation of further lines; otherwise empty
        /// true for a group that can be broken in an unbroken list if the group is the only item of the list
        bool literal = false;
        bool body = false; ///< true for a function with a block, or a record; if it is the last item of a list, it
        ///< can be broken in an unbroken list
        bool number = false;
        bool text = false;
    };
    /// A statement of a block, or an item of a list.
    struct Part {
        DocId lead; ///< the comments before the statement or item
        Expression is;
        DocId remark;       ///< the comments around the comma or semicolon after the part
        bool blank = false; ///< true if an empty line precedes the part
    };
    struct List {
        DocId open;
        std::vector<Part> parts;
        bool comma = false; ///< true if a comma follows the last part
        bool comprehension = false;
        bool forced = false; ///< true if the source has the list on several lines, with a trailing comma
        DocId remark;        ///< the comments before the closing bracket
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
    /// `means`: a comma after a single item changes the meaning of the list, as in a tuple. `free`: such a comma does
    /// not change the meaning.
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
