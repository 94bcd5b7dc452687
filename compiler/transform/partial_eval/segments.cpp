#include "compiler/transform/partial_eval/checkpoint.hpp"

#include <cmath>
#include <unordered_map>

/// Divides loops into segments (Griewank). About sqrt(n) of the n states are stored. The other states are recomputed
/// from the stored states, so each iteration runs a second time.
namespace pm::transform {

using ir::Attr;
using ir::Attrs;

namespace {

Values call_of(Build& b, const BlockPtr& callee, const Values& operands) {
    Attrs attrs;
    attrs.set(Attr::text, callee->name);
    attrs.set(Attr::policy, std::string(policy::nothing));
    return b.emit(Op::call, operands, attrs, {callee});
}

// ---- while

/// (whole, limit, carried) -> carried. Runs the loop until its condition is false or `limit` iterations have run.
BlockPtr segment(const Inst& loop, const LoopRoles& roles) {
    const std::vector<Type> types = loop.regions[1]->param_types();
    const std::vector<Type> whole = part(types, 0, roles.whole);
    const std::vector<Type> carried = part(types, roles.whole, types.size());
    const auto begin = [&](Build& b, Values& in) {
        b.set_place(loop.place);
        in = params_of(b, whole);
        const Value limit = b.param(iteration_number);
        const Value number = b.param(iteration_number);
        in = concat(std::move(in), params_of(b, carried));
        return std::make_pair(limit, number);
    };
    Values in;
    Build condition("condition");
    const auto [limit, number] = begin(condition, in);
    const Value more = condition.inline_block(*loop.regions[0], in).at(0);
    condition.set_place(loop.place);
    const BlockPtr going =
        condition.finish({condition.binary(Op::and_, condition.binary(Op::less, number, limit), more)});

    Build body(loop.regions[1]->name);
    const Value iteration = begin(body, in).second;
    const Values results = body.inline_block(*loop.regions[1], in);
    body.set_place(loop.place);
    const Value next = body.add(iteration, body.constant_i(iteration_number.dtype, 1));
    const BlockPtr once = body.finish(concat(Values{next}, results));

    Build b(derived_name(*loop.regions[1], "segment"));
    b.set_place(loop.place);
    Values all = params_of(b, whole);
    all.push_back(b.param(iteration_number));
    all.push_back(b.constant_i(iteration_number.dtype, 0));
    all = concat(std::move(all), params_of(b, carried));
    Attrs attrs = loop.attrs;
    if (attrs.has(Attr::counted)) attrs.set(Attr::counted, std::int64_t{0});
    attrs.set(Attr::whole, static_cast<std::int64_t>(roles.whole + 1));
    attrs.set(Attr::carried, static_cast<std::int64_t>(roles.carried + 1));
    const Values made = b.emit(Op::while_, all, attrs, {going, once});
    return b.finish(part(made, 1, made.size()));
}

/// Segment k has up to k iterations. So for any trip count, the number of iterations of a segment is at most the number
/// of segments.
Values segmented_while(Build& b, const Inst& loop, const Values& operands) {
    const LoopRoles roles = loop_roles(loop);
    const std::vector<Type> types = loop.regions[1]->param_types();
    Build condition("condition");
    Values in = params_of(condition, part(types, 0, roles.whole));
    condition.param(iteration_number);
    in = concat(std::move(in), params_of(condition, part(types, roles.whole, types.size())));
    const BlockPtr going = condition.finish(condition.inline_block(*loop.regions[0], in));

    Build body(derived_name(*loop.regions[1], "segments"));
    body.set_place(loop.place);
    in = params_of(body, part(types, 0, roles.whole));
    const Value limit = body.add(body.param(iteration_number), body.constant_i(iteration_number.dtype, 1));
    in.push_back(limit);
    in = concat(std::move(in), params_of(body, part(types, roles.whole, types.size())));
    const BlockPtr iteration = body.finish(concat(Values{limit}, call_of(body, segment(loop, roles), in)));

    Values all = part(operands, 0, roles.whole);
    all.push_back(b.constant_i(iteration_number.dtype, 0));
    all = concat(std::move(all), part(operands, roles.whole, operands.size()));
    Attrs attrs = loop.attrs;
    if (attrs.has(Attr::counted)) attrs.set(Attr::counted, std::int64_t{0});
    attrs.set(Attr::carried, static_cast<std::int64_t>(roles.carried + 1));
    const Values made = b.emit(Op::while_, all, attrs, {going, iteration});
    return part(made, 1, made.size());
}

// ---- scan

Attrs scan_attrs(const Inst& loop, std::size_t whole, std::int64_t length) {
    Attrs attrs = loop.attrs;
    attrs.set(Attr::whole, static_cast<std::int64_t>(whole));
    attrs.set(Attr::length, length);
    return attrs;
}

/// (whole, index of the first iteration, carried, slices of `length` iterations) -> (carried, outputs of these
/// iterations)
BlockPtr scan_segment(const Inst& loop, const LoopRoles& roles, std::int64_t length) {
    const ir::Block& body = *loop.regions[0];
    const std::vector<Type> types = body.param_types(); // index, whole, carried, slices
    const std::size_t first_carried = 1 + roles.whole;
    Build iteration(body.name);
    iteration.set_place(loop.place);
    const Value number = iteration.param(types[0]);
    Values in = params_of(iteration, part(types, 1, first_carried));
    const Value index = iteration.add(iteration.param(types[0]), number);
    in.insert(in.begin(), index);
    in = concat(std::move(in), params_of(iteration, part(types, first_carried, types.size())));
    const BlockPtr shifted = iteration.finish(iteration.inline_block(body, in));

    Build b(derived_name(body, "segment"));
    b.set_place(loop.place);
    Values all = params_of(b, part(types, 1, first_carried));
    all.push_back(b.param(types[0]));
    for (std::size_t i = first_carried; i < types.size(); ++i) {
        Type type = types[i];
        if (i >= first_carried + roles.carried) type.shape.insert(type.shape.begin(), length);
        all.push_back(b.param(type));
    }
    return b.finish(b.emit(Op::scan, all, scan_attrs(loop, roles.whole + 1, length), {shifted}));
}

struct Scanned {
    Values carried;
    Values outputs; ///< the iterations are axis 0
};

/// A scan with its operands.
struct Scan {
    const Inst& loop;
    const LoopRoles& roles;
    const Values& operands;
};

/// Appends the segment of the iterations `first` .. first + length - 1.
Scanned last_segment(Build& b, const Scan& scan, const Values& carried, std::int64_t first, std::int64_t length) {
    const auto& [loop, roles, operands] = scan;
    Values in = part(operands, 0, roles.whole);
    in.push_back(b.constant_i(ir::DType::i32, first));
    in = concat(std::move(in), carried);
    for (const Value v : part(operands, roles.whole + roles.carried, operands.size()))
        in.push_back(b.slice_axis(v, 0, first, first + length));
    const Values made = call_of(b, scan_segment(loop, roles, length), in);
    return {part(made, 0, roles.carried), part(made, roles.carried, made.size())};
}

/// Appends the scan over all whole segments: the iterations 0 .. segments * length - 1.
Scanned whole_segments(Build& b, const Scan& scan, const Values& carried, std::int64_t segments, std::int64_t length) {
    const auto& [loop, roles, operands] = scan;
    const auto split_axis = [&](const ir::Shape& shape) {
        ir::Shape made = {segments, length};
        made.insert(made.end(), shape.begin() + 1, shape.end());
        return made;
    };
    Values all = concat(part(operands, 0, roles.whole), carried);
    for (const Value v : part(operands, roles.whole + roles.carried, operands.size())) {
        const Value used = b.slice_axis(v, 0, 0, segments * length);
        all.push_back(b.reshape(used, split_axis(b.shape(used))));
    }
    Build body(derived_name(*loop.regions[0], "segments"));
    body.set_place(loop.place);
    const Value number = body.param({ir::DType::i32, {}});
    std::vector<Type> types = types_of(b, all);
    for (std::size_t i = roles.whole + roles.carried; i < types.size(); ++i)
        types[i].shape.erase(types[i].shape.begin());
    Values in = params_of(body, types);
    in.insert(in.begin() + static_cast<std::ptrdiff_t>(roles.whole),
              body.binary(Op::mul, number, body.constant_i(ir::DType::i32, length)));
    const BlockPtr iteration = body.finish(call_of(body, scan_segment(loop, roles, length), in));
    const Values made = b.emit(Op::scan, all, scan_attrs(loop, roles.whole, segments), {iteration});
    Scanned result{part(made, 0, roles.carried), {}};
    for (const Value v : part(made, roles.carried, made.size())) {
        ir::Shape shape = b.shape(v);
        shape.erase(shape.begin());
        shape[0] = segments * length;
        result.outputs.push_back(b.reshape(v, std::move(shape)));
    }
    return result;
}

/// The scan becomes segments of ceil(sqrt(n)) iterations. Any remaining iterations form one more segment. This segment
/// runs last, or first if the scan is in reverse.
Values segmented_scan(Build& b, const Inst& loop, const Values& operands) {
    const LoopRoles roles = loop_roles(loop);
    const std::int64_t n = loop.attrs.integer(Attr::length);
    const auto length = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
    const std::int64_t segments = n / length;
    const std::int64_t rest = n - segments * length;
    const bool reverse = loop.attrs.integer(Attr::reverse, 0) != 0;
    Values carried = part(operands, roles.whole, roles.whole + roles.carried);
    Scanned last;
    const auto run_last = [&] {
        if (rest == 0) return;
        last = last_segment(b, {loop, roles, operands}, carried, segments * length, rest);
        carried = last.carried;
    };
    if (reverse) run_last();
    const Scanned first = whole_segments(b, {loop, roles, operands}, carried, segments, length);
    carried = first.carried;
    if (!reverse) run_last();
    for (std::size_t i = 0; i < first.outputs.size(); ++i)
        carried.push_back(rest == 0 ? first.outputs[i] : b.concatenate({first.outputs[i], last.outputs[i]}, 0));
    return carried;
}

class Segmenter {
  public:
    BlockPtr block(const BlockPtr& block) {
        const auto found = made_.find(block.get());
        if (found != made_.end()) return found->second;
        BlockPtr made = rewritten(*block, [&](Build& b, const Inst& inst, const Values& operands) {
            Inst inner = inst;
            for (BlockPtr& region : inner.regions) region = this->block(region);
            return step(b, inner, operands);
        });
        made_.emplace(block.get(), made);
        return made;
    }

  private:
    static Values step(Build& b, const Inst& inst, const Values& operands) {
        // Each segment evaluates the condition once more. So an effect in the condition would be repeated.
        if (inst.op == Op::while_ && !ir::has_effect(*inst.regions[0])) return segmented_while(b, inst, operands);
        if (inst.op == Op::scan && inst.attrs.integer(Attr::length) >= 4) return segmented_scan(b, inst, operands);
        return b.copy(inst, operands);
    }

    std::unordered_map<const ir::Block*, BlockPtr> made_;
};

} // namespace

BlockPtr segmented(const BlockPtr& block) { return Segmenter().block(block); }

} // namespace pm::transform
