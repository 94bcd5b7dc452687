#include "compiler/codegen/gpu/dot/product_epilogue.hpp"

#include "compiler/ir/precision.hpp"
#include "runtime/element.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

// Recognises, in the instructions of a nest, an epilogue that a library can compute together with the product. The
// epilogue is a sum of the product, a matrix and a bias, or gelu of this sum. The product and the matrix may have
// constant factors. The library's maximum with 0 is not used, since it returns 0 for a NaN.

namespace pm::codegen {
namespace {

using nest::Inst;
using nest::Ref;
using nest::ScalarOp;
using runtime::DType;

/// scale * product + added_scale * added + bias. If a term is missing, its factor is 0.
struct Sum {
    double scale = 0;
    double added_scale = 0;
    const nest::Access* added = nullptr;
    const nest::Access* bias = nullptr;
};

/// Whether the library accepts `x` as a factor. The factors of the library are f32. A factor of 0 is refused, because
/// the library would then ignore a NaN in the term.
bool is_factor(double x) { return std::isnormal(static_cast<float>(x)); }

class EpilogueReader {
  public:
    EpilogueReader(const nest::Nest& nest, const nest::Inst& store)
        : nest_(nest), stored_(nest.buffers[store.access.buffer].dtype) {
        bias_axis_ = stride(store.access, 2) == 1 ? 2 : 1;
    }

    /// The sum, and the function that is applied to the sum before the store.
    struct End {
        Sum sum;
        runtime::ProductEpilogue::Function function = runtime::ProductEpilogue::Function::none;
    };
    std::optional<End> read(Ref value) const {
        std::optional<Sum> sum = sum_of(value);
        const Ref x = sum ? Ref{} : under_gelu(value);
        if (x) sum = sum_of(x);
        if (!sum || sum->scale == 0) return std::nullopt;
        return End{*sum, x ? runtime::ProductEpilogue::Function::gelu : runtime::ProductEpilogue::Function::none};
    }

    /// The distance by which an access advances per iteration of loop `loop` of {batch, m, n}. The nest may have only
    /// the last of these loops. 0 for a loop of one iteration.
    std::int64_t stride(const nest::Access& access, std::size_t loop) const {
        const std::size_t left_out = 3 - nest_.grid.size();
        if (loop < left_out || nest_.grid[loop - left_out] == 1) return 0;
        return access.offset.coefficient(loop - left_out);
    }

  private:
    std::optional<Sum> sum_of(Ref value) const {
        const Inst& inst = nest_[value];
        const auto operand = [&](std::size_t i) { return inst.operands[i]; };
        switch (inst.op) {
        case ScalarOp::load: return loaded(inst);
        case ScalarOp::convert: // the library rounds its f32 sum only once, at the end
            return runtime::is_half(nest_[operand(0)].dtype) && inst.dtype == DType::f32 ? sum_of(operand(0))
                                                                                         : std::nullopt;
        case ScalarOp::neg: return times(sum_of(operand(0)), -1);
        case ScalarOp::mul: return product(operand(0), operand(1));
        case ScalarOp::div: {
            const std::optional<double> divisor = constant(operand(1));
            return divisor ? times(sum_of(operand(0)), 1 / *divisor) : std::nullopt;
        }
        case ScalarOp::add: return together(sum_of(operand(0)), operand(1), 1);
        case ScalarOp::sub: return together(sum_of(operand(0)), operand(1), -1);
        case ScalarOp::fma: return together(product(operand(0), operand(1)), operand(2), 1);
        default: return std::nullopt;
        }
    }

    std::optional<Sum> loaded(const Inst& load) const {
        const nest::Access& access = load.access;
        if (access.buffer == 0) return Sum{.scale = 1};
        if (access.dynamic || access.mask || load.dtype != stored_) return std::nullopt;
        const std::size_t other = bias_axis_ == 2 ? 1 : 2;
        if (stride(access, bias_axis_) != 1) return std::nullopt;
        if (stride(access, other) == 0) return Sum{.bias = &access};
        return Sum{.added_scale = 1, .added = &access};
    }

    std::optional<Sum> product(Ref x, Ref y) const {
        if (const std::optional<double> factor = constant(x)) return times(sum_of(y), *factor);
        if (const std::optional<double> factor = constant(y)) return times(sum_of(x), *factor);
        return std::nullopt;
    }
    static std::optional<Sum> times(std::optional<Sum> sum, double factor) {
        if (!sum || sum->bias != nullptr) return std::nullopt;
        for (double* x : {&sum->scale, &sum->added_scale}) {
            const bool there = *x != 0;
            *x *= factor;
            if (there && !is_factor(*x)) return std::nullopt;
        }
        return sum;
    }
    /// Adds `factor` * `other` to `x`. Returns nullopt if one of the three terms would occur twice. So no instruction
    /// is visited many times.
    std::optional<Sum> together(const std::optional<Sum>& x, Ref other, double factor) const {
        if (!x) return std::nullopt;
        std::optional<Sum> y = sum_of(other);
        if (factor != 1) y = times(y, factor);
        if (!y || (x->scale != 0 && y->scale != 0) || (x->added != nullptr && y->added != nullptr) ||
            (x->bias != nullptr && y->bias != nullptr))
            return std::nullopt;
        return Sum{x->scale + y->scale, x->added_scale + y->added_scale, x->added != nullptr ? x->added : y->added,
                   x->bias != nullptr ? x->bias : y->bias};
    }

    std::optional<double> constant(Ref value) const {
        const Inst& inst = nest_[value];
        if (inst.op == ScalarOp::constant && runtime::is_float(inst.dtype))
            return runtime::read_f64(inst.dtype, &inst.bits, 0);
        if (inst.op != ScalarOp::neg) return std::nullopt;
        const std::optional<double> negated = constant(inst.operands[0]);
        return negated ? std::optional(-*negated) : std::nullopt;
    }

    /// The factors of nested multiplications of scalars. Constant factors are multiplied into `constant`. The value `x`
    /// counts as one factor, even if it is a product. At most 8 other factors are collected, since nested powers have
    /// very many factors.
    struct Factors {
        double constant = 1;
        int constants = 0;
        std::vector<Ref> others;
    };
    void factor(Ref value, Ref x, Factors& found) const {
        constexpr std::size_t many = 8;
        if (found.others.size() == many) return;
        const Inst& inst = nest_[value];
        if (const std::optional<double> number = constant(value)) {
            found.constant *= *number;
            ++found.constants;
        } else if (inst.op == ScalarOp::mul && !(value == x))
            for (const Ref operand : inst.operands) factor(operand, x, found);
        else
            found.others.push_back(value);
    }
    /// Whether the factors are `others` and `constant`. The constant factors may be literals with seven digits that
    /// were rounded to the dtype. So the product of these literals may differ from `constant` by the roundings.
    bool is_product(const Factors& factors, double constant, std::vector<Ref> others, DType dtype) const {
        const int digits = dtype == DType::f32 ? 24 : dtype == DType::f16 ? 11 : 8;
        const double half_a_place = std::ldexp(1.0, std::ilogb(constant) - digits);
        return std::abs(factors.constant - constant) <= factors.constants * half_a_place + 1e-7 * constant &&
               std::is_permutation(factors.others.begin(), factors.others.end(), others.begin(), others.end());
    }

    /// Returns x if the value is x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x))), otherwise null.
    Ref under_gelu(Ref value) const {
        if (nest_[value].op != ScalarOp::mul) return {};
        Factors factors;
        factor(value, {}, factors);
        for (const Ref bell : factors.others) {
            const Ref x = under_bell(bell);
            if (!x) continue;
            Factors all;
            factor(value, x, all);
            if (is_product(all, 0.5, {x, bell}, nest_[value].dtype)) return x;
        }
        return {};
    }
    /// Returns x if the value is the factor 1 + tanh(...) of gelu(x), otherwise null.
    Ref under_bell(Ref value) const {
        const Inst& sum = nest_[value];
        if (sum.op != ScalarOp::add) return {};
        for (const std::size_t i : {0U, 1U}) {
            const Inst& function = nest_[sum.operands[i]];
            if (function.op != ScalarOp::tanh || constant(sum.operands[1 - i]) != 1.0) continue;
            Factors factors;
            factor(function.operands[0], {}, factors);
            if (factors.others.size() != 1 ||
                !is_product(factors, std::sqrt(2 / std::numbers::pi), factors.others, function.dtype))
                continue;
            return under_cubic(factors.others[0]);
        }
        return {};
    }
    /// Returns x if the value is x + 0.044715 * x * x * x, otherwise null.
    Ref under_cubic(Ref value) const {
        const Inst& sum = nest_[value];
        const auto fits = [&](Ref x, const std::vector<Ref>& cubic) {
            Factors factors;
            for (const Ref part : cubic) factor(part, x, factors);
            return is_product(factors, 0.044715, {x, x, x}, sum.dtype);
        };
        const std::vector<Ref>& o = sum.operands;
        if (sum.op == ScalarOp::fma) return fits(o[2], {o[0], o[1]}) ? o[2] : Ref{};
        if (sum.op != ScalarOp::add) return {};
        return fits(o[0], {o[1]}) ? o[0] : fits(o[1], {o[0]}) ? o[1] : Ref{};
    }

    const nest::Nest& nest_;
    DType stored_;
    std::size_t bias_axis_; ///< the loop along which elements of the result are adjacent
};

/// The only store of an elementwise epilogue. Null if the epilogue has several stores, or if the store has a mask or a
/// computed address.
const Inst* only_store(const nest::Nest& nest) {
    if (nest.stages.size() != 1 || !nest.stages[0].loops.empty()) return nullptr;
    const Inst* found = nullptr;
    for (const Ref ref : nest.stages[0].body) {
        const Inst& inst = nest[ref];
        if (inst.op != ScalarOp::store) continue;
        if (found != nullptr || inst.access.dynamic || inst.access.mask) return nullptr;
        found = &inst;
    }
    return found;
}

/// The operand that an access of an epilogue reads or writes. Buffer 0 of the epilogue is the product.
OperandPlace place_of(const nest::Access& access) { return {access.buffer + std::size_t{2}, access.offset.base}; }

} // namespace

std::optional<LibraryProduct> product_with_epilogue(const plan::Step& dot, const runtime::ProductSpec& spec) {
    if (!dot.nest || dot.as<plan::DotStep>().precision != ir::precision::standard) return std::nullopt;
    const nest::Nest& nest = *dot.nest;
    const Inst* store = only_store(nest);
    if (store == nullptr) return std::nullopt;
    const EpilogueReader reader(nest, *store);
    const auto epilogue = reader.read(store->operands[0]);
    if (!epilogue) return std::nullopt;
    LibraryProduct made{spec, place_of(store->access)};
    const auto strides = [&](const nest::Access& access, std::int64_t& b, std::int64_t& m, std::int64_t& n) {
        b = reader.stride(access, 0), m = reader.stride(access, 1), n = reader.stride(access, 2);
    };
    made.spec.out = nest.buffers[store->access.buffer].dtype;
    strides(store->access, made.spec.out_b, made.spec.out_m, made.spec.out_n);
    runtime::ProductEpilogue& e = made.spec.epilogue;
    e.function = epilogue->function;
    e.scale = static_cast<float>(epilogue->sum.scale);
    if (const nest::Access* added = epilogue->sum.added) {
        e.added_scale = static_cast<float>(epilogue->sum.added_scale);
        strides(*added, e.added_b, e.added_m, e.added_n);
        made.added = place_of(*added);
    }
    if (const nest::Access* bias = epilogue->sum.bias) {
        e.has_bias = true;
        e.bias_b = reader.stride(*bias, 0);
        made.bias = place_of(*bias);
    }
    return runtime::library_multiplies(made.spec) ? std::optional(std::move(made)) : std::nullopt;
}

namespace {

/// The epilogue of a convolution as a library call. The first loop of the nest iterates over the positions of y, the
/// second over the features.
std::optional<LibraryConvolution::Whole> whole_convolution(const plan::Step& convolution) {
    const runtime::ConvolutionSpec spec =
        runtime::convolution_spec(convolution.as<plan::MatricesStep>().attributes.data());
    const nest::Nest& nest = *convolution.nest;
    const Inst* store = only_store(nest);
    if (spec.kind != runtime::ConvolutionSpec::Kind::forward || nest.grid.size() != 2 || nest.grid[1] != spec.out ||
        store == nullptr || nest.buffers[store->access.buffer].dtype != spec.dtype)
        return std::nullopt;
    const EpilogueReader reader(nest, *store);
    const auto is_like_y = [&](const nest::Access& access) {
        return reader.stride(access, 1) == spec.out && reader.stride(access, 2) == 1;
    };
    const auto epilogue = reader.read(store->operands[0]);
    if (!epilogue || epilogue->function != runtime::ProductEpilogue::Function::none || epilogue->sum.bias == nullptr ||
        !is_like_y(store->access))
        return std::nullopt;
    LibraryConvolution::Whole made{
        {.scale = static_cast<float>(epilogue->sum.scale)}, place_of(store->access), place_of(*epilogue->sum.bias)};
    if (const nest::Access* added = epilogue->sum.added) {
        if (!is_like_y(*added)) return std::nullopt;
        made.epilogue.added_scale = static_cast<float>(epilogue->sum.added_scale);
        made.added = place_of(*added);
    }
    return made;
}

} // namespace

LibraryConvolution convolution_with_epilogue(const plan::Step& convolution) {
    LibraryConvolution made{whole_convolution(convolution), {}};
    made.epilogue.attributes = plan::NestStep{};
    made.epilogue.nest = convolution.nest;
    made.epilogue.buffers.assign(convolution.buffers.begin() + 2, convolution.buffers.end());
    return made;
}

} // namespace pm::codegen
