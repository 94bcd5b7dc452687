#pragma once
#include "compiler/stage/library/library.hpp"

namespace pm::stage::library {

/// An operand of a contraction: one label per axis. A label that occurs twice means the diagonal.
struct Term {
    ir::Value value;
    std::vector<int> labels;
};

/// The product of the terms, summed over all labels that are not in `out`. The axes of the result are those of `out`.
/// All terms have one numeric dtype. All axes of a label have the same size, or size 1, which is broadcast. Every label
/// of `out` is in a term. Terms are joined pair by pair, the cheapest first: a pair that shares a summed label becomes
/// `dot`, any other a product.
/// `precision`: as in Build::dot.
ir::Value contract(ops::Build& b, std::vector<Term> terms, const std::vector<int>& out, std::string_view precision);

/// The labels of an einsum. Axes covered by `...` have the labels 1000, 1001, ..., counted from the last axis.
struct EinsumSpec {
    std::vector<std::vector<int>> operands;
    std::vector<int> out;
};
constexpr int ellipsis_label = 1000;
/// Reads "ij,jk->ik", with blanks and `...`. Without `->` the output has the labels that occur once, in alphabetical
/// order. Raises Diag::bad_einsum if the text does not fit the shapes.
EinsumSpec read_einsum(const std::string& text, const std::vector<Shape>& shapes, Span span);

} // namespace pm::stage::library
