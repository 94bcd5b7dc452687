#include "compiler/plan/partition/roots.hpp"

#include "compiler/base/stop.hpp"

#include <algorithm>
#include <set>

// If a value has one use at one index, it is inlined at this use. If a value has several uses and is cheap, it is
// computed again at each use. If it is not cheap, a unit computes it. Later, units of one shape are merged. A value
// that only its own unit reads is then not stored.

namespace pm::plan {
namespace {

/// A use of a value. A use has two members: the fusion root whose expression contains the use, and a token for the
/// index. Token 0 stands for the index of the root itself.
struct Use {
    std::uint32_t root;
    std::uint32_t token;
    auto operator<=>(const Use&) const = default;
};
constexpr std::size_t most_uses = 6;

class Finder {
  public:
    Finder(const Facts& facts, const PartitionOptions& options)
        : f_(facts), options_(options), uses_(facts.block.values.size()) {
        const std::size_t n = facts.block.values.size();
        r_.required.assign(n, false);
        r_.root.assign(n, false);
        r_.roles.assign(n, Role::memory);
        r_.bases.resize(n);
        r_.offsets.assign(n, 0);
        r_.costs.assign(n, 0);
        for (std::uint32_t v = 0; v < n; ++v) {
            r_.bases[v] = Value{v};
            if (f_.definition(Value{v}) != nullptr && !f_.is_table(Value{v}))
                r_.roles[v] = f_.is_element(Value{v}) ? Role::inlined : Role::member;
        }
    }

    Roots run() {
        for (const Value v : f_.block.results) require(v);
        for (const Inst& inst : f_.block.insts) require_operands(inst);
        find_costs();
        find_overwritten();
        for (std::size_t i = f_.block.insts.size(); i-- > 0;) {
            poll_stop();
            sweep(f_.block.insts[i]);
        }
        for (const Inst& inst : f_.block.insts) limit_size(inst);
        return std::move(r_);
    }

  private:
    bool is_inlined(Value v) const { return r_.roles[v.id] == Role::inlined; }

    /// True if `v` is in memory whatever this pass decides.
    bool in_memory_anyway(Value v) const {
        const Value b = r_.bases[v.id];
        return r_.roles[b.id] == Role::memory || (r_.roles[b.id] == Role::member && !f_.is_element(b));
    }

    void make_root(Value v, bool required) {
        for (;;) {
            if (required) r_.required[v.id] = true;
            if (r_.roles[v.id] != Role::inlined && r_.roles[v.id] != Role::alias) return;
            const Inst& inst = *f_.definition(v);
            const bool same_bytes = is_alias(inst, f_);
            const std::optional<std::int64_t> rows = row_offset(inst, f_);
            if (!same_bytes && !(rows && in_memory_anyway(inst.operands[0]))) break;
            const Value from = inst.operands[0];
            r_.roles[v.id] = Role::alias;
            make_root(from, required);
            r_.bases[v.id] = r_.bases[from.id];
            r_.offsets[v.id] = r_.offsets[from.id] + rows.value_or(0);
            return;
        }
        r_.roles[v.id] = Role::member;
        r_.root[v.id] = true;
    }
    void require(Value v) { make_root(v, true); }

    void require_operands(const Inst& inst) {
        switch (kind_of(inst)) {
        case Kind::nest:
        case Kind::concatenate: return;
        case Kind::update: require(inst.operands[0]); return;
        case Kind::dot:
            for (const Value v : inst.operands) require(without_transposes(f_, v));
            return;
        case Kind::control:
            for (std::size_t i = 0; i < inst.operands.size(); ++i)
                if (!takes_recipe(inst, i) || !is_recipe(f_, inst.operands[i])) require(inst.operands[i]);
            return;
        case Kind::scatter:
        case Kind::tape:
        case Kind::matrices:
        case Kind::sort:
        case Kind::cumulative:
        case Kind::collective:
        case Kind::effect:
            for (const Value v : inst.operands) require(v);
            return;
        }
    }

    void find_costs() {
        for (const Inst& inst : f_.block.insts) {
            if (!is_element(inst)) continue;
            int cost = ops::rules(inst.op).cost;
            for (const Value v : inst.operands) {
                const int c = r_.costs[v.id];
                const bool shared = f_.uses(v) > 1 && c > cheap;
                if (f_.is_element(v) && !r_.root[v.id] && !shared) cost = std::min(cost + c, 10'000);
            }
            r_.costs[inst.results[0].id] = cost;
        }
    }

    /// Finds, for each value, the last instruction that may update it in place. Other reads of the value should run
    /// before this instruction.
    void find_overwritten() {
        overwritten_.resize(f_.block.values.size(), -1);
        for (std::size_t i = 0; i < f_.block.insts.size(); ++i) {
            const Inst& inst = f_.block.insts[i];
            const Kind kind = kind_of(inst);
            if (kind == Kind::update || kind == Kind::scatter || (kind == Kind::tape && inst.op != Op::tape_get))
                overwritten_[r_.bases[inst.operands[0].id].id] = static_cast<std::int32_t>(i);
            if (inst.op != Op::scan && inst.op != Op::while_) continue;
            const auto whole = static_cast<std::size_t>(inst.attrs.integer(ir::Attr::whole));
            const auto carried = static_cast<std::size_t>(inst.attrs.integer(ir::Attr::carried));
            for (std::size_t c = whole; c < whole + carried; ++c)
                overwritten_[r_.bases[inst.operands[c].id].id] = static_cast<std::int32_t>(i);
        }
    }

    void add_use(Value v, Use use) {
        auto& uses = uses_[v.id];
        if (uses.size() < most_uses && std::find(uses.begin(), uses.end(), use) == uses.end()) uses.push_back(use);
    }

    /// This function is called in reverse order of instructions. So all uses of the results are known.
    void sweep(const Inst& inst) {
        const bool element = is_element(inst);
        const bool keeps_index = is_reduction(inst) || kind_of(inst) == Kind::update;
        if (element) decide(inst);
        const auto fresh = [&] { return ++tokens_; };
        for (std::size_t i = 0; i < inst.operands.size(); ++i) {
            const Value v = inst.operands[i];
            if (!element) {
                const std::uint32_t self = inst.results.empty() ? v.id : inst.results[0].id;
                add_use(v, {self, keeps_index ? 0 : fresh()});
                continue;
            }
            const Value result = inst.results[0];
            const bool same_index = ir::info(inst.op).has(ir::elementwise);
            const std::uint32_t token = same_index ? 0 : fresh();
            if (!is_inlined(result)) {
                add_use(v, {result.id, token});
                continue;
            }
            for (const Use& use : uses_[result.id]) add_use(v, same_index ? use : Use{use.root, token});
            if (f_.type(result).elements() > f_.type(v).elements() && inst.op != Op::pad) repeated_.insert(v.id);
        }
    }

    void decide(const Inst& inst) {
        const Value v = inst.results[0];
        if (!is_inlined(v) || inst.operands.empty()) return;
        if (!options_.fuse) {
            make_root(v, false);
            return;
        }
        const int cost = r_.costs[v.id];
        const bool parts = is_put_together(f_, inst);
        const bool repeats = repeated_.count(v.id) != 0 && cost > 2 * cheap;
        if (parts || repeats || (uses_[v.id].size() > 1 && cost > cheap) || read_after_update(inst))
            make_root(v, false);
    }

    /// True if three events follow one another: the instruction reads a small part of an array, the array is updated in
    /// place, and the result of the instruction is used. If the result is computed before the update, the old array
    /// need not be kept.
    bool read_after_update(const Inst& inst) const {
        const std::int64_t own = f_.type(inst.results[0]).elements();
        for (const Value operand : inst.operands) {
            const std::int32_t at = overwritten_[r_.bases[operand.id].id];
            if (at <= f_.position(inst.results[0])) continue;
            if (own > 64 && own * 4 > f_.type(operand).elements()) continue;
            for (const Use& use : uses_[inst.results[0].id])
                if (f_.position(Value{use.root}) > at) return true;
        }
        return false;
    }

    void limit_size(const Inst& inst) {
        if (!is_element(inst) || !is_inlined(inst.results[0]) || inst.operands.empty()) return;
        if (expression_size(f_, r_.roles, inst.results[0]).instructions > most_expression_size)
            make_root(inst.results[0], false);
    }

    const Facts& f_;
    const PartitionOptions& options_;
    Roots r_;
    std::vector<std::vector<Use>> uses_;
    std::set<std::uint32_t> repeated_; ///< values that a larger value reads; so each of their elements is computed more
                                       ///< than once
    std::vector<std::int32_t> overwritten_;
    std::uint32_t tokens_ = 0;
};

} // namespace

bool is_put_together(const Facts& facts, const Inst& inst) {
    constexpr std::int64_t most_elements = 256;
    // Time of a concatenation: for 16 numbers 9 ns inlined and 4 ns in memory; for 32 numbers 96 and 17 ns; for 64
    // numbers 308 and 20 ns.
    constexpr std::size_t most_parts = 8;
    return inst.op == Op::concatenate &&
           (facts.type(inst.results[0]).elements() > most_elements || inst.operands.size() > most_parts);
}

namespace {

int code_size(const Inst& inst) {
    const ops::OpRules& rules = ops::rules(inst.op);
    return rules.size + rules.size_of_operand * static_cast<int>(inst.operands.size());
}

} // namespace

ExpressionSize expression_size(const Facts& facts, const std::vector<Role>& roles, Value v) {
    ExpressionSize size;
    std::vector<Value> work{v};
    std::set<std::uint32_t> seen{v.id};
    while (!work.empty() && size.instructions <= most_nest_size) {
        const Value top = work.back();
        work.pop_back();
        const Inst* const inst = roles[top.id] == Role::inlined ? facts.definition(top) : nullptr;
        if (inst == nullptr) {
            ++size.reads;
            continue;
        }
        size.instructions += code_size(*inst);
        for (const Value x : inst->operands)
            if (seen.insert(x.id).second) work.push_back(x);
    }
    return size;
}

Roots find_roots(const Facts& facts, const PartitionOptions& options) { return Finder(facts, options).run(); }

} // namespace pm::plan
