#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ops/core/combinators.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>

/// Functions for tests of the values of operations. apply() applies one operation to arrays, by the type rule and the
/// eval rule of the operation.
namespace pm::ops::test {

inline Array floats_of(Shape shape, std::initializer_list<double> values, DType dtype = DType::f32) {
    Array x = Array::empty(dtype, std::move(shape));
    REQUIRE(x.elements() == static_cast<std::int64_t>(values.size()));
    std::int64_t i = 0;
    for (double v : values) runtime::write_f64(dtype, x.mutable_data(), i++, v);
    return x;
}

inline Array doubles(Shape shape, std::initializer_list<double> values) {
    return floats_of(std::move(shape), values, DType::f64);
}

inline Array ints_of(Shape shape, std::initializer_list<std::int64_t> values, DType dtype = DType::i32) {
    Array x = Array::empty(dtype, std::move(shape));
    REQUIRE(x.elements() == static_cast<std::int64_t>(values.size()));
    std::int64_t i = 0;
    for (std::int64_t v : values) runtime::write_i64(dtype, x.mutable_data(), i++, v);
    return x;
}

/// An array of this shape with the elements 0, 1, 2, ...
inline Array count_of(Shape shape, DType dtype = DType::i32) {
    Array x = Array::empty(dtype, std::move(shape));
    for (std::int64_t i = 0; i < x.elements(); ++i) runtime::write_i64(dtype, x.mutable_data(), i, i);
    return x;
}

/// `over` returns attributes of a reduction over axes, `along` attributes of an operation along one axis.
inline Attrs over(Integers axes) { return {{Attr::axes, std::move(axes)}}; }
inline Attrs along(std::int64_t axis, std::int64_t reverse = 0) {
    return {{Attr::axis, axis}, {Attr::reverse, reverse}};
}

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline const Type f34{DType::f32, {3, 4}};

inline std::vector<Array> apply(Op op, const std::vector<Array>& in, const Attrs& attrs,
                                runtime::Tapes* tapes = nullptr) {
    std::vector<Type> types;
    for (const Array& x : in) types.push_back({x.dtype(), x.shape()});
    const Inst inst{op, {}, {}, attrs, {}, {}};
    const std::vector<Type> results = rules(op).type.fn(inst, types);
    const std::shared_ptr<runtime::Allocator> allocator;
    EvalContext c{inst, in, results, allocator, tapes};
    std::vector<Array> out = rules(op).eval.fn(c);
    REQUIRE(out.size() == results.size());
    for (std::size_t i = 0; i < out.size(); ++i) REQUIRE(Type{out[i].dtype(), out[i].shape()} == results[i]);
    return out;
}
inline Array apply1(Op op, const std::vector<Array>& in, const Attrs& attrs) { return apply(op, in, attrs).at(0); }

/// The code of the diagnostic that the type rule of `op` raises, or "" if the type rule accepts the operands.
inline std::string refusal(Op op, const std::vector<Type>& in, const Attrs& attrs) {
    try {
        const Inst inst{op, {}, {}, attrs, {}, {}};
        (void)rules(op).type.fn(inst, in);
    } catch (const Error& error) {
        return std::string(info(error.diagnostic().id).code);
    }
    return "";
}

inline std::vector<double> values_of(const Array& x) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < x.elements(); ++i) values.push_back(x.as_f64(i));
    return values;
}

/// Checks that two arrays have the same type and the same values.
inline void check_equal(const Array& x, const Array& expected) {
    CHECK(x.shape() == expected.shape());
    CHECK(x.dtype() == expected.dtype());
    CHECK(values_of(x) == values_of(expected));
}

} // namespace pm::ops::test
