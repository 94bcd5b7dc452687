#include "compiler/codegen/gpu/points.hpp"
#include "compiler/codegen/scalar/emit_scalar.hpp"

// Kernels that move tape values, with a thread for each element.

namespace pm::codegen {

using plan::Step;
using plan::TapeStep;
using runtime::TapeWork;

bool moves_tapes(const Step& step, const plan::Program& program) {
    const auto* tape = std::get_if<TapeStep>(&step.attributes);
    if (tape == nullptr || tape->work == TapeWork::sum) return false;
    return tape->work != TapeWork::add || program.buffers[tape->values(step.buffers)].dtype != DType::tape;
}

Mapping map_tape(const Step& step, int threads) {
    const std::int64_t points = step.as<TapeStep>().points();
    return map_points(points, 1, threads != 0 ? threads : points > warp ? 256 : warp);
}

void emit_tape_kernel(Emit& e, Threads& threads, const Step& step, const plan::Program& program, const Mapping& mapping,
                      llvm::ArrayRef<Value*> buffers) {
    const auto place = [&](Value* tape) {
        if (step.as<TapeStep>().tapes == 1) return buffers[1];
        return static_cast<Value*>(e.b.CreateLoad(e.pointer(), e.byte_offset(buffers[1], e.mul(tape, sizeof(void*)))));
    };
    emit_tape_moves(e, threads, step, program, mapping, {buffers[0], place});
}

void emit_tape_moves(Emit& e, Threads& threads, const Step& step, const plan::Program& program, const Mapping& mapping,
                     const TapeMemory& memory) {
    const auto& tapes = step.as<TapeStep>();
    const DType dtype = program.buffers[tapes.values(step.buffers)].dtype;
    const auto size = static_cast<std::int64_t>(runtime::size_of(dtype));
    llvm::Type* bits = e.b.getIntNTy(static_cast<unsigned>(8 * size));
    const llvm::Align align(static_cast<std::uint64_t>(size));
    const auto copy = [&](Value* from, Value* to) {
        e.b.CreateAlignedStore(e.b.CreateAlignedLoad(bits, from, align), to, align);
    };
    each_point(e, threads, mapping, tapes.points(), [&](Value* number) {
        const std::vector<Value*> at = digits(e, number, {tapes.tapes, tapes.elements});
        Value* array = memory.place(at[0]);
        Value* there = e.b.CreateIsNotNull(array);
        Value* value = e.byte_offset(memory.values, e.mul(number, size));
        Value* place = e.byte_offset(array, e.mul(at[1], size));
        if (tapes.is_get()) {
            e.b.CreateAlignedStore(llvm::ConstantInt::get(bits, 0), value, align);
            e.when(there, [&] { copy(place, value); });
        } else {
            e.when(there, [&] {
                if (tapes.work == TapeWork::set) return copy(value, place);
                Value* sum =
                    combine(e, nest::Combine::add, dtype, load_scalar(e, dtype, place), load_scalar(e, dtype, value));
                store_scalar(e, dtype, round_half(e, dtype, sum), place);
            });
        }
    });
}

} // namespace pm::codegen
