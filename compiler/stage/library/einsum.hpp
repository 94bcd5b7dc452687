#pragma once
#include "compiler/stage/library/library.hpp"

namespace pm::stage::library {

/// An operand of a contraction, with one label for each axis. If two axes have the same label, their diagonal is used.
struct Term {
    ir::Value value;
    std::vector<int> labels;
};

/// The product of the terms, summed over all labels that are not in `out`. `out` has the labels of the result's axes.
/// All terms must have the same numeric dtype. Axes with the same label must have the same size, or size 1, which is
/// broadcast. Each label of `out` must occur in a term. Terms are joined pair by pair, the cheapest pair first. If a
/// pair shares a label that is summed, its product is a `dot`. Otherwise its product is elementwise. `precision`: as
/// for Build::dot.
ir::Value contract(ops::Build& b, std::vector<Term> terms, const std::vector<int>& out, std::string_view precision);

/// The labels of an einsum. Axes that `...` stands for have the labels 1000, 1001 and so on, counted from the last of
/// these axes.
struct EinsumSpec {
    std::vector<std::vector<int>> operands;
    std::vector<int> out;
};
constexpr int ellipsis_label = 1000;
/// Parses an einsum specification such as "ij,jk->ik". It may contain blanks and `...`. Without `->`, the output has
/// the labels that occur once, in alphabetical order. Raises Diag::bad_einsum if `text` does not fit the shapes.
EinsumSpec read_einsum(const std::string& text, const std::vector<Shape>& shapes, Span span);

} // namespace pm::stage::library
