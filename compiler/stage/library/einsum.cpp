#include "compiler/stage/library/einsum.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "runtime/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace pm::stage::library {
namespace {

using Labels = std::vector<int>;
using Sizes = std::map<int, std::int64_t>;

bool has(const Labels& labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

std::int64_t axis_of(const Labels& labels, int label) {
    return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

ir::Integers axes_of(const Labels& labels, const Labels& which) {
    ir::Integers axes;
    for (const int label : which) axes.push_back(axis_of(labels, label));
    return axes;
}

/// Replaces the two axes of a repeated label by their diagonal. The axes are moved to the end and joined into one axis,
/// and this axis is sliced with stride n + 1.
void take_diagonals(ops::Build& b, Term& term) {
    for (std::size_t i = 0; i < term.labels.size(); ++i) {
        for (std::size_t j = i + 1; j < term.labels.size(); ++j) {
            if (term.labels[i] != term.labels[j]) continue;
            const int label = term.labels[i];
            const int last = b.rank(term.value) - 1;
            // Axis j is moved before axis i, so that axis i keeps its number.
            ir::Value x = b.move_axis(term.value, static_cast<int>(j), last);
            x = b.move_axis(x, static_cast<int>(i), last);
            Shape shape = b.shape(x);
            const std::int64_t n = shape.back();
            shape.pop_back();
            shape.back() = n * n;
            x = b.slice_axis(b.reshape(x, shape), last - 1, 0, n * n, n + 1);
            term.value = x;
            term.labels.erase(term.labels.begin() + static_cast<std::ptrdiff_t>(j));
            term.labels.erase(term.labels.begin() + static_cast<std::ptrdiff_t>(i));
            term.labels.push_back(label);
            return take_diagonals(b, term);
        }
    }
}

/// Removes each axis of size 1 whose label has a greater size in another term. The product broadcasts the term along
/// the removed axes.
void drop_single(ops::Build& b, Term& term, const Sizes& sizes) {
    Shape shape;
    Labels labels;
    for (std::size_t d = 0; d < term.labels.size(); ++d) {
        if (b.shape(term.value)[d] == 1 && sizes.at(term.labels[d]) != 1) continue;
        shape.push_back(b.shape(term.value)[d]);
        labels.push_back(term.labels[d]);
    }
    term.value = b.reshape(term.value, shape);
    term.labels = std::move(labels);
}

void sum_out(ops::Build& b, Term& term, const std::function<bool(int)>& needed) {
    ir::Integers axes;
    Labels kept;
    for (std::size_t d = 0; d < term.labels.size(); ++d) {
        if (needed(term.labels[d]))
            kept.push_back(term.labels[d]);
        else
            axes.push_back(static_cast<std::int64_t>(d));
    }
    term.value = b.sum(term.value, axes);
    term.labels = std::move(kept);
}

/// The value of `term` with its axes in the order of `all`. It is broadcast along the labels of `all` that the term
/// does not have.
ir::Value spread(ops::Build& b, const Term& term, const Labels& all, const Shape& shape) {
    Labels order;
    ir::Integers dims;
    for (std::size_t d = 0; d < all.size(); ++d)
        if (has(term.labels, all[d])) {
            order.push_back(all[d]);
            dims.push_back(static_cast<std::int64_t>(d));
        }
    return b.broadcast(b.transpose(term.value, axes_of(term.labels, order)), shape, dims);
}

Term join(ops::Build& b, Term left, Term right, const std::set<int>& wanted, const Sizes& sizes,
          std::string_view precision) {
    sum_out(b, left, [&](int label) { return wanted.count(label) != 0 || has(right.labels, label); });
    sum_out(b, right, [&](int label) { return wanted.count(label) != 0 || has(left.labels, label); });
    Labels batch, summed, out;
    for (const int label : left.labels)
        if (has(right.labels, label)) (wanted.count(label) != 0 ? batch : summed).push_back(label);
    out = batch;
    for (const Term* t : {&left, &right})
        for (const int label : t->labels)
            if (!has(batch, label) && !has(summed, label)) out.push_back(label);
    if (!summed.empty())
        return {b.dot(left.value, right.value,
                      {axes_of(left.labels, summed), axes_of(right.labels, summed), axes_of(left.labels, batch),
                       axes_of(right.labels, batch)},
                      precision),
                out};
    Shape shape;
    for (const int label : out) shape.push_back(sizes.at(label));
    return {b.mul(spread(b, left, out, shape), spread(b, right, out, shape)), out};
}

double cost_of(const Term& left, const Term& right, const Sizes& sizes) {
    double cost = 1;
    for (const int label : left.labels) cost *= static_cast<double>(sizes.at(label));
    for (const int label : right.labels)
        if (!has(left.labels, label)) cost *= static_cast<double>(sizes.at(label));
    return cost;
}

} // namespace

ir::Value contract(ops::Build& b, std::vector<Term> terms, const std::vector<int>& out, std::string_view precision) {
    Sizes sizes;
    for (const Term& t : terms)
        for (std::size_t d = 0; d < t.labels.size(); ++d) {
            std::int64_t& size = sizes.try_emplace(t.labels[d], 1).first->second;
            if (size == 1) size = b.shape(t.value)[d];
        }
    for (Term& t : terms) {
        take_diagonals(b, t);
        drop_single(b, t, sizes);
    }
    while (terms.size() > 1) {
        std::size_t best_i = 0, best_j = 1;
        double best = -1;
        for (std::size_t i = 0; i < terms.size(); ++i)
            for (std::size_t j = i + 1; j < terms.size(); ++j)
                if (const double cost = cost_of(terms[i], terms[j], sizes); best < 0 || cost < best)
                    best = cost, best_i = i, best_j = j;
        std::set<int> wanted(out.begin(), out.end());
        for (std::size_t i = 0; i < terms.size(); ++i)
            if (i != best_i && i != best_j) wanted.insert(terms[i].labels.begin(), terms[i].labels.end());
        terms[best_i] = join(b, terms[best_i], terms[best_j], wanted, sizes, precision);
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(best_j));
    }
    Term& all = terms.at(0);
    sum_out(b, all, [&](int label) { return has(out, label); });
    return b.transpose(all.value, axes_of(all.labels, out));
}

// ---- the text

namespace {

class Reader {
  public:
    Reader(const std::string& text, const std::vector<Shape>& shapes, Span span)
        : text_(text), shapes_(shapes), span_(span) {}

    EinsumSpec read() {
        std::string compact;
        for (const char c : text_)
            if (c != ' ') compact += c;
        const std::size_t arrow = compact.find("->");
        std::vector<std::string> inputs = split(compact.substr(0, arrow));
        if (inputs.size() != shapes_.size())
            refuse(fmt::format("it names {:operand|operands}, but {} {} given", Count{inputs.size()}, shapes_.size(),
                               shapes_.size() == 1 ? "is" : "are"));
        for (std::size_t i = 0; i < inputs.size(); ++i) operand(dots(inputs[i]), i);
        for (std::size_t d = widest_; d-- > 0;) ellipsis_.push_back(ellipsis_label + static_cast<int>(d));
        if (arrow == std::string::npos)
            implicit();
        else
            explicit_output(dots(compact.substr(arrow + 2)));
        return std::move(spec_);
    }

  private:
    [[noreturn]] void refuse(const std::string& why) const { raise(diagnose(Diag::bad_einsum, span_, text_, why)); }

    static std::vector<std::string> split(const std::string& text) {
        std::vector<std::string> parts{""};
        for (const char c : text) {
            if (c == ',')
                parts.emplace_back();
            else
                parts.back() += c;
        }
        return parts;
    }

    /// The labels `part` of one operand, with `...` replaced by one '.'. Raises if another character is not a letter.
    std::string dots(const std::string& part) const {
        std::string out;
        for (std::size_t i = 0; i < part.size(); ++i) {
            if (part.compare(i, 3, "...") == 0) {
                if (out.find('.') != std::string::npos) refuse("`...` is twice in one part");
                out += '.';
                i += 2;
            } else if (std::isalpha(static_cast<unsigned char>(part[i])) != 0) {
                out += part[i];
            } else {
                const std::string_view rest = std::string_view(part).substr(i);
                refuse(fmt::format("`{}` is no label; labels are letters from a to z and from A to Z",
                                   rest.substr(0, runtime::utf8_prefix(rest, 1))));
            }
        }
        return out;
    }

    void operand(const std::string& part, std::size_t i) {
        const Shape& shape = shapes_[i];
        const bool ellipsis = part.find('.') != std::string::npos;
        const std::size_t letters = part.size() - (ellipsis ? 1 : 0);
        if (letters > shape.size() || (!ellipsis && letters != shape.size()))
            refuse(fmt::format("operand {} has shape {}, but {} named", i, ir::to_string(shape),
                               letters == 1 ? "1 axis is" : fmt::format("{} axes are", letters)));
        const std::size_t rest = shape.size() - letters;
        Labels labels;
        for (const char c : part) {
            if (c != '.') {
                labels.push_back(c);
                ++count_[c];
                continue;
            }
            for (std::size_t d = rest; d-- > 0;) labels.push_back(ellipsis_label + static_cast<int>(d));
            widest_ = std::max(widest_, rest);
        }
        for (std::size_t d = 0; d < labels.size(); ++d)
            size(labels[d], shape[d], i,
                 has(Labels(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(d)), labels[d]));
        spec_.operands.push_back(std::move(labels));
    }

    /// Raises if the sizes of a label disagree. In different operands, a size of 1 agrees with any size.
    void size(int label, std::int64_t n, std::size_t operand, bool repeated) {
        const auto [at, fresh] = sizes_.try_emplace(label, n, operand);
        auto& [known, where] = at->second;
        if (fresh || known == n) return;
        if (!repeated && n == 1) return;
        if (!repeated && known == 1) {
            known = n;
            where = operand;
            return;
        }
        const std::string name = label < ellipsis_label ? std::string(1, static_cast<char>(label)) : "...";
        refuse(fmt::format("`{}` is {} in operand {} and {} in operand {}", name, known, where, n, operand));
    }

    void implicit() {
        spec_.out = ellipsis_;
        for (const auto& [letter, count] : count_)
            if (count == 1) spec_.out.push_back(letter);
    }

    void explicit_output(const std::string& part) {
        if (part.find('.') == std::string::npos && widest_ > 0)
            refuse("the output needs `...` too: an operand has axes under it");
        for (const char c : part) {
            if (c == '.') {
                spec_.out.insert(spec_.out.end(), ellipsis_.begin(), ellipsis_.end());
                continue;
            }
            if (count_.count(c) == 0) refuse(fmt::format("the output's `{}` is in no operand", c));
            if (has(spec_.out, c)) refuse(fmt::format("the output has `{}` twice", c));
            spec_.out.push_back(c);
        }
    }

    const std::string& text_;
    const std::vector<Shape>& shapes_;
    Span span_;
    EinsumSpec spec_;
    std::map<char, int> count_; ///< the number of times that each letter occurs in the operands
    std::map<int, std::pair<std::int64_t, std::size_t>> sizes_;
    std::size_t widest_ = 0; ///< the greatest number of axes that an ellipsis stands for
    Labels ellipsis_;
};

} // namespace

EinsumSpec read_einsum(const std::string& text, const std::vector<Shape>& shapes, Span span) {
    return Reader(text, shapes, span).read();
}

} // namespace pm::stage::library
