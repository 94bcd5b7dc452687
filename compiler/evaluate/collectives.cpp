#include "compiler/evaluate/lanes.hpp"
#include "compiler/ops/core/rules.hpp"

#include <algorithm>
#include <map>

namespace pm::evaluate {

using ir::Attr;
using ir::DType;
using ir::Integers;
using ir::Op;

std::int64_t Lane::index(std::int64_t axis) const {
    for (const auto& [id, i] : at)
        if (id == axis) return i;
    PM_CHECK(false, "a collective over an axis that is not there");
    return 0;
}

namespace {

/// The lanes that exchange values with each other, as indices into the lane set. The indices are ordered by the
/// positions of the lanes along the instruction's axes.
using Group = std::vector<std::size_t>;

std::vector<Group> groups(const Lanes& lanes, const Integers& axes) {
    std::map<std::vector<std::pair<std::int64_t, std::int64_t>>,
             std::vector<std::pair<std::vector<std::int64_t>, std::size_t>>>
        found;
    for (std::size_t l = 0; l < lanes.size(); ++l) {
        std::vector<std::pair<std::int64_t, std::int64_t>> others;
        for (const auto& entry : lanes[l].at)
            if (std::find(axes.begin(), axes.end(), entry.first) == axes.end()) others.push_back(entry);
        std::vector<std::int64_t> own;
        for (std::int64_t axis : axes) own.push_back(lanes[l].index(axis));
        found[others].emplace_back(std::move(own), l);
    }
    std::vector<Group> all;
    for (auto& [others, members] : found) {
        std::sort(members.begin(), members.end());
        Group group;
        for (const auto& [own, l] : members) group.push_back(l);
        all.push_back(std::move(group));
    }
    return all;
}

class Exchange {
  public:
    Exchange(const ir::Inst& inst, const Column& in, const Memory& memory) : inst_(inst), in_(in), memory_(memory) {}

    /// Returns the result of each lane of the group.
    Column run(const Group& group) const {
        const std::size_t n = group.size();
        if (inst_.op == Op::psum) return same(combine(group, Op::add), n);
        if (inst_.op == Op::pmax) return same(combine(group, Op::max), n);
        if (inst_.op == Op::pmin) return same(combine(group, Op::min), n);
        if (inst_.op == Op::all_gather) return same(assemble(all(group), axis(Attr::axis)), n);
        if (inst_.op == Op::psum_scatter) return pieces(combine(group, Op::add), axis(Attr::axis), n);
        if (inst_.op == Op::ppermute) return permute(group);
        if (inst_.op == Op::all_to_all) return all_to_all(group);
        PM_CHECK(false, "not a collective: " + std::string(ir::info(inst_.op).name));
        return {};
    }

  private:
    std::size_t axis(Attr attr) const { return static_cast<std::size_t>(inst_.attrs.integer(attr)); }
    bool tiled() const { return inst_.attrs.integer(Attr::tiled, 0) != 0; }
    static Column same(const Array& x, std::size_t n) { return Column(n, x); }

    std::vector<Array> all(const Group& group) const {
        std::vector<Array> values;
        for (std::size_t l : group) values.push_back(in_[l]);
        return values;
    }

    Array apply(Op op, const Array& x, const Array& y) const {
        const std::vector<Array> operands{x, y};
        const std::vector<ir::Type> types{{x.dtype(), x.shape()}};
        const ir::Inst inst{op, {}, {}, {}, {}, inst_.place};
        ops::EvalContext context{inst, operands, types, memory_};
        return ops::rules(op).eval.fn(context).at(0);
    }

    /// Combines the lanes' arrays elementwise. Sums of f16 and bf16 are accumulated in f32.
    Array combine(const Group& group, Op op) const {
        const DType dtype = in_[group[0]].dtype();
        const bool narrow = op == Op::add && (dtype == DType::f16 || dtype == DType::bf16);
        const auto wide = [&](std::size_t l) { return narrow ? in_[l].convert(DType::f32) : in_[l]; };
        Array sum = wide(group[0]);
        for (std::size_t i = 1; i < group.size(); ++i) sum = apply(op, sum, wide(group[i]));
        return sum.convert(dtype);
    }

    Array assemble(const std::vector<Array>& values, std::size_t at) const {
        return tiled() ? join(values, at, memory_) : stack(values, at, memory_);
    }

    /// Cuts `x` along axis `at` into n parts. If the collective is tiled, a part is a block of the axis. Otherwise a
    /// part is one element, without the axis.
    Column pieces(const Array& x, std::size_t at, std::size_t n) const {
        const auto count = static_cast<std::int64_t>(n);
        const std::int64_t block = x.shape()[at] / count;
        Column cut;
        for (std::int64_t i = 0; i < count; ++i)
            cut.push_back(tiled() ? part(x, at, i * block, (i + 1) * block, memory_) : item(x, at, i, memory_));
        return cut;
    }

    Column permute(const Group& group) const {
        const Integers& pairs = inst_.attrs.integers(Attr::pairs);
        Column out(group.size(), Array::zeros(in_[group[0]].dtype(), in_[group[0]].shape(), memory_));
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
            out.at(static_cast<std::size_t>(pairs[i + 1])) = in_[group.at(static_cast<std::size_t>(pairs[i]))];
        return out;
    }

    Column all_to_all(const Group& group) const {
        std::vector<Column> cut;
        for (std::size_t l : group) cut.push_back(pieces(in_[l], axis(Attr::split_axis), group.size()));
        Column out;
        for (std::size_t to = 0; to < group.size(); ++to) {
            std::vector<Array> received;
            for (const Column& from : cut) received.push_back(from[to]);
            out.push_back(assemble(received, axis(Attr::concat_axis)));
        }
        return out;
    }

    const ir::Inst& inst_;
    const Column& in_;
    const Memory& memory_;
};

} // namespace

std::vector<Column> run_collective(const ir::Inst& inst, const std::vector<Column>& operands, const Lanes& lanes,
                                   const Memory& memory) {
    Column out(lanes.size());
    if (inst.op == Op::axis_index) {
        for (std::size_t l = 0; l < lanes.size(); ++l)
            out[l] = Array::scalar(DType::i32, lanes[l].index(inst.attrs.integer(Attr::axis_id)), memory);
        return {std::move(out)};
    }
    const Integers& axes = inst.attrs.integers(Attr::axes);
    const Exchange exchange(inst, operands.at(0), memory);
    for (const Group& group : groups(lanes, axes)) {
        PM_CHECK(static_cast<std::int64_t>(group.size()) ==
                     inst.attrs.integer(Attr::axis_size, static_cast<std::int64_t>(group.size())),
                 "a collective that not all of its lanes reach");
        Column got = exchange.run(group);
        for (std::size_t i = 0; i < group.size(); ++i) out[group[i]] = std::move(got[i]);
    }
    return {std::move(out)};
}

} // namespace pm::evaluate
