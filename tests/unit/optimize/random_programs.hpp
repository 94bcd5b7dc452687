#pragma once
#include "compiler/ops/core/build.hpp"

#include <algorithm>
#include <random>

namespace pm::optimize {

/// Random small programs with every kind of control flow. They have few shapes, special constants, and operands with
/// many uses, so there are instructions to fold, merge, move and remove.
class RandomProgram {
  public:
    using Value = ir::Value;
    using Values = ir::Values;
    using Type = ir::Type;
    using Op = ir::Op;
    using DType = ir::DType;

    explicit RandomProgram(std::uint64_t seed) : random_(seed) {}

    ir::BlockPtr function() {
        const std::vector<Type> params{{DType::f32, {}},  {DType::f32, {3}}, {DType::f32, {2, 3}}, {DType::i32, {}},
                                       {DType::i32, {3}}, {DType::b1, {}},   {DType::f32, {3, 1}}, {DType::f32, {3}}};
        return block("f", params, {}, 14, 0);
    }

  private:
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
    bool chance(std::size_t one_in) { return below(one_in) == 0; }
    template <class T>
    const T& one_of(const std::vector<T>& list) {
        return list[below(list.size())];
    }

    /// A random block with parameters of the types `params` and results of the types `results`. If `results` is empty,
    /// the block returns random values.
    ir::BlockPtr block(const std::string& name, const std::vector<Type>& params, const std::vector<Type>& results,
                       int size, int depth) {
        ops::Build b(name);
        Values pool;
        for (const Type& type : params) pool.push_back(b.param(type));
        if (pool.empty()) pool.push_back(constant(b, {DType::f32, {}}));
        for (int i = 0; i < size; ++i) step(b, pool, depth);
        Values out;
        for (const Type& type : results) out.push_back(of_type(b, pool, type));
        for (std::size_t i = 0; results.empty() && i < 12; ++i) out.push_back(one_of(pool));
        return b.finish(out);
    }

    Value constant(ops::Build& b, const Type& type) {
        static const std::vector<double> floats{0.0,
                                                -0.0,
                                                1,
                                                -1,
                                                2,
                                                0.5,
                                                3,
                                                std::numeric_limits<double>::infinity(),
                                                std::numeric_limits<double>::quiet_NaN()};
        if (type.dtype == DType::f32) return b.constant(type.dtype, one_of(floats), type.shape);
        return b.constant_i(type.dtype,
                            type.dtype == DType::b1 ? static_cast<std::int64_t>(below(2))
                                                    : static_cast<std::int64_t>(below(5)) - 2,
                            type.shape);
    }

    /// A random value of type `type` from the pool. If there is none, a new constant.
    Value of_type(ops::Build& b, const Values& pool, const Type& type) {
        Values fitting;
        for (const Value v : pool)
            if (b.type(v) == type) fitting.push_back(v);
        return fitting.empty() || chance(6) ? constant(b, type) : one_of(fitting);
    }

    void step(ops::Build& b, Values& pool, int depth) {
        const Value x = one_of(pool);
        const Type type = b.type(x);
        Values made;
        switch (below(depth < 2 ? 9 : 6)) {
        case 0:
        case 1: made = {elementwise(b, pool, x, type)}; break;
        case 2: made = {shape_change(b, pool, x, type)}; break;
        case 3: made = {indexed(b, pool, x, type)}; break;
        case 4: made = {converted(b, pool, x, type)}; break;
        case 5: made = {chance(3) ? constant(b, type) : reduced(b, x, type)}; break;
        case 6: made = branch(b, pool, depth); break;
        case 7: made = scan(b, pool, depth); break;
        default: made = chance(2) ? loop(b, pool, depth) : call(b, pool, depth); break;
        }
        pool.insert(pool.end(), made.begin(), made.end());
        if (chance(25)) b.emit(Op::print, {x}, {{ir::Attr::text, std::string("{}")}});
    }

    Value elementwise(ops::Build& b, Values& pool, Value x, const Type& type) {
        const Value y = of_type(b, pool, type);
        if (type.dtype == DType::b1)
            return chance(3) ? b.unary(Op::not_, x)
                             : b.binary(one_of<Op>({Op::and_, Op::or_, Op::xor_, Op::equal, Op::not_equal}), x, y);
        if (chance(5)) return b.select(of_type(b, pool, {DType::b1, type.shape}), x, y);
        if (chance(5)) return b.compare(one_of<Op>({Op::equal, Op::not_equal, Op::less, Op::less_equal}), x, y);
        if (chance(3))
            return type.dtype == DType::f32 ? b.unary(one_of<Op>({Op::neg, Op::abs, Op::floor, Op::sqrt, Op::exp,
                                                                  Op::round, Op::stop_gradient}),
                                                      x)
                                            : b.unary(one_of<Op>({Op::neg, Op::not_, Op::abs}), x);
        if (type.dtype == DType::f32)
            return b.binary(one_of<Op>({Op::add, Op::sub, Op::mul, Op::div, Op::max, Op::min}), x, y);
        return b.binary(one_of<Op>({Op::add, Op::sub, Op::mul, Op::div, Op::rem, Op::and_, Op::or_, Op::xor_, Op::max,
                                    Op::shift_left}),
                        x, y);
    }

    Value shape_change(ops::Build& b, Values& pool, Value x, const Type& type) {
        ir::Integers all(type.shape.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
        if (type.shape.size() >= 3 || chance(4)) { // limits the number of axes
            if (chance(2)) return b.emit1(Op::reshape, {x}, {{ir::Attr::shape, ir::Shape{type.elements()}}});
            std::shuffle(all.begin(), all.end(), random_);
            return b.emit1(Op::transpose, {x}, {{ir::Attr::permutation, all}});
        }
        if (chance(4)) return b.emit1(Op::reverse, {x}, {{ir::Attr::axes, all}});
        if (chance(4) && !type.shape.empty())
            return b.emit1(Op::concatenate, {x, of_type(b, pool, type)}, {{ir::Attr::axis, 0}});
        if (chance(6))
            return b.emit1(Op::reshape, {x}, {{ir::Attr::shape, with(type.shape, below(type.shape.size() + 1), 1)}});
        const std::size_t at = below(type.shape.size() + 1);
        ir::Integers dims;
        for (std::size_t i = 0; i <= type.shape.size(); ++i)
            if (i != at) dims.push_back(static_cast<std::int64_t>(i));
        return b.emit1(
            Op::broadcast, {x},
            {{ir::Attr::shape, with(type.shape, at, static_cast<std::int64_t>(1 + below(3)))}, {ir::Attr::dims, dims}});
    }

    static ir::Shape with(ir::Shape shape, std::size_t at, std::int64_t size) {
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), size);
        return shape;
    }

    Value indexed(ops::Build& b, Values& pool, Value x, const Type& type) {
        ir::Integers start, limit, stride, sizes;
        for (const std::int64_t size : type.shape) {
            start.push_back(static_cast<std::int64_t>(below(static_cast<std::size_t>(size) + 1)));
            limit.push_back(start.back() +
                            static_cast<std::int64_t>(below(static_cast<std::size_t>(size - start.back()) + 1)));
            stride.push_back(static_cast<std::int64_t>(1 + below(2)));
            sizes.push_back(limit.back() - start.back());
        }
        Values starts;
        for (std::size_t i = 0; i < type.shape.size(); ++i) starts.push_back(of_type(b, pool, {DType::i32, {}}));
        if (chance(3))
            return b.emit1(Op::slice, {x},
                           {{ir::Attr::start, start}, {ir::Attr::limit, limit}, {ir::Attr::stride, stride}});
        if (chance(2)) return b.dynamic_slice(x, starts, sizes);
        return b.dynamic_update(x, of_type(b, pool, {type.dtype, sizes}), starts);
    }

    Value converted(ops::Build& b, Values& pool, Value x, const Type& type) {
        static const std::vector<DType> dtypes{DType::f32, DType::i32, DType::b1, DType::f64,
                                               DType::i8,  DType::u16, DType::f16};
        if (chance(4))
            return b.emit1(Op::dot, {of_type(b, pool, {DType::f32, {2, 3}}), of_type(b, pool, {DType::f32, {3, 1}})},
                           {{ir::Attr::lhs_contract, ir::Integers{1}},
                            {ir::Attr::rhs_contract, ir::Integers{0}},
                            {ir::Attr::lhs_batch, ir::Integers{}},
                            {ir::Attr::rhs_batch, ir::Integers{}}});
        const Value through = b.convert(x, one_of(dtypes));
        return b.convert(through, type.dtype);
    }

    Value reduced(ops::Build& b, Value x, const Type& type) {
        if (type.shape.empty() || type.elements() == 0) return x;
        const ir::Integers axes{static_cast<std::int64_t>(below(type.shape.size()))};
        if (type.dtype == DType::b1) return b.reduce(one_of<Op>({Op::reduce_and, Op::reduce_or}), x, axes);
        return b.reduce(one_of<Op>({Op::reduce_sum, Op::reduce_max, Op::reduce_min, Op::reduce_prod}), x, axes);
    }

    /// `n` random values of the pool, which become operands, and the types of these values.
    std::pair<Values, std::vector<Type>> operands(ops::Build& b, const Values& pool, std::size_t n) {
        std::pair<Values, std::vector<Type>> out;
        for (std::size_t i = 0; i < n; ++i) {
            out.first.push_back(one_of(pool));
            out.second.push_back(b.type(out.first.back()));
        }
        return out;
    }

    Values branch(ops::Build& b, Values& pool, int depth) {
        auto [values, types] = operands(b, pool, 4);
        std::vector<Type> results{types[0], types[1], {DType::f32, {}}};
        const auto then = block("then", types, results, 5, depth + 1);
        const auto otherwise = block("", types, results, 5, depth + 1);
        values.insert(values.begin(), of_type(b, pool, {DType::b1, {}}));
        return b.emit(Op::if_, values, {}, {then, otherwise});
    }

    Values call(ops::Build& b, Values& pool, int depth) {
        auto [values, types] = operands(b, pool, 3);
        return b.emit(Op::call, values, {}, {block("callee", types, {types[0], {DType::i32, {}}}, 5, depth + 1)});
    }

    Values scan(ops::Build& b, Values& pool, int depth) {
        const std::int64_t length = one_of<std::int64_t>({0, 1, 3, 3});
        auto [values, types] =
            operands(b, pool, 5); // two whole operands, three carried values; the sliced operands follow
        std::vector<Type> params{{DType::i32, {}}};
        params.insert(params.end(), types.begin(), types.end());
        for (const Type& slice : {Type{DType::f32, {}}, Type{DType::f32, {3}}}) {
            const Type stacked{slice.dtype, with(slice.shape, 0, length)};
            const Value s = chance(3)
                                ? b.emit1(Op::broadcast, {of_type(b, pool, slice)},
                                          {{ir::Attr::shape, stacked.shape},
                                           {ir::Attr::dims, slice.shape.empty() ? ir::Integers{} : ir::Integers{1}}})
                                : of_type(b, pool, stacked);
            values.push_back(s);
            params.push_back(slice);
        }
        const std::vector<Type> results{types[2], types[3], types[4], {DType::f32, {}}, types[0], {DType::i32, {}}};
        return b.emit(Op::scan, values,
                      {{ir::Attr::whole, 2},
                       {ir::Attr::carried, 3},
                       {ir::Attr::length, length},
                       {ir::Attr::reverse, chance(2) ? 1 : 0}},
                      {block("", params, results, 6, depth + 1)});
    }

    /// A while of at most three iterations. Its first carried value counts the iterations.
    Values loop(ops::Build& b, Values& pool, int depth) {
        auto [values, types] = operands(b, pool, 4); // two whole operands, two carried values
        values.insert(values.begin() + 2, b.constant_i(DType::i32, static_cast<std::int64_t>(below(4))));
        types.insert(types.begin() + 2, Type{DType::i32, {}});
        ops::Build condition;
        for (const Type& type : types) condition.param(type);
        const Value goes_on = condition.compare(Op::less, Value{2}, condition.constant_i(DType::i32, 3));
        const auto inner = block("", types, {types[3], types[4]}, 5, depth + 1);
        ops::Build body;
        Values params;
        for (const Type& type : types) params.push_back(body.param(type));
        Values out = body.inline_block(*inner, params);
        out.insert(out.begin(), body.add(params[2], body.constant_i(DType::i32, 1)));
        return b.emit(Op::while_, values, {{ir::Attr::whole, 2}, {ir::Attr::carried, 3}},
                      {condition.finish({goes_on}), body.finish(out)});
    }

    std::mt19937_64 random_;
};

} // namespace pm::optimize
