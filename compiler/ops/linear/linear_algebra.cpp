#include "compiler/ops/linear/linear_algebra.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ir/precision.hpp"
#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/axes.hpp"
#include "runtime/dtype.hpp"

// factorize and triangular_solve. LAPACK computes both (runtime/kernels/matrices.hpp). Both are for large matrices;
// stdlib/linalg has loops for small matrices. factorize has no derivative rule. linalg defines its derivatives by
// custom rules, which use the factors and triangular_solve. There are two forms of complex matrices. Before
// transform/complex/lower_complex, a matrix is one operand of a complex type. Afterwards a matrix is two operands, its
// real and its imaginary part.

namespace pm::ops {
namespace {

using runtime::Factorization;
using runtime::FactorizeSpec;
using runtime::TriangularSpec;

constexpr DTypes lapack_dtypes = set_of(DType::f32) | set_of(DType::f64) | set_of(DType::c64) | set_of(DType::c128);

/// True if the matrices are complex and each is passed as two operands, its parts.
bool in_parts(Op op, std::size_t operands) { return operands == (op == Op::factorize ? 2 : 4); }
/// The dtype of the matrix. It is complex if the operands are the parts of the matrix.
DType whole_dtype(Op op, std::span<const Type> in) {
    if (!in_parts(op, in.size())) return in[0].dtype;
    return in[0].dtype == DType::f32 ? DType::c64 : DType::c128;
}
void require_parts(Op op, std::span<const Type> in) {
    if (!in_parts(op, in.size())) return;
    for (std::size_t i = 0; i < in.size(); i += 2)
        PM_CHECK(!runtime::is_complex(in[i].dtype) && in[i] == in[i + 1], "parts of different types");
}
void require_whole(const Inst& inst) {
    PM_CHECK(!in_parts(inst.op, inst.operands.size()), "parts are made when all derivatives and batches are");
}

std::vector<Type> types_of(std::span<const Array> arrays) {
    std::vector<Type> types;
    for (const Array& one : arrays) types.push_back({one.dtype(), one.shape()});
    return types;
}
/// The buffers of operands and results, in the order that kernels expect.
std::vector<void*> buffers_of(std::span<const Array> in, std::vector<Array>& outs) {
    std::vector<void*> buffers;
    for (const Array& one : in) buffers.push_back(const_cast<void*>(one.data()));
    for (Array& one : outs) buffers.push_back(one.mutable_data());
    return buffers;
}
std::vector<Array> new_results(EvalContext& c) {
    std::vector<Array> outs;
    for (std::size_t i = 0; i < c.result_types.size(); ++i) outs.push_back(new_result(c, i));
    return outs;
}

/// The leading axes of matrices, before the last two.
Shape leading(const Type& matrices) { return {matrices.shape.begin(), matrices.shape.end() - 2}; }
std::int64_t size_at(const Type& type, std::size_t from_end) { return type.shape[type.shape.size() - from_end]; }
Shape extended(Shape shape, std::initializer_list<std::int64_t> more) {
    shape.insert(shape.end(), more);
    return shape;
}

void require_matrices(const Inst& inst, const Type& type, bool square) {
    require_dtype(inst, type.dtype, lapack_dtypes);
    PM_CHECK(type.shape.size() >= 2 && size_at(type, 1) > 0 && size_at(type, 2) > 0, "a matrix without elements");
    PM_CHECK(!square || size_at(type, 1) == size_at(type, 2), "a matrix that is not square");
}

// ---- factorize

std::vector<Type> factorize_type(const Inst& inst, std::span<const Type> in) {
    const FactorizeSpec spec = factorize_spec(inst, in);
    const bool square = spec.kind != Factorization::qr && spec.kind != Factorization::svd;
    require_matrices(inst, in[0], square);
    require_parts(inst.op, in);
    const Shape lead = leading(in[0]);
    const DType real = runtime::part_type(in[0].dtype);
    std::vector<Type> types;
    const auto matrix = [&](std::int64_t rows, std::int64_t columns) {
        types.insert(types.end(), in.size(),
                     {in[0].dtype, extended(lead, {rows, columns})}); // one result per factor, or one for each part of
                                                                      // the factor
    };
    switch (spec.kind) {
    case Factorization::cholesky: matrix(spec.n, spec.n); break;
    case Factorization::lu:
        matrix(spec.n, spec.n);
        types.push_back({DType::i32, extended(lead, {spec.n})});
        types.push_back({real, lead});
        break;
    case Factorization::qr:
        matrix(spec.m, spec.columns());
        matrix(spec.columns(), spec.n);
        break;
    case Factorization::eigh:
        types.push_back({real, extended(lead, {spec.n})});
        matrix(spec.n, spec.n);
        break;
    case Factorization::svd:
        matrix(spec.m, spec.columns());
        types.push_back({real, extended(lead, {spec.rank()})});
        matrix(spec.vectors(), spec.n);
        break;
    case Factorization::eig:
        types.push_back({real, extended(lead, {2, spec.n})});
        types.push_back({real, extended(lead, {2, spec.n, spec.n})});
        break;
    }
    return types;
}

std::vector<Array> factorize_eval(EvalContext& c) {
    std::vector<Array> outs = new_results(c);
    runtime::factorize(nullptr, factorize_spec(c.inst, types_of(c.in)), buffers_of(c.in, outs).data());
    return outs;
}

Values factorize_batch(BatchContext& c) {
    require_whole(c.inst);
    return c.b.copy(c.inst, {c.in(0)});
}

std::vector<Sample> factorize_samples() {
    const auto sample = [](DType dtype, Shape shape, const char* kind, std::int64_t full) {
        return Sample{{{dtype, std::move(shape)}},
                      {{Attr::kind, std::string(kind)}, {Attr::full, full}},
                      {Domain::any},
                      2e-5,
                      false};
    };
    std::vector<Sample> samples;
    if (!runtime::has_lapack()) return samples;
    for (const DType dtype :
         {DType::f32, DType::f64}) { // samples of complex types test transform/complex/lower_complex
        for (const char* kind : {"cholesky", "lu", "eigh", "eig"})
            for (const Shape& shape : {Shape{1, 1}, Shape{5, 5}, Shape{3, 7, 7}, Shape{0, 2, 2}, Shape{1025, 4, 4}})
                samples.push_back(sample(dtype, shape, kind, 0));
        for (const char* kind : {"qr", "svd"})
            for (const Shape& shape : {Shape{1, 1}, Shape{6, 4}, Shape{4, 6}, Shape{2, 3, 5, 3}})
                for (const std::int64_t full : {0, 1}) samples.push_back(sample(dtype, shape, kind, full));
    }
    return samples;
}

// ---- triangular_solve

std::vector<Type> triangular_type(const Inst& inst, std::span<const Type> in) {
    const Type& t = in[0];
    const Type& b = in[in.size() / 2];
    require_matrices(inst, t, true);
    require_dtype(inst, b.dtype, set_of(t.dtype));
    require_parts(inst.op, in);
    PM_CHECK(b.shape.size() == t.shape.size() && leading(t) == leading(b) && size_at(b, 2) == size_at(t, 1),
             "a right-hand side of other sizes than the matrix");
    return std::vector<Type>(in.size() / 2, b);
}

std::vector<Array> triangular_eval(EvalContext& c) {
    std::vector<Array> outs = new_results(c);
    runtime::solve_triangular(nullptr, triangular_spec(c.inst, types_of(c.in)), buffers_of(c.in, outs).data());
    return outs;
}

/// The triangle that the operation reads, of the tangent of the matrix. The other elements are zeros.
Value triangle(Build& b, const Inst& inst, Value dt) {
    const Shape& shape = b.shape(dt);
    const int last = b.rank(dt) - 1;
    const Value rows = b.iota(shape, last - 1, DType::i64), columns = b.iota(shape, last, DType::i64);
    const bool lower = inst.attrs.integer(Attr::lower) != 0, unit = inst.attrs.integer(Attr::unit_diagonal) != 0;
    const Value small = lower ? columns : rows, great = lower ? rows : columns;
    return b.select(b.compare(unit ? Op::less : Op::less_equal, small, great), dt, b.zeros_like(dt));
}

/// From t x = b: t dx = db - dt x.
Tangents triangular_jvp(JvpContext& c) {
    require_whole(c.inst);
    Build& b = c.b;
    std::optional<Value> change = c.tangent(1);
    if (c.tangent(0)) {
        const int last = b.rank(c.in(0)) - 1;
        const Integers batch = counting(0, static_cast<std::size_t>(last - 1));
        const std::int64_t along = c.inst.attrs.integer(Attr::transposed) != 0 ? last - 1 : last;
        const Value moved = b.dot(triangle(b, c.inst, *c.tangent(0)), c.out(), {{along}, {last - 1}, batch, batch},
                                  ir::precision::highest);
        change = change ? b.sub(*change, moved) : b.neg(moved);
    }
    return {b.copy(c.inst, {c.in(0), *change}).at(0)};
}

void triangular_transpose(TransposeContext& c) {
    require_whole(c.inst);
    Inst other = c.inst;
    other.attrs.set(Attr::transposed, std::int64_t{1} - other.attrs.integer(Attr::transposed));
    c.add(1, c.b.copy(other, {c.in(0), *c.ct()}).at(0));
}

Values triangular_batch(BatchContext& c) {
    require_whole(c.inst);
    if (c.batched[0] || c.rank(0) != 2) return c.b.copy(c.inst, {c.full(0), c.full(1)});
    // The matrix is not batched. So the batch becomes additional columns of the right-hand side.
    Build& b = c.b;
    const Shape shape = b.shape(c.in(1)); // [batch, n, m]
    const Value columns = b.reshape(b.move_axis(c.in(1), 0, 2), {shape[1], shape[2] * shape[0]});
    const Value solved = b.copy(c.inst, {c.in(0), columns}).at(0);
    return {b.move_axis(b.reshape(solved, {shape[1], shape[2], shape[0]}), 2, 0)};
}

std::vector<Sample> triangular_samples() {
    std::vector<Sample> samples;
    if (!runtime::has_lapack()) return samples;
    for (const DType dtype : {DType::f32, DType::f64})
        for (std::int64_t which = 0; which < 8; ++which)
            for (const Shape& b : {Shape{3, 1}, Shape{1, 1}, Shape{2, 3, 2}, Shape{0, 2, 2}, Shape{2, 9000}}) {
                const Shape lead(b.begin(), b.end() - 2);
                const std::int64_t n = b[b.size() - 2];
                samples.push_back({{{dtype, extended(lead, {n, n})}, {dtype, b}},
                                   {{Attr::lower, which & 1},
                                    {Attr::transposed, (which >> 1) & 1},
                                    {Attr::unit_diagonal, (which >> 2) & 1}},
                                   {Domain::nonzero},
                                   2e-4});
            }
    return samples;
}

std::int64_t batch_of(const Type& matrices) { return ir::product(leading(matrices)); }

/// Computes the factors of a complex matrix. The parts of the matrix become the operands, and the results are the parts
/// of the factors. If a matrix has no imaginary part, its factors are real.
std::vector<Parts> factorize_parts(PartsContext& c) {
    const Parts& a = c.in[0];
    if (a.im) return parts::gathered(c.b.copy(c.inst, {a.re, *a.im}), c.out);
    std::vector<Parts> results;
    for (const Value v : c.b.copy(c.inst, {a.re})) results.push_back({v, {}});
    return results;
}
std::vector<Parts> triangular_solve_parts(PartsContext& c) {
    const auto& [b, inst, in, types, out] = c;
    const Parts& t = in[0];
    const Parts& right = in[1];
    if (t.im) {
        const Values made = b.copy(inst, {t.re, *t.im, right.re, parts::imaginary(b, right)});
        return {{made.at(0), made.at(1)}};
    }
    Parts made{b.copy(inst, {t.re, right.re}).at(0), {}};
    if (right.im) made.im = b.copy(inst, {t.re, *right.im}).at(0);
    return {made};
}

} // namespace

FactorizeSpec factorize_spec(const Inst& inst, std::span<const Type> in) {
    const std::string& kind = inst.attrs.text(Attr::kind);
    const auto at = std::find(runtime::factorizations.begin(), runtime::factorizations.end(), kind);
    PM_CHECK(at != runtime::factorizations.end(), kind);
    return {static_cast<Factorization>(at - runtime::factorizations.begin()),
            whole_dtype(inst.op, in),
            inst.attrs.integer(Attr::full, 0) != 0,
            false,
            batch_of(in[0]),
            size_at(in[0], 2),
            size_at(in[0], 1)};
}

TriangularSpec triangular_spec(const Inst& inst, std::span<const Type> in) {
    return {whole_dtype(inst.op, in),
            inst.attrs.integer(Attr::lower) != 0,
            inst.attrs.integer(Attr::transposed) != 0,
            inst.attrs.integer(Attr::unit_diagonal) != 0,
            false,
            batch_of(in[0]),
            size_at(in[0], 1),
            size_at(in.back(), 1)};
}

const OpRules rule::factorize = checked<Op::factorize>({
    .type = factorize_type,
    .eval = factorize_eval,
    .jvp = none,
    .transpose = none,
    .batch = factorize_batch,
    .lower = LowerKernel{Kernel::matrices},
    .samples = factorize_samples,
    .doc = "Factors of matrices by LAPACK: cholesky, lu, qr, eigh, svd, eig. Without derivatives.",
    .name = "linalg",
    .nans = {.made = makes_nans, .per_matrix = true},
    .parts = factorize_parts,
});

const OpRules rule::triangular_solve = checked<Op::triangular_solve>({
    .type = triangular_type,
    .eval = triangular_eval,
    .jvp = triangular_jvp,
    .transpose = triangular_transpose,
    .batch = triangular_batch,
    .lower = LowerKernel{Kernel::matrices},
    .samples = triangular_samples,
    .doc = "x with t x = b for triangular matrices t[..., n, n] and b[..., n, m], by BLAS.",
    .name = "linalg.solve_triangular",
    .nans = {.made = makes_nans, .per_matrix = true},
    .parts = triangular_solve_parts,
    .pole = Pole{0, 1},
});

} // namespace pm::ops
