// A forward analysis: the result of an operation differs along an axis if an operand differs along it. Two operations
// are exceptions. The result of a reduction over the axis is equal on all devices of the axis. The result of axis_index
// differs along its axis. Loops are analysed up to a fixpoint. The sets only grow. So a collective that is divergent
// during the analysis is also divergent at its end. The results of a loop with a known trip count have the sets of its
// last iteration.
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/transform/core/bit_mask.hpp"
#include "compiler/transform/core/custom.hpp"
#include "compiler/transform/core/transform.hpp"

#include <algorithm>
#include <map>

namespace pm::transform {
namespace {

using ir::Attr;
using ir::Block;
using ir::Inst;
using ir::Op;
using ir::Value;
using Sets = std::vector<AxisSet>;

/// The axes along which control flow diverges at an instruction, and the conditions that cause the divergence.
struct Divergence {
    struct Cause {
        AxisSet axes = 0;
        const Inst* inst = nullptr; ///< the `if` or `while` that has the condition
        Span condition;
    };
    AxisSet axes = 0;
    std::vector<Cause> causes; ///< outermost first

    Divergence under(AxisSet more, const Inst& inst, Span condition) const {
        Divergence inner = *this;
        if (more == 0) return inner;
        inner.axes |= more;
        inner.causes.push_back({more, &inst, condition});
        return inner;
    }
};

AxisSet any_of(const Sets& sets) {
    AxisSet all = 0;
    for (const AxisSet s : sets) all |= s;
    return all;
}

/// The place of the instruction that computes `v`. If `v` is a parameter or the instruction has no place, returns
/// `otherwise`.
Span place_of(const Block& block, Value v, Span otherwise) {
    for (const Inst& inst : block.insts)
        for (const Value r : inst.results)
            if (r == v && inst.place.span) return inst.place.span;
    return otherwise;
}

class Analysis {
  public:
    explicit Analysis(const std::vector<std::int64_t>& axes) : axes_(axes) { PM_CHECK(axes_.size() <= 64); }

    Varies run(const Block& block, const Sets& params, const Divergence& divergence) {
        PM_CHECK(params.size() == block.params.size());
        Varies found{Sets(block.values.size(), 0), {}, {}};
        for (std::size_t i = 0; i < params.size(); ++i) found.values[block.params[i].id] = params[i];
        for (const Inst& inst : block.insts) {
            Sets in;
            for (const Value v : inst.operands) in.push_back(found.values[v.id]);
            Sets out;
            if (inst.op == Op::scan) {
                const Loop loop = scan(inst, in, divergence);
                out = loop.results;
                for (std::size_t c = 0; c < loop.carried.size(); ++c)
                    found.carried[inst.results[c].id] = loop.carried[c];
            } else {
                out = instruction(block, inst, in, divergence);
            }
            for (std::size_t i = 0; i < out.size(); ++i) found.values[inst.results[i].id] = out[i];
        }
        for (const Value v : block.results) found.results.push_back(found.values[v.id]);
        return found;
    }

  private:
    using Key = std::pair<std::pair<const Block*, AxisSet>, Sets>;

    /// The sets of the results of a region or callee. The result is cached by the block, the sets of the parameters and
    /// the divergent axes.
    const Sets& region(const Block& block, const Sets& params, const Divergence& divergence) {
        const Key key{{&block, divergence.axes}, params};
        const auto known = known_.find(key);
        if (known != known_.end()) return known->second;
        Sets results = run(block, params, divergence).results;
        return known_.emplace(key, std::move(results)).first->second;
    }

    AxisSet set_of(std::int64_t axis) const {
        const auto at = std::find(axes_.rbegin(), axes_.rend(), axis); // the innermost axis with this id
        return at == axes_.rend() ? 0 : AxisSet{1} << static_cast<unsigned>(axes_.rend() - at - 1);
    }

    Sets instruction(const Block& block, const Inst& inst, const Sets& in, const Divergence& divergence) {
        if (inst.op == Op::custom_linear && forward_of(inst))
            return ir::placed_at(inst, [&] { return region(*forward_of(inst), in, divergence); });
        if (inst.op == Op::call || inst.op == Op::custom)
            return ir::placed_at(inst, [&] { return region(*inst.regions[0], in, divergence); });
        if (inst.op == Op::if_) return branch(block, inst, in, divergence);
        if (inst.op == Op::while_) return repeat(inst, in, divergence);
        if (inst.op == Op::pmap) return pmap(inst, in, divergence);
        AxisSet set = any_of(in);
        if (inst.op == Op::axis_index)
            set = set_of(inst.attrs.integer(Attr::axis_id));
        else if (ir::info(inst.op).has(ir::collective))
            set = collective(inst, set, divergence);
        return Sets(inst.results.size(), set);
    }

    AxisSet collective(const Inst& inst, AxisSet set, const Divergence& divergence) const {
        AxisSet over = 0;
        for (const std::int64_t axis : inst.attrs.integers(Attr::axes)) over |= set_of(axis);
        if ((over & divergence.axes) != 0) refuse(inst, over, divergence);
        const bool equal_after =
            inst.op == Op::psum || inst.op == Op::pmax || inst.op == Op::pmin || inst.op == Op::all_gather;
        return equal_after ? set & ~over : set | over;
    }

    [[noreturn]] static void refuse(const Inst& inst, AxisSet over, const Divergence& divergence) {
        const auto cause = std::find_if(divergence.causes.begin(), divergence.causes.end(),
                                        [&](const Divergence::Cause& c) { return (c.axes & over) != 0; });
        PM_CHECK(cause != divergence.causes.end());
        const bool loop = cause->inst->op == Op::while_;
        const std::string written =
            inst.attrs.has(Attr::text) ? inst.attrs.text(Attr::text) : std::string(ir::info(inst.op).name);
        auto d = diagnose(Diag::divergent_collective, inst.place.span, written,
                          loop ? "a loop that devices may not all run equally often"
                               : "a branch that devices may not all take")
                     .under("all devices of the axis must reach this together")
                     .label(cause->condition, "differs per device");
        if (loop)
            raise(std::move(d).fix(
                "make the number of iterations common to all devices: `pmax(c, axis) > 0` for a condition `c`, "
                "`pmax(n, axis)` for a number of iterations `n`"));
        raise(std::move(d)
                  .fix("make the condition common to all devices, for example with `pmax` of what it compares")
                  .fix("or compute the collective before the branch, and choose with `where`"));
    }

    Sets branch(const Block& block, const Inst& inst, const Sets& in, const Divergence& divergence) {
        const Divergence inner = divergence.under(in[0], inst, place_of(block, inst.operands[0], inst.place.span));
        const Sets rest(in.begin() + 1, in.end());
        Sets out = region(*inst.regions[0], rest, inner);
        const Sets& otherwise = region(*inst.regions[1], rest, inner);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] |= otherwise[i] | in[0];
        return out;
    }

    Sets repeat(const Inst& inst, Sets in, const Divergence& divergence) {
        const auto whole = static_cast<std::size_t>(inst.attrs.integer(Attr::whole));
        const Block& condition = *inst.regions[0];
        const Span place = place_of(condition, condition.results[0], inst.place.span);
        AxisSet stops = 0; // the trip count differs along these axes
        for (bool grown = true; grown;) {
            // A device evaluates the condition again only if the condition held before. So the condition itself is also
            // evaluated under control flow that diverges along `stops`.
            stops |= region(condition, in, divergence.under(stops, inst, place))[0];
            const Divergence inner = divergence.under(stops, inst, place);
            stops |= region(condition, in, inner)[0];
            grown = grow(in, whole, region(*inst.regions[1], in, inner));
        }
        Sets out(in.begin() + static_cast<std::ptrdiff_t>(whole), in.end());
        for (AxisSet& s : out) s |= stops;
        return out;
    }

    struct Loop {
        Sets carried; ///< the sets of the carried parameters, over all iterations
        Sets results;
    };

    /// The carried sets of all iterations are the least fixpoint that contains the initial sets. An iteration that
    /// starts from the fixpoint computes equal or smaller sets. The sets after the loop are the sets after `length`
    /// such iterations. These sets do not contain differences that only the initial values have.
    Loop scan(const Inst& inst, const Sets& operands, const Divergence& divergence) {
        const auto first = 1 + static_cast<std::size_t>(inst.attrs.integer(Attr::whole)); // parameter 0 is the index
        const auto carried = static_cast<std::size_t>(inst.attrs.integer(Attr::carried));
        const std::int64_t length = inst.attrs.integer(Attr::length);
        Sets in = operands;
        in.insert(in.begin(), 0); // the index is equal on all devices
        const auto carried_in = [&] { return part(in, first, first + carried); };
        const auto iteration = [&]() -> const Sets& { return region(*inst.regions[0], in, divergence); };
        while (grow(in, first, part(iteration(), 0, carried))) {
        }
        Loop loop{carried_in(), iteration()}; // an output stacks the values of all iterations
        for (std::int64_t done = 0; done < length; ++done) {
            const Sets next = part(iteration(), 0, carried);
            if (next == carried_in()) break;
            std::copy(next.begin(), next.end(), in.begin() + static_cast<std::ptrdiff_t>(first));
        }
        const Sets last = carried_in();
        std::copy(last.begin(), last.end(), loop.results.begin());
        return loop;
    }

    /// Adds to the sets of the carried parameters the sets that an iteration returns. Returns whether a set grew.
    static bool grow(Sets& params, std::size_t first, const Sets& next) {
        bool grown = false;
        for (std::size_t i = 0; i < next.size(); ++i) {
            const AxisSet both = params[first + i] | next[i];
            grown = grown || both != params[first + i];
            params[first + i] = both;
        }
        return grown;
    }

    /// Within the pmap, values may also differ along the axis of the pmap. The results of the pmap contain the slices
    /// of all devices, so they do not differ along that axis.
    Sets pmap(const Inst& inst, const Sets& in, const Divergence& divergence) {
        PM_CHECK(axes_.size() < 64, "axes within axes");
        Analysis inner({});
        inner.axes_ = axes_;
        inner.axes_.push_back(inst.attrs.integer(Attr::axis_id));
        const AxisSet own = AxisSet{1} << static_cast<unsigned>(axes_.size());
        const ir::Integers& in_axes = inst.attrs.integers(Attr::in_axes);
        Sets params = in;
        for (std::size_t i = 0; i < params.size(); ++i)
            if (in_axes[i] >= 0) params[i] |= own;
        Sets out = inner.region(*inst.regions[0], params, divergence);
        for (AxisSet& s : out) s &= ~own;
        return out;
    }

    std::vector<std::int64_t> axes_;
    std::map<Key, Sets> known_;
};

} // namespace

Varies varies(const ir::Block& block, const std::vector<std::int64_t>& axes, const std::vector<AxisSet>& params) {
    return Analysis(axes).run(block, params, {});
}

} // namespace pm::transform
