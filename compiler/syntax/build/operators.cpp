#include "compiler/syntax/build/operators.hpp"

#include "compiler/base/check.hpp"
#include "compiler/syntax/build/builder.hpp"
#include "compiler/syntax/left_chain.hpp"

#include <array>

namespace pm::syntax {
namespace {

template <class Op>
struct Row {
    TokenKind kind;
    Op op;
};

template <class Op, std::size_t count>
std::optional<Op> find(const std::array<Row<Op>, count>& rows, TokenKind kind) {
    for (const Row<Op>& row : rows)
        if (row.kind == kind) return row.op;
    return {};
}

constexpr std::array binary_rows = {
    Row<BinaryOp>{TokenKind::plus, BinaryOp::add},
    Row<BinaryOp>{TokenKind::minus, BinaryOp::subtract},
    Row<BinaryOp>{TokenKind::star, BinaryOp::multiply},
    Row<BinaryOp>{TokenKind::slash, BinaryOp::divide},
    Row<BinaryOp>{TokenKind::slash_slash, BinaryOp::floor_divide},
    Row<BinaryOp>{TokenKind::percent, BinaryOp::remainder},
    Row<BinaryOp>{TokenKind::at, BinaryOp::matmul},
    Row<BinaryOp>{TokenKind::star_star, BinaryOp::power},
    Row<BinaryOp>{TokenKind::ampersand, BinaryOp::bit_and},
    Row<BinaryOp>{TokenKind::bar, BinaryOp::bit_or},
    Row<BinaryOp>{TokenKind::caret, BinaryOp::bit_xor},
    Row<BinaryOp>{TokenKind::less_less, BinaryOp::shift_left},
    Row<BinaryOp>{TokenKind::greater_greater, BinaryOp::shift_right},
    Row<BinaryOp>{TokenKind::less, BinaryOp::less},
    Row<BinaryOp>{TokenKind::less_equal, BinaryOp::less_equal},
    Row<BinaryOp>{TokenKind::greater, BinaryOp::greater},
    Row<BinaryOp>{TokenKind::greater_equal, BinaryOp::greater_equal},
    Row<BinaryOp>{TokenKind::equal_equal, BinaryOp::equal},
    Row<BinaryOp>{TokenKind::not_equal, BinaryOp::not_equal},
    Row<BinaryOp>{TokenKind::kw_and, BinaryOp::logical_and},
    Row<BinaryOp>{TokenKind::kw_or, BinaryOp::logical_or},
    Row<BinaryOp>{TokenKind::kw_in, BinaryOp::in},
    Row<BinaryOp>{TokenKind::kw_not, BinaryOp::not_in},
};

constexpr std::array update_rows = {
    Row<UpdateOp>{TokenKind::assign, UpdateOp::set},
    Row<UpdateOp>{TokenKind::plus_assign, UpdateOp::add},
    Row<UpdateOp>{TokenKind::minus_assign, UpdateOp::subtract},
    Row<UpdateOp>{TokenKind::star_assign, UpdateOp::multiply},
    Row<UpdateOp>{TokenKind::slash_assign, UpdateOp::divide},
    Row<UpdateOp>{TokenKind::slash_slash_assign, UpdateOp::floor_divide},
    Row<UpdateOp>{TokenKind::percent_assign, UpdateOp::remainder},
    Row<UpdateOp>{TokenKind::at_assign, UpdateOp::matmul},
    Row<UpdateOp>{TokenKind::star_star_assign, UpdateOp::power},
    Row<UpdateOp>{TokenKind::ampersand_assign, UpdateOp::bit_and},
    Row<UpdateOp>{TokenKind::bar_assign, UpdateOp::bit_or},
    Row<UpdateOp>{TokenKind::caret_assign, UpdateOp::bit_xor},
    Row<UpdateOp>{TokenKind::less_less_assign, UpdateOp::shift_left},
    Row<UpdateOp>{TokenKind::greater_greater_assign, UpdateOp::shift_right},
};

} // namespace

Precedence precedence(const Operator& op) {
    if (op.range) return Precedence::range;
    switch (op.op) {
    case BinaryOp::logical_or: return Precedence::disjunction;
    case BinaryOp::logical_and: return Precedence::conjunction;
    case BinaryOp::equal:
    case BinaryOp::not_equal:
    case BinaryOp::less:
    case BinaryOp::less_equal:
    case BinaryOp::greater:
    case BinaryOp::greater_equal:
    case BinaryOp::in:
    case BinaryOp::not_in: return Precedence::comparison;
    case BinaryOp::bit_or: return Precedence::bit_or;
    case BinaryOp::bit_xor: return Precedence::bit_xor;
    case BinaryOp::bit_and: return Precedence::bit_and;
    case BinaryOp::shift_left:
    case BinaryOp::shift_right: return Precedence::shift;
    case BinaryOp::add:
    case BinaryOp::subtract: return Precedence::sum;
    case BinaryOp::multiply:
    case BinaryOp::divide:
    case BinaryOp::floor_divide:
    case BinaryOp::remainder:
    case BinaryOp::matmul: return Precedence::product;
    case BinaryOp::power: return Precedence::power;
    }
    PM_UNREACHABLE();
}

Precedence precedence(UnaryOp op) { return op == UnaryOp::logical_not ? Precedence::negation : Precedence::unary; }

std::optional<Operator> binary_operator(TokenKind kind) {
    if (kind == TokenKind::dot_dot) return Operator{BinaryOp::add, true, {}};
    if (const auto op = find(binary_rows, kind)) return Operator{*op, false, {}};
    return {};
}

std::optional<UnaryOp> prefix_operator(TokenKind kind) {
    if (kind == TokenKind::minus) return UnaryOp::negate;
    if (kind == TokenKind::tilde) return UnaryOp::bit_not;
    if (kind == TokenKind::kw_not) return UnaryOp::logical_not;
    return {};
}

std::optional<UpdateOp> update_operator(TokenKind kind) { return find(update_rows, kind); }

std::string_view spelling(const Operator& op) { return op.range ? ".." : spelling(op.op); }

/// Applies operator precedence, with a stack of operands and a stack of operators. An operator is reduced when the next
/// operator does not bind tighter.
ExprId Builder::chain(const Chain& chain) {
    struct Waiting {
        bool prefix;
        UnaryOp unary;
        Operator binary;
        Precedence level;
        Span span;
    };
    if (chain.entries.size() == 1) return chain.entries.front().operand;
    std::vector<ExprId> operands;
    std::vector<Waiting> waiting;
    const auto reduce = [&] {
        const Waiting top = waiting.back();
        waiting.pop_back();
        const ExprId right = operands.back();
        if (top.prefix) {
            operands.back() = add({join(top.span, span_of(right)), Unary{top.unary, top.span, right}}, {height(right)});
            return;
        }
        operands.pop_back();
        const ExprId left = operands.back();
        const Span where = join(span_of(left), span_of(right));
        const Expr made{where, Binary{top.binary.op, top.span, left, right}};
        // Operators of a left chain do not increase the height of the tree.
        const bool goes_on = !top.binary.range && in_left_chain(made) && in_left_chain(module_[left]);
        operands.back() = top.binary.range ? add({where, Range{left, right}}, {height(left), height(right)})
                                           : add(made, {height(left) - (goes_on ? 1 : 0), height(right)});
    };
    for (const ChainEntry& entry : chain.entries) {
        switch (entry.kind) {
        case ChainEntry::Kind::operand: operands.push_back(entry.operand); break;
        case ChainEntry::Kind::prefix: {
            const Precedence level = precedence(entry.prefix);
            if (!waiting.empty() && waiting.back().level > level && entry.prefix == UnaryOp::logical_not)
                report(
                    diagnose(Diag::needs_parentheses, entry.binary.span, "not",
                             waiting.back().prefix ? spelling(waiting.back().unary) : spelling(waiting.back().binary)));
            waiting.push_back({true, entry.prefix, {}, level, entry.binary.span});
            break;
        }
        case ChainEntry::Kind::binary: {
            const Precedence level = precedence(entry.binary);
            while (!waiting.empty() && waiting.back().level > level) reduce();
            if (!waiting.empty() && waiting.back().level == level && level != Precedence::power) {
                const Operator& before = waiting.back().binary;
                if (level == Precedence::comparison)
                    report(
                        diagnose(Diag::chained_comparison, entry.binary.span, spelling(entry.binary), spelling(before))
                            .label(waiting.back().span, "the first comparison")
                            .fix(fmt::format("write a {} b and b {} c", spelling(before), spelling(entry.binary))));
                if (level == Precedence::range)
                    report(diagnose(Diag::needs_parentheses, entry.binary.span, "..", "..")
                               .fix("a range with a step is range(first, last, step)"));
                reduce();
            }
            waiting.push_back({false, {}, entry.binary, level, entry.binary.span});
            break;
        }
        }
    }
    while (!waiting.empty()) reduce();
    return operands.back();
}

} // namespace pm::syntax
