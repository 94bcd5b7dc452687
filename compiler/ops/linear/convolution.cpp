#include "compiler/ops/linear/convolution.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/nans.hpp"
#include "compiler/ops/core/positions.hpp"
#include "compiler/ops/core/precision.hpp"

#include <algorithm>

// convolution computes one of x[n, s.., c], w[d, k.., c / groups] and y[n, o.., d] from the other two, as in
// runtime/gpu/device/convolutions.hpp. The two operands are in the order x, w, y. If a device library computes the
// convolution, the convolution remains one instruction. Otherwise the convolution becomes a sum of products of strided
// slices. Each kind is the derivative of the same trilinear form of x, w and y, with respect to one of the three
// arrays. So derivatives and batches of a convolution are convolutions again.

namespace pm::ops {
namespace {

using runtime::ConvolutionSpec;
using Kind = ConvolutionSpec::Kind;

/// The three arrays of a convolution: x, w and y.
enum Role : std::uint8_t { role_x, role_w, role_y };
constexpr std::array kinds{"forward", "data", "filter"};
/// For each kind: the array that is the result. The next table has the arrays that are the operands.
constexpr std::array made_by_kind{role_y, role_x, role_w};
constexpr std::array<std::array<Role, 2>, 3> given_to_kind{{{role_x, role_w}, {role_w, role_y}, {role_x, role_y}}};

Kind kind_of(const Inst& inst) {
    const auto at = std::find(kinds.begin(), kinds.end(), inst.attrs.text(Attr::kind));
    PM_CHECK(at != kinds.end(), inst.attrs.text(Attr::kind));
    return static_cast<Kind>(at - kinds.begin());
}
Role made(Kind kind) { return made_by_kind[static_cast<std::size_t>(kind)]; }
const std::array<Role, 2>& given(Kind kind) { return given_to_kind[static_cast<std::size_t>(kind)]; }
Kind maker_of(Role role) {
    return static_cast<Kind>(std::find(made_by_kind.begin(), made_by_kind.end(), role) - made_by_kind.begin());
}

/// The shapes of x, w and y.
std::array<Shape, 3> shapes_of(const Inst& inst, std::span<const Type> in) {
    const Kind kind = kind_of(inst);
    std::array<Shape, 3> shapes;
    shapes[made(kind)] = inst.attrs.integers(Attr::shape);
    for (std::size_t i = 0; i < 2; ++i) shapes[given(kind)[i]] = in[i].shape;
    return shapes;
}

std::vector<Type> convolution_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, floats);
    require_dtype(inst, in[1].dtype, set_of(in[0].dtype));
    const auto [x, w, y] = shapes_of(inst, in);
    const std::int64_t groups = inst.attrs.integer(Attr::groups);
    const std::size_t rank = x.size();
    PM_CHECK(rank >= 3 && rank <= 5 && w.size() == rank && y.size() == rank, "a convolution over other axes");
    PM_CHECK(groups >= 1 && x.back() == w.back() * groups && w[0] == y.back() && w[0] % groups == 0 && x[0] == y[0],
             "features and batches of a convolution");
    const Integers &stride = inst.attrs.integers(Attr::stride), &dilation = inst.attrs.integers(Attr::dilation),
                   &padding = inst.attrs.integers(Attr::padding);
    PM_CHECK(stride.size() == rank - 2 && dilation.size() == rank - 2 && padding.size() == rank - 2,
             "numbers for each axis of a convolution");
    for (std::size_t a = 0; a + 2 < rank; ++a) {
        PM_CHECK(stride[a] >= 1 && dilation[a] >= 1 && padding[a] >= 0 && w[a + 1] >= 1, "windows of a convolution");
        const std::int64_t room = x[a + 1] + 2 * padding[a] - (w[a + 1] - 1) * dilation[a] - 1;
        PM_CHECK(room >= 0 && y[a + 1] == room / stride[a] + 1, "places of a convolution");
    }
    return {{in[0].dtype, inst.attrs.integers(Attr::shape)}};
}

// ---- eval

/// An element of y is a sum of products of an element of x and an element of w. Calls f(x, w, y) for each of these
/// products. The arguments are offsets of these elements. In the padding, x is zero. For an element of the padding, the
/// offset of x is -1.
template <class F>
void each_product(const ConvolutionSpec& s, const F& f) {
    const Integers strides_x = strides_of(Shape(s.x.begin(), s.x.end()));
    const std::int64_t c = s.in / s.groups, d = s.out / s.groups;
    const std::int64_t of_x = s.x[0] * s.x[1] * s.x[2], of_w = s.w[0] * s.w[1] * s.w[2],
                       of_y = s.y[0] * s.y[1] * s.y[2];
    for (std::int64_t n = 0; n < s.batch; ++n)
        each_position(Shape(s.y.begin(), s.y.end()), [&](std::int64_t at_y, const Position& o) {
            poll_stop();
            each_position(Shape(s.w.begin(), s.w.end()), [&](std::int64_t at_w, const Position& k) {
                std::int64_t at_x = 0;
                bool inside = true;
                for (std::size_t a = 0; a < 3; ++a) {
                    const std::int64_t at = o[a] * s.stride[a] + k[a] * s.dilation[a] - s.padding[a];
                    inside = inside && at >= 0 && at < s.x[a];
                    at_x += at * strides_x[a];
                }
                for (std::int64_t j = 0; j < s.out; ++j)
                    for (std::int64_t i = 0; i < c; ++i)
                        f(inside ? ((n * of_x + at_x) * s.groups + j / d) * c + i : -1, (j * of_w + at_w) * c + i,
                          (n * of_y + at_y) * s.out + j);
            });
        });
}

std::vector<Array> convolution_eval(EvalContext& c) {
    const auto type = [&](std::size_t i) { return Type{c.in[i].dtype(), c.in[i].shape()}; };
    const ConvolutionSpec spec = convolution_spec(c.inst, std::array{type(0), type(1)});
    Array out = new_result(c);
    visit_dtype(out.dtype(), [&](auto e) {
        using E = decltype(e);
        using A = AccumulatorOf<typename E::Value>;
        const auto* a = c.in[0].template as<typename E::Stored>();
        const auto* b = c.in[1].template as<typename E::Stored>();
        const auto of = [](const auto* all, std::int64_t at) {
            return at < 0 ? A(0) : static_cast<A>(E::load(all[at]));
        };
        std::vector<A> sums(static_cast<std::size_t>(out.elements()), A(0));
        each_product(spec, [&](std::int64_t x, std::int64_t w, std::int64_t y) {
            if (spec.kind == Kind::forward)
                sums[static_cast<std::size_t>(y)] += of(a, x) * of(b, w);
            else if (spec.kind == Kind::filter)
                sums[static_cast<std::size_t>(w)] += of(a, x) * of(b, y);
            else if (x >= 0)
                sums[static_cast<std::size_t>(x)] += of(a, w) * of(b, y);
        });
        auto* z = out.template mutable_as<typename E::Stored>();
        for (const A sum : sums) *z++ = E::store(static_cast<typename E::Value>(sum));
    });
    return {std::move(out)};
}

// ---- derivatives

Value convolution_of_first(JvpContext& c, Value t) { return c.b.copy(c.inst, {t, c.in(1)}).at(0); }
Value convolution_of_second(JvpContext& c, Value t) { return c.b.copy(c.inst, {c.in(0), t}).at(0); }

/// The cotangent of an operand is another convolution. Its kind is the one that computes the operand's array. The
/// operands of the new convolution are the other operand and the cotangent.
void convolution_transpose(TransposeContext& c) {
    const Kind kind = kind_of(c.inst);
    for (std::size_t i = 0; i < 2; ++i) {
        if (!c.linear(i)) continue;
        const Role role = given(kind)[i];
        std::array<Value, 3> arrays;
        arrays[made(kind)] = *c.ct();
        arrays[given(kind)[1 - i]] = c.in(1 - i);
        Inst other = c.inst;
        const Kind maker = maker_of(role);
        other.attrs.set(Attr::kind, std::string(kinds[static_cast<std::size_t>(maker)]));
        other.attrs.set(Attr::shape, c.operand_types[i].shape);
        c.add(i, c.b.copy(other, {arrays[given(maker)[0]], arrays[given(maker)[1]]}).at(0));
    }
}

// ---- batch

/// The axis of an array into which the batch is merged. Without the batch, the axis is (outer, rest). The merged axis
/// is (outer, batch, rest).
struct Fold {
    std::size_t axis = 0;
    std::int64_t outer = 1;
};

/// `v` is an array [batch, ..]. Returns it with the batch merged into the axis of `f`.
Value folded(Build& b, Value v, const Fold& f) {
    Shape shape = b.shape(v);
    const std::int64_t batch = shape[0], size = shape[f.axis + 1];
    Shape cut = shape;
    cut[f.axis + 1] = f.outer;
    cut.insert(cut.begin() + static_cast<std::ptrdiff_t>(f.axis) + 2, size / f.outer);
    const Value moved = b.move_axis(b.reshape(v, cut), 0, static_cast<int>(f.axis) + 1);
    shape.erase(shape.begin());
    shape[f.axis] = batch * size;
    return b.reshape(moved, shape);
}
/// The inverse of folded(): the batch is axis 0 again.
Value unfolded(Build& b, Value v, const Fold& f, std::int64_t batch) {
    Shape shape = b.shape(v);
    const std::int64_t size = shape[f.axis] / batch;
    Shape cut = shape;
    cut[f.axis] = f.outer;
    const auto rest = cut.begin() + static_cast<std::ptrdiff_t>(f.axis) + 1;
    cut.insert(rest, {batch, size / f.outer});
    const Value moved = b.move_axis(b.reshape(v, cut), static_cast<int>(f.axis) + 1, 0);
    shape[f.axis] = size;
    shape.insert(shape.begin(), batch);
    return b.reshape(moved, shape);
}

/// For each array: the axis into which the batch is merged. If only x and y are batched, this axis is the batch axis of
/// the convolution. If only w and y are batched, this axis is that of the features d. If only x and w are batched, this
/// axis is that of the features c. If all three arrays are batched, each element of the batch becomes `groups` groups.
std::array<Fold, 3> folds(std::span<const bool> batched, std::size_t rank, std::int64_t groups) {
    const std::size_t features = rank - 1;
    if (!batched[role_w]) return {Fold{0, 1}, {}, {0, 1}};
    if (!batched[role_x]) return {Fold{}, {0, groups}, {features, groups}};
    if (!batched[role_y]) return {Fold{features, groups}, {features, 1}, {}};
    return {Fold{features, 1}, {0, 1}, {features, 1}};
}

Values convolution_batch(BatchContext& c) {
    if (c.size == 0) return {c.b.zeros({c.b.dtype(c.in(0)), preceded(0, c.inst.attrs.integers(Attr::shape))})};
    const Kind kind = kind_of(c.inst);
    const std::int64_t groups = c.inst.attrs.integer(Attr::groups);
    std::array<bool, 3> batched{};
    batched[made(kind)] = true;
    for (std::size_t i = 0; i < 2; ++i) batched[given(kind)[i]] = c.batched[i];
    const std::array<Fold, 3> to = folds(batched, c.inst.attrs.integers(Attr::shape).size(), groups);
    Values operands;
    for (std::size_t i = 0; i < 2; ++i)
        operands.push_back(c.batched[i] ? folded(c.b, c.in(i), to[given(kind)[i]]) : c.in(i));
    Inst inst = c.inst;
    const Fold& result = to[made(kind)];
    Shape shape = inst.attrs.integers(Attr::shape);
    shape[result.axis] *= c.size;
    inst.attrs.set(Attr::shape, shape);
    if (std::ranges::all_of(batched, [](bool one) { return one; })) inst.attrs.set(Attr::groups, groups * c.size);
    return {unfolded(c.b, c.b.copy(inst, operands).at(0), result, c.size)};
}

// ---- without a library

/// Computes a convolution as a sum over the positions in a window. For each position, the elements that all windows
/// have at this position form a strided slice. This slice is a factor of one product.
class Sums {
  public:
    Sums(Build& b, const Inst& inst, std::span<const Type> in)
        : b_(b), inst_(inst), shapes_(shapes_of(inst, in)), groups_(inst.attrs.integer(Attr::groups)),
          places_(shapes_[role_w].begin() + 1, shapes_[role_w].end() - 1), wide_(shapes_[role_x]) {
        for (std::size_t a = 0; a < places_.size(); ++a) wide_[a + 1] += 2 * attr(Attr::padding)[a];
    }

    Value forward(Value x, Value w) {
        const Value wide = widened(x), kernels = by_place(w);
        return summed([&](std::int64_t number, const Position& place) {
            return product(part(wide, place), kernel(kernels, number), false);
        });
    }
    Value data(Value w, Value y) {
        const Value kernels = by_place(w);
        const Value wide = summed([&](std::int64_t number, const Position& place) {
            return spread(product(y, kernel(kernels, number), true), place);
        });
        Integers start(wide_.size(), 0), limit = wide_;
        for (std::size_t a = 0; a < places_.size(); ++a) {
            start[a + 1] = attr(Attr::padding)[a];
            limit[a + 1] -= attr(Attr::padding)[a];
        }
        return b_.slice(wide, start, limit);
    }
    Value filter(Value x, Value y) {
        const Value wide = widened(x);
        Values all;
        each_position(places_, [&](std::int64_t, const Position& place) {
            const Value made = product_over_places(part(wide, place), y); // [c, d]
            all.push_back(b_.reshape(made, {1, b_.shape(made)[0], b_.shape(made)[1]}));
        });
        Shape shape = places_;
        shape.push_back(shapes_[role_w].back());
        shape.push_back(shapes_[role_w].front());
        return b_.move_axis(b_.reshape(b_.concatenate(all, 0), shape), b_.rank(x) - 1, 0);
    }

  private:
    const Integers& attr(Attr name) const { return inst_.attrs.integers(name); }
    std::string_view precision() const { return precision_of(inst_); }

    template <class Term>
    Value summed(const Term& term) {
        std::optional<Value> sum;
        each_position(places_, [&](std::int64_t number, const Position& place) {
            const Value one = term(number, place);
            sum = sum ? b_.add(*sum, one) : one;
        });
        return *sum;
    }

    /// x with its padding.
    Value widened(Value x) {
        if (b_.shape(x) == wide_) return x;
        Integers around = attr(Attr::padding);
        around.insert(around.begin(), 0);
        around.push_back(0);
        return b_.pad(x, b_.constant(b_.dtype(x), 0), around, around);
    }
    /// w with its axes in the order [position in the window, c / groups, d].
    Value by_place(Value w) {
        const Shape& shape = shapes_[role_w];
        return b_.reshape(b_.move_axis(w, 0, b_.rank(w) - 1), {ir::product(places_), shape.back(), shape.front()});
    }
    Value kernel(Value kernels, std::int64_t number) {
        const Shape& shape = b_.shape(kernels);
        return b_.reshape(b_.slice_axis(kernels, 0, number, number + 1), {shape[1], shape[2]});
    }

    /// The range, along a spatial axis, of the elements that the windows have at position `place`. first() is the first
    /// index, and past_last() is the index after the last one.
    std::int64_t first(std::size_t a, const Position& place) const { return place[a] * attr(Attr::dilation)[a]; }
    std::int64_t past_last(std::size_t a, const Position& place) const {
        return first(a, place) + (shapes_[role_y][a + 1] - 1) * attr(Attr::stride)[a] + 1;
    }
    Value part(Value wide, const Position& place) {
        Integers start(wide_.size(), 0), limit = wide_, stride(wide_.size(), 1);
        for (std::size_t a = 0; a < places_.size(); ++a) {
            start[a + 1] = first(a, place);
            limit[a + 1] = past_last(a, place);
            stride[a + 1] = attr(Attr::stride)[a];
        }
        return b_.slice(wide, start, limit, stride);
    }
    /// The transpose of part().
    Value spread(Value v, const Position& place) {
        Integers low(wide_.size(), 0), high(wide_.size(), 0), interior(wide_.size(), 0);
        for (std::size_t a = 0; a < places_.size(); ++a) {
            low[a + 1] = first(a, place);
            high[a + 1] = wide_[a + 1] - past_last(a, place);
            interior[a + 1] = attr(Attr::stride)[a] - 1;
        }
        return b_.pad(v, b_.constant(b_.dtype(v), 0), low, high, interior);
    }

    /// The features of v[.., groups * n] cut into groups.
    Value cut(Value v) {
        Shape shape = b_.shape(v);
        shape.back() /= groups_;
        shape.insert(shape.end() - 1, groups_);
        return b_.reshape(v, shape);
    }
    /// The product of v[.., c] and kernel[c, d], group by group. If `transposed` is true: the product of v[.., d] and
    /// the transpose of the kernel.
    Value product(Value v, Value kernel, bool transposed) {
        const std::int64_t last = b_.rank(v) - 1;
        if (groups_ == 1) return b_.dot(v, kernel, {{last}, {transposed ? 1 : 0}}, precision());
        Shape shape = b_.shape(v);
        shape.back() = b_.shape(kernel)[transposed ? 0 : 1] * (transposed ? groups_ : 1);
        const Value made = b_.dot(cut(v), cut(kernel), {{last + 1}, {transposed ? 2 : 0}, {last}, {1}}, precision());
        return b_.reshape(b_.move_axis(made, 0, static_cast<int>(last)), shape);
    }
    /// The product of v[.., groups c] and y[.., groups d], group by group, summed over all leading axes. The result is
    /// [c, groups d].
    Value product_over_places(Value v, Value y) {
        const std::int64_t last = b_.rank(v) - 1;
        const Integers all = counting(0, static_cast<std::size_t>(last));
        if (groups_ == 1) return b_.dot(v, y, {all, all}, precision());
        const Value made = b_.dot(cut(v), cut(y), {all, all, {last}, {last}}, precision()); // [groups, c, d]
        const Shape& shape = b_.shape(made);
        const Shape whole{shape[1], groups_ * shape[2]};
        return b_.reshape(b_.move_axis(made, 0, 1), whole);
    }

    Build& b_;
    const Inst& inst_;
    std::array<Shape, 3> shapes_;
    std::int64_t groups_;
    Shape places_; ///< the shape of a window
    Shape wide_;   ///< the shape of x with its padding
};

Values convolution_expand(Build& b, const Inst& inst, const Values& operands) {
    Sums sums(b, inst, std::array{b.type(operands[0]), b.type(operands[1])});
    switch (kind_of(inst)) {
    case Kind::forward: break;
    case Kind::data: return {sums.data(operands[0], operands[1])};
    case Kind::filter: return {sums.filter(operands[0], operands[1])};
    }
    return {sums.forward(operands[0], operands[1])};
}

// ---- samples

std::vector<Sample> convolution_samples() {
    struct Numbers {
        Integers stride, dilation, padding;
        std::int64_t groups = 1;
    };
    std::vector<Sample> samples;
    const auto add = [&](DType dtype, const Shape& x, const Shape& w, const Numbers& how) {
        Shape y = x;
        y.back() = w[0];
        for (std::size_t a = 0; a + 2 < x.size(); ++a)
            y[a + 1] = (x[a + 1] + 2 * how.padding[a] - (w[a + 1] - 1) * how.dilation[a] - 1) / how.stride[a] + 1;
        const std::array<Shape, 3> shapes{x, w, y};
        for (const Kind kind : {Kind::forward, Kind::data, Kind::filter})
            samples.push_back({{{dtype, shapes[given(kind)[0]]}, {dtype, shapes[given(kind)[1]]}},
                               {{Attr::kind, std::string(kinds[static_cast<std::size_t>(kind)])},
                                {Attr::shape, shapes[made(kind)]},
                                {Attr::stride, how.stride},
                                {Attr::dilation, how.dilation},
                                {Attr::padding, how.padding},
                                {Attr::groups, how.groups}},
                               {Domain::any}});
    };
    add(DType::f32, {1, 1, 1}, {1, 1, 1}, {{1}, {1}, {0}});
    add(DType::f32, {0, 5, 2}, {3, 2, 2}, {{1}, {1}, {0}});
    add(DType::f32, {1, 16400, 1}, {1, 2, 1}, {{1}, {1}, {0}});
    add(DType::f32, {2, 7, 3}, {5, 3, 3}, {{2}, {1}, {1}});
    add(DType::f32, {2, 5, 6, 3}, {4, 3, 3, 3}, {{1, 1}, {1, 1}, {1, 1}});
    add(DType::f32, {1, 9, 7, 2}, {2, 3, 2, 2}, {{2, 3}, {2, 1}, {1, 0}});
    add(DType::f32, {2, 4, 4, 6}, {4, 2, 2, 3}, {{1, 2}, {1, 1}, {0, 1}, 2});
    add(DType::f32, {1, 3, 5, 4}, {8, 3, 3, 1}, {{1, 1}, {1, 2}, {1, 2}, 4});
    add(DType::f32, {1, 3, 4, 5, 2}, {2, 2, 2, 3, 2}, {{1, 2, 1}, {1, 1, 2}, {0, 1, 1}});
    samples = with_doubles(std::move(samples));
    for (const DType dtype : {DType::f16, DType::bf16}) add(dtype, {2, 5, 3}, {4, 1, 3}, {{2}, {1}, {0}});
    return samples;
}

/// Per index along `axis`: true if there is a NaN at this index.
Value nan_by_index(Build& b, Value v, std::int64_t axis) {
    return b.reduce(Op::reduce_or, is_nan(b, v), other_axes(b.shape(v).size(), {axis}));
}

/// A mask of the result's elements that a NaN in an operand may affect. The mask marks whole batch elements and whole
/// features. So the mask also marks some elements that no NaN affects. But an exact mask would need another
/// convolution.
Value nan_in_windows(Build& b, const ir::Inst& inst, const Values& in) {
    const Shape& shape = inst.attrs.integers(Attr::shape);
    const auto last = static_cast<std::int64_t>(shape.size()) - 1;
    const std::int64_t groups = inst.attrs.integer(Attr::groups);
    const auto along = [&](Value found, std::int64_t axis) { return b.broadcast(found, shape, {axis}); };
    const std::string& kind = inst.attrs.text(Attr::kind);
    if (kind == "forward") // x, w
        return b.binary(Op::or_, along(nan_by_index(b, in[0], 0), 0), along(nan_by_index(b, in[1], 0), last));
    if (kind == "data") {  // w, y
        Shape cut = shape; // features of a group
        cut.back() /= groups;
        cut.insert(cut.end() - 1, groups);
        const Value taken = b.broadcast(nan_by_index(b, in[0], last), cut, {last + 1});
        return b.binary(Op::or_, along(nan_by_index(b, in[1], 0), 0), b.reshape(taken, shape));
    }
    // x, y
    const Value taken = b.reshape(nan_by_index(b, in[0], last), {groups, shape.back()});
    return b.binary(Op::or_, along(nan_by_index(b, in[1], last), 0), along(b.reduce(Op::reduce_or, taken, {0}), last));
}

} // namespace

ConvolutionSpec convolution_spec(const Inst& inst, std::span<const Type> in) {
    const auto [x, w, y] = shapes_of(inst, in);
    ConvolutionSpec s;
    s.kind = kind_of(inst);
    s.dtype = in[0].dtype;
    s.axes = static_cast<int>(x.size()) - 2;
    s.batch = x.front();
    s.groups = inst.attrs.integer(Attr::groups);
    s.in = x.back();
    s.out = y.back();
    for (std::size_t a = 0; a + 2 < x.size(); ++a) {
        s.x[a] = x[a + 1];
        s.w[a] = w[a + 1];
        s.y[a] = y[a + 1];
        s.stride[a] = inst.attrs.integers(Attr::stride)[a];
        s.dilation[a] = inst.attrs.integers(Attr::dilation)[a];
        s.padding[a] = inst.attrs.integers(Attr::padding)[a];
    }
    return s;
}

bool convolves(const TargetInfo& target, const Inst& inst, const ir::Block& block) {
    const std::array types{block.type(inst.operands[0]), block.type(inst.operands[1])};
    return target.convolves(convolution_spec(inst, types), precision_of(inst));
}

const OpRules rule::convolution = checked<Op::convolution>({
    .type = convolution_type,
    .eval = convolution_eval,
    .jvp = jvp_binary<convolution_of_first, convolution_of_second>,
    .transpose = convolution_transpose,
    .batch = convolution_batch,
    .lower = LowerExpand{convolution_expand},
    .samples = convolution_samples,
    .doc = "Of x, a kernel w and the sums y of their products over windows one from the others: y, or what has it for "
           "its transpose.",
    .name = "nn.conv",
    .nans = {.made = makes_nans, .given = nan_in_windows},
});

} // namespace pm::ops
