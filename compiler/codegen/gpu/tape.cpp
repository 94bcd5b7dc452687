#include "compiler/codegen/emit_scalar.hpp"
#include "compiler/codegen/gpu/points.hpp"

// What tapes hold: a thread for each element of the values.

namespace pm::codegen {

using plan::Step;

plan::BufferId values_of_tape(const Step& step) { return step.buffers[step.text == "get" ? 2 : 0]; }

bool moves_tapes(const Step& step, const plan::Program& program) {
    if (step.kind != plan::StepKind::tape || step.text == "sum") return false;
    return step.text != "add" || program.buffers[values_of_tape(step)].dtype != DType::tape;
}

Mapping map_tape(const Step& step) {
    const std::int64_t points = nest::product(step.integers);
    return map_points(points, 1, points > warp ? 256 : warp);
}

void emit_tape_kernel(Emit& e, Threads& threads, const Step& step, const plan::Program& program, const Mapping& mapping,
                      llvm::ArrayRef<Value*> buffers) {
    const DType dtype = program.buffers[values_of_tape(step)].dtype;
    const auto size = static_cast<std::int64_t>(runtime::size_of(dtype));
    llvm::Type* bits = e.b.getIntNTy(static_cast<unsigned>(8 * size));
    const llvm::Align align(static_cast<std::uint64_t>(size));
    const auto copy = [&](Value* from, Value* to) {
        e.b.CreateAlignedStore(e.b.CreateAlignedLoad(bits, from, align), to, align);
    };
    each_point(e, threads, mapping, nest::product(step.integers), [&](Value* number) {
        const std::vector<Value*> at = digits(e, number, step.integers);
        Value* place = buffers[1];
        if (step.integers[0] > 1)
            place = e.b.CreateLoad(e.pointer(), e.byte_offset(place, e.mul(at[0], sizeof(void*))));
        Value* there = e.b.CreateIsNotNull(place);
        Value* value = e.byte_offset(buffers[0], e.mul(number, size));
        place = e.byte_offset(place, e.mul(at[1], size));
        if (step.text == "get") {
            e.b.CreateAlignedStore(llvm::ConstantInt::get(bits, 0), value, align);
            e.when(there, [&] { copy(place, value); });
        } else {
            e.when(there, [&] {
                if (step.text == "set") return copy(value, place);
                Value* sum =
                    combine(e, nest::Combine::add, dtype, load_scalar(e, dtype, place), load_scalar(e, dtype, value));
                store_scalar(e, dtype, round_half(e, dtype, sum), place);
            });
        }
    });
}

} // namespace pm::codegen
