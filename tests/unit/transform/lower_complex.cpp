#include "compiler/base/diagnostic.hpp"
#include "runtime/kernels/matrices.hpp"
#include "tests/unit/transform/harness.hpp"

#include <algorithm>
#include <complex>
#include <functional>
#include <map>

// The pass that replaces complex numbers with pairs of real numbers. Every operation that accepts complex numbers is
// run on its samples, with c128 in place of f64. Values are compared with std::complex, or with the operation on real
// and imaginary parts. Derivatives are compared with finite differences. Transposes are tested by the bilinear product
// Re(sum of a b).

using namespace pm;
using namespace pm::transform;
using namespace pm::transform::test;
using ops::Build;
using ops::Op;
using ops::Sample;

namespace {

using Complex = std::complex<double>;
using Elementwise = std::function<Complex(const std::vector<Complex>&)>;

/// A sample of an operation as a block with one instruction.
struct Case {
    Op op;
    ir::Attrs attrs;
    BlockPtr block;
};

BlockPtr block_of(Op op, const std::vector<Type>& operands, const ir::Attrs& attrs) {
    Build b("sample");
    Values params;
    for (const Type& type : operands) params.push_back(b.param(type));
    return b.finish(b.emit(op, params, attrs));
}

bool holds(const std::vector<Type>& types, DType dtype) {
    return std::any_of(types.begin(), types.end(), [&](const Type& t) { return t.dtype == dtype; });
}

/// The samples with c128. A sample in f64 is converted to c128 if the operation accepts c128.
std::vector<Case> cases(std::int64_t most = 200) {
    std::vector<Case> all;
    for (int i = 0; i < ir::flat_op_count; ++i) {
        const auto op = static_cast<Op>(i);
        if (!ops::rules(op).samples || ir::info(op).has(ir::creation)) continue;
        for (Sample sample : ops::rules(op).samples.fn()) {
            if (std::any_of(sample.operands.begin(), sample.operands.end(),
                            [&](const Type& t) { return t.elements() > most; }))
                continue;
            const bool own = holds(sample.operands, DType::c128) || op == Op::complex;
            if (!own)
                for (Type& type : sample.operands)
                    if (type.dtype == DType::f64) type.dtype = DType::c128;
            if (op == Op::convert && holds(sample.operands, DType::c128)) sample.attrs.set(ir::Attr::dtype, DType::c64);
            if (op == Op::complex ? !holds(sample.operands, DType::f64) : !holds(sample.operands, DType::c128))
                continue;
            try {
                all.push_back({op, sample.attrs, block_of(op, sample.operands, sample.attrs)});
            } catch (const Error&) { // the operation does not accept complex numbers
            }
        }
    }
    return all;
}

Array random_part(const Type& type, std::mt19937_64& random) {
    Array made = Array::zeros(type.dtype, type.shape);
    const auto number = [&] {
        const double u = std::uniform_real_distribution<double>(0.2, 1.4)(random);
        return (random() & 1) != 0 ? u : -u;
    };
    for (std::int64_t i = 0; i < made.elements(); ++i) {
        if (runtime::is_complex(type.dtype)) {
            const double re = number();
            runtime::write_c128(type.dtype, made.mutable_data(), i, {re, number()});
        } else if (runtime::is_float(type.dtype)) {
            runtime::write_f64(type.dtype, made.mutable_data(), i, number());
        } else {
            runtime::write_i64(type.dtype, made.mutable_data(), i, static_cast<std::int64_t>(random() % 3));
        }
    }
    return made;
}
Arrays random_inputs(const std::vector<Type>& types, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Arrays made;
    for (const Type& type : types) made.push_back(random_part(type, random));
    return made;
}

void check_near(const Array& found, const Array& due, double tolerance) {
    REQUIRE(found.shape() == due.shape());
    for (std::int64_t i = 0; i < due.elements(); ++i) {
        const Complex x = found.as_c128(i);
        const Complex y = due.as_c128(i);
        const bool undefined = std::isnan(x.real()) && std::isnan(y.real());
        CHECK_MESSAGE((undefined || std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y))), x.real(), " ", x.imag(),
                      " for ", y.real(), " ", y.imag());
    }
}

Array part_of(const Array& z, bool real) {
    if (!runtime::is_complex(z.dtype())) return z;
    Array part = Array::empty(runtime::part_type(z.dtype()), z.shape());
    for (std::int64_t i = 0; i < z.elements(); ++i)
        runtime::write_f64(part.dtype(), part.mutable_data(), i, real ? z.as_c128(i).real() : z.as_c128(i).imag());
    return part;
}

bool is_power(Op op) { return op == Op::integer_pow; }

const std::map<Op, Elementwise>& references() {
    using Args = std::vector<Complex>;
    static const std::map<Op, Elementwise> table = {
        {Op::neg, [](const Args& a) { return -a[0]; }},
        {Op::add, [](const Args& a) { return a[0] + a[1]; }},
        {Op::sub, [](const Args& a) { return a[0] - a[1]; }},
        {Op::mul, [](const Args& a) { return a[0] * a[1]; }},
        {Op::div, [](const Args& a) { return a[0] / a[1]; }},
        {Op::pow, [](const Args& a) { return std::pow(a[0], a[1]); }},
        {Op::abs, [](const Args& a) { return Complex(std::abs(a[0])); }},
        {Op::sign, [](const Args& a) { return a[0] / std::abs(a[0]); }},
        {Op::exp, [](const Args& a) { return std::exp(a[0]); }},
        {Op::expm1, [](const Args& a) { return std::exp(a[0]) - 1.0; }},
        {Op::log, [](const Args& a) { return std::log(a[0]); }},
        {Op::log1p, [](const Args& a) { return std::log(1.0 + a[0]); }},
        {Op::sqrt, [](const Args& a) { return std::sqrt(a[0]); }},
        {Op::rsqrt, [](const Args& a) { return 1.0 / std::sqrt(a[0]); }},
        {Op::sin, [](const Args& a) { return std::sin(a[0]); }},
        {Op::cos, [](const Args& a) { return std::cos(a[0]); }},
        {Op::tan, [](const Args& a) { return std::tan(a[0]); }},
        {Op::asin, [](const Args& a) { return std::asin(a[0]); }},
        {Op::acos, [](const Args& a) { return std::acos(a[0]); }},
        {Op::atan, [](const Args& a) { return std::atan(a[0]); }},
        {Op::sinh, [](const Args& a) { return std::sinh(a[0]); }},
        {Op::cosh, [](const Args& a) { return std::cosh(a[0]); }},
        {Op::tanh, [](const Args& a) { return std::tanh(a[0]); }},
        {Op::asinh, [](const Args& a) { return std::asinh(a[0]); }},
        {Op::acosh, [](const Args& a) { return std::acosh(a[0]); }},
        {Op::atanh, [](const Args& a) { return std::atanh(a[0]); }},
        {Op::logistic, [](const Args& a) { return 1.0 / (1.0 + std::exp(-a[0])); }},
        {Op::equal, [](const Args& a) { return Complex(a[0] == a[1] ? 1 : 0); }},
        {Op::not_equal, [](const Args& a) { return Complex(a[0] != a[1] ? 1 : 0); }},
        {Op::convert, [](const Args& a) { return a[0]; }},
        {Op::stop_gradient, [](const Args& a) { return a[0]; }},
        {Op::select, [](const Args& a) { return a[0] != 0.0 ? a[1] : a[2]; }},
        {Op::real, [](const Args& a) { return Complex(a[0].real()); }},
        {Op::imag, [](const Args& a) { return Complex(a[0].imag()); }},
        {Op::conj, [](const Args& a) { return std::conj(a[0]); }},
        {Op::complex, [](const Args& a) { return Complex(a[0].real(), a[1].real()); }},
    };
    return table;
}

/// Element k of the result along the axis is the sum over j of term(k, j, x[j]).
Array along(const Array& x, std::size_t axis, const std::function<Complex(std::int64_t, std::int64_t, Complex)>& term) {
    Array out = Array::zeros(x.dtype(), x.shape());
    std::int64_t inner = 1;
    for (std::size_t d = axis + 1; d < x.shape().size(); ++d) inner *= x.shape()[d];
    const std::int64_t n = x.shape()[axis];
    for (std::int64_t i = 0; i < x.elements(); ++i) {
        const std::int64_t k = i / inner % n;
        Complex sum = 0;
        for (std::int64_t j = 0; j < n; ++j) sum += term(k, j, x.as_c128(i + (j - k) * inner));
        runtime::write_c128(out.dtype(), out.mutable_data(), i, sum);
    }
    return out;
}

Array transformed(const Array& x, const ir::Attrs& attrs) {
    const auto axis = static_cast<std::size_t>(attrs.integer(ir::Attr::axis));
    const double n = static_cast<double>(x.shape()[axis]);
    const double sign = attrs.integer(ir::Attr::inverse) != 0 ? 1 : -1;
    return along(x, axis, [&](std::int64_t k, std::int64_t j, Complex v) {
        return v * std::polar(1.0, sign * 2 * M_PI * std::fmod(static_cast<double>(j * k), n) / n);
    });
}

/// The bilinear product Re(sum of a b). Transposes satisfy <T(ct), x> = <ct, L(x)> for this product.
double product(const Array& a, const Array& b) {
    double sum = 0;
    for (std::int64_t i = 0; i < a.elements(); ++i) sum += (a.as_c128(i) * b.as_c128(i)).real();
    return sum;
}

Array moved_by(const Array& x, const Array& d, double h) {
    Array made = Array::empty(x.dtype(), x.shape());
    for (std::int64_t i = 0; i < x.elements(); ++i)
        runtime::write_c128(made.dtype(), made.mutable_data(), i, x.as_c128(i) + h * d.as_c128(i));
    return made;
}

Array slope(const Array& high, const Array& low, double step) {
    Array made = Array::empty(high.dtype(), high.shape());
    for (std::int64_t i = 0; i < made.elements(); ++i)
        runtime::write_c128(made.dtype(), made.mutable_data(), i, (high.as_c128(i) - low.as_c128(i)) / step);
    return made;
}

/// A complex matrix, by which identities of linear algebra are tested.
struct Matrix {
    std::int64_t rows, columns;
    std::vector<Complex> elements;

    Matrix(std::int64_t m, std::int64_t n) : rows(m), columns(n), elements(static_cast<std::size_t>(m * n)) {}
    explicit Matrix(const Array& a) : Matrix(a.shape()[0], a.shape()[1]) {
        for (std::int64_t i = 0; i < a.elements(); ++i) elements[static_cast<std::size_t>(i)] = a.as_c128(i);
    }
    static Matrix identity(std::int64_t n) {
        Matrix made(n, n);
        for (std::int64_t i = 0; i < n; ++i) made.at(i, i) = 1;
        return made;
    }
    Complex& at(std::int64_t i, std::int64_t j) { return elements[static_cast<std::size_t>(i * columns + j)]; }
    Complex at(std::int64_t i, std::int64_t j) const { return elements[static_cast<std::size_t>(i * columns + j)]; }
    /// The m x n matrix with the elements f(i, j).
    template <class F>
    static Matrix of(std::int64_t m, std::int64_t n, F&& f) {
        Matrix made(m, n);
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) made.at(i, j) = f(i, j);
        return made;
    }
    Matrix corner(std::int64_t m, std::int64_t n) const {
        return of(m, n, [&](auto i, auto j) { return at(i, j); });
    }
    Matrix transpose() const {
        return of(columns, rows, [&](auto i, auto j) { return at(j, i); });
    }
    Matrix adjoint() const {
        return of(columns, rows, [&](auto i, auto j) { return std::conj(at(j, i)); });
    }
    Matrix scaled(const Array& s) const {
        return of(rows, columns, [&](auto i, auto j) { return at(i, j) * s.as_f64(j); });
    }
    Matrix triangle(bool lower, bool unit) const {
        return of(rows, columns, [&](auto i, auto j) {
            return unit && i == j ? Complex(1) : (lower ? j <= i : i <= j) ? at(i, j) : Complex(0);
        });
    }
    friend Matrix operator*(const Matrix& x, const Matrix& y) {
        REQUIRE(x.columns == y.rows);
        return of(x.rows, y.columns, [&](auto i, auto j) {
            Complex sum = 0;
            for (std::int64_t k = 0; k < x.columns; ++k) sum += x.at(i, k) * y.at(k, j);
            return sum;
        });
    }
};

void check_near(const Matrix& found, const Matrix& due) {
    REQUIRE(found.elements.size() == due.elements.size());
    for (std::size_t i = 0; i < due.elements.size(); ++i) CHECK(std::abs(found.elements[i] - due.elements[i]) < 1e-10);
}

/// Operations whose samples are not differentiated, because they have no tangent, or round to c64.
bool without_slope(const Case& c) {
    return !ops::rules(c.op).jvp || c.op == Op::convert || c.op == Op::stop_gradient || c.op == Op::sign ||
           ir::info(c.op).has(ir::boolean);
}

} // namespace

TEST_CASE("lowered blocks have no complex types and the values of complex arithmetic") {
    std::map<Op, int> tried;
    for (const Case& c : cases()) {
        INFO(ir::print(*c.block));
        ++tried[c.op];
        const BlockPtr lowered = verified(transform::lower_complex(c.block), "lower_complex");
        for (const Type& type : lowered->values) REQUIRE(!runtime::is_complex(type.dtype));
        const Arrays in = random_inputs(c.block->param_types(), 5);
        const Arrays out = run(c.block, in);
        if (const auto at = references().find(c.op); at != references().end()) {
            Array due = Array::zeros(DType::c128, out[0].shape());
            for (std::int64_t i = 0; i < due.elements(); ++i) {
                std::vector<Complex> arguments;
                for (const Array& x : in) arguments.push_back(x.as_c128(i));
                due.mutable_as<Complex>()[i] = at->second(arguments);
            }
            check_near(out[0], due, c.op == Op::convert ? 1e-6 : 1e-12);
        } else if (c.op == Op::fft) {
            if (in[0].elements() > 0) check_near(out[0], transformed(in[0], c.attrs), 1e-11);
        } else if (is_power(c.op)) {
            const auto n = static_cast<double>(c.attrs.integer(ir::Attr::exponent));
            for (std::int64_t i = 0; i < in[0].elements(); ++i) {
                const Complex due = std::pow(in[0].as_c128(i), n);
                CHECK(std::abs(out[0].as_c128(i) - due) <= 1e-11 * std::max(1.0, std::abs(due)));
            }
        } else if (c.op == Op::dot || c.op == Op::reduce_prod || c.op == Op::cumprod || c.op == Op::sort ||
                   c.op == Op::factorize || c.op == Op::triangular_solve ||
                   (c.op == Op::scatter && c.attrs.text(ir::Attr::mode) == "mul")) {
            continue; // tested below
        } else {      // applies to real and imaginary parts in the same way
            for (const bool real : {true, false}) {
                Arrays parts;
                std::vector<Type> types;
                for (const Array& x : in) {
                    parts.push_back(part_of(x, real));
                    types.push_back({parts.back().dtype(), parts.back().shape()});
                }
                const Arrays due = run(block_of(c.op, types, c.attrs), parts);
                check_near(part_of(out[0], real), due[0], 1e-12);
            }
        }
    }
    // these operations must occur among the cases
    for (const Op op : {Op::mul, Op::div, Op::fft, Op::gather, Op::scatter, Op::reduce_sum, Op::dot, Op::sort, Op::real,
                        Op::complex, Op::cumprod, Op::pad, Op::dynamic_update, Op::tanh, Op::integer_pow, Op::select})
        CHECK_MESSAGE(tried[op] > 0, std::string(ir::info(op).name));
}

TEST_CASE("products and sorts of complex numbers") {
    const BlockPtr dot = program(R"(
fn f(%0: c128[2, 3], %1: c128[3, 2]) -> (c128[2, 2]) {
  %2: c128[2, 2] = dot(%0, %1) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  return %2
})");
    Arrays in = random_inputs(dot->param_types(), 1);
    Array due = Array::zeros(DType::c128, {2, 2});
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 3; ++k)
                due.mutable_as<Complex>()[i * 2 + j] += in[0].as_c128(i * 3 + k) * in[1].as_c128(k * 2 + j);
    check_near(run(dot, in)[0], due, 1e-13);

    const BlockPtr scatter = program(R"(
fn f(%0: c128[3, 2], %1: c128[4, 2], %2: i32[4]) -> (c128[3, 2]) {
  %3: c128[3, 2] = scatter(%0, %1, %2) axes=[0] batch=0 mode="mul"
  return %3
})");
    in = random_inputs(scatter->param_types(), 2);
    const std::int32_t places[] = {1, 0, 1, 3}; // one index occurs twice, and one is out of range
    std::copy(std::begin(places), std::end(places), in[2].mutable_as<std::int32_t>());
    Array multiplied = in[0].clone();
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 2; ++j) multiplied.mutable_as<Complex>()[places[k] * 2 + j] *= in[1].as_c128(k * 2 + j);
    check_near(run(scatter, in)[0], multiplied, 1e-13);

    for (const std::int64_t n : {0, 1, 2, 5, 8, 13}) {
        Build b("f");
        const Value x = b.param({DType::c128, {n}});
        const BlockPtr products = b.finish(
            {b.reduce(Op::reduce_prod, x, {0}),
             b.emit1(Op::cumprod, {x}, {{ir::Attr::axis, std::int64_t{0}}, {ir::Attr::reverse, std::int64_t{0}}}),
             b.emit1(Op::sort, {x}, {{ir::Attr::axis, std::int64_t{0}}, {ir::Attr::keys, std::int64_t{1}}})});
        in = random_inputs(products->param_types(), 7);
        for (std::int64_t i = 0; i < n; i += 2) // if the real parts are equal, the imaginary parts decide
            in[0].mutable_as<Complex>()[i].real(0.5);
        const Arrays out = run(products, in);
        Complex all = 1;
        std::vector<Complex> sorted;
        for (std::int64_t i = 0; i < n; ++i) {
            all *= in[0].as_c128(i);
            sorted.push_back(in[0].as_c128(i));
            CHECK(std::abs(out[1].as_c128(i) - all) < 1e-12);
        }
        CHECK(std::abs(out[0].as_c128() - all) < 1e-12);
        std::sort(sorted.begin(), sorted.end(), [](Complex a, Complex b) {
            return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
        });
        for (std::int64_t i = 0; i < n; ++i) CHECK(out[2].as_c128(i) == sorted[static_cast<std::size_t>(i)]);
    }
}

TEST_CASE("the product of the factors of a complex matrix is the matrix, and triangular systems are solved") {
    if (!runtime::has_lapack()) return;
    std::map<std::string, int> tried;
    for (const Case& c : cases()) {
        const bool factors = c.op == Op::factorize;
        if ((!factors && c.op != Op::triangular_solve) || c.block->param_types()[0].shape.size() != 2) continue;
        INFO(ir::print(*c.block));
        const std::string kind = factors ? c.attrs.text(ir::Attr::kind) : "triangular";
        ++tried[kind];
        Arrays in = random_inputs(c.block->param_types(), 8);
        const Matrix a(in[0]);
        if (kind == "cholesky") {
            Matrix positive = a * a.adjoint();
            for (std::int64_t i = 0; i < a.rows; ++i) positive.at(i, i) += 1;
            std::copy(positive.elements.begin(), positive.elements.end(), in[0].mutable_as<Complex>());
        }
        const Arrays out = run(c.block, in);
        const Matrix given(in[0]), first(out[kind == "eigh" ? 1 : 0]); // eigenvalues are result 0
        if (kind == "cholesky") {
            check_near(first * first.adjoint(), given);
        } else if (kind == "lu") {
            const auto row = [&](auto i, auto j) { return given.at(out[1].as_i64(i), j); };
            check_near(first.triangle(true, true) * first.triangle(false, false), Matrix::of(a.rows, a.columns, row));
            CHECK(out[2].dtype() == DType::f64);
        } else if (kind == "qr") {
            check_near(first * Matrix(out[1]), given);
            check_near(first.adjoint() * first, Matrix::identity(first.columns));
        } else if (kind == "eigh") {
            const auto read = [&](auto i, auto j) {
                return i > j ? given.at(i, j) : i == j ? Complex(given.at(i, i).real()) : std::conj(given.at(j, i));
            };
            check_near(first.scaled(out[0]) * first.adjoint(), Matrix::of(a.rows, a.rows, read));
            check_near(first.adjoint() * first, Matrix::identity(a.rows));
        } else if (kind == "eig") { // the real parts of the results precede the imaginary parts
            const auto number = [](const Array& parts, std::int64_t i) {
                return Complex(parts.as_f64(i), parts.as_f64(parts.elements() / 2 + i));
            };
            const auto element = [&](auto i, auto j) { return number(out[1], i * a.rows + j); };
            const auto scaled = [&](auto i, auto j) { return element(i, j) * number(out[0], j); };
            check_near(given * Matrix::of(a.rows, a.rows, element), Matrix::of(a.rows, a.rows, scaled));
        } else if (kind == "svd") {
            const Matrix vh(out[2]);
            const std::int64_t k = out[1].elements();
            check_near(first.corner(a.rows, k).scaled(out[1]) * vh.corner(k, a.columns), given);
            check_near(first.adjoint() * first, Matrix::identity(first.columns));
            check_near(vh * vh.adjoint(), Matrix::identity(vh.rows));
        } else {
            Matrix t =
                given.triangle(c.attrs.integer(ir::Attr::lower) != 0, c.attrs.integer(ir::Attr::unit_diagonal) != 0);
            if (c.attrs.integer(ir::Attr::transposed) != 0) t = t.transpose();
            check_near(t * first, Matrix(in[1]));
        }
    }
    for (const char* kind : {"cholesky", "lu", "qr", "eigh", "eig", "svd", "triangular"})
        CHECK_MESSAGE(tried[kind] > 0, kind);
}

TEST_CASE("forward derivatives are slopes (finite differences), and transposes preserve the bilinear product") {
    for (const Case& c : cases(60)) {
        if (without_slope(c)) continue;
        INFO(ir::print(*c.block));
        const BitMask active = active_params(c.block);
        const Arrays at = random_inputs(c.block->param_types(), 21);
        const Arrays directions = random_inputs(pick(c.block->param_types(), active), 22);
        const Jvp made = jvp(c.block, active);
        const Arrays out = run(verified(made.block, "jvp"), joined(at, directions));
        const std::size_t results = c.block->results.size();

        constexpr double h = 1e-6;
        Arrays high = at, low = at;
        for (std::size_t i = 0, next = 0; i < at.size(); ++i)
            if (active[i]) {
                high[i] = moved_by(at[i], directions[next], h);
                low[i] = moved_by(at[i], directions[next++], -h);
            }
        const Arrays above = run(c.block, high);
        const Arrays below = run(c.block, low);
        const Vjp back = vjp(c.block, active);
        REQUIRE(made.active_results == back.active_results);
        Arrays cotangents;
        double forward = 0;
        std::size_t next = results;
        for (std::size_t r = 0; r < results; ++r) {
            if (!made.active_results[r]) continue;
            const Array& tangent = out[next++];
            check_near(tangent, slope(above[r], below[r], 2 * h), 1e-5);
            std::mt19937_64 random(31 + r);
            cotangents.push_back(random_part({tangent.dtype(), tangent.shape()}, random));
            forward += product(cotangents.back(), tangent);
        }
        const Arrays pulled = run(verified(back.block, "vjp"), joined(at, cotangents));
        double backward = 0;
        for (std::size_t i = 0; i < directions.size(); ++i) backward += product(pulled[results + i], directions[i]);
        CHECK(std::abs(forward - backward) <= 1e-9 * std::max(1.0, std::abs(forward)));
    }
}

TEST_CASE("batched complex operations agree with a loop over slices") {
    for (const Case& c : cases(60)) {
        if (!ops::rules(c.op).batch) continue;
        INFO(ir::print(*c.block));
        std::vector<Type> types = c.block->param_types();
        for (Type& type : types) type.shape.insert(type.shape.begin(), 2);
        const Arrays in = random_inputs(types, 41);
        const Arrays out = run(batched_whole(c.block, BitMask(types.size(), true), 2, -1), in);
        for (std::int64_t i = 0; i < 2; ++i) {
            Arrays one;
            for (const Array& x : in) one.push_back(x.at(i));
            const Arrays due = run(c.block, one);
            for (std::size_t r = 0; r < due.size(); ++r) check_near(out[r].at(i), due[r], 1e-12);
        }
    }
}

TEST_CASE("regions get and return real and imaginary parts; a block without complex types is returned unchanged") {
    const BlockPtr real = program("fn f(%0: f32[3]) -> (f32[3]) {\n  %1: f32[3] = neg(%0)\n  return %1\n}");
    CHECK(transform::lower_complex(real) == real);

    const BlockPtr loop = program(R"(
fn f(%0: c128, %1: c128[4]) -> (c128, c128[4]) {
  %2: c128, %3: c128[4] = scan(%0, %1) whole=0 carried=1 length=4 reverse=0 {
    (%0: i32, %1: c128, %2: c128) {
      %3: c128 = mul(%1, %2)
      return %3, %1
    }
  }
  return %2, %3
})");
    const Arrays in = random_inputs(loop->param_types(), 3);
    const Arrays out = run(loop, in);
    Complex all = in[0].as_c128();
    for (std::int64_t i = 0; i < 4; ++i) {
        CHECK(std::abs(out[1].as_c128(i) - all) < 1e-12);
        all *= in[1].as_c128(i);
    }
    CHECK(std::abs(out[0].as_c128() - all) < 1e-12);
}

TEST_CASE("Fourier transforms of every size agree with sums in long double") {
    for (const std::int64_t n : {1,   2,   3,   4,   7,   8,   16,  30,   61,   64,   67,   96,   97,   128,  134,
                                 210, 251, 256, 360, 500, 509, 768, 1000, 1021, 1024, 1200, 2048, 4099, 8192, 10000}) {
        INFO(n);
        for (const bool inverse : {false, true}) {
            Build b("f");
            const ir::Attrs attrs{{ir::Attr::axis, std::int64_t{0}}, {ir::Attr::inverse, std::int64_t{inverse}}};
            const Value x = b.param({DType::c128, {n}});
            const Value y = b.param({DType::c64, {n}});
            const BlockPtr block = b.finish({b.emit1(Op::fft, {x}, attrs), b.emit1(Op::fft, {y}, attrs)});
            Arrays in = random_inputs(block->param_types(), static_cast<std::uint64_t>(n));
            in[1] = in[0].convert(DType::c64);
            const Arrays out = run(block, in);
            // Only some elements are checked, because the expected value of each element is a sum of n terms.
            double size = 0;
            for (std::int64_t j = 0; j < n; ++j) size += std::norm(in[0].as_c128(j));
            size = std::sqrt(size); // the typical magnitude of an element of the result
            for (std::int64_t k = 0; k < n; k += std::max<std::int64_t>(1, n / 7)) {
                std::complex<long double> sum = 0, single = 0;
                for (std::int64_t j = 0; j < n; ++j) {
                    const long double angle = (inverse ? 2 : -2) * 3.14159265358979323846264338327950288L *
                                              static_cast<long double>(j * k % n) / static_cast<long double>(n);
                    const std::complex<long double> root_of_unity(std::cos(angle), std::sin(angle));
                    sum += root_of_unity * std::complex<long double>(in[0].as_c128(j));
                    single += root_of_unity * std::complex<long double>(in[1].as_c128(j));
                }
                CHECK(static_cast<double>(std::abs(std::complex<long double>(out[0].as_c128(k)) - sum)) < 3e-15 * size);
                CHECK(static_cast<double>(std::abs(std::complex<long double>(out[1].as_c128(k)) - single)) <
                      1.5e-6 * size);
            }
        }
    }
}
