#pragma once
#include "compiler/syntax/build/operators.hpp"
#include "compiler/syntax/format/document.hpp"
#include "compiler/syntax/format/trivia.hpp"

#include <functional>

namespace pm::syntax::format {

/// Makes the document of a text from its tokens, which must be those of a text without errors. It follows the
/// grammar (compiler/syntax/grammar), but keeps every token and comment, which a tree would lose, and
/// knows where a line may end: in a bracket, behind an operator, `=` and `,`, before `.name` and `with`.
///
/// Comments in front of a token are taken from its Trivia where a statement, an item or an operand begins, so that
/// they stand outside of the groups that begin there and do not force those apart.
class Writer {
  public:
    Writer(const Tokens& tokens, std::vector<Trivia> trivia, Document& document)
        : tokens_(tokens), trivia_(std::move(trivia)), d_(document) {}

    DocId file();

  private:
    using Kind = TokenKind;

    /// What is known of an expression besides its document.
    struct Expression {
        DocId doc;
        DocId even{};         ///< operators between operands: the same with further lines not indented; else empty
        bool literal = false; ///< a group that may be broken alone where it is the only item of a list
        bool body = false;    ///< the same where it is the last of several: a function with a block, a record
        bool number = false;
        bool text = false;
    };
    /// A statement of a block, or an item of a list.
    struct Part {
        DocId lead; ///< its comments in front
        Expression is;
        DocId remark;       ///< comments of the comma behind it
        bool blank = false; ///< an empty line stands before it
    };
    struct List {
        DocId open;
        std::vector<Part> parts;
        bool comma = false; ///< behind the last
        bool comprehension = false;
        bool forced = false; ///< written on several lines with a comma at the end, which keeps it so
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
    /// In which lists one item is not the same with a comma behind it.
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
