#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/ops/core/build.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

/// Shared by the transformations: sets of parameters and results, the roles of a loop's operands, and blocks with
/// reordered parameters.
namespace pm::transform {

using ir::BlockPtr;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;
using ir::Values;
using ops::Build;

/// One bit per parameter, operand or result.
using BitMask = std::vector<bool>;

std::size_t count(const BitMask& pattern);
bool any(const BitMask& pattern);
bool all(const BitMask& pattern);
BitMask negated(BitMask pattern);
/// The union. The two masks have equal lengths, or one mask is empty.
BitMask joined(BitMask a, const BitMask& b);
/// The intersection.
BitMask both(BitMask a, const BitMask& b);
BitMask concat(BitMask a, const BitMask& b);

template <class T>
std::vector<T> concat(std::vector<T> a, const std::vector<T>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
/// The elements of `all` with the indices [begin, end).
template <class T>
std::vector<T> part(const std::vector<T>& all, std::size_t begin, std::size_t end) {
    return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)};
}
/// The elements of `all` that are marked, in order.
template <class T>
std::vector<T> pick(const std::vector<T>& all, const BitMask& marked) {
    std::vector<T> picked;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (marked[i]) picked.push_back(all[i]);
    return picked;
}
/// all[order[0]], all[order[1]] ...
template <class T>
std::vector<T> permuted(const std::vector<T>& all, const std::vector<std::size_t>& order) {
    std::vector<T> moved;
    moved.reserve(order.size());
    for (const std::size_t i : order) moved.push_back(all[i]);
    return moved;
}

/// The kinds of operations with regions. Each transformation handles all kinds in one exhaustive switch.
enum class Control : std::uint8_t {
    flat, ///< an operation without regions
#define CONTROL(name, said) name,
#include "compiler/ir/control.def"
#undef CONTROL
};
Control control_of(Op op);

/// The numbers of operands of a `while` or `scan`, by role. The operands are in the order of the members.
struct LoopRoles {
    std::size_t whole = 0;   ///< operands that are equal in all iterations
    std::size_t carried = 0; ///< operands that are initial values of carried values
    std::size_t sliced = 0;  ///< operands of which an iteration gets one slice along axis 0; a `while` has none
};
LoopRoles loop_roles(const Inst& inst);

/// One parameter of a rearranged block.
struct Slot {
    static constexpr std::size_t unused = static_cast<std::size_t>(-1);
    std::size_t index = unused; ///< the index of the old parameter; `unused`: a new parameter of `type`
    Type type{};
};
Slot slot(std::size_t index);
std::vector<Slot> slots(const std::vector<std::size_t>& order);
/// The block with its parameters in the order of `params`. `params` must contain every old parameter that the block
/// uses.
BlockPtr with_params(const ir::Block& block, const std::vector<Slot>& params);
/// The block with `results` as its results. `results` must be values of the block.
BlockPtr with_results(const ir::Block& block, Values results);

/// Returns, for each new index, the old index, as permuted() expects it. The old list has groups of items with the
/// sizes `groups`. After these, it has one extra item for each item marked in `marked`. In the new list, each group is
/// followed by the extra items of its marked items.
std::vector<std::size_t> interleaved(const std::vector<std::size_t>& groups, const BitMask& marked);

/// The type of an iteration number in a loop whose trip count is not known.
inline const Type iteration_number{ir::DType::i64, {}};
std::vector<Type> types_of(const Build& b, const Values& values);
/// Adds parameters of the types `types` to a block under construction.
Values params_of(Build& b, const std::vector<Type>& types);
/// The block with its last parameter moved to index `at`.
BlockPtr with_last_at(const ir::Block& block, std::size_t at);
/// The condition of a counted loop: (n, other whole operands, i, other carried values) -> i < n. The parameters have
/// the types `params`. Parameter number `whole` is i.
BlockPtr below_count(const std::vector<Type>& params, std::size_t whole);

/// Replaces each instruction of the block. `step` gets the instruction and its operands in the new block, and appends
/// the instructions that replace it. `step` returns as many results as the instruction has.
using Step = std::function<Values(Build&, const Inst&, const Values& operands)>;
BlockPtr rewritten(const ir::Block& block, const Step& step);

/// The name of a block that a transformation computes from `block`.
std::string derived_name(const ir::Block& block, std::string_view suffix);

/// Per value of the block: true if a result or an effect of the block needs the value.
std::vector<bool> live_values(const ir::Block& block);

} // namespace pm::transform
