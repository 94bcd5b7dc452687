#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/nest/builder.hpp"
#include "compiler/ops/core/build.hpp"
#include "runtime/array.hpp"
#include "runtime/memory/tape.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

/// The rules of every operation without regions. Each operation has one OpRules object in its family's file. `checked`
/// rejects an object that contradicts the operation's traits. If an object is missing, linking fails.
namespace pm::ops {

using ir::Inst;
using ir::Type;
using ir::Value;
using ir::Values;
using runtime::Array;

// ---- the contexts in which rules work

/// The forward derivative of one instruction. The primal instruction has been appended to `b` already.
struct JvpContext {
    Build& b;
    const Inst& inst; ///< for its attributes; its operands are values of the old block, so use in() and out()
    std::span<const Value> primals;                 ///< operands in the new block
    std::span<const Value> results;                 ///< results in the new block
    std::span<const std::optional<Value>> tangents; ///< per operand; nullopt: a zero tangent

    Value in(std::size_t i) const { return primals[i]; }
    Value out(std::size_t i = 0) const { return results[i]; }
    const std::optional<Value>& tangent(std::size_t i) const { return tangents[i]; }
};
/// Returns one tangent per result; nullopt is a zero tangent. At least one operand has a tangent. Only inexact operands
/// can have a tangent.
using JvpRule = std::vector<std::optional<Value>>(JvpContext&);

/// The reverse derivative of one linear instruction. For each linear operand, the rule adds the operand's cotangent to
/// the operand's sum.
struct TransposeContext {
    Build& b;
    const Inst& inst;
    std::span<const std::optional<Value>> operands; ///< the value of each operand that is not linear; nullopt: the
                                                    ///< operand is linear
    std::span<const Type> operand_types;
    std::span<const std::optional<Value>> cotangents; ///< per result; nullopt: zero. At least one is present
    std::vector<std::optional<Value>>& sums;          ///< per operand: the cotangent so far, in the operand's type

    bool linear(std::size_t i) const { return !operands[i].has_value(); }
    Value in(std::size_t i) const { return *operands[i]; }
    const std::optional<Value>& ct(std::size_t i = 0) const { return cotangents[i]; }
    /// Adds `ct` to the sum of operand `i`. Does nothing for an operand that is not linear.
    void add(std::size_t i, Value ct);
    /// For an operation that reads a part of operand i. `into(b, sum)` returns `sum` with the part's cotangent added,
    /// for example by a dynamic_update or scatter. Only the first read appends an array of zeros, so n reads cost O(n).
    void add_into(std::size_t i, const std::function<Value(Build&, Value)>& into);
};
using TransposeRule = void(TransposeContext&);

/// The batching of one instruction. A batched value has the batch as axis 0. A value that is not batched has the same
/// type as in the old block.
struct BatchContext {
    Build& b;
    const Inst& inst;
    std::int64_t size;               ///< the size of the batch
    std::span<const Value> operands; ///< the operands in the new block
    std::span<const bool> batched;

    Value in(std::size_t i) const { return operands[i]; }
    /// Operand i with the batch as axis 0. An operand that is not batched is broadcast.
    Value full(std::size_t i);
    int rank(std::size_t i) const; ///< the rank of operand i without the batch
};
/// Returns the results, all of them batched. At least one operand is batched when the rule is called.
using BatchRule = Values(BatchContext&);

/// The reference implementation of an operation on dense arrays. It is simple and slow.
struct EvalContext {
    const Inst& inst;
    std::span<const Array> in;
    std::span<const Type> result_types;
    const std::shared_ptr<runtime::Allocator>& allocator;
    runtime::Tapes* tapes = nullptr; ///< the storage of tapes; null: there are no tapes
};
using EvalRule = std::vector<Array>(EvalContext&);

/// Returns the types of the results. If a program can cause an error, such as different sizes, the rule raises a
/// diagnostic without a source place. Build adds the place.
using TypeRule = std::vector<Type>(const Inst&, std::span<const Type> operands);

/// The parts of a complex value. A real value has only `re`. A complex value without `im` was converted from a real
/// array. Operations on such a value cost half as much as operations on a value with both parts. Also, the infinite
/// elements of such a value are not multiplied by an imaginary zero, which would make NaNs.
struct Parts {
    Value re;
    std::optional<Value> im;
};
/// Rewrites an instruction that has a complex operand or result to instructions on the parts.
struct PartsContext {
    Build& b;
    const Inst& inst;
    std::span<const Parts> in;
    std::span<const Type> types; ///< the types of the operands
    std::span<const Type> out;   ///< the types of the results
};
using PartsRule = std::vector<Parts>(PartsContext&);

// ---- lowering

/// An ElementRule emits one element of a result as a function of elements of the operands. Operations with such a rule
/// can be fused.
struct ElementContext {
    nest::Builder& n;
    const Inst& inst;
    std::span<const Type> operand_types;
    const Type& result_type;
    std::function<nest::Ref(std::size_t operand, const nest::Indices& at)> element;
};
using ElementRule = nest::Ref(ElementContext&, const nest::Indices& at);

struct LowerElement {
    ElementRule* rule;
};
/// An elementwise operation that one scalar operation computes.
struct LowerScalar {
    nest::ScalarOp op;
};
/// A reduction over the attribute `axes` (or `axis`).
struct LowerReduce {
    nest::Combine combine;
};
/// A kernel that plan/ and codegen/ implement.
enum class Kernel { dot, matrices, sort, scatter, dynamic_update, cumulative, tape };
struct LowerKernel {
    Kernel kernel;
};
/// An operation that is rewritten into other operations before planning. Exception: if a device library computes the
/// instruction (Attr::library), it remains.
using ExpandRule = Values(Build&, const Inst&, const Values& operands);
struct LowerExpand {
    ExpandRule* rule;
};
/// An operation of one of two kinds: a collective, which spmd lowers, or an effect, which becomes a separate step.
struct LowerElsewhere {};
using Lower = std::variant<LowerElement, LowerScalar, LowerReduce, LowerKernel, LowerExpand, LowerElsewhere>;

// ---- NaNs in results whose operands contain none

/// True if the instruction can make a NaN from real operands without NaN. Operands may be infinite.
using NanMadeRule = bool(const Inst&);
/// Returns one boolean per element of the result. It is true if a NaN in an operand can make this element NaN.
using NanGivenRule = Value(Build&, const Inst&, const Values& operands);

// ---- poles

/// An operand with a pole. For some values of the operand with a magnitude of at most 1000, the result or the slope is
/// infinite or NaN. `away` is not one of these values. Operations that only overflow for larger values, such as sums
/// and products, have no pole.
struct Pole {
    std::size_t operand;
    double away;
    bool complex_only = false; ///< true if the pole exists only for complex operands
};

// ---- samples: the cases of the generated tests

enum class Domain : std::uint8_t { any, positive, unit_open, above_one, nonzero, small_integer, boolean, index };
struct Sample {
    std::vector<Type> operands;
    ir::Attrs attrs;
    std::vector<Domain> domains; ///< per operand; the last entry also applies to the remaining operands
    double tolerance = 2e-5;     ///< the allowed relative difference of compiled and evaluated results, in f32
    bool differentiable = true;  ///< if true, the test compares the derivative with finite differences
};
using SamplesRule = std::vector<Sample>();

// ---- the table

/// A rule of an operation. `none` means that the operation has no such rule. Only the columns of OpRules after `doc`
/// have a default.
struct None {};
inline constexpr None none{};
template <class Fn>
struct Rule {
    Fn* fn;
    bool written; ///< true if `fn` is set; with sanitizers, `fn != nullptr` is not a constant expression
    constexpr Rule(None) : fn(nullptr), written(false) {}
    constexpr Rule(Fn* f) : fn(f), written(true) {}
    constexpr explicit operator bool() const { return written; }
};

/// How an operation makes and propagates NaNs. The default is for operations that move or select elements, or never
/// make a NaN. tests/unit/ops tests the elementwise operations on values at the edges of their domains.
struct Nans {
    Rule<NanMadeRule> made = none;   ///< `none`: the operation makes no NaN
    Rule<NanGivenRule> given = none; ///< `none`: a NaN in an operand affects the element of the result at the same
                                     ///< index (with `per_matrix`, the whole matrix)
    bool per_matrix = false;
    std::string_view repair = {}; ///< a format string for the operation's name; empty: no general repair
};
/// The rule of most operations: every instruction can make a NaN.
inline bool makes_nans(const Inst&) { return true; }
/// Repairs for functions that are undefined for some arguments. 0 and 1 are arguments for which the function is
/// defined.
inline constexpr std::string_view choose_0 =
    "`where` around it computes it for all elements: choose the argument inside of it, {}(where(ok, x, 0))";
inline constexpr std::string_view choose_1 =
    "`where` around it computes it for all elements: choose the argument inside of it, {}(where(ok, x, 1))";

struct OpRules {
    Rule<TypeRule> type;
    Rule<EvalRule> eval; ///< `none`: collectives and effects, which evaluate/ runs, and the operations of
                         ///< `only_complex`
    Rule<JvpRule> jvp;   ///< `none`: effects, and operations whose results are not inexact or are piecewise constant
    Rule<TransposeRule> transpose; ///< linear operations have this rule, except select, which transform/transpose
                                   ///< handles
    Rule<BatchRule> batch; ///< `none`: creation and effects. The rule of a collective is used if the collective is not
                           ///< over the batch axis
    Lower lower;
    Rule<SamplesRule> samples;
    std::string_view doc;       ///< one line for :doc and the manual
    std::string_view name = {}; ///< the name in programs, an operator or a function; empty: the IR name
    Nans nans = {};
    Rule<PartsRule> parts = none; ///< `none`: the type rule accepts no complex type
    bool keeps_parts = false;     ///< true if the operation only moves the parts of complex numbers, or changes their
                                  ///< signs
    int cost = 1;            ///< the cost of an element of the result, in additions; fusion recomputes cheap elements
    int size = 1;            ///< the approximate length of the code that computes one element, in additions
    int size_of_operand = 0; ///< the length of the code for each operand, in addition to `size`
    int wraps = 0; ///< If integer results can wrap around: the number of leading operands from which the result is
                   ///< computed. Otherwise 0
    std::optional<Pole> pole = std::nullopt; ///< transform/batch replaces this operand by `away` where a mask is false

    /// Returns the same rules, but does not compile if some of the columns contradict each other.
    consteval OpRules consistent() const {
        if (!nans.made && (nans.given || nans.per_matrix || !nans.repair.empty()))
            throw "nans: an operation without `made` has no other column";
        if (nans.given && nans.per_matrix) throw "nans: `given` finds them, or each matrix has them as a whole";
        if (keeps_parts && !parts) throw "keeps_parts: an operation without `parts` keeps none";
        return *this;
    }
    // These functions return the same rules with one column replaced. Some operations have rules that another function
    // returns; these functions are for them.
    consteval OpRules named(std::string_view said) const {
        OpRules made = *this;
        made.name = said;
        return made;
    }
    consteval OpRules with_nans(Nans made_nans) const {
        OpRules made = *this;
        made.nans = made_nans;
        return made.consistent();
    }
    consteval OpRules with_parts(Rule<PartsRule> rule) const {
        OpRules made = *this;
        made.parts = rule;
        return made.consistent();
    }
    consteval OpRules with_size(int additions) const {
        OpRules made = *this;
        made.size = additions;
        return made.consistent();
    }
    consteval OpRules with_pole(Pole at) const {
        OpRules made = *this;
        made.pole = at;
        return made.consistent();
    }
};

template <ir::Op K>
consteval OpRules checked(OpRules r);

const OpRules& rules(ir::Op op);
/// Calls the type rule of `inst`; ir::verify uses this function.
std::vector<Type> result_types(const Inst& inst, const std::vector<Type>& operands);

namespace rule {
#define OP(name, operands, results, traits) extern const OpRules name;
#include "compiler/ir/ops.def"
#undef OP
} // namespace rule

namespace detail {
constexpr std::uint32_t traits_of(ir::Op op) {
    using namespace ir;
    constexpr std::uint32_t table[] = {
#define OP(name, operands, results, traits) (traits),
#include "compiler/ir/ops.def"
#undef OP
    };
    return table[static_cast<std::size_t>(op)];
}

/// True for operations without a tangent. These operations are piecewise constant, have only integer and bool operands,
/// or have no tangent by design.
constexpr bool without_tangent(ir::Op op) {
    using enum ir::Op;
    for (ir::Op one :
         {sign,      floor,     ceil, round,      trunc,       bitcast,    stop_gradient, not_,   population_count,
          and_,      or_,       xor_, shift_left, shift_right, reduce_and, reduce_or,     argmax, argmin,
          factorize, axis_index})
        if (op == one) return true;
    return (traits_of(op) & (ir::boolean | ir::creation | ir::random | ir::effect)) != 0;
}
/// True for operations that transform/complex replaces before evaluation.
constexpr bool only_complex(ir::Op op) {
    using enum ir::Op;
    return op == real || op == imag || op == conj || op == complex || op == fft;
}
/// True for operations on tapes. Operations on tapes have no samples, because samples cannot contain handles of tapes.
/// Test programs test these operations.
constexpr bool on_tapes(ir::Op op) { return op >= ir::Op::tape_set && op <= ir::Op::tape_sum; }
} // namespace detail

template <ir::Op K>
consteval OpRules checked(OpRules r) {
    constexpr std::uint32_t t = detail::traits_of(K);
    constexpr bool is_linear = (t & (ir::linear | ir::bilinear | ir::linear_first | ir::linear_some)) != 0;
    if (!r.type) throw "every operation has a type rule";
    if ((is_linear && K != ir::Op::select) != static_cast<bool>(r.transpose))
        throw "exactly the operations that are linear in something have a transpose, but for select";
    if (detail::without_tangent(K) == static_cast<bool>(r.jvp))
        throw "jvp: all but the operations that `without_tangent` knows";
    if (((t & (ir::collective | ir::effect)) != 0 || detail::only_complex(K)) == static_cast<bool>(r.eval))
        throw "eval: all but collectives, effects and what is complex alone";
    if ((t & (ir::creation | ir::effect)) == 0 && K != ir::Op::axis_index && !r.batch)
        throw "batch: all that have operands, but for effects";
    if (detail::only_complex(K) && !r.parts) throw "parts: all operations of `only_complex`";
    if (!r.samples && (t & (ir::collective | ir::effect)) == 0 && !detail::on_tapes(K))
        throw "samples are what the generated tests try";
    return r.consistent();
}

} // namespace pm::ops
