#pragma once
#include "compiler/stage/library/library.hpp"

namespace pm::stage::library {

/// An operand of a contraction, with one label for each axis. If a label occurs twice, the diagonal of these axes is
/// used.
struct Term {
    ir::Value value;
    std::vector<int> labels;
};

/// The product of the terms, summed over all labels that are not in `out`. The axes of the result are those of `out`.
/// All terms have one numeric dtype. All axes with the same label have the same size, or size 1, which is broadcast.
/// Every label of `out` occurs in a term. Terms are joined pair by pair, the cheapest pair first. A pair that shares a
/// summed label becomes a `dot`; any other pair becomes an elementwise product.
/// `precision`: as in Build::dot.
ir::Value contract(ops::Build& b, std::vector<Term> terms, const std::vector<int>& out, std::string_view precision);

/// The labels of an einsum. The axes that `...` stands for have the labels 1000, 1001, ..., counted from the last axis.
struct EinsumSpec {
    std::vector<std::vector<int>> operands;
    std::vector<int> out;
};
constexpr int ellipsis_label = 1000;
/// Reads "ij,jk->ik", with blanks and `...`. Without `->` the output has the labels that occur once, in alphabetical
/// order. Raises Diag::bad_einsum if the text does not fit the shapes.
EinsumSpec read_einsum(const std::string& text, const std::vector<Shape>& shapes, Span span);

} // namespace pm::stage::library
