#include "compiler/base/check.hpp"
#include "compiler/syntax/build/builder.hpp"
#include "compiler/syntax/left_chain.hpp"
#include "compiler/syntax/parse.hpp"

#include <algorithm>

namespace pm::syntax {

// -- Types

namespace {

std::vector<std::string> type_names() {
    std::vector<std::string> names{"str", "fn", "any"};
    for (int i = 0; i < runtime::named_dtype_count; ++i) names.emplace_back(name(static_cast<runtime::DType>(i)));
    return names;
}

std::string foreign_type(std::string_view text) {
    if (text == "int") return "i32";
    if (text == "float") return "f32";
    if (text == "float32") return "f32";
    if (text == "float64" || text == "double") return "f64";
    if (text == "int32") return "i32";
    if (text == "int64") return "i64";
    if (text == "string" || text == "text") return "str";
    return nearest(text, type_names());
}

} // namespace

TypeId Builder::named_type(TypeParts parts) {
    const std::string_view text = tokens_.text_of(*parts.name);
    const Span where = span(parts.name);
    if (const auto dtype = dtype_named(text)) {
        Span first;
        for (const SizeExpr& size : parts.sizes) {
            if (size.kind == SizeExpr::Kind::value) check_size(size.value);
            if (size.kind != SizeExpr::Kind::ellipsis) continue;
            if (first) report(diagnose(Diag::several_ellipses, size.span).label(first, "the first one"));
            first = size.span;
        }
        return module_.add(TypeExpr{parts.span, ArrayType{*dtype, std::move(parts.sizes)}});
    }
    const bool any = text == "_" || text == "any";
    if (!any && text != "str") {
        Diagnostic d = diagnose(Diag::unknown_type, where, text);
        if (const std::string near = foreign_type(text); !near.empty())
            d.caret = fmt::format("did you mean `{}`?", near);
        d.notes.push_back("types are the dtypes, f32[n, d], tuples and records of types, str, fn, any and _");
        report(std::move(d));
    } else if (parts.sized) {
        report(diagnose(Diag::unknown_type, parts.span,
                        tokens_.text.substr(parts.span.begin, parts.span.end - parts.span.begin))
                   .note("only dtypes have sizes"));
    }
    if (text == "str") return module_.add(TypeExpr{where, StringType{}});
    return module_.add(TypeExpr{where, AnyType{}});
}

TypeId Builder::round_type(TypeParts parts) {
    if (parts.elements.size() == 1 && !parts.comma) return parts.elements.front();
    return module_.add(TypeExpr{parts.span, TupleType{std::move(parts.elements)}});
}

TypeId Builder::record_type(TypeParts parts) {
    std::vector<Name> names;
    for (const RecordType::Entry& entry : parts.fields) names.push_back(entry.field);
    check_distinct(names, Diag::duplicate_field);
    return module_.add(TypeExpr{parts.span, RecordType{std::move(parts.fields)}});
}

/// Whether an operator is allowed in sizes, which consist of names, integers, `+`, `-`, `*`, `//` and `%`.
bool Builder::makes_sizes(BinaryOp op) {
    switch (op) {
    case BinaryOp::add:
    case BinaryOp::subtract:
    case BinaryOp::multiply:
    case BinaryOp::floor_divide:
    case BinaryOp::remainder: return true;
    case BinaryOp::logical_or:
    case BinaryOp::logical_and:
    case BinaryOp::equal:
    case BinaryOp::not_equal:
    case BinaryOp::less:
    case BinaryOp::less_equal:
    case BinaryOp::greater:
    case BinaryOp::greater_equal:
    case BinaryOp::in:
    case BinaryOp::not_in:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
    case BinaryOp::bit_and:
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
    case BinaryOp::divide:
    case BinaryOp::matmul:
    case BinaryOp::power: return false;
    }
    PM_UNREACHABLE();
}

void Builder::check_size(ExprId size) {
    const Expr& expr = module_[size];
    std::string what;
    if (const auto* binary = std::get_if<Binary>(&expr.node); binary && !makes_sizes(binary->op)) {
        what = fmt::format("`{}`", spelling(binary->op));
    } else if (binary) {
        const LeftChain chain = left_chain(module_, size);
        std::size_t begin = chain.steps.size(); // the operators from `begin` on are allowed in sizes
        while (begin > 0 && makes_sizes(chain.steps[begin - 1].node->op)) --begin;
        check_size(begin == 0 ? chain.first : chain.steps[begin - 1].id);
        for (std::size_t i = begin; i < chain.steps.size(); ++i) check_size(chain.steps[i].node->right);
        return;
    } else if (const auto* unary = std::get_if<Unary>(&expr.node); unary != nullptr && unary->op == UnaryOp::negate) {
        return check_size(unary->operand);
    } else if (std::holds_alternative<NameRef>(expr.node) || std::holds_alternative<IntLiteral>(expr.node) ||
               std::holds_alternative<Invalid>(expr.node)) {
        return;
    } else {
        what =
            fmt::format("`{}`", tokens_.text.substr(expr.span.begin, std::min(expr.span.end - expr.span.begin, 40U)));
    }
    report(diagnose(Diag::bad_size, expr.span, what));
}

// -- Functions and blocks

void Builder::check_parameters(const std::vector<Parameter>& parameters) {
    std::vector<Name> names;
    const Parameter* with_default = nullptr;
    for (const Parameter& parameter : parameters) {
        collect(parameter.pattern, names);
        if (parameter.otherwise) with_default = &parameter;
        if (parameter.rest && &parameter != &parameters.back()) {
            const auto* name = std::get_if<NamePattern>(&module_[parameter.pattern].node);
            report(diagnose(Diag::rest_not_last, parameter.span, name != nullptr ? name->text : "_"));
        }
        if (!parameter.otherwise && !parameter.rest && with_default != nullptr)
            report(diagnose(Diag::parameter_order, parameter.span).label(with_default->span, "this one has a default"));
    }
    check_distinct(names, Diag::duplicate_binding);
}

FunctionId Builder::function(FunctionParts parts) {
    check_parameters(parts.parameters);
    Function made;
    if (parts.name != nullptr) made.name = name(parts.name);
    std::uint32_t most = 0;
    for (const Parameter& parameter : parts.parameters) most = std::max(most, height(parameter.otherwise));
    made.parameters = std::move(parts.parameters);
    made.result = parts.result;
    made.signature = join(span(parts.keyword), parts.signature);
    made.expression_body = static_cast<bool>(parts.value);
    made.span = parts.span;
    if (parts.keyword->extra != 0) made.documentation = tokens_.texts[parts.keyword->extra - 1];
    made.body = parts.value ? block({{expression(parts.value)}}, span_of(parts.value)) : parts.block;
    function_heights_.push_back(bounded({most, height(made.body)}, parts.span));
    return module_.add(std::move(made));
}

BlockId Builder::block(const StmtList& statements, Span span) {
    std::uint32_t most = 0;
    for (const StmtId id : statements.list) most = std::max(most, stmt_heights_[id.value - 1]);
    block_heights_.push_back(bounded({most}, span));
    return module_.add(Block{span, statements.list});
}

// -- Statements; the grammar sets the span of a statement when it is complete

StmtId Builder::add(Stmt stmt, std::initializer_list<std::uint32_t> below) {
    stmt_heights_.push_back(bounded(below, stmt.span));
    return module_.add(std::move(stmt));
}

StmtId Builder::expression(ExprId value) { return add({span_of(value), ExprStmt{value}}, {height(value)}); }

StmtId Builder::let(LetParts parts) {
    check_distinct(parts.pattern);
    return add({span_of(parts.value), Let{parts.mut, parts.pattern, parts.type, parts.value}}, {height(parts.value)});
}

StmtId Builder::declaration(FunctionParts parts) {
    const Span where = parts.span;
    const FunctionId id = function(std::move(parts));
    return add({where, FunctionStmt{id}}, {function_heights_[id.value - 1]});
}

StmtId Builder::for_loop(ForParts parts) {
    check_distinct(parts.pattern);
    return add({span_of(parts.source), For{parts.pattern, parts.source, parts.body}},
               {height(parts.source), height(parts.body)});
}

StmtId Builder::while_loop(ExprId condition, BlockId body) {
    return add({span_of(condition), While{condition, body}}, {height(condition), height(body)});
}

StmtId Builder::jump(const Token* token) {
    if (token->kind == TokenKind::kw_break) return add({span(token), Break{}}, {});
    return add({span(token), Continue{}}, {});
}

StmtId Builder::give_back(ExprId value) {
    return add({value ? span_of(value) : Span{}, Return{value}}, {height(value)});
}

StmtId Builder::test(const TextParts& title, BlockId body) {
    return add({title.span, Test{plain_text(title, "the name of a test"), body}}, {height(body)});
}

StmtId Builder::import(const ImportParts& parts) {
    Import made{{}, parts.module == nullptr, {}, {}};
    if (parts.module != nullptr) {
        made.name = name(parts.module);
        made.path = made.name.text;
        made.path_span = made.name.span;
    } else {
        made.path = plain_text(parts.file, "the path of an import");
        made.path_span = parts.file.span;
        std::string stem = made.path.substr(made.path.find_last_of('/') + 1);
        stem = stem.substr(0, stem.find('.'));
        made.name = {stem, made.path_span};
    }
    if (parts.name != nullptr)
        made.name = name(parts.name);
    else if (made.file) {
        const std::string& stem = made.name.text;
        const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
        if (stem.empty() || std::isdigit(static_cast<unsigned char>(stem.front())) != 0 ||
            !std::all_of(stem.begin(), stem.end(), in_name))
            report(diagnose(Diag::import_needs_name, made.path_span, made.path)
                       .fix(fmt::format("import \"{}\" as model", made.path)));
    }
    return add({made.path_span, std::move(made)}, {});
}

} // namespace pm::syntax
