// Expressions that move, combine and reduce elements.
#include "tests/fuzz/generator.hpp"

#include <algorithm>
#include <cmath>

namespace pm::fuzz {

Node Generator::reduction(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    if (shape.size() > 1) return unary(shape, depth);
    const std::size_t axis = static_cast<std::size_t>(below(static_cast<int>(shape.size()) + 1));
    const Dim d = chance(15) ? any_dim() : any_filled_dim();
    Shape from = shape;
    from.insert(from.begin() + static_cast<std::ptrdiff_t>(axis), d);
    Node e = real(from, depth);
    const double n = program_.sizes.of(d), bound = e.bound;
    const std::string along =
        shape.empty() && chance(50)
            ? ""
            : fmt::format(", axis={}", chance(30) ? -static_cast<int>(from.size() - axis) : static_cast<int>(axis));
    if (!nonempty(d)) return piece(fmt::format("{}($0{})", one_of({"sum", "prod"}), along), type, {std::move(e)}, 1);
    if (shape.empty() && from.size() == 1 && chance(20)) {
        const char* whole = one_of({"median($0)", "linalg.norm(2.5 + sin($0))", "top_k($0, 1)[0][0]",
                                    "interp(0.21, cumsum(1.5 + sin($0)), $0)", "sum(convolve($0, $0))", "ptp($0)"});
        return piece(whole, type, {std::move(e)}, n * bound);
    }
    switch (below(8)) {
    case 0:
    case 1: return piece(fmt::format("sum($0{})", along), type, {std::move(e)}, n * bound);
    case 2: return piece(fmt::format("mean($0{})", along), type, {std::move(e)}, bound);
    case 3: return piece(fmt::format("{}($0{})", one_of({"max", "min"}), along), type, {std::move(e)}, bound);
    case 4: return piece(fmt::format("prod($0{})", along), type, {std::move(e)}, std::pow(std::max(bound, 1.0), n));
    case 5: return piece(fmt::format("logsumexp($0{})", along), type, {std::move(e)}, bound + std::log(n));
    case 6: return piece(fmt::format("var($0{})", along), type, {std::move(e)}, bound * bound);
    default: {
        Node m = mask(from, depth);
        return piece(fmt::format("sum($0{}, where=$1)", along), type, {std::move(e), std::move(m)}, n * bound);
    }
    }
}

Node Generator::product(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    const Dim k = any_dim();
    const double n = program_.sizes.of(k);
    const auto of = [&](const char* text, Shape left, Shape right) {
        Node a = real(left, depth), b = real(right, depth);
        const double bound = n * a.bound * b.bound;
        return piece(text, type, {piece("($0)", a.type, {a}), piece("($0)", b.type, {b})}, bound);
    };
    switch (shape.size()) {
    case 0:
        if (chance(20)) return of("sum(kron($0, $1))", {k}, {any_dim()});
        return of(one_of({"$0 @ $1", "dot($0, $1)", "vdot($0, $1)", "einsum(\"i,i->\", $0, $1)"}), {k}, {k});
    case 1:
        switch (below(4)) {
        case 0: return of(one_of({"$0 @ $1", "einsum(\"ij,j->i\", $0, $1)"}), {shape[0], k}, {k});
        case 1: return of(one_of({"$0 @ $1", "einsum(\"k,kj->j\", $0, $1)"}), {k}, {k, shape[0]});
        case 2: return of("einsum(\"bi,bi->b\", $0, $1)", {shape[0], k}, {shape[0], k});
        default: return of("tensordot($0, $1, axes=((0,), (1,)))", {k}, {shape[0], k});
        }
    case 2:
        switch (below(4)) {
        case 0: return of("$0 @ $1", {shape[0], k}, {k, shape[1]});
        case 1: return of("outer($0, $1)", {shape[0]}, {shape[1]});
        case 2: return of("einsum(\"ki,jk->ij\", $0, $1)", {k, shape[0]}, {shape[1], k});
        default: return of("$0.T @ $1", {k, shape[0]}, {k, shape[1]});
        }
    default: return binary(shape, depth);
    }
}

Node Generator::indexed(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    const Dim d = any_filled_dim();
    const auto array = [&](Shape s) {
        Node a = real(s, depth);
        return piece("($0)", a.type, {a}, a.bound);
    };
    Shape rest = shape;
    if (shape.empty() || shape.size() > 1 || chance(30)) {
        if (shape.size() > 1 && chance(40)) { // an axis in the middle or at the end
            rest.insert(rest.begin() + 1, d);
            return piece("$0[:, $1]", type, {array(rest), index(d, depth)}, 4);
        }
        rest.insert(rest.begin(), d);
        return piece(chance(20) ? "$0[-1]" : "$0[$1]", type, {array(rest), index(d, depth)}, 4);
    }
    rest.erase(rest.begin());
    const auto with = [&](Dim front) {
        Shape s = rest;
        s.insert(s.begin(), front);
        return s;
    };
    switch (below(9)) {
    case 7: {
        Shape s = with(d);
        const std::string sum = fmt::format("segment_sum($0, $1, #{};)", shape[0]);
        if (!nonempty(shape[0])) break;
        return piece(sum, type, {array(s), indices({d}, shape[0], depth)}, 4);
    }
    case 8:
        if (!rest.empty()) break;
        return piece("take_along_axis($0, $1, axis=0)", type, {array({d}), indices({shape[0]}, d, depth)}, 4);
    case 0:
    case 1:
        return piece(one_of({"$0[$1]", "take($0, $1, axis=0)"}), type, {array(with(d)), indices({shape[0]}, d, depth)},
                     4);
    case 2: { // index rows and columns together
        const Dim e = any_filled_dim();
        return piece("$0[$1, $2]", type, {array({d, e}), indices({shape[0]}, d, depth), indices({shape[0]}, e, depth)},
                     4);
    }
    case 3: return piece(fmt::format("$0[:#{};]", shape[0]), type, {array(with(program_.sizes.sum(shape[0], d)))}, 4);
    case 4: return piece(fmt::format("$0[#{};:]", d), type, {array(with(program_.sizes.sum(d, shape[0])))}, 4);
    case 5:
        return piece(fmt::format("$0[$1:+#{};]", shape[0]), type,
                     {array(with(program_.sizes.sum(shape[0], d))), index(program_.sizes.sum(d, 0), depth)}, 4);
    default: break;
    }
    return piece("$0[::-1]", type, {array(shape)}, 4);
}

Node Generator::arranged(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    Sizes& sizes = program_.sizes;
    if (shape.empty()) return reduction(shape, depth);
    Shape rest(shape.begin() + 1, shape.end());
    const auto with = [&](Dim front) {
        Shape s = rest;
        s.insert(s.begin(), front);
        return s;
    };
    const auto [left, right] = sizes.parts(shape[0]);
    if (sizes.how(shape[0]) == '+' && chance(80)) {
        if (left == 0 && right == 0) return piece("stack(($0, $1))", type, {real(rest, depth), real(rest, depth)}, 4);
        return piece("concatenate(($0, $1))", type, {real(with(left), depth), real(with(right), depth)}, 4);
    }
    if (sizes.how(shape[0]) == '*' && rest.empty())
        return piece(fmt::format("($0).reshape({})", this->shape(shape)), type, {real({left, right}, depth)}, 4);
    if (shape.size() == 2) {
        switch (below(8)) {
        case 0:
        case 1:
            return piece(one_of({"($0).T", "swapaxes($0, 0, 1)", "transpose($0, (1, 0))"}), type,
                         {real({shape[1], shape[0]}, depth)}, 4);
        case 2:
            return piece(fmt::format("($0).reshape({})", this->shape(shape)), type,
                         {real({sizes.product(shape[0], shape[1])}, depth)}, 4);
        case 3: return piece(one_of({"tril($0)", "triu($0, 1)"}), type, {real(shape, depth)}, 4);
        case 4:
            return piece("concatenate(($0, $1), axis=1)[:, $2]", type,
                         {real(shape, depth), real(shape, depth), piece(fmt::format("#{};:", shape[1]), type, {})}, 4);
        case 5:
            if (shape[0] == shape[1]) return piece("diag($0)", type, {real({shape[0]}, depth)}, 4);
            break;
        default: break;
        }
    }
    switch (below(7)) {
    case 0: return piece(fmt::format("broadcast_to($0, {})", this->shape(shape)), type, {real(rest, depth)}, 4);
    case 1: return piece("flip($0, axis=0)", type, {real(shape, depth)}, 4);
    case 2: return piece(one_of({"roll($0, 1)", "roll($0, -2, axis=0)"}), type, {real(shape, depth)}, 4);
    case 3:
        return piece("stack(($0, $1))[$2]", type, {real(shape, depth), real(shape, depth), integer({}, "2", depth)}, 4);
    case 4:
        if (rest.empty()) return piece("pad($0, (1, 2))[1:-2]", type, {real(shape, depth)}, 4);
        return piece("squeeze(expand_dims($0, 1), 1)", type, {real(shape, depth)}, 4);
    case 5: return piece(fmt::format("repeat($0, 2, axis=0)[#{};:]", shape[0]), type, {real(shape, depth)}, 4);
    default: return piece("($0)[none][0]", type, {real(shape, depth)}, 4);
    }
}

Node Generator::updated(const Shape& shape, int depth) {
    if (shape.empty() || !nonempty(shape[0])) return unary(shape, depth);
    const Type type = real_type(shape);
    const Shape rest(shape.begin() + 1, shape.end());
    const char* how = one_of({"=", "+=", "-=", "max=", "min=", "*=", "+="});
    Node a = real(shape, depth);
    const double bound = 4 * a.bound;
    switch (below(5)) {
    case 0:
    case 1:
        return piece(fmt::format("($0 with [$1] {} $2)", how), type, {a, index(shape[0], depth), real(rest, depth)},
                     bound);
    case 2: { // repeated indices: the result of `=` would depend on their order
        Shape values = rest;
        const Dim d = any_dim();
        values.insert(values.begin(), d);
        return piece(fmt::format("($0 with [$1] {} $2)", how[0] == '=' ? "+=" : how), type,
                     {a, indices({d}, shape[0], depth), real(values, depth)}, bound);
    }
    case 3:
        return piece(fmt::format("($0 with [$1] {} $2)", how), type, {a, mask({shape[0]}, depth), real({}, depth)},
                     bound);
    default:
        if (shape.size() != 2 || !nonempty(shape[1])) return piece("($0 with [1:] *= 0.7)", type, {a}, bound);
        return piece(fmt::format("($0 with [:, $1] {} $2)", how), type,
                     {a, index(shape[1], depth), real({shape[0]}, depth)}, bound);
    }
}

/// Prefix scans, sorts and softmax along an axis.
Node Generator::running(const Shape& shape, int depth) {
    if (shape.empty() || !nonempty(shape)) return unary(shape, depth);
    const Type type = real_type(shape);
    const int axis = below(static_cast<int>(shape.size()));
    Node e = real(shape, depth);
    const double n = program_.sizes.of(shape[static_cast<std::size_t>(axis)]), bound = e.bound;
    switch (below(8)) {
    case 0:
    case 1: return piece(fmt::format("cumsum($0, axis={})", axis), type, {e}, n * bound);
    case 2: return piece(fmt::format("cumprod($0, axis={})", axis), type, {e}, std::pow(std::max(bound, 1.0), n));
    case 3: return piece(fmt::format("{}($0, axis={})", one_of({"cummax", "cummin"}), axis), type, {e}, bound);
    case 4: return piece(fmt::format("sort($0, axis={})", axis), type, {e}, bound);
    case 5: return piece(fmt::format("nn.softmax($0, axis={})", axis), type, {e}, 1);
    case 6: return piece(fmt::format("cumlogsumexp($0, axis={})", axis), type, {e}, bound + n);
    default: return piece("associative_scan(fn(p, q) = p * cos(q) + q, tanh($0))", type, {e}, n + 1);
    }
}

/// Linear algebra with well-conditioned matrices, sometimes with complex intermediate values.
Node Generator::matrices(const Shape& shape, int depth) {
    const Type type = real_type(shape);
    if (!nonempty(shape) || shape.size() > 2) return unary(shape, depth);
    if (shape.empty()) {
        const Dim d = any_filled_dim();
        const std::string heavy = fmt::format("2.5 * eye(#{0};, dtype=~) + 0.3 * tanh($0)", d);
        if (chance(40))
            return piece(fmt::format(fmt::runtime(one_of(
                                         {"log(linalg.det({}))", "linalg.slogdet({})[1]", "sum(linalg.inv({}))"})),
                                     heavy),
                         type, {real({d, d}, depth)}, 8);
        return piece(one_of({"abs(complex(2 + ($0), $1))", "real(exp(1j * ($0)) * complex($1, 0.3))"}), type,
                     {real({}, depth), real({}, depth)}, 4);
    }
    if (chance(25)) return piece("real(complex($0, $1) ** 2)", type, {real(shape, depth), real(shape, depth)}, 16);
    if (shape.size() == 1 && chance(25))
        return piece("real(fft.ifft(fft.fft($0) * 0.5j))", type, {real(shape, depth)}, 4);
    const Dim d = shape[0];
    const std::string heavy = fmt::format("2.5 * eye(#{};, dtype=~) + 0.3 * tanh($0)", d);
    if (shape.size() == 1) {
        if (chance(30)) return piece(fmt::format("linalg.inv({})[0]", heavy), type, {real({d, d}, depth)}, 1);
        return piece(fmt::format("linalg.solve({}, $1)", heavy), type, {real({d, d}, depth), real(shape, depth)}, 4);
    }
    if (chance(50))
        return piece(fmt::format("linalg.solve({}, $1)", heavy), type, {real({d, d}, depth), real(shape, depth)}, 4);
    if (shape[0] != shape[1]) return unary(shape, depth);
    return piece(fmt::format("linalg.cholesky({0} + ({0}).T)", heavy), type, {real({d, d}, depth)}, 3);
}

} // namespace pm::fuzz
