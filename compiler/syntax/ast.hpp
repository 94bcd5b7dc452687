#pragma once
#include "compiler/base/span.hpp"
#include "compiler/syntax/kinds.hpp"
#include "runtime/dtype.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

/// The syntax tree. Its nodes are plain structs in arenas of one Module; typed 4-byte ids refer to them. A tree is
/// immutable after parsing. An object that stores ids also owns the Module (std::shared_ptr<const Module>).
///
/// In a tree without errors, every id refers to a node, except ids marked "may be empty".
namespace pm::syntax {

/// The id of a node in one arena; 0 is "no node".
template <class Node>
struct Id {
    std::uint32_t value = 0;
    explicit operator bool() const { return value != 0; }
    bool operator==(const Id&) const = default;
};

struct Expr;
struct Stmt;
struct Pattern;
struct TypeExpr;
struct Block;
struct Function;
using ExprId = Id<Expr>;
using StmtId = Id<Stmt>;
using PatternId = Id<Pattern>;
using TypeId = Id<TypeExpr>;
using BlockId = Id<Block>;
using FunctionId = Id<Function>;

/// A word of the program and its position. A field name can have any text, as in `"any text": v`.
struct Name {
    std::string text;
    Span span;
};

// -- Expressions

/// `1`, `0xFF`, `7i64`. Without a dtype the number is weak. The value is at most 2^64-1. The least number of a dtype
/// needs a minus before the literal, so a later check tests whether the value fits the dtype.
struct IntLiteral {
    std::uint64_t value;
    std::optional<runtime::DType> dtype;
};

/// `1.5`, `1e-3`, `2f64`.
struct FloatLiteral {
    double value;
    std::optional<runtime::DType> dtype;
};

/// `2j`: the imaginary part.
struct ImaginaryLiteral {
    double value;
};

struct BoolLiteral {
    bool value;
};

struct NoneLiteral {};

/// A piece of a string literal: text without values, or `{value:format}` if `value` is set.
struct StringPiece {
    std::string text;       ///< unescaped; empty if there is a value
    ExprId value;           ///< may be empty
    std::string format;     ///< in Python's format language, without the colon; empty if there is no format
    ExprId computed_format; ///< set if the format contains values, as in `{x:{width}.{digits}f}`: an expression for the
                            ///< text of the format
    Span span;
};

/// At most one of two adjacent pieces is text. A literal without pieces is the empty string.
struct StringLiteral {
    std::vector<StringPiece> pieces;
};

struct NameRef {
    std::string text;
};

/// A transformation or collective as a value: `let g = grad`.
struct Transform {
    TransformKind kind;
};

/// `*value` if `spread` is true, otherwise `value`.
struct Item {
    ExprId value;
    bool spread = false;
};

/// `()`, `(a,)`, `(a, *b)`.
struct Tuple {
    std::vector<Item> items;
};

/// `[a, b]`.
struct Array {
    std::vector<Item> items;
};

/// `name: value`, `"text": value`, `name` (`value` is then a NameRef), or `..value`. `spread` is true for `..value`,
/// and the name is then empty.
struct RecordEntry {
    Name name;
    ExprId value;
    bool spread = false;
};

struct Record {
    std::vector<RecordEntry> entries;
};

/// `(body for pattern in source)` if `tuple` is true, otherwise `[body for pattern in source]`.
struct Comprehension {
    bool tuple;
    ExprId body;
    bool nested; ///< true if the body is a comprehension whose elements are joined: `x for a in b for x in a`
    PatternId pattern;
    ExprId source;
    ExprId condition; ///< elements for which the condition is false are left out; may be empty
};

struct Unary {
    UnaryOp op;
    Span op_span;
    ExprId operand;
};

struct Binary {
    BinaryOp op;
    Span op_span;
    ExprId left;
    ExprId right;
};

/// `first..last`, a range that does not include last.
struct Range {
    ExprId first;
    ExprId last;
};

/// A positional argument, `*spread`, or `name=value`. Named arguments follow all other arguments.
struct Argument {
    Name name; ///< the text is empty unless the argument is named
    ExprId value;
    bool spread = false;
    bool named() const { return !name.text.empty(); }
};

struct Call {
    ExprId callee;
    std::vector<Argument> arguments;
};

/// `pmap(f, axis_name="i")`: a call whose callee is the keyword itself.
struct TransformCall {
    TransformKind kind;
    Span keyword;
    std::vector<Argument> arguments;
};

/// `object.name(arguments)`: calls the field `name` of a record or the member `name` of a module. For other objects,
/// and for a record without this field, it means `name(object, arguments)`.
struct MethodCall {
    ExprId object;
    Name name;
    std::vector<Argument> arguments;
};

/// `object.name` without a call.
struct Field {
    ExprId object;
    Name name;
};

/// `object.0`; `t.0.1` is two nodes.
struct TupleIndex {
    ExprId object;
    std::uint64_t index;
    Span index_span;
};

struct IndexItem {
    enum class Kind : std::uint8_t {
        single,   ///< `first` alone, an expression of any value: a number, an array, a mask, none
        slice,    ///< `first:last:step`; each of the three may be empty
        window,   ///< `first:+count`; the member `last` has the node of `count`
        ellipsis, ///< `...`, at most once in an index
    };
    Kind kind = Kind::single;
    ExprId first; ///< may be empty
    ExprId last;  ///< may be empty
    ExprId step;  ///< may be empty
    Span span;
};

/// `object[items]`; at least one item.
struct Index {
    ExprId object;
    std::vector<IndexItem> items;
};

/// One part of a path to a place: `.name`, `.0` or `[items]`.
struct Selector {
    enum class Kind : std::uint8_t { field, tuple_index, index };
    Kind kind = Kind::field;
    Name name;                    ///< field
    std::uint64_t number = 0;     ///< tuple_index
    std::vector<IndexItem> items; ///< index
    Span span;
};

/// `base with path op= value`: a changed copy of base. In a chain of updates, the first update is the innermost node.
struct With {
    ExprId base;
    std::vector<Selector> path; ///< at least one
    UpdateOp op;                ///< set, add, subtract, multiply, divide, minimum, maximum
    Span op_span;
    ExprId value;
};

/// `if c { } else if d { } else { }` as one list of branches.
struct If {
    struct Branch {
        ExprId condition;
        BlockId block;
    };
    std::vector<Branch> branches; ///< at least one
    BlockId otherwise;            ///< may be empty; the `if` then has no value
};

/// `fn(x) = e`, `fn(x) { ... }`.
struct Lambda {
    FunctionId function;
};

/// The node of a part of the text that could not be parsed. A tree without errors contains no such node.
struct Invalid {};

struct Expr {
    Span span;
    std::variant<Invalid, IntLiteral, FloatLiteral, ImaginaryLiteral, BoolLiteral, NoneLiteral, StringLiteral, NameRef,
                 Transform, Tuple, Array, Record, Comprehension, Unary, Binary, Range, Call, TransformCall, MethodCall,
                 Field, TupleIndex, Index, With, If, Lambda>
        node;
};

// -- Patterns and places

/// `_`
struct WildcardPattern {};

/// `name`. In `let`, `mut`, `for` and parameters, the pattern binds the name. Left of `=`, the pattern assigns to the
/// name.
struct NamePattern {
    std::string text;
};

/// `name.f[i].g`. Allowed only left of `=` and `op=`.
struct PlacePattern {
    Name root;
    std::vector<Selector> path; ///< at least one
};

/// `(a, _, *rest)`. At most one element has a `*`. This element must be a name, `_` or (left of `=`) a place.
struct TuplePattern {
    struct Element {
        PatternId pattern;
        bool rest = false;
    };
    std::vector<Element> elements;
};

/// `{w, b: bias}`: each entry is a field and the pattern of the field's value. Fields that are not listed are ignored.
struct RecordPattern {
    struct Entry {
        Name field;
        PatternId pattern;
    };
    std::vector<Entry> entries;
};

struct Pattern {
    Span span;
    std::variant<WildcardPattern, NamePattern, PlacePattern, TuplePattern, RecordPattern> node;
};

// -- Types in annotations

/// One size of `f32[..., n, 2 * n + 1, _]`.
struct SizeExpr {
    enum class Kind : std::uint8_t { value, ellipsis, wildcard };
    Kind kind = Kind::value;
    ExprId value; ///< for `value`: an expression of names, integers, unary - and + - * // %
    Span span;
};

/// `f32` is a scalar; `f32[n, d]` an array.
struct ArrayType {
    runtime::DType dtype;
    std::vector<SizeExpr> sizes;
};

/// `_`, `any`, `str`, `fn`.
struct AnyType {};
struct StringType {};
struct FunctionType {};

struct TupleType {
    std::vector<TypeId> elements;
};

struct RecordType {
    struct Entry {
        Name field;
        TypeId type;
    };
    std::vector<Entry> entries;
};

struct TypeExpr {
    Span span;
    std::variant<AnyType, StringType, FunctionType, ArrayType, TupleType, RecordType> node;
};

// -- Functions, blocks, statements

/// `pattern: type = default`, or `*rest`. `*rest` is the last parameter; its pattern is a name, and it has no type or
/// default.
struct Parameter {
    PatternId pattern;
    TypeId type;      ///< may be empty
    ExprId otherwise; ///< the default; may be empty
    bool rest = false;
    Span span;
};

struct Function {
    Name name; ///< empty text for an anonymous function
    std::vector<Parameter> parameters;
    TypeId result;                ///< may be empty
    BlockId body;                 ///< for `= e`, a block that contains only the expression e
    bool expression_body = false; ///< true if the body is written with `=`
    std::string documentation;    ///< the `##` lines before the function, joined by newlines
    Span span;
    Span signature; ///< from `fn` to the end of the parameters or the result type
};

/// If the last statement of a block is an ExprStmt, the value of this expression is the value of the block. Otherwise
/// the block has no value.
struct Block {
    Span span;
    std::vector<StmtId> statements;
};

struct ExprStmt {
    ExprId value;
};

/// `mut pattern: type = value` if `mut` is true, otherwise `let pattern: type = value`.
struct Let {
    bool mut;
    PatternId pattern;
    TypeId type; ///< may be empty
    ExprId value;
};

/// `target op= value`. If the operator is not `=`, the target must be a name or a place.
struct Assign {
    PatternId target;
    UpdateOp op;
    Span op_span;
    ExprId value;
};

struct FunctionStmt {
    FunctionId function;
};

struct For {
    PatternId pattern;
    ExprId source;
    BlockId body;
};

struct While {
    ExprId condition;
    BlockId body;
};

struct Break {};
struct Continue {};

struct Return {
    ExprId value; ///< may be empty
};

/// `import nn`, `import "model.pm" as model`. Allowed only at the top level.
struct Import {
    std::string path; ///< the module's name or the file's path
    bool file;
    Span path_span;
    Name name; ///< the name that the import binds: the name after `as`, otherwise the module's name or the file name
               ///< without its extension
};

/// `test "name" { ... }`. Allowed only at the top level.
struct Test {
    std::string title;
    BlockId body;
};

struct Stmt {
    Span span;
    std::variant<ExprStmt, Let, Assign, FunctionStmt, For, While, Break, Continue, Return, Import, Test> node;
};

// -- The whole text

namespace detail {
/// Storage that grows without moving its nodes, so references to nodes remain valid while the tree is built.
template <class Node>
class Arena {
  public:
    const Node& operator[](Id<Node> id) const { return nodes_.at(id.value - 1); }
    Node& operator[](Id<Node> id) { return nodes_.at(id.value - 1); }
    Id<Node> add(Node node) {
        nodes_.push_back(std::move(node));
        return {static_cast<std::uint32_t>(nodes_.size())};
    }
    std::size_t size() const { return nodes_.size(); }
    template <class Visit>
    void each(const Visit& visit) const {
        for (const Node& node : nodes_) visit(node);
    }

  private:
    std::deque<Node> nodes_;
};
} // namespace detail

/// The tree of one parsed source. `module[id]` is the node with this id.
class Module {
  public:
    explicit Module(std::uint32_t source) : source_(source) {}

    /// The number of the source in its SourceMap.
    std::uint32_t source() const { return source_; }
    /// The top-level statements, in the order of the text.
    const std::vector<StmtId>& statements() const { return statements_; }
    std::vector<StmtId>& statements() { return statements_; }

    template <class Node>
    const Node& operator[](Id<Node> id) const {
        return std::get<detail::Arena<Node>>(arenas_)[id];
    }
    template <class Node>
    Node& operator[](Id<Node> id) {
        return std::get<detail::Arena<Node>>(arenas_)[id];
    }
    template <class Node>
    Id<Node> add(Node node) {
        return std::get<detail::Arena<Node>>(arenas_).add(std::move(node));
    }
    /// Visits every node of a kind.
    template <class Node, class Visit>
    void each(const Visit& visit) const {
        std::get<detail::Arena<Node>>(arenas_).each(visit);
    }

  private:
    std::uint32_t source_;
    std::vector<StmtId> statements_;
    std::tuple<detail::Arena<Expr>, detail::Arena<Stmt>, detail::Arena<Pattern>, detail::Arena<TypeExpr>,
               detail::Arena<Block>, detail::Arena<Function>>
        arenas_;
};

} // namespace pm::syntax
