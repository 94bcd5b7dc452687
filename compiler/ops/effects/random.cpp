#include "compiler/ops/core/combinators.hpp"

#include <bit>

// threefry: the block function of Threefry-2x32 with 20 rounds (J. Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011), with the arguments of JAX: the key words are the halves of the key, x0 is the upper half of the
// counter, and x1 is the lower half.

namespace pm::ops {
namespace {

std::uint64_t block(std::uint64_t key, std::uint64_t counter) {
    const auto k0 = static_cast<std::uint32_t>(key >> 32);
    const auto k1 = static_cast<std::uint32_t>(key);
    const std::uint32_t words[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDAU};
    constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    std::uint32_t x0 = static_cast<std::uint32_t>(counter >> 32) + words[0];
    std::uint32_t x1 = static_cast<std::uint32_t>(counter) + words[1];
    for (std::uint32_t iteration = 0; iteration < 5; ++iteration) {
        for (int rotation : rotations[iteration % 2]) {
            x0 += x1;
            x1 = std::rotl(x1, rotation) ^ x0;
        }
        x0 += words[(iteration + 1) % 3];
        x1 += words[(iteration + 2) % 3] + iteration + 1;
    }
    return (std::uint64_t{x0} << 32) | x1;
}

std::vector<Type> type_threefry(const Inst& inst, std::span<const Type> operands) {
    require_dtype(inst, operands[0].dtype, keys);
    require_dtype(inst, operands[1].dtype, set_of(DType::u64));
    require_same_shape(inst, operands);
    return {operands[1]};
}

std::vector<Array> eval_threefry(EvalContext& c) {
    Array out = new_result(c);
    const auto* key = c.in[0].as<std::uint64_t>();
    const auto* counter = c.in[1].as<std::uint64_t>();
    auto* y = out.mutable_as<std::uint64_t>();
    for (std::int64_t i = 0; i < out.elements(); ++i) y[i] = block(key[i], counter[i]);
    return {std::move(out)};
}

std::vector<Sample> samples_threefry() {
    std::vector<Sample> samples;
    for (const Shape& shape : sample_shapes())
        samples.push_back({{{DType::key, shape}, {DType::u64, shape}}, {}, {Domain::any}, 0, false});
    return samples;
}

} // namespace

const OpRules rule::threefry = checked<Op::threefry>({.type = type_threefry,
                                                      .eval = eval_threefry,
                                                      .jvp = none,
                                                      .transpose = none,
                                                      .batch = batch_elementwise,
                                                      .lower = LowerScalar{ScalarOp::threefry},
                                                      .samples = samples_threefry,
                                                      .doc = "64 random bits for a key and a counter.",
                                                      .name = "random.bits",
                                                      .cost = 60,
                                                      .size = 24});

} // namespace pm::ops
