// The discrete Fourier transform by real matrix products. The size n of the axis determines the method:
// - n up to `direct`: one product with the matrix of the transform.
// - A product n = n1 n2 above `direct` (Cooley and Tukey): the elements form an n1 x n2 matrix. First, n1-point
//   transforms of its columns are computed. Then the element at index (k1, j2) is multiplied by exp(-2 pi i j2 k1 / n).
//   Last, n2-point transforms of the rows are computed.
// - A prime above `direct`: a convolution with exp(pi i j^2 / n), of a size that has small factors (Bluestein).
//
// Factors and matrices are computed in double precision from exactly reduced angles, and rounded once.
//
// Relative errors: c64 1.5e-7 (n = 1000) to 3.1e-7 (10007, a prime), c128 3.8e-16 to 9.2e-16. Times in us, c64 and
// c128, NumPy 2.4's in brackets, on a busy machine of two cores:
//   n = 1024: 10, 15 (20, 20)      4096: 43, 76 (64, 56)       16384: 200, 310 (710, 480)
//       4099: 500, 590 (570, 590)  65536: 1400, 3900 (3500, 2000)  2^18: 9200, 27000 (14000, 6800)
#include "compiler/ops/complex/fft.hpp"

#include "compiler/ir/precision.hpp"
#include "runtime/element.hpp"

#include <cmath>
#include <numbers>

namespace pm::ops::parts {
namespace {

using ir::DType;
using ir::Integers;
using ir::Shape;

constexpr std::int64_t direct = 64;
/// A table with more elements is computed from two smaller tables.
constexpr std::int64_t largest_table = 1 << 13;

std::int64_t least_factor(std::int64_t n) {
    for (std::int64_t p = 2; p * p <= n; ++p)
        if (n % p == 0) return p;
    return n;
}

/// Returns the divisor of n in 2..`direct` whose logarithm is nearest to that of the k-th root of n. k is the least
/// number for which n can be a product of k factors up to `direct`. If the least prime factor of n is above `direct`,
/// returns this prime factor.
std::int64_t first_factor(std::int64_t n) {
    std::int64_t best = least_factor(n);
    const double stages = std::ceil(std::log(static_cast<double>(n)) / std::log(static_cast<double>(direct)));
    const double wanted = std::log(static_cast<double>(n)) / stages;
    const auto distance = [&](std::int64_t d) { return std::fabs(std::log(static_cast<double>(d)) - wanted); };
    for (std::int64_t d = best; d <= direct; ++d)
        if (n % d == 0 && distance(d) < distance(best)) best = d;
    return best;
}

/// The least 2^a 3^b 5^c that is at least n: the size of Bluestein's convolution.
std::int64_t smooth_size(std::int64_t n) {
    for (std::int64_t size = n;; ++size) {
        std::int64_t rest = size;
        for (const std::int64_t p : {2, 3, 5})
            while (rest % p == 0) rest /= p;
        if (rest == 1) return size;
    }
}

class Transform {
  public:
    Transform(Build& b, DType part, bool inverse) : b_(b), part_(part), sign_(inverse ? 1 : -1) {}

    /// The transform of x, an array [rows, n], along the last axis.
    Parts rows(const Parts& x) {
        const std::int64_t count = b_.shape(x.re)[0];
        const std::int64_t n = b_.shape(x.re)[1];
        if (n == 1) return x;
        if (n <= direct) return contracted(x, 1, n);
        const std::int64_t first = first_factor(n);
        if (first == n) return by_convolution(x);
        const std::int64_t second = n / first;
        const Shape cut{count, first, second};
        const Parts columns = columns_of(reshape(x, cut)); // [count, second, first]
        const Parts rotated = multiply(b_, columns, factors(second, first, b_.shape(columns.re)));
        // Element k1 + first * k2 of the result is at index [k2, k1].
        if (second <= direct && count == 1) {
            const Parts matrix = table(second, second, second);
            const Parts made = product(matrix, reshape(rotated, {second, first}), {1}, {0});
            return reshape(made, {1, n});
        }
        const Parts made = second <= direct
                               ? contracted(rotated, 1, second)
                               : reshape(rows(reshape(transpose(rotated, {0, 2, 1}), {count * first, second})),
                                         {count, first, second});
        return reshape(transpose(made, {0, 2, 1}), {count, n});
    }

  private:
    // ---- parts
    template <class Fn>
    static Parts each(const Parts& x, Fn&& fn) {
        return {fn(x.re), x.im ? std::optional<Value>(fn(*x.im)) : std::nullopt};
    }
    Parts reshape(const Parts& x, const Shape& shape) {
        return each(x, [&](Value v) { return b_.reshape(v, shape); });
    }
    Parts transpose(const Parts& x, const Integers& order) {
        return each(x, [&](Value v) { return b_.transpose(v, order); });
    }
    Parts product(const Parts& x, const Parts& y, const Integers& left, const Integers& right) {
        const Inst inst{Op::dot,
                        {},
                        {},
                        {{ir::Attr::lhs_contract, left},
                         {ir::Attr::rhs_contract, right},
                         {ir::Attr::lhs_batch, Integers{}},
                         {ir::Attr::rhs_batch, Integers{}},
                         {ir::Attr::precision, std::string(ir::precision::highest)}},
                        {},
                        {}};
        return dot(b_, inst, x, y);
    }

    /// The n-point transform along `axis`, computed with the matrix of the transform. `axis` becomes the last axis of
    /// the result.
    Parts contracted(const Parts& x, std::int64_t axis, std::int64_t n) {
        return product(x, table(n, n, n), {axis}, {0});
    }

    /// The transform of x, an array [rows, n1, n2], along axis 1. The result has the shape [rows, n2, n1].
    Parts columns_of(const Parts& x) {
        const Shape& shape = b_.shape(x.re);
        const std::int64_t count = shape[0], first = shape[1], second = shape[2];
        if (first <= direct) return contracted(x, 1, first);
        const Parts rotated = reshape(transpose(x, {0, 2, 1}), {count * second, first});
        return reshape(by_convolution(rotated), {count, second, first});
    }

    // ---- tables

    /// exp(+-2 pi i j k step / n) for j < rows, k < columns.
    Parts table(std::int64_t n, std::int64_t rows, std::int64_t columns, std::int64_t step = 1) {
        ir::Literal re, im;
        const std::size_t width = runtime::size_of(part_);
        const auto count = static_cast<std::size_t>(rows * columns);
        re.bytes.resize(count * width);
        im.bytes.resize(count * width);
        std::int64_t at = 0;
        for (std::int64_t j = 0; j < rows; ++j)
            for (std::int64_t k = 0; k < columns; ++k, ++at) {
                const auto [cosine, sine] = root(j * k % n * step % n, n);
                runtime::write_f64(part_, re.bytes.data(), at, cosine);
                runtime::write_f64(part_, im.bytes.data(), at, sign_ * sine);
            }
        const Type type{part_, {rows, columns}};
        return {b_.literal(type, std::move(re)), b_.literal(type, std::move(im))};
    }

    /// cos and sin of 2 pi m / n, for 0 <= m < n. The angle is reduced to an eighth of the circle. So the results for
    /// multiples of a quarter of the circle are exact.
    static std::pair<double, double> root(std::int64_t m, std::int64_t n) {
        if (2 * m > n) {
            const auto [c, s] = root(n - m, n);
            return {c, -s};
        }
        if (4 * m > n) { // takes pi minus the angle; doubles m and n, because n / 2 - m may be a half-integer
            const auto [c, s] = eighth(n - 2 * m, 2 * n);
            return {-c, s};
        }
        return eighth(2 * m, 2 * n);
    }
    /// cos and sin of 2 pi m / n for angles up to a quarter of the circle.
    static std::pair<double, double> eighth(std::int64_t m, std::int64_t n) {
        if (8 * m <= n) {
            const double angle = 2 * std::numbers::pi * static_cast<double>(m) / static_cast<double>(n);
            return {std::cos(angle), std::sin(angle)};
        }
        const double angle = 2 * std::numbers::pi * static_cast<double>(n - 4 * m) / (4 * static_cast<double>(n));
        return {std::sin(angle), std::cos(angle)};
    }

    /// exp(+-2 pi i j k / n) for j < second and k < first, where n = first * second. The table is reshaped to `shape`.
    /// Two smaller tables replace a large table: row a * step + c is the product of the row for j = a * step and the
    /// row for j = c.
    Parts factors(std::int64_t second, std::int64_t first, const Shape& shape) {
        const std::int64_t n = first * second;
        std::int64_t step = second;
        if (n > largest_table)
            for (std::int64_t d = 1; d * d <= second; ++d)
                if (second % d == 0) step = second / d;
        const auto spread = [&](const Parts& z, const Shape& inner, const Integers& dims) {
            Shape whole = inner;
            whole.insert(whole.begin(), shape[0]);
            return each(z, [&](Value v) { return b_.reshape(b_.broadcast(v, whole, dims), shape); });
        };
        const Parts fine = table(n, step, first);
        if (step == second) return spread(fine, {second, first}, {1, 2});
        const Shape inner{second / step, step, first};
        return multiply(b_, spread(table(n, second / step, first, step), inner, {1, 3}), spread(fine, inner, {2, 3}));
    }

    // ---- Bluestein: j k = (j^2 + k^2 - (k - j)^2) / 2

    /// exp(+-pi i j^2 / n) for j < n. The angle is reduced in integers. The cosine and sine of the angle are computed
    /// in double precision.
    Parts chirp(std::int64_t n) {
        const Value j = b_.iota({n}, 0, DType::i64);
        const auto number = [&](std::int64_t x) { return b_.constant_i(DType::i64, x, {n}); };
        const Value half_turns = b_.binary(Op::rem, b_.mul(j, j), number(2 * n));
        const Value angle =
            b_.scale(b_.convert(half_turns, DType::f64), sign_ * std::numbers::pi / static_cast<double>(n));
        return {b_.convert(b_.unary(Op::cos, angle), part_), b_.convert(b_.unary(Op::sin, angle), part_)};
    }

    Parts by_convolution(const Parts& x) {
        const std::int64_t count = b_.shape(x.re)[0];
        const std::int64_t n = b_.shape(x.re)[1];
        const std::int64_t size = smooth_size(2 * n - 1);
        const Parts wave = chirp(n);
        const Value zero = b_.constant(part_, 0);
        const auto over_rows = [&](const Parts& z, std::int64_t columns) {
            return each(z, [&](Value v) { return b_.broadcast(v, {count, columns}, {1}); });
        };
        const Parts waves = over_rows(wave, n);
        const Parts shifted =
            each(multiply(b_, x, waves), [&](Value v) { return b_.pad(v, zero, {0, 0}, {0, size - n}); });
        // The conjugate of the chirp at the distances -(n - 1) .. n - 1, stored cyclically.
        const Parts back{wave.re, b_.neg(*wave.im)};
        const Parts filter = each(back, [&](Value v) {
            const Value ahead = b_.pad(v, zero, {0}, {size - 2 * n + 1});
            return b_.reshape(b_.concatenate({ahead, b_.reverse(b_.slice_axis(v, 0, 1, n), {0})}, 0), {1, size});
        });
        Transform forward(b_, part_, false);
        Transform backward(b_, part_, true);
        const Parts spectrum = each(forward.rows(filter), [&](Value v) {
            return b_.scale(b_.reshape(v, {size}), 1 / static_cast<double>(size));
        });
        const Parts mixed = backward.rows(multiply(b_, forward.rows(shifted), over_rows(spectrum, size)));
        return multiply(b_, each(mixed, [&](Value v) { return b_.slice_axis(v, 1, 0, n); }), waves);
    }

    Build& b_;
    DType part_;
    double sign_;
};

} // namespace

Parts fft(Build& b, const Parts& x, int axis, bool inverse) {
    const Shape shape = b.shape(x.re);
    const int last = static_cast<int>(shape.size()) - 1;
    const std::int64_t n = shape[static_cast<std::size_t>(axis)];
    if (ir::product(shape) == 0 || n == 1) return x;
    const auto each = [&](const Parts& z, auto&& fn) {
        return Parts{fn(z.re), z.im ? std::optional<Value>(fn(*z.im)) : std::nullopt};
    };
    const Parts moved = each(x, [&](Value v) { return b.move_axis(v, axis, last); });
    const Shape arranged = b.shape(moved.re);
    const Parts flat = each(moved, [&](Value v) { return b.reshape(v, {ir::product(shape) / n, n}); });
    const Parts made = Transform(b, b.dtype(x.re), inverse).rows(flat);
    return each(made, [&](Value v) { return b.move_axis(b.reshape(v, arranged), last, axis); });
}

Parts fft_of_pairs(Build& b, const Parts& x, int axis, bool inverse) {
    const int last = b.rank(x.re) - 1;
    const Parts moved{b.move_axis(x.re, axis, last), b.move_axis(imaginary(b, x), axis, last)};
    const ir::Attrs attrs{{ir::Attr::axis, std::int64_t{last}}, {ir::Attr::inverse, std::int64_t{inverse ? 1 : 0}}};
    const Parts made = taken_apart(b, b.emit1(Op::fft, {interleaved(b, moved)}, attrs));
    return {b.move_axis(made.re, last, axis), b.move_axis(*made.im, last, axis)};
}

} // namespace pm::ops::parts
