#include "compiler/ops/reduce/product_tangent.hpp"
#include "compiler/ops/core/axes.hpp"

#include <bit>

namespace pm::ops {
namespace {

/// The tangent of a product along the last axis. The tangent is a sum over the elements. Each term is the tangent of
/// one element times all other elements. No division is used, so zero factors need no special case. Derivatives of
/// every order need no special case either.
class ProductTangent {
  public:
    ProductTangent(Build& b, Value x, Value t)
        : b_(b), wide_(runtime::is_complex(b.dtype(x)) ? DType::c128 : DType::f64), x_(x), t_(t) {}

    /// The tangent in f64 or c128, without the last axis.
    Value made() {
        while (b_.shape(x_).back() > 1) shorten();
        Shape shape = b_.shape(t_);
        shape.pop_back();
        return b_.reshape(b_.convert(t_, wide_), std::move(shape));
    }

  private:
    /// Replaces groups of elements by their products. The elements of a group are arranged along axes of size 2. If the
    /// number of elements is even, the size of a group is the largest power of two that divides this number. If the
    /// number is odd, a group has four elements, or two if there are only 3 elements. The remaining elements follow the
    /// products.
    void shorten() {
        const Shape shape = b_.shape(x_);
        const auto n = static_cast<std::uint64_t>(shape.back());
        const int doublings = n % 2 == 0 ? std::countr_zero(n) : n < 4 ? 1 : 2;
        const std::int64_t groups = shape.back() >> doublings;
        const std::int64_t grouped = groups << doublings;
        Shape split(shape.begin(), shape.end() - 1);
        split.insert(split.end(), static_cast<std::size_t>(doublings), 2);
        split.push_back(groups);
        const Value all_x = x_;
        const Value all_t = t_;
        x_ = b_.convert(b_.reshape(part(x_, 0, grouped), split), wide_);
        t_ = b_.convert(b_.reshape(part(t_, 0, grouped), split), wide_);
        const auto last = static_cast<std::int64_t>(shape.size()) - 1;
        for (int left = doublings; left > 0; left -= 2) multiply_groups(last, left);
        if (grouped == shape.back()) return;
        const auto with_rest = [&](Value made, Value all) {
            const Value rest = b_.convert(part(all, grouped, shape.back()), wide_);
            return b_.concatenate({made, rest}, static_cast<int>(last));
        };
        x_ = with_rest(x_, all_x);
        t_ = with_rest(t_, all_t);
    }

    Value part(Value v, std::int64_t begin, std::int64_t end) {
        const Shape& shape = b_.shape(v);
        if (begin == 0 && end == shape.back()) return v;
        return b_.slice_axis(v, static_cast<int>(shape.size()) - 1, begin, end);
    }

    /// From axis `first` on, there are `left` axes of size 2. The function combines elements along the first two of
    /// these axes, or along the only one. So two or four elements are combined. After a reversal along one or both
    /// axes, each position holds another of these two or four elements.
    void multiply_groups(std::int64_t first, int left) {
        const Integers axes = counting(first, left == 1 ? 1 : 2);
        Value others = b_.reverse(x_, {first});
        if (left > 1) others = b_.mul(others, b_.mul(b_.reverse(x_, {first + 1}), b_.reverse(x_, axes)));
        t_ = b_.sum(b_.mul(t_, others), axes);
        for (std::size_t i = 0; i < axes.size(); ++i) {
            Shape halved = b_.shape(x_);
            halved.erase(halved.begin() + first);
            const auto half = [&](std::int64_t which) {
                return b_.slice_axis(x_, static_cast<int>(first), which, which + 1);
            };
            x_ = b_.reshape(b_.mul(half(0), half(1)), halved);
        }
    }

    Build& b_;
    DType wide_;
    Value x_;
    Value t_;
};

} // namespace

Value tangent_of_product(Build& b, Value x, Value t, const Integers& axes) {
    const DType dtype = b.dtype(x);
    const Shape shape = b.shape(x);
    const Integers kept = other_axes(shape.size(), axes);
    Shape rows = sizes_of(shape, kept);
    rows.push_back(ir::product(sizes_of(shape, axes)));
    const auto arranged = [&](Value v) { return b.reshape(b.transpose(v, joined(kept, axes)), rows); };
    return b.convert(ProductTangent(b, arranged(x), arranged(t)).made(), dtype);
}

} // namespace pm::ops
