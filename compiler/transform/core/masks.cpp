#include "compiler/transform/core/masks.hpp"

#include "compiler/ops/core/axes.hpp"

#include "compiler/base/check.hpp"

#include <algorithm>

namespace pm::transform {

bool any(const Masks& masks) {
    return std::any_of(masks.begin(), masks.end(), [](Mask mask) { return mask != Mask::none; });
}

Masks masks_where(const BitMask& marked, Mask mask) {
    Masks masks;
    for (const bool mark : marked) masks.push_back(mark ? mask : Mask::none);
    return masks;
}

BitMask masked(const Masks& masks) {
    BitMask marked;
    for (const Mask mask : masks) marked.push_back(mask != Mask::none);
    return marked;
}

Type mask_type(Mask mask, const Type& type) {
    if (is_tape(type) && mask == Mask::elements) return type;
    return {ir::DType::b1, mask == Mask::elements ? type.shape : ir::Shape{}};
}

Value MaskLogic::always(const Type& type) {
    PM_CHECK(!is_tape(type));
    return b_.constant(type.dtype, 1.0, type.shape);
}

Value MaskLogic::anywhere(Value mask) {
    return b_.reduce(Op::reduce_or, mask, ops::counting(0, static_cast<std::size_t>(b_.rank(mask))));
}

Value MaskLogic::narrow(Value condition) {
    const auto found = narrow_.find(condition.id);
    if (found != narrow_.end()) return found->second;
    Value made = condition;
    if (const Inst* const definition = b_.rank(condition) == 0 ? nullptr : b_.definition(condition)) {
        const Inst inst = *definition; // a copy, because the code below may append to the block and move the
                                       // instruction
        Values scalars;
        for (const Value v : inst.operands) {
            const bool follows =
                inst.op == Op::broadcast || inst.op == Op::reshape || inst.op == Op::not_ || inst.op == Op::and_;
            const Value scalar = follows ? narrow(v) : v;
            if (follows && b_.rank(scalar) == 0) scalars.push_back(scalar);
        }
        if (!scalars.empty() && scalars.size() == inst.operands.size())
            made = inst.op == Op::not_   ? opposite(scalars[0])
                   : inst.op == Op::and_ ? both(scalars[0], scalars[1])
                                         : scalars[0];
    }
    return narrow_[condition.id] = made;
}

const MaskLogic::Terms& MaskLogic::terms(Value mask) {
    const auto found = terms_.find(mask.id);
    if (found != terms_.end()) return found->second;
    Literal literal{mask.id, true};
    const Inst* const inst = b_.definition(mask);
    if (inst != nullptr && inst->op == Op::not_) {
        literal = {inst->operands[0].id, false};
        opposite_.try_emplace(inst->operands[0].id, mask);
    }
    const Terms made = {{literal}};
    made_.try_emplace(made, mask);
    return terms_[mask.id] = made;
}

/// The disjunction of two terms. Nullopt if the disjunction is not a single term. If one term has all literals of the
/// other term, the disjunction is the term with fewer literals. The terms may also differ in one literal only, which is
/// negated in one of the terms. Then the disjunction is the term of the shared literals.
std::optional<MaskLogic::Term> MaskLogic::joined(const Term& a, const Term& b) {
    if (std::includes(a.begin(), a.end(), b.begin(), b.end())) return b;
    if (std::includes(b.begin(), b.end(), a.begin(), a.end())) return a;
    if (a.size() != b.size()) return std::nullopt;
    Term shared;
    std::size_t opposites = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].first != b[i].first) return std::nullopt;
        if (a[i] == b[i])
            shared.push_back(a[i]);
        else
            ++opposites;
    }
    return opposites == 1 ? std::optional(shared) : std::nullopt;
}

MaskLogic::Terms MaskLogic::simplified(Terms terms) {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < terms.size() && !changed; ++i)
            for (std::size_t j = i + 1; j < terms.size() && !changed; ++j)
                if (const std::optional<Term> one = joined(terms[i], terms[j])) {
                    terms[i] = *one;
                    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
                    changed = true;
                }
    }
    std::sort(terms.begin(), terms.end());
    return terms;
}

Value MaskLogic::known(Value made, const Terms& terms) {
    terms_[made.id] = terms;
    made_.try_emplace(terms, made);
    return made;
}

Value MaskLogic::emit(Op op, Value a, Value b) {
    const ir::Shape shape = b_.rank(a) == 0 ? b_.shape(b) : b_.shape(a);
    return b_.binary(op, whole(a, shape), whole(b, shape));
}

Value MaskLogic::opposite(Value mask) {
    const auto found = opposite_.find(mask.id);
    if (found != opposite_.end()) return found->second;
    const Inst* const inst = b_.definition(mask);
    const Value made = inst != nullptr && inst->op == Op::not_ ? inst->operands[0] : b_.unary(Op::not_, mask);
    return opposite_[mask.id] = made;
}

Value MaskLogic::both(Value a, Value b) {
    constexpr std::size_t most = 16; // the largest number of terms; a conjunction with more terms is treated as a new
                                     // condition
    const Terms of_a = terms(a);
    const Terms of_b = terms(b);
    if (of_a == of_b) return a;
    if (of_a.size() * of_b.size() > most) return emit(Op::and_, a, b);
    Terms all;
    for (const Term& x : of_a)
        for (const Term& y : of_b) {
            Term term;
            std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(term));
            const auto same = [](Literal p, Literal q) { return p.first == q.first; };
            if (std::adjacent_find(term.begin(), term.end(), same) == term.end()) all.push_back(std::move(term));
        }
    if (all.empty()) return emit(Op::and_, a, b); // the conjunction is false everywhere
    all = simplified(std::move(all));
    if (all == of_a) return a;
    if (all == of_b) return b;
    const auto found = made_.find(all);
    return found != made_.end() ? found->second : known(emit(Op::and_, a, b), all);
}

Value MaskLogic::conjunction(const Term& term) {
    std::optional<Value> all;
    for (const Literal& literal : term) {
        const Value value{literal.first};
        const Value one = literal.second ? value : opposite(value);
        all = all ? both(*all, one) : one;
    }
    return *all;
}

std::optional<Value> MaskLogic::either(Value a, Value b) {
    constexpr std::size_t most = 16;
    const Terms of_a = terms(a);
    const Terms of_b = terms(b);
    if (of_a.size() + of_b.size() > most) return emit(Op::or_, a, b);
    Terms all = simplified(concat(of_a, of_b));
    if (all.front().empty()) return std::nullopt;
    if (all == of_a) return a;
    if (all == of_b) return b;
    const auto found = made_.find(all);
    if (found != made_.end()) return found->second;
    return known(all.size() == 1 ? conjunction(all.front()) : emit(Op::or_, a, b), all);
}

} // namespace pm::transform
