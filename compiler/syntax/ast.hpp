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

/// The syntax tree: plain structs in arenas of one Module, named by typed 4-byte ids. A tree is immutable after
/// parsing. The owner of an id also owns the Module (std::shared_ptr<const Module>).
///
/// Every id in a tree that was parsed without errors names a node, except those marked "may be empty".
namespace pm::syntax {

/// A node of one arena; 0 is "no node".
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

/// A word of the program and its place. A field name may have any text (`"any text": v`).
struct Name {
    std::string text;
    Span span;
};

// -- Expressions

/// `1`, `0xFF`, `7i64`. Without a dtype the number is weak. The value is at most 2^64-1. Whether it fits its dtype
/// depends on a minus before it, and is not checked here.
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

/// Text, or `{value:format}` when `value` is set.
struct StringPiece {
    std::string text;       ///< unescaped; empty if there is a value
    ExprId value;           ///< may be empty
    std::string format;     ///< Python's format language, without the colon; empty if not given
    ExprId computed_format; ///< a text, if the format contains values: `{x:{width}.{digits}f}`
    Span span;
};

/// Two adjacent pieces are never both text. Without pieces it is the empty string.
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

/// `value`, or `*value` when `spread`.
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

/// `name: value`, `"text": value`, `name` (then value is a NameRef), or `..value` when `spread` (then name is
/// empty).
struct RecordEntry {
    Name name;
    ExprId value;
    bool spread = false;
};

struct Record {
    std::vector<RecordEntry> entries;
};

/// `[body for pattern in source]`, or `(body for pattern in source)` when `tuple`.
struct Comprehension {
    bool tuple;
    ExprId body;
    PatternId pattern;
    ExprId source;
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

/// `first..last`, without last.
struct Range {
    ExprId first;
    ExprId last;
};

/// Positional, `*spread` or `name=value`; named ones come after the others.
struct Argument {
    Name name; ///< empty text unless named
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

/// `object.name(arguments)`: a field, a member of a module, or `name(object, arguments)`.
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
        single,   ///< `first`, any value: a number, an array, a mask, none
        slice,    ///< `first:last:step`, each of which may be empty
        window,   ///< `first:+count`, with `count` in `last`
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

/// One step of a place: `.name`, `.0` or `[items]`.
struct Selector {
    enum class Kind : std::uint8_t { field, tuple_index, index };
    Kind kind = Kind::field;
    Name name;                    ///< field
    std::uint64_t number = 0;     ///< tuple_index
    std::vector<IndexItem> items; ///< index
    Span span;
};

/// `base with path op= value`: a changed copy. A chain nests, the first update innermost.
struct With {
    ExprId base;
    std::vector<Selector> path; ///< at least one
    UpdateOp op;                ///< set, add, subtract, multiply, divide, minimum, maximum
    Span op_span;
    ExprId value;
};

/// `if c { } else if d { } else { }` as a flat chain.
struct If {
    struct Branch {
        ExprId condition;
        BlockId block;
    };
    std::vector<Branch> branches; ///< at least one
    BlockId otherwise;            ///< may be empty: then there is no value
};

/// `fn(x) = e`, `fn(x) { ... }`.
struct Lambda {
    FunctionId function;
};

/// The node for text that could not be parsed. Never in a tree without errors.
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

/// `name`: binds it in `let`, `mut`, `for` and parameters, assigns to it left of `=`.
struct NamePattern {
    std::string text;
};

/// `name.f[i].g`: only left of `=` and `op=`.
struct PlacePattern {
    Name root;
    std::vector<Selector> path; ///< at least one
};

/// `(a, _, *rest)`; at most one element is the rest, and that is a name, `_` or (left of `=`) a place.
struct TuplePattern {
    struct Element {
        PatternId pattern;
        bool rest = false;
    };
    std::vector<Element> elements;
};

/// `{w, b: bias}`: each entry is a field and its pattern. Other fields are ignored.
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
    ExprId value; ///< for `value`: names, integers, unary -, and + - * // % of them
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

/// `pattern: type = default`, or `*rest` (a name; no type or default), which comes last.
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
    BlockId body;                 ///< for `= e` a block with this one expression
    bool expression_body = false; ///< written with `=`
    std::string documentation;    ///< the `##` lines before it, joined by newlines
    Span span;
    Span signature; ///< from `fn` to the end of the parameters or the result type
};

/// The value of a block is that of its last statement if it is an ExprStmt, otherwise none.
struct Block {
    Span span;
    std::vector<StmtId> statements;
};

struct ExprStmt {
    ExprId value;
};

/// `let pattern: type = value`, `mut ...` when `mut`.
struct Let {
    bool mut;
    PatternId pattern;
    TypeId type; ///< may be empty
    ExprId value;
};

/// `target op= value`. With an operator other than `=` the target is a name or a place.
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

/// `import nn`, `import "model.pm" as model`. Only at the top level.
struct Import {
    std::string path; ///< the module's name or the file's path
    bool file;
    Span path_span;
    Name name; ///< its name here: the one after `as`, otherwise the module's name or the file's stem
};

/// `test "name" { ... }`. Only at the top level.
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
/// Storage that grows without moving its nodes, so that references stay valid while the tree is built.
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

/// One parsed source. `module[id]` is the node.
class Module {
  public:
    explicit Module(std::uint32_t source) : source_(source) {}

    /// The number of the source in its SourceMap.
    std::uint32_t source() const { return source_; }
    /// The top-level statements in order.
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
