#include "compiler/codegen/cpu/cpu_backend.hpp"

#include "compiler/codegen/cpu/dot.hpp"
#include "compiler/codegen/cpu/scatter.hpp"
#include "compiler/codegen/nest/emit_nest.hpp"
#include "compiler/codegen/program/emit_steps.hpp"
#include "compiler/codegen/scalar/emit_scalar.hpp"
#include "compiler/codegen/scalar/integer.hpp"
#include "compiler/codegen/steps/parallel.hpp"
#include "compiler/codegen/steps/prefix_scan.hpp"
#include "compiler/codegen/steps/scatter.hpp"
#include "compiler/codegen/steps/step_text.hpp"

#include <algorithm>
#include <utility>

namespace pm::codegen {
namespace {

using plan::Space;
using plan::Step;
using plan::StepKind;

/// The type of a unit's function. The parameters are the call and the addresses of the buffers.
llvm::FunctionType* unit_type(Emit& e, const Step& step) {
    return llvm::FunctionType::get(e.b.getVoidTy(), std::vector<llvm::Type*>(step.buffers.size() + 1, e.pointer()),
                                   false);
}

/// The work that a call of the unit adds to the work since the last poll. A parallel unit adds at least poll_work, so
/// that a poll follows the unit.
double work_of_unit(const Step& step, double work) { return step.parallel ? std::max(poll_work, work) : work; }

/// Emits the steps that run on the CPU. The host accesses their memory directly.
class CpuSteps final : public TargetSteps {
  public:
    explicit CpuSteps(StepEmitter& emitter)
        : emitter_(emitter), f_(emitter.function()), layout_(emitter.layout()), e_(emitter.emit()) {}

    bool emit(llvm::ArrayRef<Step> equal) override {
        if (equal.size() > 1) {
            repeat(equal);
            return true;
        }
        const Step& step = equal.front();
        switch (step.kind()) {
        case StepKind::nest: nest(step); return true;
        case StepKind::dot: dot(step); return true;
        case StepKind::matrices:
            emitter_.call_matrices("pm_kernel_" + step.as<plan::MatricesStep>().kernel, step);
            return true;
        case StepKind::scatter:
            emit_scatter(e_, step, layout_.program(), f_.addresses(step));
            f_.add_work(scatter_work(step));
            return true;
        case StepKind::cumulative:
            emit_cumulative(e_, step, layout_.program(), f_.address(step.buffers[0]), f_.address(step.buffers[1]));
            f_.add_work(cumulative_work(step));
            return true;
        default: return false;
        }
    }
    Value* read(Value* address, std::int64_t) override { return address; }
    Value* write(Value* address, std::int64_t, bool) override { return address; }
    void end_access() override {}
    void store_index(DType dtype, Value* index, Value* address) override {
        store_scalar(e_, dtype, convert(e_, dtype, DType::i64, index), address);
    }
    Value* first_failure(const Step&) override { return nullptr; }

  private:
    void call(const Unit& unit, std::vector<Value*> arguments) {
        arguments.insert(arguments.begin(), f_.call());
        e_.b.CreateCall(e_.declare(unit.name, unit_type(e_, *unit.step)), arguments);
    }
    void nest(const Step& step);
    void dot(const Step& step);
    void repeat(llvm::ArrayRef<Step> equal);

    StepEmitter& emitter_;
    HostFunction& f_;
    const Layout& layout_;
    Emit& e_;
};

void CpuSteps::nest(const Step& step) {
    if (const Unit* unit = layout_.unit_of(step)) {
        call(*unit, f_.addresses(step));
        f_.add_work(work_of_unit(step, unit->shape.cost()));
        return;
    }
    const NestShape shape = shape_nest(*step.nest, layout_.machine());
    emit_nest(e_, shape, f_.addresses(step));
    f_.add_work(shape.cost());
}

void CpuSteps::dot(const Step& step) {
    const Unit* unit = layout_.unit_of(step);
    if (unit == nullptr) {
        emit_dot(e_, step, layout_.program(), f_.call(), f_.addresses(step), "small_dot");
        f_.add_work(dot_work(step));
        return;
    }
    call(*unit, f_.addresses(step));
    f_.add_work(work_of_unit(step, dot_work(step)));
    if (f_.work() < poll_work) f_.exit_if_abandoned(); // if the unit got no scratch memory, it computed nothing
}

/// Emits steps that differ only in their buffers, as a loop over a table. The table has a row for each step. A row has
/// two numbers for each buffer, in bytes. The buffer is in a memory block, such as an argument or the arena. The first
/// number is the offset of the block's address in the array of block addresses of the buffer's space (0 for the arena).
/// The second number is the offset of the buffer in the block.
void CpuSteps::repeat(llvm::ArrayRef<Step> equal) {
    std::vector<std::int64_t> places;
    for (const Step& step : equal)
        for (const plan::BufferId id : step.buffers) {
            const plan::Buffer& buffer = f_.buffer(id);
            places.push_back(buffer.space == Space::arena ? 0 : std::int64_t{8} * buffer.index);
            places.push_back(buffer.offset);
        }
    const std::vector<plan::BufferId>& buffers = equal[0].buffers;
    const Unit& unit = *layout_.unit_of(equal[0]);
    const double work = work_of_unit(equal[0], unit.shape.cost());
    const bool polls = work * static_cast<double>(equal.size()) >= poll_work;
    Value* const table = f_.table_of(places);
    for (const plan::BufferId id : buffers) f_.held(f_.buffer(id).space);
    e_.loop(0, static_cast<std::int64_t>(equal.size()), 1, [&](Value* iteration) {
        Value* row = e_.byte_offset(table, e_.mul(iteration, static_cast<std::int64_t>(16 * buffers.size())));
        const auto next = [&] {
            Value* place = e_.b.CreateLoad(e_.i64(), row);
            row = e_.byte_offset(row, 8);
            return place;
        };
        std::vector<Value*> found;
        for (const plan::BufferId id : buffers) {
            Value* start = e_.byte_offset(f_.held(f_.buffer(id).space), next());
            if (f_.buffer(id).space != Space::arena) start = e_.b.CreateLoad(e_.pointer(), start);
            found.push_back(e_.byte_offset(start, next()));
        }
        call(unit, std::move(found));
        if (polls) f_.add_up(work);
    });
    if (!polls) f_.add_work(work * static_cast<double>(equal.size()));
}

void emit_nest_unit(Emit& e, const Unit& unit, Value* call, llvm::ArrayRef<Value*> buffers) {
    const NestShape& shape = unit.shape;
    const std::int64_t chunks = (shape.chunk_extent + shape.chunk_grain - 1) / shape.chunk_grain;
    if (!(unit.step->parallel || shape.takes_long()) || shape.chunk_loops == 0 || chunks < 2) {
        emit_nest(e, shape, buffers);
        return;
    }
    emit_parallel(e, unit.name + "_chunk", call, e.int64(chunks), buffers,
                  [&](Value*, Value* chunk, llvm::ArrayRef<Value*> inner) {
                      Value* begin = e.mul(chunk, shape.chunk_grain);
                      Value* end = e.b.CreateAdd(begin, e.int64(shape.chunk_grain));
                      end = e.call(llvm::Intrinsic::smin, {e.i64()}, {end, e.int64(shape.chunk_extent)});
                      emit_nest(e, shape, inner, begin, end);
                  });
}

class CpuBackend final : public Backend {
  public:
    CpuBackend(const plan::Program& program, const Machine& machine) : program_(program), machine_(machine) {}

    UnitForm form() const override { return UnitForm::function; }
    bool runs_whole(const Step&) override { return false; }
    bool may_be_unit(const Step& step) const override {
        return step.kind() == StepKind::nest || step.kind() == StepKind::dot;
    }
    std::int64_t parts(const Step&) const override { return 1; }
    std::vector<const Step*> epilogues(const Step&) override { return {}; }
    NestShape shape(const Step& step) const override {
        if (step.kind() == StepKind::nest) return shape_nest(*step.nest, machine_);
        NestShape shape;
        shape.weight = 150;
        return shape;
    }
    bool inlined(const Step& step, const NestShape& shape) const override {
        if (step.kind() == StepKind::dot) return small_dot(step, program_);
        if (step.parallel || shape.takes_long()) return false;
        const bool local = std::ranges::any_of(
            step.buffers, [&](plan::BufferId b) { return program_.buffers[b].space == Space::local; });
        return shape.weight * shape.unroll <= (local ? 400 : 60);
    }
    std::string text(const Step& step, const NestShape& shape) const override { return text_of(program_, step, shape); }
    void add(const Unit&) override {}
    int weight_after(const Step&) const override { return 0; }

    void emit_unit(Emit& e, const Unit& unit, bool internal) const override {
        llvm::Function* function = e.begin_function(unit.name, unit_type(e, *unit.step), internal);
        std::vector<Value*> buffers;
        for (unsigned i = 1; i < function->arg_size(); ++i) buffers.push_back(function->getArg(i));
        if (unit.step->kind() == StepKind::dot)
            emit_dot(e, *unit.step, program_, function->getArg(0), buffers, unit.name);
        else
            emit_nest_unit(e, unit, function->getArg(0), buffers);
        e.b.CreateRetVoid();
        e.end_function();
    }
    std::unique_ptr<TargetSteps> steps(StepEmitter& emitter) const override {
        return std::make_unique<CpuSteps>(emitter);
    }

  private:
    const plan::Program& program_;
    const Machine& machine_;
};

} // namespace

std::unique_ptr<Backend> cpu_backend(const plan::Program& program, const Machine& machine) {
    return std::make_unique<CpuBackend>(program, machine);
}

} // namespace pm::codegen
