#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/ast.hpp"
#include "compiler/syntax/build/grammar_parts.hpp"
#include "compiler/syntax/token_layout.hpp"

#include <initializer_list>
#include <vector>

namespace pm::syntax {

/// Thrown to stop the parse if the text is nested too deep or has too many mistakes. The reason has already been
/// reported.
struct GiveUp {};

/// Builds the nodes of one Module from the parts that the grammar recognised. Checks the rules that the grammar does
/// not express: the range of numbers, duplicate names, the targets of assignments, the height of the tree. If the text
/// breaks such a rule, the Builder reports a mistake, and the parse continues.
class Builder {
  public:
    Builder(const Tokens& tokens, const TokenLayout& layout, Module& module, std::vector<Diagnostic>& errors)
        : tokens_(tokens), layout_(layout), module_(module), errors_(errors),
          early_(static_cast<std::ptrdiff_t>(errors.size())) {}

    // -- positions and mistakes
    Span span(const Token* first, const Token* last) const { return {tokens_.source, first->begin, last->end}; }
    Span span(const Token* token) const { return span(token, token); }
    /// The text of a text_piece or format.
    const std::string& text_of(const Token* token) const { return tokens_.texts[token->extra]; }
    Name name(const Token* token) const { return {std::string(tokens_.text_of(*token)), span(token)}; }
    void report(Diagnostic diagnostic);
    /// Called if the grammar expected `expected` at `where`, within the statement that begins at `first`. Reports a
    /// mistake, unless an earlier pass reported one in the statement. Returns the end of the statement.
    const Token* recover(const Token* first, const Token* where, std::string_view expected);
    /// Whether every mistake was reported at the end of the text.
    bool only_at_end() const { return at_end_ == errors_.size(); }

    /// Increases the nesting level. Throws GiveUp if the level exceeds max_nesting.
    void enter(const Token* where);
    void leave() { --nesting_; }
    int nesting() const { return nesting_; }

    // -- expressions
    ExprId number(const Token* token);
    ExprId text(TextParts parts);
    /// Sets the format of `piece`, a value in a string literal.
    void set_format(StringPiece& piece, TextParts parts);
    ExprId boolean(const Token* token, bool value) { return add({span(token), BoolLiteral{value}}, {}); }
    ExprId none(const Token* token) { return add({span(token), NoneLiteral{}}, {}); }
    ExprId name_ref(const Token* token);
    ExprId transform(const Token* token);
    ExprId comprehension(const Group& group, bool tuple);
    ExprId round(Group group);
    ExprId square(Group group);
    ExprId record(Entries entries);
    ExprId conditional(Conditional parts);
    ExprId lambda(FunctionParts parts);
    ExprId chain(const Chain& chain);
    ExprId call(ExprId callee, Arguments arguments);
    ExprId index(ExprId object, Indices indices);
    ExprId member(ExprId object, Member member);
    ExprId update(ExprId base, Update update);
    Selector selector(const Member& member);
    Selector selector(Indices indices);
    RecordEntry text_entry(const TextParts& key, ExprId value);
    RecordEntry shorthand(const Token* name);

    // -- patterns
    PatternId name_pattern(const Token* token);
    /// Reports that a keyword is used where a pattern must bind a name.
    PatternId keyword_pattern(const Token* token);
    PatternId round_pattern(PatternEntries parts);
    PatternId record_pattern(PatternEntries parts);
    RecordPattern::Entry field_pattern(const Token* name) { return {this->name(name), name_pattern(name)}; }

    // -- types
    TypeId named_type(TypeParts parts);
    TypeId function_type(const Token* token) { return module_.add(TypeExpr{span(token), FunctionType{}}); }
    TypeId round_type(TypeParts parts);
    TypeId record_type(TypeParts parts);

    // -- statements
    BlockId block(const StmtList& statements, Span span);
    StmtId expression(ExprId value);
    StmtId assignment(ExprId target, AssignOperator op, ExprId value);
    StmtId let(LetParts parts);
    StmtId declaration(FunctionParts parts);
    StmtId for_loop(ForParts parts);
    StmtId while_loop(ExprId condition, BlockId body);
    StmtId jump(const Token* token);
    StmtId give_back(ExprId value);
    StmtId import(const ImportParts& parts);
    StmtId test(const TextParts& title, BlockId body);
    void set_span(StmtId id, Span span) {
        if (id) module_[id].span = span;
    }
    void finish(const StmtList& statements) { module_.statements() = statements.list; }

  private:
    Diagnostic keyword_as_name(const Token* token) const;
    Diagnostic explain(const Token* first, const Token* where, std::string_view expected) const;

    ExprId add(Expr expr, std::initializer_list<std::uint32_t> below);
    StmtId add(Stmt stmt, std::initializer_list<std::uint32_t> below);
    FunctionId function(FunctionParts parts);
    std::uint32_t height(ExprId id) const { return id ? expr_heights_[id.value - 1] : 0; }
    std::uint32_t height(BlockId id) const { return id ? block_heights_[id.value - 1] : 0; }
    std::uint32_t height(const std::vector<Item>& items) const;
    std::uint32_t height(const std::vector<Argument>& arguments) const;
    std::uint32_t height(const std::vector<IndexItem>& items) const;
    std::uint32_t height(const std::vector<Selector>& path) const;
    std::uint32_t bounded(std::initializer_list<std::uint32_t> below, Span span);
    Span span_of(ExprId id) const { return module_[id].span; }

    void check_arguments(const std::vector<Argument>& arguments);
    void check_indices(const std::vector<IndexItem>& items);
    void check_parameters(const std::vector<Parameter>& parameters);
    static bool makes_sizes(BinaryOp op);
    void check_size(ExprId size);
    std::string plain_text(const TextParts& parts, std::string_view whose);
    void check_distinct(PatternId pattern);
    void collect(PatternId pattern, std::vector<Name>& names) const;
    void check_distinct(const std::vector<Name>& names, Diag id);
    PatternId target(ExprId id);
    PatternId tuple_target(const Tuple& tuple, Span span);
    PatternId record_target(const Record& record, Span span);
    PatternId place_target(ExprId id);
    PatternId no_place(ExprId id);

    const Tokens& tokens_;
    const TokenLayout& layout_;
    Module& module_;
    std::vector<Diagnostic>& errors_;
    std::ptrdiff_t early_;   ///< the number of errors from the earlier passes
    std::size_t at_end_ = 0; ///< the number of errors at the end of the text
    int nesting_ = 0;
    std::vector<std::uint32_t> expr_heights_;
    std::vector<std::uint32_t> stmt_heights_;
    std::vector<std::uint32_t> block_heights_;
    std::vector<std::uint32_t> function_heights_;
};

} // namespace pm::syntax
