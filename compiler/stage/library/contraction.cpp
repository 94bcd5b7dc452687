// Sums of products: matmul, dot, tensordot, einsum and similar functions.
#include "compiler/stage/index/indexing.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/library/einsum.hpp"
#include "compiler/stage/library/numbers.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ir/precision.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"
#include "runtime/kernels/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace pm::stage::library {
namespace {

using syntax::BinaryOp;

/// Operands in a common dtype that `dot` accepts. Bools are converted to i32. For bools, the result is true where the
/// sum is not zero. If `preferred_element_type` is given, the operands are converted to this dtype, so that sums of
/// small integers are computed in it.
struct Operands {
    ir::Values values;
    DType dtype;
    bool weak = false;
    bool boolean = false;
    std::string precision = {}; ///< the precision, as for Build::dot
};

std::string read_precision(Stager& s, const Value& given, Span span) {
    if (given.is_none()) return {};
    if (!given.text() || !ir::precision::is(*given.text()))
        raise(diagnose(Diag::wrong_kind, s.places().of(span), "`precision`", ir::precision::choices,
                       given.text() ? fmt::format("\"{}\"", *given.text()) : describe(given)));
    return *given.text();
}

/// Converts the operands `given`. `options` is the index of the argument `precision`. The argument after it is
/// `preferred_element_type`.
Operands operands(Stager& s, const std::vector<Value>& given, const Arguments& a, std::size_t options) {
    const Span span = a.span;
    const Value& element_type = a[options + 1];
    const Promoted p = promoted_type(given, span);
    Operands made{{}, p.dtype, p.weak, p.dtype == DType::b1};
    if (!element_type.is_none()) {
        if (!element_type.dtype())
            raise(diagnose(Diag::wrong_kind, span, "`preferred_element_type`", "a dtype", describe(element_type)));
        made = {{}, *element_type.dtype(), false, *element_type.dtype() == DType::b1};
    }
    made.precision = read_precision(s, a[options], a.spans[options]);
    if (made.boolean) made.dtype = DType::i32;
    for (const Value& v : given) made.values.push_back(s.use(v, made.dtype));
    return made;
}

Value result(Stager& s, const Operands& o, ir::Value v) {
    auto& b = s.build();
    return s.wrap(o.boolean ? b.compare(ir::Op::not_equal, v, b.zeros_like(v)) : v, o.weak);
}

Shape shape_of(const Value& v) { return numeric_type(v).type.shape; }

// ---- matmul

Shape swapped(Shape shape) {
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return shape;
}

/// Raises the error that the inner sizes m and n of the first two arguments differ.
[[noreturn]] void refuse_matmul(Stager& s, Arguments& a, std::string_view name, std::int64_t m, std::int64_t n) {
    const Type x = numeric_type(a[0]).type;
    const Type y = numeric_type(a[1]).type;
    const bool operator_form = a.spans[0] == a.spans[1];
    auto d = diagnose(Diag::matmul_sizes, a.span, operator_form ? "@" : name, m, n);
    if (operator_form) {
        d.notes.push_back(fmt::format("left is {}, its last axis has size {}", ir::to_string(x), m));
        d.notes.push_back(fmt::format("right is {}, its {} has size {}", ir::to_string(y),
                                      y.rank() == 1 ? "only axis" : "next to last axis", n));
    } else {
        d.label(a.spans[0], fmt::format("{}, inner size {}", ir::to_string(x), m));
        d.label(a.spans[1], fmt::format("{}, inner size {}", ir::to_string(y), n));
    }
    for (const Local& local : s.frame().locals) {
        if (operator_form || !d.help.empty() || y.rank() == 0 || !local.cell.value.is_numeric()) continue;
        const Type type = numeric_type(local.cell.value).type;
        if (type.rank() == y.rank() && type.dtype == y.dtype && type.shape[y.rank() < 2 ? 0 : y.shape.size() - 2] == m)
            d.help.push_back(fmt::format("`{}: {}` is in scope and fits: {}({}, {})", local.name, ir::to_string(type),
                                         name, s.sources().text(a.spans[0]), local.name));
    }
    // A transpose is suggested only if it makes the product valid.
    const auto fits = [](const Shape& p, const Shape& q) { return p.back() == q[q.size() < 2 ? 0 : q.size() - 2]; };
    const auto offer = [&](std::string text, const Shape& p, const Shape& q) {
        d.help.push_back(fmt::format("`{}` would fit: {} @ {}", text, ir::to_string(Type{x.dtype, p}),
                                     ir::to_string(Type{y.dtype, q})));
    };
    if (y.rank() >= 2 && fits(x.shape, swapped(y.shape)))
        offer(y.rank() == 2 ? "a @ b.T" : "a @ b.mT", x.shape, swapped(y.shape));
    else if (x.rank() >= 2 && fits(swapped(x.shape), y.shape))
        offer(x.rank() == 2 ? "a.T @ b" : "a.mT @ b", swapped(x.shape), y.shape);
    raise(std::move(d));
}

Value matmul(Stager& s, Arguments& a) {
    for (const std::size_t i : {0U, 1U}) {
        need_numeric(a[i], a.spans[i], "`@`");
        if (shape_of(a[i]).empty())
            raise(diagnose(Diag::wrong_kind, a.spans[i], "`@`", "arrays with an axis", describe(a[i]))
                      .fix("multiply by a number with `*`"));
    }
    const Shape& x = shape_of(a[0]);
    const Shape& y = shape_of(a[1]);
    const std::int64_t inner = y[y.size() < 2 ? 0 : y.size() - 2];
    if (x.back() != inner) refuse_matmul(s, a, "matmul", x.back(), inner);
    const Shape x_batch(x.begin(), x.end() - std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(x.size())));
    const Shape y_batch(y.begin(), y.end() - std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(y.size())));
    if (!ops::broadcast_shapes(x_batch, y_batch))
        raise(diagnose(Diag::shapes_do_not_broadcast, a.span, ir::to_string(x_batch), ir::to_string(y_batch))
                  .note(fmt::format("the batch axes of {} and {}: all but the last two", ir::to_string(x),
                                    ir::to_string(y))));
    enum : int { row = 'm', shared = 'k', column = 'n' };
    const auto batch_labels = [](std::size_t count) {
        std::vector<int> labels;
        for (std::size_t d = count; d-- > 0;) labels.push_back(ellipsis_label + static_cast<int>(d));
        return labels;
    };
    std::vector<int> left = batch_labels(x_batch.size()), right = batch_labels(y_batch.size());
    std::vector<int> out = batch_labels(std::max(x_batch.size(), y_batch.size()));
    if (x.size() > 1) left.push_back(row), out.push_back(row);
    left.push_back(shared);
    right.push_back(shared);
    if (y.size() > 1) right.push_back(column), out.push_back(column);
    const Operands o = operands(s, {a[0], a[1]}, a, 2);
    return result(s, o, contract(s.build(), {{o.values[0], left}, {o.values[1], right}}, out, o.precision));
}

// ---- dot and similar functions

/// The product of the two operands, summed over the axes `left` of the first operand and the corresponding axes `right`
/// of the second operand.
Value contracted(Stager& s, Arguments& a, ir::Integers left, ir::Integers right, std::string_view name,
                 std::size_t options) {
    const Shape& x = shape_of(a[0]);
    const Shape& y = shape_of(a[1]);
    for (std::size_t i = 0; i < left.size(); ++i) {
        const std::int64_t m = x[static_cast<std::size_t>(left[i])];
        const std::int64_t n = y[static_cast<std::size_t>(right[i])];
        if (m == n) continue;
        if (name == "dot") refuse_matmul(s, a, name, m, n);
        raise(diagnose(Diag::matmul_sizes, a.span, name, m, n)
                  .label(a.spans[0],
                         fmt::format("{}, axis {} has size {}", ir::to_string(numeric_type(a[0]).type), left[i], m))
                  .label(a.spans[1],
                         fmt::format("{}, axis {} has size {}", ir::to_string(numeric_type(a[1]).type), right[i], n)));
    }
    const Operands o = operands(s, {a[0], a[1]}, a, options);
    return result(s, o, s.build().dot(o.values[0], o.values[1], {std::move(left), std::move(right)}, o.precision));
}

Value dot(Stager& s, Arguments& a) {
    for (const std::size_t i : {0U, 1U}) need_numeric(a[i], a.spans[i], "`dot`");
    const auto x = static_cast<std::int64_t>(shape_of(a[0]).size());
    const auto y = static_cast<std::int64_t>(shape_of(a[1]).size());
    if (x == 0 || y == 0) return binary(s, BinaryOp::multiply, a[0], a[1], a.span);
    return contracted(s, a, {x - 1}, {std::max<std::int64_t>(0, y - 2)}, "dot", 2);
}

Value inner(Stager& s, Arguments& a) {
    for (const std::size_t i : {0U, 1U}) need_numeric(a[i], a.spans[i], "`inner`");
    const auto x = static_cast<std::int64_t>(shape_of(a[0]).size());
    const auto y = static_cast<std::int64_t>(shape_of(a[1]).size());
    if (x == 0 || y == 0) return binary(s, BinaryOp::multiply, a[0], a[1], a.span);
    return contracted(s, a, {x - 1}, {y - 1}, "inner", 2);
}

Value vdot(Stager& s, Arguments& a) {
    Arguments flat = a;
    for (const std::size_t i : {0U, 1U}) {
        need_numeric(a[i], a.spans[i], "`vdot`");
        ir::Value v = s.use(a[i]);
        if (i == 0 && runtime::is_complex(s.build().dtype(v))) v = s.build().unary(ir::Op::conj, v);
        flat.values[i] = s.wrap(s.build().reshape(v, {numeric_type(a[i]).type.elements()}), numeric_type(a[i]).weak);
    }
    return contracted(s, flat, {0}, {0}, "vdot", 2);
}

ir::Integers axis_list(Stager& s, const Value& v, const Type& type, Span span) {
    ir::Integers axes;
    const auto add = [&](const Value& item) {
        axes.push_back(axis_of(s, item, type, span));
        if (std::count(axes.begin(), axes.end(), axes.back()) > 1)
            raise(diagnose(Diag::axis_named_twice, span, axes.back()));
    };
    if (v.tuple() || (v.is_numeric() && numeric_type(v).type.rank() > 0))
        for (const Value& item : spread(s, v, span)) add(item);
    else
        add(v);
    return axes;
}

Value tensordot(Stager& s, Arguments& a) {
    for (const std::size_t i : {0U, 1U}) need_numeric(a[i], a.spans[i], "`tensordot`");
    const auto x = static_cast<int>(shape_of(a[0]).size());
    const auto y = static_cast<int>(shape_of(a[1]).size());
    ir::Integers left, right;
    if (a[2].tuple()) {
        const auto& pair = a[2].tuple()->items;
        if (pair.size() != 2)
            raise(diagnose(Diag::wrong_kind, a.spans[2], "`axes`", "a number, or (axes of a, axes of b)",
                           tree_text(a[2])));
        left = axis_list(s, pair[0], numeric_type(a[0]).type, a.spans[2]);
        right = axis_list(s, pair[1], numeric_type(a[1]).type, a.spans[2]);
        if (left.size() != right.size())
            raise(diagnose(Diag::wrong_kind, a.spans[2], "`axes`", "as many axes of a as of b", tree_text(a[2])));
    } else {
        const std::int64_t n = need_integer(s, a[2], a.spans[2], "`axes`");
        if (n < 0 || n > std::min(x, y))
            raise(diagnose(Diag::wrong_kind, a.spans[2], "`axes`",
                           fmt::format("a number from 0 to {}, the axes that {} and {} both have", std::min(x, y),
                                       describe(a[0]), describe(a[1])),
                           n)
                      .fix("name the axes of each: axes=((1,), (0,))"));
        for (std::int64_t i = 0; i < n; ++i) {
            left.push_back(x - n + i);
            right.push_back(i);
        }
    }
    return contracted(s, a, std::move(left), std::move(right), "tensordot", 3);
}

Value dot_general(Stager& s, Arguments& a) {
    for (const std::size_t i : {0U, 1U}) need_numeric(a[i], a.spans[i], "`dot_general`");
    const auto pair = [&](const Value& v) {
        if (!v.tuple() || v.tuple()->items.size() != 2)
            raise(diagnose(Diag::wrong_kind, a.spans[2], "`dimension_numbers`",
                           "((summed axes of a, of b), (batch axes of a, of b))", describe(a[2])));
        return v.tuple()->items;
    };
    const std::vector<Value> both = pair(a[2]);
    const std::vector<Value> summed = pair(both[0]);
    const std::vector<Value> batch = pair(both[1]);
    const Type x = numeric_type(a[0]).type;
    const Type y = numeric_type(a[1]).type;
    const Span span = a.spans[2];
    const Operands o = operands(s, {a[0], a[1]}, a, 3);
    return result(s, o,
                  s.build().dot(o.values[0], o.values[1],
                                {axis_list(s, summed[0], x, span), axis_list(s, summed[1], y, span),
                                 axis_list(s, batch[0], x, span), axis_list(s, batch[1], y, span)},
                                o.precision));
}

Value einsum(Stager& s, Arguments& a) {
    const std::string& text = need_text(s, a[0], a.spans[0], "`einsum`");
    std::vector<Value> given = a[1].tuple()->items;
    if (given.empty())
        raise(diagnose(Diag::wrong_argument_count, a.span, "einsum", "a text and at least one array", 1)
                  .fix("give the arrays after the text: einsum(\"ij,jk->ik\", a, b)"));
    std::vector<Shape> shapes;
    for (Value& v : given) {
        v = as_array(s, v, a.span);
        shapes.push_back(numeric_type(need_numeric(v, a.span, "`einsum`")).type.shape);
    }
    const EinsumSpec spec = read_einsum(text, shapes, a.spans[0]);
    const Operands o = operands(s, given, a, 2);
    std::vector<Term> terms;
    for (std::size_t i = 0; i < given.size(); ++i) terms.push_back({o.values[i], spec.operands[i]});
    return result(s, o, contract(s.build(), std::move(terms), spec.out, o.precision));
}

// ---- convolutions by a device's library; stdlib/windows has checked shapes and dtypes

Value has_convolutions(Stager& s, Arguments& a) {
    // For fewer multiplications the device's library is not used, because the library's search for an algorithm takes
    // some tenths of a second. The limit is low, because vmap may enlarge the convolution.
    constexpr std::int64_t least_work = 1 << 20;
    const DType* const dtype = a[0].dtype();
    const std::string precision = read_precision(s, a[1], a.spans[1]);
    return Value::boolean(dtype && need_integer(s, a[2], a.spans[2], "a size") >= least_work &&
                          s.host().target->has_convolutions(*dtype, precision));
}

Value convolution(Stager& s, Arguments& a) {
    const Operands o = operands(s, {a[0], a[1]}, a, 7);
    const auto numbers = [&](std::size_t i) {
        ir::Integers made;
        for (const Value& v : a[i].tuple()->items) made.push_back(need_integer(s, v, a.spans[i], "a size"));
        return made;
    };
    const ir::Integers strides = numbers(2), padding = numbers(3), dilation = numbers(4);
    const bool transposed = need_bool(s, a[6], a.spans[6], "transposed");
    auto& b = s.build();
    const ir::Value kernel = b.move_axis(o.values[1], b.rank(o.values[1]) - 1, 0);
    const Shape x = b.shape(o.values[0]), w = b.shape(kernel);
    Shape shape = x;
    shape.back() = transposed ? w.back() : w.front();
    for (std::size_t i = 0; i < strides.size(); ++i) {
        const std::int64_t reach = (w[i + 1] - 1) * dilation[i] + 1 - 2 * padding[i];
        shape[i + 1] = transposed ? (x[i + 1] - 1) * strides[i] + reach : (x[i + 1] - reach) / strides[i] + 1;
    }
    ir::Attrs attrs{{ir::Attr::kind, std::string(transposed ? "data" : "forward")},
                    {ir::Attr::shape, shape},
                    {ir::Attr::stride, strides},
                    {ir::Attr::dilation, dilation},
                    {ir::Attr::padding, padding},
                    {ir::Attr::groups, need_integer(s, a[5], a.spans[5], "groups")}};
    if (!o.precision.empty()) attrs.set(ir::Attr::precision, o.precision);
    const ir::Values both = transposed ? ir::Values{kernel, o.values[0]} : ir::Values{o.values[0], kernel};
    return result(s, o, b.emit1(ir::Op::convolution, both, std::move(attrs)));
}

// ---- matrices by LAPACK or a device's library; stdlib/linalg has checked shapes and dtypes

Value has_factors(Stager& s, Arguments& a) {
    // A device's library processes the matrices of a batch one by one. Each takes some tens of microseconds. The loops
    // in stdlib process all matrices together, with one iteration for each row. The limit is estimated and not
    // measured.
    constexpr std::int64_t least_of_device = 33;
    const std::int64_t size = need_integer(s, a[0], a.spans[0], "a size");
    const bool by_device = need_bool(s, a[1], a.spans[1], "by_device");
    return Value::boolean(runtime::has_lapack() ||
                          (by_device && size >= least_of_device && s.host().target->has_factorizations()));
}

Value factorize(Stager& s, Arguments& a) {
    const NumericType t = numeric_type(need_numeric(a[0], a.spans[0], "a factorization"));
    const std::string& kind = need_text(s, a[1], a.spans[1], "the kind of a factorization");
    const std::int64_t full = need_bool(s, a[2], a.spans[2], "full") ? 1 : 0;
    return s.array_work(a.span, [&] {
        std::vector<Value> parts;
        for (const ir::Value v : s.build().emit(ir::Op::factorize, {s.use(a[0], t.type.dtype)},
                                                {{ir::Attr::kind, kind}, {ir::Attr::full, full}}))
            parts.push_back(s.wrap(v));
        return Value::tuple(std::move(parts));
    });
}

Value triangular_solve(Stager& s, Arguments& a) {
    const DType dtype = numeric_type(need_numeric(a[0], a.spans[0], "a triangular system")).type.dtype;
    need_numeric(a[1], a.spans[1], "a triangular system");
    const auto option = [&](std::size_t i, const char* name) -> std::int64_t {
        return need_bool(s, a[i], a.spans[i], name) ? 1 : 0;
    };
    const ir::Attrs attrs{{ir::Attr::lower, option(2, "lower")},
                          {ir::Attr::transposed, option(3, "trans")},
                          {ir::Attr::unit_diagonal, option(4, "unit_diagonal")}};
    return s.array_work(a.span, [&] {
        return s.wrap(s.build().emit1(ir::Op::triangular_solve, {s.use(a[0], dtype), s.use(a[1], dtype)}, attrs));
    });
}

using K = Native::Kind;
constexpr Native contraction_natives[] = {
    {"_has_convolutions", "dtype, precision, work", K::known, has_convolutions,
     "_has_convolutions(dtype, precision, work): whether the devices have a library for convolutions of so many "
     "multiplications."},
    {"_library_convolution",
     "x, w, strides, padding, dilation, groups, transposed=false, precision=none, preferred_element_type=none",
     K::array, convolution,
     "_library_convolution(x, w, strides, padding, dilation, groups): nn.conv of floats x f[n, ..., c] by w f[k..., "
     "c / groups, d] with as many zeros before each axis of space as after it; transposed=true: the transpose "
     "of that, the least array x of which it makes one of the sizes given, for w f[k..., d, c]."},
    {"_has_factors", "size, by_device=true", K::known, has_factors,
     "_has_factors(size): whether a library factorizes matrices with so many rows or columns: LAPACK, or (by_device) "
     "the "
     "devices' own."},
    {"_factorize", "a, kind, full=false", K::array, factorize,
     "_factorize(a, kind, full): the tuple of the factors of matrices f[..., m, n], without derivatives; kind "
     "\"cholesky\", \"lu\", \"qr\", \"eigh\", \"svd\" or \"eig\", of which the real parts of the values f[..., 2, n] "
     "and "
     "vectors f[..., 2, n, n] come first, then the imaginary ones."},
    {"_triangular_solve", "t, b, lower, trans, unit_diagonal", K::array, triangular_solve,
     "_triangular_solve(t, b, lower, trans, unit_diagonal): x f[..., n, m] with t @ x = b."},
    {"matmul", "a, b, precision=none, preferred_element_type=none", K::array, matmul,
     "matmul(a, b): a @ b, over the last two axes; those before them are batches and broadcast."},
    {"dot", "a, b, precision=none, preferred_element_type=none", K::array, dot,
     "dot(a, b): the sum over a's last axis and b's next to last (or only) one."},
    {"inner", "a, b, precision=none, preferred_element_type=none", K::array, inner,
     "inner(a, b): the sum over the last axis of both."},
    {"vdot", "a, b, precision=none, preferred_element_type=none", K::array, vdot,
     "vdot(a, b): the sum of products of all elements, those of a conjugated."},
    {"tensordot", "a, b, axes=2, precision=none, preferred_element_type=none", K::array, tensordot,
     "tensordot(a, b, axes): the sum over the last n axes of a and the first n of b, or over (axes of a, axes of b)."},
    {"dot_general", "a, b, dimension_numbers, precision=none, preferred_element_type=none", K::array, dot_general,
     "dot_general(a, b, ((summed of a, of b), (batch of a, of b))): sums of products; the result has the batch axes, "
     "then what is left of a, then of b. Axes that meet must have equal sizes."},
    {"einsum", "subscripts, *operands, precision=none, preferred_element_type=none, optimize=none", K::array, einsum,
     "einsum(\"ij,jk->ik\", a, b): sums of products by named axes; `...` stands for further ones."},
};

} // namespace

std::span<const Native> contraction() { return contraction_natives; }

} // namespace pm::stage::library
