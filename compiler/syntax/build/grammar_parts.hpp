#pragma once
#include "compiler/syntax/ast.hpp"
#include "compiler/syntax/token.hpp"

#include <vector>

/// The results of grammar rules. The Builder builds nodes from them.
namespace pm::syntax {

/// A binary operator. `..` becomes a Range node, other operators become Binary nodes.
struct Operator {
    BinaryOp op = BinaryOp::add;
    bool range = false;
    Span span;
};

/// An operand or operator of a Chain. A chain has them in the order of the text; precedence is not applied yet.
struct ChainEntry {
    enum class Kind : std::uint8_t { operand, prefix, binary };
    Kind kind = Kind::operand;
    ExprId operand;
    UnaryOp prefix = UnaryOp::negate;
    Operator binary;
};

struct Chain {
    std::vector<ChainEntry> entries;
};

/// `for pattern in source if condition` of a comprehension.
struct ForPart {
    PatternId pattern;
    ExprId source;
    ExprId condition; ///< may be empty
};

/// The contents of `( )` or `[ ]`.
struct Group {
    std::vector<Item> items;
    bool comma = false;         ///< true if there is a comma
    std::vector<ForPart> loops; ///< of a comprehension, from the outermost to the innermost
    Span span;                  ///< including the brackets
};

struct TextParts {
    std::vector<StringPiece> pieces;
    Span span;
};

struct Arguments {
    std::vector<Argument> list;
    Span span; ///< including the brackets
};

struct Indices {
    std::vector<IndexItem> list;
    Span span; ///< including the brackets
};

/// The member after a point: a word (with arguments if it is called) or digits.
struct Member {
    const Token* token = nullptr;
    bool called = false;
    Arguments arguments;
};

struct Entries {
    std::vector<RecordEntry> list;
    Span span;
};

/// `path op= value` of a `with`.
struct Update {
    std::vector<Selector> path;
    UpdateOp op = UpdateOp::set;
    Span op_span;
    ExprId value;
};

struct AssignOperator {
    UpdateOp op = UpdateOp::set;
    Span span;
};

struct Conditional {
    std::vector<If::Branch> branches;
    BlockId otherwise;
    Span span;
};

struct StmtList {
    std::vector<StmtId> list;
};

struct PatternEntries {
    std::vector<TuplePattern::Element> elements;
    std::vector<RecordPattern::Entry> fields;
    bool comma = false;
    Span span;
};

struct TypeParts {
    std::vector<TypeId> elements;
    std::vector<RecordType::Entry> fields;
    std::vector<SizeExpr> sizes;
    bool comma = false;
    bool sized = false;
    const Token* name = nullptr;
    Span span;
};

struct FunctionParts {
    const Token* keyword = nullptr;
    const Token* name = nullptr;
    std::vector<Parameter> parameters;
    TypeId result;
    Span signature; ///< of the parameters and the result type
    ExprId value;   ///< `= value`, or
    BlockId block;  ///< `{ ... }`
    Span span;
};

struct LetParts {
    bool mut = false;
    PatternId pattern;
    TypeId type;
    ExprId value;
};

struct ForParts {
    PatternId pattern;
    ExprId source;
    BlockId body;
};

struct ImportParts {
    const Token* module = nullptr;
    TextParts file;
    const Token* name = nullptr;
};

} // namespace pm::syntax
