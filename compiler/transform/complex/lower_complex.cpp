// Replaces complex types by real types in parameters, regions, control operations and effects.
#include "compiler/base/python_format.hpp"
#include "compiler/ops/complex/fft.hpp"
#include "compiler/transform/core/bit_mask.hpp"
#include "compiler/transform/core/custom.hpp"
#include "compiler/transform/core/transform.hpp"
#include "runtime/dtype.hpp"

#include <algorithm>
#include <unordered_map>

namespace pm::transform {
namespace {

using ir::Attr;
using ir::Block;
using ops::Parts;

bool is_complex(const Type& type) { return runtime::is_complex(type.dtype); }

class ComplexLowering {
  public:
    explicit ComplexLowering(const ops::TargetInfo& target) : target_(target) {}

    /// Rewrites the outermost block. Its complex parameters and results become real arrays [..., 2].
    BlockPtr entry(const BlockPtr& block) {
        if (!holds_complex(*block)) return block;
        Build b(block->name);
        std::vector<Parts> params;
        for (const Value p : block->params) {
            Type type = block->type(p);
            if (!is_complex(type)) {
                params.push_back({b.param(std::move(type)), {}});
                continue;
            }
            type.dtype = runtime::part_type(type.dtype);
            type.shape.push_back(2);
            params.push_back(ops::parts::taken_apart(b, b.param(std::move(type))));
        }
        const std::vector<Parts> results = run(b, *block, params);
        Values made;
        for (std::size_t i = 0; i < results.size(); ++i)
            made.push_back(is_complex(block->type(block->results[i])) ? ops::parts::interleaved(b, results[i])
                                                                      : results[i].re);
        return b.finish(std::move(made));
    }

  private:
    bool holds_complex(const Block& block) {
        const auto known = holds_.find(&block);
        if (known != holds_.end()) return known->second;
        bool found = std::any_of(block.values.begin(), block.values.end(), is_complex);
        for (const Inst& inst : block.insts)
            for (const BlockPtr& region : inst.regions) found = holds_complex(*region) || found;
        return holds_[&block] = found;
    }

    /// Rewrites a region or callee. Each complex parameter or result becomes two real values.
    BlockPtr region(const BlockPtr& block) {
        if (!holds_complex(*block)) return block;
        if (const auto known = regions_.find(block.get()); known != regions_.end()) return known->second;
        Build b(block->name);
        std::vector<Parts> params;
        for (const Value p : block->params) {
            Type type = block->type(p);
            const bool two = is_complex(type);
            type.dtype = runtime::part_type(type.dtype);
            Parts parts{b.param(type), {}};
            if (two) parts.im = b.param(type);
            params.push_back(parts);
        }
        const std::vector<Parts> results = run(b, *block, params);
        std::vector<Type> types;
        for (const Value v : block->results) types.push_back(block->type(v));
        return regions_[block.get()] = b.finish(flattened(b, results, types));
    }

    std::vector<Parts> run(Build& b, const Block& block, const std::vector<Parts>& params) {
        std::vector<Parts> now(block.values.size());
        for (std::size_t i = 0; i < params.size(); ++i) now[block.params[i].id] = params[i];
        for (const Inst& inst : block.insts) {
            b.set_place(inst.place);
            std::vector<Parts> in;
            std::vector<Type> types;
            bool complex = false;
            for (const Value v : inst.operands) {
                in.push_back(now[v.id]);
                types.push_back(block.type(v));
                complex = complex || is_complex(types.back());
            }
            std::vector<Type> out;
            for (const Value v : inst.results) {
                out.push_back(block.type(v));
                complex = complex || is_complex(out.back());
            }
            const std::vector<Parts> made = instruction(b, inst, in, types, out, complex);
            for (std::size_t i = 0; i < made.size(); ++i) now[inst.results[i].id] = made[i];
        }
        std::vector<Parts> results;
        for (const Value v : block.results) results.push_back(now[v.id]);
        return results;
    }

    std::vector<Parts> instruction(Build& b, const Inst& inst, const std::vector<Parts>& in,
                                   const std::vector<Type>& types, const std::vector<Type>& out, bool complex) {
        if (ir::is_control(inst.op)) return control(b, inst, in, types, out);
        if (!complex) {
            Values operands;
            for (const Parts& x : in) operands.push_back(x.re);
            return alone(b.copy(inst, std::move(operands)));
        }
        if (ir::info(inst.op).has(ir::effect)) return effect(b, inst, in, types);
        if (inst.op == ir::Op::fft) {
            const auto axis = static_cast<int>(inst.attrs.integer(Attr::axis));
            if (target_.transforms(types[0].shape[static_cast<std::size_t>(axis)], ir::product(types[0].shape)))
                return {ops::parts::fft_of_pairs(b, in[0], axis, inst.attrs.integer(Attr::inverse) != 0)};
        }
        const ops::Rule<ops::PartsRule>& rule = ops::rules(inst.op).parts;
        PM_CHECK(static_cast<bool>(rule), std::string(ir::info(inst.op).name));
        ops::PartsContext context{b, inst, in, types, out};
        return rule.fn(context);
    }

    static std::vector<Parts> alone(const Values& values) {
        std::vector<Parts> parts;
        for (const Value v : values) parts.push_back({v, {}});
        return parts;
    }

    /// Returns the real values in one list: one entry for each real value, two for each complex value.
    static Values flattened(Build& b, const std::vector<Parts>& values, std::span<const Type> types) {
        Values flat;
        for (std::size_t i = 0; i < values.size(); ++i) {
            flat.push_back(values[i].re);
            if (is_complex(types[i])) flat.push_back(ops::parts::imaginary(b, values[i]));
        }
        return flat;
    }

    static std::int64_t parts_in(std::span<const Type> types) {
        return static_cast<std::int64_t>(types.size()) + std::count_if(types.begin(), types.end(), is_complex);
    }

    std::vector<Parts> control(Build& b, const Inst& inst, const std::vector<Parts>& in, const std::vector<Type>& types,
                               const std::vector<Type>& out) {
        std::vector<BlockPtr> regions;
        for (const BlockPtr& block : inst.regions) regions.push_back(region(block));
        ir::Attrs attrs = inst.attrs;
        const std::span<const Type> all(types);
        if (attrs.has(Attr::whole)) {
            const auto whole = static_cast<std::size_t>(attrs.integer(Attr::whole));
            const auto carried = static_cast<std::size_t>(attrs.integer(Attr::carried));
            attrs.set(Attr::whole, parts_in(all.first(whole)));
            attrs.set(Attr::carried, parts_in(all.subspan(whole, carried)));
        }
        for (const auto& [attr, sides] : {std::pair(Attr::in_axes, all), std::pair(Attr::out_axes, std::span(out))}) {
            if (!attrs.has(attr)) continue;
            ir::Integers axes;
            for (std::size_t i = 0; i < sides.size(); ++i)
                axes.insert(axes.end(), is_complex(sides[i]) ? 2 : 1, inst.attrs.integers(attr)[i]);
            attrs.set(attr, std::move(axes));
        }
        return ops::parts::gathered(b.emit(inst.op, flattened(b, in, all), std::move(attrs), std::move(regions)), out);
    }

    /// A print or check gets a complex value as an array of pairs. The message text marks the value as complex.
    std::vector<Parts> effect(Build& b, const Inst& inst, const std::vector<Parts>& in,
                              const std::vector<Type>& types) {
        Values operands;
        std::vector<bool> complex; // per value in the message: true if it is complex
        for (std::size_t i = 0; i < in.size(); ++i) {
            operands.push_back(is_complex(types[i]) ? ops::parts::interleaved(b, in[i]) : in[i].re);
            if (i > 0 || inst.op != Op::check) complex.push_back(is_complex(types[i]));
        }
        ir::Attrs attrs = inst.attrs;
        attrs.set(Attr::text, mark_pairs(attrs.text(Attr::text), complex));
        b.emit(inst.op, std::move(operands), std::move(attrs));
        return {};
    }

    const ops::TargetInfo& target_;
    std::unordered_map<const Block*, bool> holds_;
    std::unordered_map<const Block*, BlockPtr> regions_;
};

} // namespace

BlockPtr lower_complex(const BlockPtr& block, const ops::TargetInfo& target) {
    return ComplexLowering(target).entry(inline_custom_rules(block));
}

} // namespace pm::transform
