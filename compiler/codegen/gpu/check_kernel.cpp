#include "compiler/codegen/gpu/atomics.hpp"
#include "compiler/codegen/gpu/points.hpp"

#include <algorithm>

// Checks: each thread reads several flags at once, as words.

namespace pm::codegen {
namespace {

using plan::Step;

/// The host reads up to this number of flags as fast as a single number.
constexpr std::int64_t few = 4096;

/// The bytes that a thread reads at once, in words of up to 8 bytes.
struct Words {
    Words(const Step& step, const plan::Program& program)
        : n(program.buffers[step.buffers[0]].elements()), bytes(alignment_of(program.buffers[step.buffers[0]])),
          word(std::min<std::int64_t>(bytes, 8)) {}
    std::int64_t n;
    std::int64_t bytes;
    std::int64_t word;
};

/// A value that is not 0 if a byte of `word` is 0. The lowest set bit of the value is in the first byte that is 0.
Value* marks_of(Emit& e, Value* word) {
    auto* type = llvm::cast<llvm::IntegerType>(word->getType());
    const auto each = [&](std::uint64_t byte) {
        return llvm::ConstantInt::get(type, byte * (~std::uint64_t{0} / 0xFF) &
                                                (~std::uint64_t{0} >> (64 - type->getBitWidth())));
    };
    return e.b.CreateAnd(e.b.CreateAnd(e.b.CreateSub(word, each(1)), e.b.CreateNot(word)), each(0x80));
}

} // namespace

bool checks_on_gpu(const Step& step, const plan::Program& program) {
    return step.kind() == plan::StepKind::check && program.buffers[step.buffers[0]].elements() > few;
}

Mapping map_check(const Step& step, const plan::Program& program, int threads) {
    const Words w(step, program);
    return map_points(w.n / w.bytes, 1, threads == 0 ? 256 : threads);
}

void emit_check_kernel(Emit& e, Threads& threads, const Step& step, const plan::Program& program,
                       const Mapping& mapping, llvm::ArrayRef<Value*> buffers) {
    const Words w(step, program);
    Value* ok = buffers[0];
    Value* least = buffers[1];
    const auto found = [&](Value* element) {
        // A thread that runs later usually finds in `least` an index smaller than its own, and then needs no atomic
        // operation.
        Value* known = e.b.CreateAlignedLoad(e.i64(), threads.in_device(least), llvm::Align(8), true);
        e.when(e.b.CreateICmpULT(element, known),
               [&] { combine_atomically(e, threads, nest::Combine::min, DType::u64, least, element); });
    };
    llvm::Type* type = e.b.getIntNTy(static_cast<unsigned>(8 * w.word));
    const int words = static_cast<int>(w.bytes / w.word);
    each_point(e, threads, mapping, w.n / w.bytes, [&](Value* number) {
        Value* first = e.mul(number, w.bytes);
        Value* read = e.b.CreateAlignedLoad(e.vector(type, words), e.byte_offset(ok, first),
                                            llvm::Align(static_cast<std::uint64_t>(w.bytes)));
        for (int i = 0; i < words; ++i) {
            Value* marks =
                marks_of(e, words == 1 ? read : e.b.CreateExtractElement(read, static_cast<std::uint64_t>(i)));
            e.when(
                e.b.CreateICmpNE(marks, llvm::ConstantInt::get(type, 0)),
                [&] {
                    Value* bit = e.call(llvm::Intrinsic::cttz, {type}, {marks, e.b.getTrue()});
                    Value* byte = e.b.CreateLShr(e.b.CreateZExt(bit, e.i64()), 3);
                    found(e.add(e.add(first, e.int64(i * w.word)), byte));
                },
                false);
        }
    });
    const std::int64_t rest = w.n % w.bytes;
    if (rest == 0) return;
    Value* number = e.add(e.mul(threads.block(), mapping.threads), threads.thread());
    e.when(e.b.CreateICmpSLT(number, e.int64(rest)), [&] {
        Value* element = e.add(number, e.int64(w.n - rest));
        Value* flag = e.b.CreateLoad(e.b.getInt8Ty(), e.byte_offset(ok, element));
        e.when(e.b.CreateICmpEQ(flag, e.b.getInt8(0)), [&] { found(element); }, false);
    });
}

} // namespace pm::codegen
