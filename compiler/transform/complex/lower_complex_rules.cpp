// Flat operations on parts. Most do the same to both parts, few mix them.
#include "compiler/ops/elementwise/repeated_squaring.hpp"
#include "compiler/ops/indexing/gather_geometry.hpp"
#include "compiler/ops/reduce/pair_scan.hpp"
#include "compiler/transform/complex/lower_complex.hpp"
#include "runtime/dtype.hpp"

#include <algorithm>

namespace pm::transform {
namespace {

using ir::Attr;
using ir::DType;

/// The operation on the real parts, then on the imaginary parts. Operands that are not complex are in both.
Parts on_parts(Build& b, const Inst& inst, std::span<const Parts> in, std::span<const Type> types) {
    Values re, im;
    bool real = true; // no operand has an imaginary part
    for (const Parts& z : in) real = real && !z.im;
    for (std::size_t i = 0; i < in.size(); ++i) {
        re.push_back(in[i].re);
        if (!real) im.push_back(runtime::is_complex(types[i].dtype) ? imaginary(b, in[i]) : in[i].re);
    }
    Parts made{b.copy(inst, std::move(re)).at(0), {}};
    if (!real) made.im = b.copy(inst, std::move(im)).at(0);
    return made;
}

Parts constant(Build& b, const Inst& inst) {
    const DType dtype = inst.attrs.dtype(Attr::dtype);
    const std::size_t width = runtime::size_of(dtype) / 2;
    const std::vector<std::uint8_t>& bytes = inst.attrs.literal(Attr::value).bytes;
    ir::Literal re, im;
    for (std::size_t at = 0; at < bytes.size(); at += 2 * width) {
        const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const auto middle = from + static_cast<std::ptrdiff_t>(width);
        re.bytes.insert(re.bytes.end(), from, middle);
        im.bytes.insert(im.bytes.end(), middle, middle + static_cast<std::ptrdiff_t>(width));
    }
    const Type type{runtime::part_type(dtype), inst.attrs.integers(Attr::shape)};
    Parts made{b.literal(type, std::move(re)), {}};
    if (std::any_of(im.bytes.begin(), im.bytes.end(), [](std::uint8_t byte) { return byte != 0; }))
        made.im = b.literal(type, std::move(im));
    return made;
}

/// By repeated squaring, as in the expansion of the real operation.
Parts integer_power(Build& b, const Parts& x, std::int64_t n) {
    const Parts one{b.ones_like(x.re), {}};
    Parts base = x;
    std::optional<Parts> made;
    ops::walk_power(
        ops::magnitude(n), [&] { base = multiply(b, base, base); },
        [&] { made = made ? multiply(b, *made, base) : base; });
    if (!made) return one;
    return n < 0 ? divide(b, one, *made) : *made;
}

Value equality(Build& b, Op op, const Parts& x, const Parts& y) {
    const Value re = b.compare(op, x.re, y.re);
    if (!x.im && !y.im) return re;
    return b.binary(op == Op::equal ? Op::and_ : Op::or_, re, b.compare(op, imaginary(b, x), imaginary(b, y)));
}

Parts converted(Build& b, const Parts& x, DType to) {
    const DType part = runtime::part_type(to);
    Parts made{b.convert(x.re, part), {}};
    if (x.im) made.im = b.convert(*x.im, part);
    return made;
}

// ---- products of many

ops::Pair times(Build& b, const ops::Pair& before, const ops::Pair& after) {
    const Parts made = multiply(b, {before.x, before.t}, {after.x, after.t});
    return {made.re, *made.im};
}

Parts product(Build& b, const Inst& inst, const Parts& x) {
    const ir::Integers& axes = inst.attrs.integers(Attr::axes);
    const ir::Shape& shape = b.shape(x.re);
    const bool none = std::any_of(axes.begin(), axes.end(),
                                  [&](std::int64_t axis) { return shape[static_cast<std::size_t>(axis)] == 0; });
    if (none) return {b.copy(inst, {x.re}).at(0), {}};
    const ops::Pair made = ops::pairwise_reduction(b, {x.re, imaginary(b, x)}, axes, times);
    return {made.x, made.t};
}

Parts running_product(Build& b, const Inst& inst, const Parts& x) {
    const auto axis = static_cast<int>(inst.attrs.integer(Attr::axis));
    const ir::Integers turned = inst.attrs.integer(Attr::reverse, 0) != 0 ? ir::Integers{axis} : ir::Integers{};
    const ops::Pair scanned =
        ops::scan_in_f64(b, {b.reverse(x.re, turned), b.reverse(imaginary(b, x), turned)}, axis, times);
    return {b.reverse(scanned.x, turned), b.reverse(scanned.t, turned)};
}

/// The parts of a product are not products of parts, so updates are multiplied in one by one. A loop over the updates
/// reads, multiplies and writes the elements of each.
Parts scatter_product(Build& b, const Inst& inst, std::span<const Parts> in) {
    const auto batch = inst.attrs.integer(Attr::batch, 0);
    const ir::Integers& axes = inst.attrs.integers(Attr::axes);
    if (ir::product(b.shape(in[0].re)) == 0 || ir::product(b.shape(in[1].re)) == 0) return in[0];
    const ir::Shape index = b.shape(in[2].re);
    const auto leading = [&](Value v) { return ops::updates_first(b, v, index, batch); };
    Values operands{in[0].re, imaginary(b, in[0]), leading(in[1].re), leading(imaginary(b, in[1]))};
    for (const Parts& x : in.subspan(2)) operands.push_back(leading(x.re));

    Build body("one update");
    body.param({DType::i32, {}});
    const Parts so_far{body.param(b.type(operands[0])), body.param(b.type(operands[1]))};
    Values slices;
    for (std::size_t i = 2; i < operands.size(); ++i) {
        Type type = b.type(operands[i]);
        type.shape.erase(type.shape.begin());
        slices.push_back(body.param(std::move(type)));
    }
    const Values at(slices.begin() + 2, slices.end());
    const auto read = [&](Value v) { return body.gather(v, at, axes, batch); };
    const Parts made = multiply(body, {read(so_far.re), read(*so_far.im)}, {slices[0], slices[1]});
    const auto write = [&](Value into, Value part) { return body.scatter(into, part, at, axes, "set", batch); };
    const ir::BlockPtr region = body.finish({write(so_far.re, made.re), write(*so_far.im, *made.im)});
    const std::int64_t length = b.shape(operands[2])[0];
    const Values out = b.emit(Op::scan, std::move(operands),
                              {{Attr::whole, std::int64_t{0}},
                               {Attr::carried, std::int64_t{2}},
                               {Attr::length, length},
                               {Attr::reverse, std::int64_t{0}}},
                              {region});
    return {out.at(0), out.at(1)};
}

/// Factors of a complex matrix. The operation takes the parts of the matrix and returns those of its factors. A
/// matrix that is real everywhere has real factors.
std::vector<Parts> factors(Build& b, const Inst& inst, const Parts& a, std::span<const Type> out) {
    if (a.im) return gathered(b.copy(inst, {a.re, *a.im}), out);
    std::vector<Parts> results;
    for (const Value v : b.copy(inst, {a.re})) results.push_back({v, {}});
    return results;
}
Parts triangular_solution(Build& b, const Inst& inst, const Parts& t, const Parts& right) {
    if (t.im) {
        const Values made = b.copy(inst, {t.re, *t.im, right.re, imaginary(b, right)});
        return {made.at(0), made.at(1)};
    }
    Parts made{b.copy(inst, {t.re, right.re}).at(0), {}};
    if (right.im) made.im = b.copy(inst, {t.re, *right.im}).at(0);
    return made;
}

/// A complex key is two keys: the real part, then the imaginary one.
std::vector<Parts> sorted(Build& b, const Inst& inst, std::span<const Parts> in, std::span<const Type> types) {
    const auto keys = static_cast<std::size_t>(inst.attrs.integer(Attr::keys, 1));
    Values operands;
    std::int64_t all_keys = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        operands.push_back(in[i].re);
        if (runtime::is_complex(types[i].dtype)) operands.push_back(imaginary(b, in[i]));
        if (i + 1 == keys) all_keys = static_cast<std::int64_t>(operands.size());
    }
    ir::Attrs attrs = inst.attrs;
    attrs.set(Attr::keys, all_keys);
    return gathered(b.emit(Op::sort, std::move(operands), std::move(attrs)), types);
}

} // namespace

// ---- arithmetic

Parts negate(Build& b, const Parts& x) {
    Parts made{b.neg(x.re), {}};
    if (x.im) made.im = b.neg(*x.im);
    return made;
}

Parts add(Build& b, const Parts& x, const Parts& y) {
    Parts made{b.add(x.re, y.re), x.im ? x.im : y.im};
    if (x.im && y.im) made.im = b.add(*x.im, *y.im);
    return made;
}

Parts subtract(Build& b, const Parts& x, const Parts& y) {
    Parts made{b.sub(x.re, y.re), x.im};
    if (y.im) made.im = x.im ? b.sub(*x.im, *y.im) : b.neg(*y.im);
    return made;
}

Parts multiply(Build& b, const Parts& x, const Parts& y) {
    if (!x.im && !y.im) return {b.mul(x.re, y.re), {}};
    if (!x.im) return {b.mul(x.re, y.re), b.mul(x.re, *y.im)};
    if (!y.im) return {b.mul(x.re, y.re), b.mul(*x.im, y.re)};
    return {b.sub(b.mul(x.re, y.re), b.mul(*x.im, *y.im)), b.add(b.mul(x.re, *y.im), b.mul(*x.im, y.re))};
}

/// Four real products rather than three. Three need sums of the operands: below some hundred rows these cost as much
/// memory traffic as the product saves. The sums lose digits if the parts differ much in size.
Parts dot(Build& b, const Inst& inst, const Parts& x, const Parts& y) {
    const auto product = [&](Value p, Value q) { return b.copy(inst, {p, q}).at(0); };
    if (!x.im && !y.im) return {product(x.re, y.re), {}};
    if (!x.im) return {product(x.re, y.re), product(x.re, *y.im)};
    if (!y.im) return {product(x.re, y.re), product(*x.im, y.re)};
    return {b.sub(product(x.re, y.re), product(*x.im, *y.im)), b.add(product(x.re, *y.im), product(*x.im, y.re))};
}

std::vector<Parts> split_flat(Build& b, const Inst& inst, std::span<const Parts> in, std::span<const Type> types,
                              std::span<const Type> out) {
    switch (inst.op) {
    case Op::constant: return {constant(b, inst)};
    case Op::iota: {
        ir::Attrs attrs = inst.attrs;
        attrs.set(Attr::dtype, runtime::part_type(inst.attrs.dtype(Attr::dtype)));
        return {{b.emit1(Op::iota, {}, std::move(attrs)), {}}};
    }
    case Op::stop_gradient:
    case Op::barrier:
    case Op::select:
    case Op::broadcast:
    case Op::reshape:
    case Op::transpose:
    case Op::slice:
    case Op::reverse:
    case Op::pad:
    case Op::concatenate:
    case Op::dynamic_slice:
    case Op::dynamic_update:
    case Op::gather:
    case Op::reduce_sum:
    case Op::cumsum:
    case Op::psum:
    case Op::all_gather:
    case Op::psum_scatter:
    case Op::ppermute:
    case Op::all_to_all: return {on_parts(b, inst, in, types)};
    case Op::scatter: // its type rule takes set, add and mul
        return {inst.attrs.text(Attr::mode) == "mul" ? scatter_product(b, inst, in) : on_parts(b, inst, in, types)};
    case Op::neg: return {negate(b, in[0])};
    case Op::add: return {add(b, in[0], in[1])};
    case Op::sub: return {subtract(b, in[0], in[1])};
    case Op::mul: return {multiply(b, in[0], in[1])};
    case Op::div: return {divide(b, in[0], in[1])};
    case Op::dot: return {dot(b, inst, in[0], in[1])};
    case Op::integer_pow: return {integer_power(b, in[0], inst.attrs.integer(Attr::exponent))};
    case Op::pow: return {power(b, in[0], in[1])};
    case Op::abs: return {{modulus(b, in[0]), {}}};
    case Op::sign: return {sign(b, in[0])};
    case Op::exp:
    case Op::expm1:
    case Op::log:
    case Op::log1p:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::asinh:
    case Op::acosh:
    case Op::atanh:
    case Op::logistic: return {analytic(b, inst.op, in[0])};
    case Op::equal:
    case Op::not_equal: return {{equality(b, inst.op, in[0], in[1]), {}}};
    case Op::convert: return {converted(b, in[0], inst.attrs.dtype(Attr::dtype))};
    case Op::real: return {{in[0].re, {}}};
    case Op::imag: return {{imaginary(b, in[0]), {}}};
    case Op::conj: return {{in[0].re, in[0].im ? std::optional(b.neg(*in[0].im)) : std::nullopt}};
    case Op::complex: return {{in[0].re, in[1].re}};
    case Op::fft:
        return {
            fft(b, in[0], static_cast<int>(inst.attrs.integer(Attr::axis)), inst.attrs.integer(Attr::inverse) != 0)};
    // A tape holds a complex value as memory does: as pairs.
    case Op::tape_set:
    case Op::tape_add: return {{b.emit1(inst.op, {in[0].re, interleaved(b, in[1]), in[2].re}), {}}};
    case Op::tape_get: {
        Type pairs{runtime::part_type(inst.attrs.dtype(Attr::dtype)), inst.attrs.integers(Attr::shape)};
        pairs.shape.push_back(2);
        return {taken_apart(b, b.tape_get(in[0].re, in[1].re, pairs))};
    }
    case Op::factorize: return factors(b, inst, in[0], out);
    case Op::triangular_solve: return {triangular_solution(b, inst, in[0], in[1])};
    case Op::reduce_prod: return {product(b, inst, in[0])};
    case Op::cumprod: return {running_product(b, inst, in[0])};
    case Op::sort: return sorted(b, inst, in, types);
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::trunc:
    case Op::cbrt:
    case Op::erf:
    case Op::erfc:
    case Op::erf_inv:
    case Op::lgamma:
    case Op::digamma:
    case Op::is_finite:
    case Op::not_:
    case Op::population_count:
    case Op::bitcast:
    case Op::rem:
    case Op::atan2:
    case Op::nextafter:
    case Op::max:
    case Op::min:
    case Op::and_:
    case Op::or_:
    case Op::xor_:
    case Op::shift_left:
    case Op::shift_right:
    case Op::less:
    case Op::less_equal:
    case Op::threefry:
    case Op::fma:
    case Op::convolution:
    case Op::reduce_max:
    case Op::reduce_min:
    case Op::reduce_and:
    case Op::reduce_or:
    case Op::argmax:
    case Op::argmin:
    case Op::cummax:
    case Op::cummin:
    case Op::pmax:
    case Op::pmin:
    case Op::axis_index:
    case Op::tape_sum:
    case Op::check:
    case Op::print:
#define CONTROL(name, said) case Op::name:
#include "compiler/ir/control.def"
#undef CONTROL
        break; // no type rule of these takes a complex type, or they are not flat
    }
    PM_UNREACHABLE();
}

} // namespace pm::transform
