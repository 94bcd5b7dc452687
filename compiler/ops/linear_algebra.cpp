#include "compiler/ops/linear_algebra.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ops/axes.hpp"

// factorize and triangular_solve: large matrices, by LAPACK (runtime/matrices.hpp); small ones are loops of
// stdlib/linalg. factorize has no derivatives of its own: linalg gives them, by rules made of its results and of
// triangular_solve.

namespace pm::ops {
namespace {

using runtime::Factorization;
using runtime::FactorizeSpec;
using runtime::TriangularSpec;

constexpr DTypes lapack_dtypes = set_of(DType::f32) | set_of(DType::f64);

/// The leading axes of matrices, in front of the last two.
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
    const FactorizeSpec spec = factorize_spec(inst, in[0]);
    const bool square = spec.kind != Factorization::qr && spec.kind != Factorization::svd;
    require_matrices(inst, in[0], square);
    const Shape lead = leading(in[0]);
    const auto made = [&](std::initializer_list<std::int64_t> sizes) {
        return Type{in[0].dtype, extended(lead, sizes)};
    };
    switch (spec.kind) {
    case Factorization::cholesky: return {in[0]};
    case Factorization::lu: return {in[0], Type{DType::i32, extended(lead, {spec.n})}, made({})};
    case Factorization::qr: return {made({spec.m, spec.columns()}), made({spec.columns(), spec.n})};
    case Factorization::eigh: return {made({spec.n}), in[0]};
    case Factorization::svd: return {made({spec.m, spec.columns()}), made({spec.rank()}), made({spec.rows(), spec.n})};
    }
    return {};
}

std::vector<Array> factorize_eval(EvalContext& c) {
    std::vector<Array> outs;
    for (std::size_t i = 0; i < c.result_types.size(); ++i) outs.push_back(new_result(c, i));
    std::vector<void*> buffers{const_cast<void*>(c.in[0].data())};
    for (Array& out : outs) buffers.push_back(out.mutable_data());
    runtime::factorize(nullptr, factorize_spec(c.inst, {c.in[0].dtype(), c.in[0].shape()}), buffers.data());
    return outs;
}

Values factorize_batch(BatchContext& c) { return c.b.copy(c.inst, {c.in(0)}); }

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
    for (const DType dtype : {DType::f32, DType::f64}) {
        for (const char* kind : {"cholesky", "lu", "eigh"})
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
    require_matrices(inst, in[0], true);
    require_dtype(inst, in[1].dtype, set_of(in[0].dtype));
    PM_CHECK(in[1].shape.size() == in[0].shape.size() && leading(in[0]) == leading(in[1]) &&
                 size_at(in[1], 2) == size_at(in[0], 1),
             "a right-hand side of other sizes than the matrix");
    return {in[1]};
}

std::vector<Array> triangular_eval(EvalContext& c) {
    std::vector<Array> outs{new_result(c)};
    const TriangularSpec spec = triangular_spec(c.inst, {c.in[0].dtype(), c.in[0].shape()}, c.result_types[0]);
    void* buffers[] = {const_cast<void*>(c.in[0].data()), const_cast<void*>(c.in[1].data()), outs[0].mutable_data()};
    runtime::solve_triangular(nullptr, spec, buffers);
    return outs;
}

/// The part of a change of the matrix that is read.
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
    Build& b = c.b;
    std::optional<Value> change = c.tangent(1);
    if (c.tangent(0)) {
        const int last = b.rank(c.in(0)) - 1;
        const Integers batch = counting(0, static_cast<std::size_t>(last - 1));
        const std::int64_t along = c.inst.attrs.integer(Attr::transposed) != 0 ? last - 1 : last;
        const Value moved = b.dot(triangle(b, c.inst, *c.tangent(0)), c.out(), {along}, {last - 1}, batch, batch);
        change = change ? b.sub(*change, moved) : b.neg(moved);
    }
    return {b.copy(c.inst, {c.in(0), *change}).at(0)};
}

void triangular_transpose(TransposeContext& c) {
    Inst other = c.inst;
    other.attrs.set(Attr::transposed, std::int64_t{1} - other.attrs.integer(Attr::transposed));
    c.add(1, c.b.copy(other, {c.in(0), *c.ct()}).at(0));
}

Values triangular_batch(BatchContext& c) {
    if (c.batched[0] || c.rank(0) != 2) return c.b.copy(c.inst, {c.full(0), c.full(1)});
    // One matrix: the batch is more columns.
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

} // namespace

FactorizeSpec factorize_spec(const Inst& inst, const Type& a) {
    const std::string& kind = inst.attrs.text(Attr::kind);
    const auto at = std::find(runtime::factorizations.begin(), runtime::factorizations.end(), kind);
    PM_CHECK(at != runtime::factorizations.end(), kind);
    return {static_cast<Factorization>(at - runtime::factorizations.begin()),
            a.dtype,
            inst.attrs.integer(Attr::full, 0) != 0,
            false,
            batch_of(a),
            size_at(a, 2),
            size_at(a, 1)};
}

TriangularSpec triangular_spec(const Inst& inst, const Type& t, const Type& b) {
    return {t.dtype,
            inst.attrs.integer(Attr::lower) != 0,
            inst.attrs.integer(Attr::transposed) != 0,
            inst.attrs.integer(Attr::unit_diagonal) != 0,
            false,
            batch_of(t),
            size_at(t, 1),
            size_at(b, 1)};
}

const OpRules rule::factorize = checked<Op::factorize>({
    .type = factorize_type,
    .eval = factorize_eval,
    .jvp = none,
    .transpose = none,
    .batch = factorize_batch,
    .lower = LowerKernel{Kernel::matrices},
    .samples = factorize_samples,
    .doc = "Factors of matrices by LAPACK: cholesky, lu, qr, eigh, svd. Without derivatives.",
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
});

} // namespace pm::ops
