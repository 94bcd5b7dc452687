#include "compiler/codegen/steps/collective.hpp"

#include "compiler/base/check.hpp"
#include "compiler/codegen/scalar/emit_scalar.hpp"

#include <algorithm>
#include <utility>

namespace pm::codegen {

using nest::Combine;
using nest::Inst;
using nest::Nest;
using nest::Ref;
using nest::ScalarOp;
using plan::CollectiveWork;
using runtime::DType;

namespace {

class CollectiveNest {
  public:
    CollectiveNest(const plan::Program& program, const plan::Step& step, std::int64_t parts)
        : in_(program.buffers[step.buffers[0]]), out_(program.buffers[step.buffers[1]]), step_(step),
          collective_(step.as<plan::CollectiveStep>()), parts_(parts) {}

    std::unique_ptr<plan::Step> make() {
        dtype_ = in_.dtype;
        width_ = static_cast<std::int64_t>(runtime::size_of(dtype_));
        work_ = accumulator(collective_.combine, dtype_);
        nest_.name = "collective";
        nest_.grid = {in_.bytes() / width_ / parts_};
        nest_.buffers = {{dtype_, false}, {dtype_, true}};
        nest_.stages.emplace_back();
        Ref sum = operand(0);
        for (std::int64_t lane = 1; lane < collective_.lanes; ++lane) {
            const Ref next = operand(lane);
            Inst inst;
            inst.op = operation();
            inst.dtype = work_;
            inst.operands = {sum, next};
            sum = push(std::move(inst));
        }
        if (work_ != dtype_) sum = convert(sum, dtype_);
        for (std::int64_t lane = 0; lane < (lane_stride(out_) == 0 ? 1 : collective_.lanes); ++lane) {
            Inst inst;
            inst.op = ScalarOp::store;
            inst.dtype = dtype_;
            inst.operands = {sum};
            inst.access = access(1, lane * lane_stride(out_));
            push(std::move(inst));
        }
        auto made = std::make_unique<plan::Step>();
        made->attributes = plan::NestStep{collective_.lanes};
        made->buffers = step_.buffers;
        made->parallel = step_.parallel;
        made->nest = std::make_shared<Nest>(std::move(nest_));
        return made;
    }

  private:
    Ref push(Inst&& inst) {
        nest_.insts.push_back(std::move(inst));
        nest_.stages[0].body.push_back(Ref{static_cast<std::uint32_t>(nest_.insts.size() - 1)});
        return nest_.stages[0].body.back();
    }
    nest::Access access(std::uint32_t buffer, std::int64_t bytes) const {
        PM_CHECK(bytes % width_ == 0);
        nest::Access made;
        made.buffer = buffer;
        made.offset.base = bytes / width_;
        made.offset.coefficients = {1};
        return made;
    }
    Ref convert(Ref from, DType to) {
        Inst inst;
        inst.op = ScalarOp::convert;
        inst.dtype = to;
        inst.operands = {from};
        return push(std::move(inst));
    }
    Ref operand(std::int64_t lane) {
        Inst inst;
        inst.op = ScalarOp::load;
        inst.dtype = dtype_;
        inst.access = access(0, lane * lane_stride(in_));
        const Ref loaded = push(std::move(inst));
        return work_ == dtype_ ? loaded : convert(loaded, work_);
    }
    ScalarOp operation() const {
        switch (collective_.combine) {
        case Combine::add: return ScalarOp::add;
        case Combine::mul: return ScalarOp::mul;
        case Combine::max: return ScalarOp::max;
        case Combine::min: return ScalarOp::min;
        case Combine::and_: return ScalarOp::and_;
        case Combine::or_: return ScalarOp::or_;
        case Combine::argmax:
        case Combine::argmin: break;
        }
        PM_UNREACHABLE();
    }

    const plan::Buffer& in_;
    const plan::Buffer& out_;
    const plan::Step& step_;
    const plan::CollectiveStep& collective_;
    std::int64_t parts_;
    Nest nest_;
    DType dtype_{};
    DType work_{};
    std::int64_t width_ = 1;
};

} // namespace

std::unique_ptr<plan::Step> collective_nest(const plan::Program& program, const plan::Step& step, std::int64_t parts) {
    return step.as<plan::CollectiveStep>().work == CollectiveWork::reduce ? CollectiveNest(program, step, parts).make()
                                                                          : nullptr;
}

/// With fewer bytes per lane, kernels compute the sums, in the order of the CPU. The limit is an unmeasured estimate of
/// the size from which the library is faster.
constexpr std::int64_t least_bytes_for_library = 1 << 20;

std::optional<runtime::AllReduceSpec> collective_for_library(const plan::Program& program, const plan::Step& step) {
    using By = runtime::AllReduceSpec::By;
    const plan::Buffer& in = program.buffers[step.buffers[0]];
    const auto& collective = step.as<plan::CollectiveStep>();
    if (program.deterministic || collective.work != CollectiveWork::reduce || in.bytes() < least_bytes_for_library)
        return std::nullopt;
    By by{};
    switch (collective.combine) {
    case Combine::add: by = By::sum; break;
    case Combine::max: by = By::greatest; break;
    case Combine::min: by = By::least; break;
    default: return std::nullopt;
    }
    if (!runtime::library_reduces(in.dtype, by)) return std::nullopt;
    return runtime::AllReduceSpec{
        in.dtype, by, collective.lanes, in.elements(), lane_stride(in), lane_stride(program.buffers[step.buffers[1]])};
}

std::vector<LaneMoves> collective_moves(const plan::Program& program, const plan::Step& step) {
    const auto& collective = step.as<plan::CollectiveStep>();
    const plan::Buffer& in = program.buffers[step.buffers[0]];
    const plan::Buffer& out = program.buffers[step.buffers[1]];
    LaneMoves all;
    all.bytes = in.bytes();
    all.receivers = lane_stride(out) == 0 ? 1 : collective.lanes;
    all.out_by_receiver = lane_stride(out);
    if (all.bytes == 0) return {};
    if (collective.work == CollectiveWork::gather) {
        if (lane_stride(in) == all.bytes) { // the parts are adjacent
            all.bytes *= collective.lanes;
            return {all};
        }
        all.senders = collective.lanes;
        all.in_by_sender = lane_stride(in);
        all.out_by_sender = all.bytes;
        return {all};
    }
    if (collective.work == CollectiveWork::all_to_all) {
        all.bytes /= collective.lanes;
        all.senders = collective.lanes;
        all.in_by_sender = lane_stride(in);
        all.in_by_receiver = all.bytes;
        all.out_by_sender = all.bytes;
        return {all};
    }
    PM_CHECK(collective.work == CollectiveWork::exchange);
    std::vector<std::int64_t> source(static_cast<std::size_t>(collective.lanes), -1);
    for (std::size_t from = 0; from < collective.to.size(); ++from)
        if (const std::int64_t to = collective.to[from]; to >= 0)
            source[static_cast<std::size_t>(to)] = static_cast<std::int64_t>(from);
    std::vector<LaneMoves> moves;
    for (std::int64_t to = 0; to < all.receivers; ++to) {
        const std::int64_t from = source[static_cast<std::size_t>(to)];
        LaneMoves one;
        one.bytes = all.bytes;
        one.out = to * lane_stride(out);
        one.senders = from < 0 ? 0 : 1;
        one.in = std::max<std::int64_t>(from, 0) * lane_stride(in);
        moves.push_back(one);
    }
    return moves;
}

} // namespace pm::codegen
